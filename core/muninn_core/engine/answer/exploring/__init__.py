"""The exploration of a question by a language model with tools that read."""
