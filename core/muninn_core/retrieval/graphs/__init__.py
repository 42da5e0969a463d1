"""Graphs of code and of links between memories."""
