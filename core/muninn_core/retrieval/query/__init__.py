"""Questions: the query language, filters, words, long texts and spelling."""
