"""Context packs within a token budget, and the text of all results for people and models."""
