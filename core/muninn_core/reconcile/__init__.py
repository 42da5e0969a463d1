"""Consolidation of the log: merging of equal memories, a queue of contradictions. Deterministic and without a
model.
"""
