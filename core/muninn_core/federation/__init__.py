"""Several repositories on one machine: their list, their indexes and memories for reading, and search over them."""
