"""An in-memory search for words in some files, faster than `git grep -l -F -w`.

It reads files and does not use git. Its size is bounded; `load` refuses what does not fit.
"""

from __future__ import annotations

import os
import stat
import threading
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from muninn_core.regular_file import read_regular
from muninn_core.source.files.text import looks_binary

_OF_WORDS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_BETWEEN = b"\0"


class _Batch(NamedTuple):
    """Files that were read together: their concatenated texts, and the offset of each."""

    text: bytes
    begins: list[int]
    paths: list[str]


class WordSearch:
    """Opened once per work tree. Safe to use from several threads. `most` bounds the bytes that are held."""

    def __init__(self, root: Path, most: int) -> None:
        self._root = root
        self._most = most
        self._lock = threading.Lock()
        self._sizes: dict[tuple[tuple[str, ...], str], int] = {}
        self._batches: dict[tuple[str, ...], list[_Batch]] = {}

    def load(self, paths: Iterable[str], suffixes: tuple[str, ...]) -> bool:
        """Read files with some suffixes that are not held yet; return False when they do not fit."""
        with self._lock:
            missing = sorted(path for path in paths if (suffixes, path) not in self._sizes)
            sizes = {path: self._size(path) for path in missing}
            if sum(self._sizes.values()) + sum(sizes.values()) > self._most:
                return False
            if missing:
                self._sizes.update(((suffixes, path), size) for path, size in sizes.items())
                self._batches.setdefault(suffixes, []).append(self._read([path for path in missing if sizes[path]]))
            return True

    def files_with(self, texts: Sequence[str], suffixes: tuple[str, ...]) -> set[str]:
        """Return the held files with some suffixes that contain one of some texts as a whole word."""
        found: set[str] = set()
        for batch in self._batches.get(suffixes, ()):
            for text in texts:
                _search(batch, text.encode("utf-8", "replace"), found)
        return found

    def _size(self, path: str) -> int:
        """Return a file's size in bytes; 0 when it does not exist or is not a regular file."""
        try:
            status = os.lstat(f"{self._root}/{path}")
        except OSError:
            return 0
        return status.st_size if stat.S_ISREG(status.st_mode) else 0

    def _read(self, paths: list[str]) -> _Batch:
        parts, begins, at = [], [], 0
        for path in paths:
            try:
                data = read_regular(f"{self._root}/{path}", self._most)
            except OSError:
                data = b""
            data = b"" if looks_binary(data) else data
            begins.append(at)
            parts.append(data)
            at += len(data) + len(_BETWEEN)
        return _Batch(_BETWEEN.join(parts), begins, paths)


def _search(batch: _Batch, word: bytes, found: set[str]) -> None:
    """Add the files of a batch that contain a text as a whole word."""
    text, begins, _ = batch
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if (at and text[at - 1] in _OF_WORDS) or (end < len(text) and text[end] in _OF_WORDS):
            at = text.find(word, at + 1)
            continue
        number = bisect_right(begins, at) - 1
        found.add(batch.paths[number])
        at = text.find(word, begins[number + 1]) if number + 1 < len(begins) else -1
