"""Folding: from a set of records to the state, and its cache."""
