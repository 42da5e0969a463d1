"""The memory log: records as lines of text in git, and the state that folding them gives. Knows no index."""
