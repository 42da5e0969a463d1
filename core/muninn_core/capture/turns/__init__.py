"""The turns of agents' transcripts, in one form for all agents."""
