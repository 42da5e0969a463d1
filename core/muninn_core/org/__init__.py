"""The memory of an organisation: many repositories in one PostgreSQL database, for callers who may read some of them.

`ingestion.pushes` brings a branch of a repository into the database. `reading.reader` makes the index interface of
`retrieval` from it, so that questions are ranked by the same code as on one machine. Row security of the database
decides what a caller sees.
"""
