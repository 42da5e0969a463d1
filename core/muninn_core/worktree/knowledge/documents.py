"""The steering documents of a work tree, Metis's and ADRs, read on demand and cached while their files stay the same.

Their folders are fixed, so a brief needs no index. `source` parses them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from muninn_core.model.value import replace
from muninn_core.protocol.families.repository import Problem
from muninn_core.source.documents.document import Document
from muninn_core.source.documents.shortcode import same_code
from muninn_core.source.documents.steering import ADR_FOLDERS, is_steering_document, read_steering_document
from muninn_core.source.files.text import Text, read_text

MAX_BYTES = 1_000_000
"""A longer document is not read."""

_Stamp = tuple[int, int, int]


class SteeringDocuments:
    """All steering documents at one moment. Immutable."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self.documents = documents

    def __iter__(self) -> Iterator[Document]:
        """Yield the documents in the order of their paths."""
        return iter(self.documents.values())

    def at_path(self, path: str) -> Document | None:
        """Return the document at a path, or None."""
        return self.documents.get(path)

    def with_code(self, code: str) -> Document | None:
        """Return the document with a code or id, preferring live ones to archived ones, or None."""
        found = [
            each
            for each in self
            if (each.short_code and same_code(code, each.short_code)) or (each.id and each.id == code)
        ]
        return min(found, key=lambda each: (each.archived, each.path), default=None)

    def problems(self) -> tuple[Problem, ...]:
        """Return the errors in the documents' frontmatter. Their text is indexed all the same."""
        hint = "Until it is mended, its status and links are not known; its text is searched all the same."
        return tuple(
            Problem(kind="document", message=flaw.message, path=each.path, line=flaw.line, hint=hint)
            for each in self
            for flaw in each.flaws
        )


class DocumentCache:
    """Reads the documents of a work tree. Safe to use from several threads."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._prefix = f"{root}/"
        self._lock = threading.Lock()
        self._known: dict[str, tuple[_Stamp, Document | None]] = {}
        self._last: tuple[dict[str, _Stamp], SteeringDocuments] = ({}, SteeringDocuments({}))

    def read(self) -> SteeringDocuments:
        """Return the documents as their files are now. Unchanged files are not read again.

        A decision that another decision in force supersedes is superseded, whatever its own file says.
        """
        stamps = self._stamps()
        with self._lock:
            if self._last[0] != stamps:
                read = {path: self._read(path, stamps[path]) for path in sorted(stamps)}
                self._known = {path: self._known[path] for path in stamps}
                found = {path: each for path, each in read.items() if each is not None}
                self._last = (stamps, SteeringDocuments(_settled(found)))
            return self._last[1]

    def _stamps(self) -> dict[str, _Stamp]:
        found: dict[str, _Stamp] = {}
        self._scan(".metis", found, deep=True)
        there: dict[str, bool] = {"": True}
        for folder in ADR_FOLDERS:
            above = folder.partition("/")[0] if "/" in folder else ""
            if above not in there:
                there[above] = os.path.isdir(self._prefix + above)  # noqa: PTH112 (hot)
            if there[above]:
                self._scan(folder, found, deep=False)
        return found

    def _scan(self, folder: str, found: dict[str, _Stamp], *, deep: bool) -> None:
        """Collect the documents in a folder. Every question does this, so it avoids pathlib."""
        try:
            entries = os.scandir(self._prefix + folder)
        except OSError:
            return  # the folder is missing or unreadable
        with entries:
            for entry in entries:
                path = f"{folder}/{entry.name}"
                if entry.name.endswith(".md") and entry.is_file(follow_symlinks=False):
                    if deep or is_steering_document(path):
                        status = entry.stat(follow_symlinks=False)
                        found[path] = (status.st_mtime_ns, status.st_size, status.st_ino)
                elif deep and entry.is_dir(follow_symlinks=False):
                    self._scan(path, found, deep=True)

    def _read(self, path: str, stamp: _Stamp) -> Document | None:
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            read = read_text(self._root, path, MAX_BYTES)
            known = (stamp, read_steering_document(path, read.text) if isinstance(read, Text) else None)
            self._known[path] = known
        return known[1]


def _settled(found: dict[str, Document]) -> dict[str, Document]:
    """Mark the decisions that others in force supersede."""
    by: dict[str, str] = {}
    for each in found.values():
        if each.in_force:
            by.update((named, each.name) for named in each.supersedes)
    return {
        path: replace(each, status="superseded", superseded_by=_superseder(each, by))
        if each.in_force and _superseder(each, by)
        else each
        for path, each in found.items()
    }


def _superseder(document: Document, by: Mapping[str, str]) -> str:
    names: Iterable[str] = (document.name, document.id, document.path.rpartition("/")[2])
    return next((by[name] for name in names if name in by and by[name] != document.name), "")
