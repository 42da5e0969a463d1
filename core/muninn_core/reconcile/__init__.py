"""Consolidating the log: the same insight once, contradictions in a queue. No model: same input, same bytes."""
