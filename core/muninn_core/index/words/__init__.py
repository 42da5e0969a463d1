"""The word index: writing, search with exact BM25 scores, and search over several indexes."""
