"""Answers to questions: recall, contexts, the code map, skills and lists of memories."""
