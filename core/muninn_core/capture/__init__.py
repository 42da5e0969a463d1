"""From the transcripts of agents and from commits: drafts of memories, and events for the journal."""
