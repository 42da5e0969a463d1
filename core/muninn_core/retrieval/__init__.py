"""Candidates, fusion, ranking and reasons: the one place with weights."""
