"""The title of a memory beside its text. A plain function of texts, so that the command line can use it, too."""

from __future__ import annotations


def own_title(title: str, text: str) -> str:
    """Return a title, "" if it is only the beginning of the text."""
    return "" if text.strip().startswith(title.rstrip("….").strip()) else title
