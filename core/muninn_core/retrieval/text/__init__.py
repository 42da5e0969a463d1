"""Matching of words and phrases in text."""
