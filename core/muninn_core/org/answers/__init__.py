"""Answers of the verbs."""
