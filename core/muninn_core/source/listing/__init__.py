"""Which files of a work tree are indexed."""
