"""The journal: events, capsules, decisions, and agents that work side by side."""
