"""Python programs record their turns: a context manager, and an adapter for PocketFlow."""
