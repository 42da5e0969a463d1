"""Finds the file and line of a memory's record, so that editors can open it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from muninn_core.store.files.lines import read_content
from muninn_core.store.records.record import MalformedRecord, parse_line
from muninn_core.worktree.workspace import Workspace

_WRITTEN_LINE = re.compile(rb' ?\{"v":1,"id":"([0-9A-Za-z-]+)"')
"""The beginning of a line that Muninn writes."""

_FEW = 8
"""Records that are searched for one by one; further ones use a table of the file."""


class RecordLocations:
    """Finds records in the current files, reading each once. Create one per answer."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._asked = 0
        self._read: dict[Path, bytes] = {}
        self._tables: dict[Path, dict[str, int]] = {}

    def locate(self, identity: str) -> tuple[str, int]:
        """Return path (relative to the root) and line (1-based) of the record that created a memory, ("", 0) for none.

        Global memories and those of other branches have no record in the work tree.
        """
        self._asked += 1
        for path in _files(self._workspace, identity):
            content = self._content(path)
            known = self._table(path, content).get(identity) if self._asked > _FEW else None
            line = known or _line_of(content, identity)
            if line:
                return self._workspace.layout.relative(path), line
        return "", 0

    def _content(self, path: Path) -> bytes:
        if path not in self._read:
            try:
                self._read[path] = read_content(path)
            except OSError:  # sealed or reconciled meanwhile; the next answer finds it
                self._read[path] = b""
        return self._read[path]

    def _table(self, path: Path, content: bytes) -> dict[str, int]:
        if path not in self._tables:
            lines = enumerate(content.split(b"\n"), start=1)
            self._tables[path] = {found[1].decode(): at for at, line in lines if (found := _WRITTEN_LINE.match(line))}
        return self._tables[path]


def _line_of(content: bytes, identity: str) -> int:
    """Return the line of a record with fields in any order, 0 for none."""
    wanted = identity.encode()
    at = content.find(wanted)
    while at >= 0:
        begin = content.rfind(b"\n", 0, at) + 1
        end = content.find(b"\n", at)
        if _has_id(content[begin : end if end >= 0 else len(content)], identity):
            return content.count(b"\n", 0, at) + 1
        at = content.find(wanted, end) if end >= 0 else -1
    return 0


def _has_id(line: bytes, identity: str) -> bool:
    try:
        return parse_line(line).id == identity
    except MalformedRecord:
        return False


def _files(workspace: Workspace, identity: str) -> Iterator[Path]:
    """Yield the files that may contain a record, the likeliest first: those named after its session."""
    layout = workspace.layout
    memory = workspace.memory.all().get(identity)
    if memory is None or memory.scope == "global":
        return
    folders = [layout.sessions] if memory.sealed else [layout.private, layout.spool]
    if memory.sealed:
        yield layout.main
    paths = [path for folder in folders for path in sorted(folder.glob("*.jsonl"))]
    session = memory.session or ""
    yield from sorted(paths, key=lambda path: not path.name.startswith(session))
