"""Code: definitions, imports and calls, and the files that imports mean."""
