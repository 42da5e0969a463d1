"""Updating of the indexes of a work tree."""
