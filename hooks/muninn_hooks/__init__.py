"""Hooks of agents: one module per event. They fail open within a time budget, and log each run."""
