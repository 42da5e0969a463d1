"""Masking of secrets in text."""
