"""Edits of the files of other programs for `muninn install` and `muninn uninstall`."""
