"""Reading of memories and their records: history, links, conflicts and differences."""
