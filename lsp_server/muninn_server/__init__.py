"""The daemon and its protocols. Only this package imports the engine, pygls and mcp."""
