"""Scored candidates in their order, and their conversion to hits with reasons."""
