"""The code map, definitions, and the files of the work tree."""
