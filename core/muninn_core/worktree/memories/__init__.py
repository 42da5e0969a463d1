"""The memories of a work tree: the only writer of its logs, and orders and indexes that follow the log."""
