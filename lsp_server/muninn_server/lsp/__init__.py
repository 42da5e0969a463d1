"""The LSP face: editors, and every client that speaks the Language Server Protocol."""
