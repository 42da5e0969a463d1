"""Embedding models, the text encoder and what they return, in the form that is stored."""
