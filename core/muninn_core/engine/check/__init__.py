"""Checks of citations, records, written files and packs."""
