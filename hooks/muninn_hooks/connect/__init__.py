"""Muninn put into the files of other programs, and taken out again: `muninn install` and `muninn uninstall`."""
