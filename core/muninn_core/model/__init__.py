"""The values that all layers share. They are frozen, compared by content, and do no I/O."""
