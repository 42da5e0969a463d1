"""Single files: their kind by path, their text, and paths that stay inside the work tree."""
