"""The pieces of a file that are indexed and cited."""
