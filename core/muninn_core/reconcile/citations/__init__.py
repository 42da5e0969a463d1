"""Whether the code in a work tree still is what a memory cites."""
