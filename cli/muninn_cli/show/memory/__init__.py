"""Memories for people: lists, links, history, changes, and what goes in and out."""
