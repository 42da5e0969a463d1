"""Where in the files of memory a record stands: editors open files, and know no ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from muninn_core.store.lines import read_content
from muninn_core.store.record import MalformedRecord, parse_line
from muninn_core.worktree.workspace import Workspace

_OURS = re.compile(rb' ?\{"v":1,"id":"([0-9A-Za-z-]+)"')
"""How lines begin that Muninn writes."""

_FEW = 8
"""Records that are searched for one by one; for more a table of the file is made."""


class RecordLocations:
    """Finds records in the files as they are; each file is read once. Made for one answer."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._asked = 0
        self._read: dict[Path, bytes] = {}
        self._tables: dict[Path, dict[str, int]] = {}

    def of(self, identity: str) -> tuple[str, int]:
        """Return path (relative to the root) and line (1-based) of the record that made a memory; ("", 0) for none.

        A global memory lies outside of the work tree, and one of another branch in no file of it.
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
            except OSError:  # it was sealed or reconciled meanwhile; the next answer sees where it went
                self._read[path] = b""
        return self._read[path]

    def _table(self, path: Path, content: bytes) -> dict[str, int]:
        if path not in self._tables:
            lines = enumerate(content.split(b"\n"), start=1)
            self._tables[path] = {found[1].decode(): at for at, line in lines if (found := _OURS.match(line))}
        return self._tables[path]


def _line_of(content: bytes, identity: str) -> int:
    """Return the line of a record that others wrote, in whatever order; 0 when it is not there."""
    wanted = identity.encode()
    at = content.find(wanted)
    while at >= 0:
        begin = content.rfind(b"\n", 0, at) + 1
        end = content.find(b"\n", at)
        if _is_of(content[begin : end if end >= 0 else len(content)], identity):
            return content.count(b"\n", 0, at) + 1
        at = content.find(wanted, end) if end >= 0 else -1
    return 0


def _is_of(line: bytes, identity: str) -> bool:
    try:
        return parse_line(line).id == identity
    except MalformedRecord:
        return False


def _files(workspace: Workspace, identity: str) -> Iterator[Path]:
    """Yield the files that may hold a record, the likeliest first: those that are named after its session."""
    layout = workspace.layout
    memory = workspace.memory.all().get(identity)
    if memory is None or memory.scope == "global":
        return
    name = f"{memory.session}*.jsonl" if memory.session else "*.jsonl"
    folders = [layout.sessions] if memory.sealed else [layout.private, layout.spool]
    if memory.sealed:
        yield layout.main
    seen: set[Path] = set()
    for pattern in (name, "*.jsonl"):
        for folder in folders:
            for path in sorted(folder.glob(pattern)):
                if path not in seen:
                    seen.add(path)
                    yield path
