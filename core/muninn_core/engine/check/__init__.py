"""Checks of what a repository carries: its citations, its records and its packs."""
