"""The values that every layer speaks of. Frozen, compared by content, free of behaviour that needs I/O."""
