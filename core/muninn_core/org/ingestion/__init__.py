"""Branches of repositories to rows of the database, and removal from it."""
