"""Recognises files that an export wrote: they repeat memories, so they are not indexed.

The notes of an export for Obsidian have a list of their own (`muninn_core.gitignore.EXPORT_LIST`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muninn_core.source.files.text import Text, Unreadable, read_text

if TYPE_CHECKING:
    from pathlib import Path

PAGE_MARK = '<meta name="generator" content="muninn export">'
"""The element by which a page of memories is recognised. It stands at the beginning of the page's head."""

_HEAD_CHARS = 200
_BUNDLE = re.compile(r'\{"version":\d+,"exported":"')


def is_export(text: str) -> bool:
    """Whether a file is a page or a bundle of memories that `export` wrote, by its beginning."""
    head = text[:_HEAD_CHARS]
    return PAGE_MARK in head or _BUNDLE.match(head) is not None


def read_for_index(root: Path, path: str, limit: int) -> Text | Unreadable:
    """Read a file to be indexed as `read_text` does; an export is not read."""
    read = read_text(root, path, limit)
    return "an export" if isinstance(read, Text) and is_export(read.text) else read
