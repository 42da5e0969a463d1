"""Event subscriptions of all protocols: JSON-RPC, LSP, MCP and Server-Sent Events."""
