"""From the work tree to chunks: which files, which kind, which pieces."""
