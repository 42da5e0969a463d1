"""The index of one work tree: words, vectors and the manifest that both are rebuilt from. All of it can be thrown away.

Import the modules by name: this package itself imports nothing, so that worker processes start quickly.
"""
