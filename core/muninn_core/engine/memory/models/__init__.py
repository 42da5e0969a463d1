"""What a language model does for memories: enrichment, links, verdicts and proposals."""
