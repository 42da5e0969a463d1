"""The MCP face: coding agents, and every client that speaks the Model Context Protocol."""
