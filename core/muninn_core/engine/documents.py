"""The steering documents of a work tree: Metis's and ADRs, read when somebody asks and kept while their files stay.

Their folders are known places, so that a brief needs no index. How a document is written is the affair of `source`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from muninn_core.model.value import replace
from muninn_core.protocol.results import Problem
from muninn_core.source.document import ADR_FOLDERS, Document, is_document, read_document
from muninn_core.source.shortcode import same_code
from muninn_core.source.text import Text, read_text

MOST_BYTES = 1_000_000
"""A longer document is not read: it steers nothing."""

_Stamp = tuple[int, int, int]


class Documents:
    """Safe to use from several threads."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._known: dict[str, tuple[_Stamp, Document | None]] = {}
        self._all: tuple[tuple[tuple[str, _Stamp], ...], dict[str, Document]] = ((), {})

    def all(self) -> Mapping[str, Document]:
        """Return every document by path, in the order of the paths.

        A decision that one in force says it supersedes is superseded, whatever its own file still says.
        """
        stamps = tuple(self._stamps())
        with self._lock:
            if self._all[0] != stamps:
                read = {path: self._read(path, stamp) for path, stamp in stamps}
                self._all = (stamps, _settled({path: each for path, each in read.items() if each is not None}))
                self._known = {path: self._known[path] for path, _ in stamps if path in self._known}
            return self._all[1]

    def of(self, path: str) -> Document | None:
        """Return the document at a path; None when there is none."""
        return self.all().get(path) if is_document(path) else None

    def named(self, code: str) -> Document | None:
        """Return the document that a code or id names, the live ones before the archived."""
        found = [
            each
            for each in self.all().values()
            if (each.short_code and same_code(code, each.short_code)) or (each.id and each.id == code)
        ]
        return min(found, key=lambda each: (each.archived, each.path), default=None)

    def problems(self) -> tuple[Problem, ...]:
        """Return what is wrong with documents' frontmatter; their text is found all the same."""
        return tuple(
            Problem(
                kind="document",
                message=flaw.message,
                path=each.path,
                line=flaw.line,
                hint="Until it is mended, its status and links are not known; its text is searched all the same.",
            )
            for each in self.all().values()
            for flaw in each.flaws
        )

    def _stamps(self) -> Iterator[tuple[str, _Stamp]]:
        found = [*self._below(".metis")]
        for folder in ADR_FOLDERS:
            found += self._in(folder)
        yield from sorted(found)

    def _below(self, folder: str) -> Iterator[tuple[str, _Stamp]]:
        for base, folders, _ in os.walk(self._root / folder):
            folders.sort()
            yield from self._in(Path(base).relative_to(self._root).as_posix())

    def _in(self, folder: str) -> Iterator[tuple[str, _Stamp]]:
        try:
            entries = os.scandir(self._root / folder)
        except OSError:
            return  # no such folder
        with entries:
            for entry in entries:
                path = f"{folder}/{entry.name}"
                if is_document(path) and entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    yield path, (status.st_mtime_ns, status.st_size, status.st_ino)

    def _read(self, path: str, stamp: _Stamp) -> Document | None:
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            read = read_text(self._root, path, MOST_BYTES)
            known = (stamp, read_document(path, read.text) if isinstance(read, Text) else None)
            self._known[path] = known
        return known[1]


def _settled(found: dict[str, Document]) -> dict[str, Document]:
    """Mark the decisions that others in force have superseded."""
    by: dict[str, str] = {}
    for each in found.values():
        if each.holds:
            by.update((named, each.name) for named in each.supersedes)
    return {
        path: replace(each, status="superseded", superseded_by=_superseder(each, by))
        if each.holds and _superseder(each, by)
        else each
        for path, each in found.items()
    }


def _superseder(document: Document, by: Mapping[str, str]) -> str:
    names: Iterable[str] = (document.name, document.id, document.path.rpartition("/")[2])
    return next((by[name] for name in names if name in by and by[name] != document.name), "")
