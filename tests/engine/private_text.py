"""Text that must not be stored, and the files that contain it."""

from __future__ import annotations

WORD = "quetzalcoatlus"
"""A word that is in no file, so that finding it anywhere says where it came from."""


def holders(root, word=WORD):
    """Return all files under .muninn that contain a word."""
    found = []
    for path in (root / ".muninn").rglob("*"):
        try:
            if path.is_file() and word.encode() in path.read_bytes():
                found.append(path.relative_to(root).as_posix())
        except FileNotFoundError:
            continue  # the index replaces its files while it works
    return found


def key_of_chance():
    """Return a random-looking key, which is in no file of the tests as a whole."""
    return "9fK2" + "xQ7z" + "Lm4R" + "vT8w" + "Jp3Y" + "cH6n"
