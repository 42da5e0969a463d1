"""Packs of context within a token budget, and how they are written down."""
