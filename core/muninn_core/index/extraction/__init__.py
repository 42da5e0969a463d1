"""Files to chunks, words and vectors, in worker processes."""
