"""How well memories are found: questions about stored memories and about conversations."""
