"""The vector index: exact search over 8-bit vectors."""
