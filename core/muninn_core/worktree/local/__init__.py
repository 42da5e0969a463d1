"""Private files of a work tree: its lock, its state in `.muninn/local`, and their upkeep."""
