"""Verbs: parsing their arguments, calling the daemon, and printing the result."""
