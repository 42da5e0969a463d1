"""Context packs within a token budget."""
