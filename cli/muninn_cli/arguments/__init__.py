"""Arguments: parsers made from the catalogue's JSON schemas."""
