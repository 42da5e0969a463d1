"""Measures what Muninn promises about time and memory, on the source of a large real package."""
