"""What happens in a repository, for clients that follow it: over JSON-RPC, LSP, MCP and Server-Sent Events."""
