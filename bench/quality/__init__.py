"""Retrieval quality: questions about real repositories, and the files that answer them."""
