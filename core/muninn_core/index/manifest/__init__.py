"""The manifest: what is indexed, in SQLite. The other parts of the index are rebuilt from it."""
