"""The memory log: records as lines of text in git, and the state folded from them. It does not use the index."""
