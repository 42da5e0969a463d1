"""The daemon and its faces. The only importers of the engine, pygls and mcp."""
