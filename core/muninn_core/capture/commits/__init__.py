"""Memories from commits."""
