"""The Model Context Protocol, for coding agents and other MCP clients."""
