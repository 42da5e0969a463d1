"""An open work tree: its memory, its index, and what is read from git for them. The engine's verbs are built on it."""
