"""Changes of stored memories, each by a record, and rewrites of the log."""
