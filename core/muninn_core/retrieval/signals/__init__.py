"""What a score consists of: matches of files, memories and sessions, computed for all candidates at once."""
