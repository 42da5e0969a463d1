"""New memories: drafts, their citations, scopes and notices."""
