"""The LSP front end, for editors and all other clients of the Language Server Protocol."""
