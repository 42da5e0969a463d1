"""Where a repository's daemon lives, and how to reach or start it.

Every client pays for this package at start-up, hooks on every event: it uses `os` and `socket` and little else, and
leaves `pathlib`, `dataclasses` and `subprocess` to those who need them.
"""
