"""The index interface over the database: words, vectors, files and memories of the branches that a question reads."""
