"""Statements of conversations that are worth keeping."""
