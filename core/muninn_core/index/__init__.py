"""The index of one work tree: words, vectors, and the manifest that both are rebuilt from. All of it may be deleted.

Import the modules by name. The package itself imports nothing, so that worker processes start quickly.
"""
