"""Memory that other tools exported, as drafts of memories."""
