"""Checks of the citations of a work tree's memories."""
