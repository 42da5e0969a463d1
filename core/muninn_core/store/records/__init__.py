"""Records of the log: their lines, kinds, ids, times and fields. Reads no files."""
