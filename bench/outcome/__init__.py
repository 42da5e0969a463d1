"""A paired benchmark of agents with and without Muninn: `python -m bench outcome`."""
