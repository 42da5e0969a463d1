"""Markdown and structure for editors: hovers, cards, pages, outlines, completion."""
