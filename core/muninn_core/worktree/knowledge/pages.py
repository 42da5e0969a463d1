"""The pages of knowledge in a work tree with their frontmatter, read on demand and cached while their files stay the
same.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from muninn_core.source.documents.page import PAGE_FOLDERS, Page, read_page
from muninn_core.source.files.text import Text, read_text
from muninn_core.worktree.knowledge.documents import MAX_BYTES

_Stamp = tuple[int, int, int]


class PageCache:
    """Reads the pages of a work tree. Safe to use from several threads."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._known: dict[str, tuple[_Stamp, Page]] = {}

    def read(self) -> Mapping[str, Page]:
        """Return the pages by path, as their files are now. Links are not followed; unchanged files are not read."""
        stamps = self._stamps()
        with self._lock:
            self._known = {path: self._page(path, stamps[path]) for path in sorted(stamps)}
            return MappingProxyType({path: page for path, (_, page) in self._known.items()})

    def _page(self, path: str, stamp: _Stamp) -> tuple[_Stamp, Page]:
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known
        read = read_text(self._root, path, MAX_BYTES)
        return stamp, read_page(read.text) if isinstance(read, Text) else Page()

    def _stamps(self) -> dict[str, _Stamp]:
        found: dict[str, _Stamp] = {}
        for top in PAGE_FOLDERS:
            for folder, _, names in os.walk(self._root / top):
                for name in names:
                    file = Path(folder, name)
                    if name.endswith(".md") and (status := _status(file)) is not None:
                        path = file.relative_to(self._root).as_posix()
                        found[path] = (status.st_mtime_ns, status.st_size, status.st_ino)
        return found


def _status(file: Path) -> os.stat_result | None:
    """Return the status of a regular file, None for a link, another kind of file, and one that is gone."""
    try:
        status = file.lstat()
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None
