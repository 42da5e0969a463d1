"""Language models that the user configures. Nothing in Muninn needs one; without settings no module of this package
opens a connection.

`client` asks a model: it checks the budget, masks secrets, retries and keeps the ledger. `openai`, `anthropic` and
`command` are the dialects. `http` is the connection.
"""
