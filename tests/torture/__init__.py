"""Torture tests: seeded parts that try to make Muninn lose, duplicate or corrupt memory.

`make torture` runs them; docs/torture.md describes them. The short form of each part is a test.
"""
