"""Answers about code and memory: hits, contexts, files, definitions, skills."""
