"""`muninn watch`: agents, events and decisions that wait, as they happen, in a terminal."""
