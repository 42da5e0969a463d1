"""Finds, reaches and starts the daemon of a repository.

Every client, hooks included, pays for this package at start-up. It imports `os` and `socket` and little else; no
`pathlib`, `dataclasses` or `subprocess` at module level.
"""
