"""The spool: one file an open session, in the part of `.muninn` that git ignores. Its sealed form is a segment."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from muninn_core.errors import BadParams
from muninn_core.store.disk import TEMPORARY, append, cut, remove, write_whole
from muninn_core.store.layout import Layout
from muninn_core.store.record import MalformedRecord, parse_line

SUFFIX = ".jsonl"
_TORN = "torn-"
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def spool_path(layout: Layout, session: str) -> Path:
    """Return the spool of a session. Raises BadParams for a name that is none: it becomes a file's name."""
    if not _SESSION.fullmatch(session):
        raise BadParams(
            f"'{session}' is no name of a session",
            hint="Letters, digits, '.', '_' and '-', at most 100, the first a letter or digit.",
        )
    return layout.spool / f"{session}{SUFFIX}"


def private_path(layout: Layout, session: str) -> Path:
    """Return where a session's private records lie. They are never sealed."""
    return layout.private / spool_path(layout, session).name


def private_files(layout: Layout) -> tuple[Path, ...]:
    """Return the files of private records that are there."""
    return tuple(sorted(layout.private.glob(f"*{SUFFIX}")))


def segment_path(layout: Layout, session: str, content: bytes) -> Path:
    """Return where a sealed segment lies: the name follows from the content (docs/formats/layout.md says why)."""
    return layout.sessions / f"{session}-{hashlib.sha256(content).hexdigest()[:12]}{SUFFIX}"


def spools(layout: Layout) -> dict[str, Path]:
    """Return the spools that are there, by session."""
    return {path.name.removesuffix(SUFFIX): path for path in sorted(layout.spool.glob(f"*{SUFFIX}"))}


def torn_pieces(layout: Layout) -> tuple[Path, ...]:
    """Return the files of bytes that were cut off from spools and wait for a person to look at."""
    pieces = [path for folder in (layout.spool, layout.private) for path in sorted(folder.glob(f"{_TORN}*"))]
    return tuple(path for path in pieces if not path.name.endswith((SUFFIX, TEMPORARY)))


def repair(layout: Layout, path: Path) -> None:
    """Mend a last line without its end: a whole record gets the end, anything else moves to a file of its own.

    Raises StorageError or ReadOnlyError, and OSError when the spool can't be read.
    """
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    tail = content[whole:]
    if not tail:
        return
    try:
        parse_line(tail)
    except MalformedRecord:
        name = f"{_TORN}{path.name.removesuffix(SUFFIX)}-{hashlib.sha256(tail).hexdigest()[:12]}"
        write_whole(path.with_name(name), tail)
        cut(path, whole)
    else:
        append(path, b"\n")


def sweep(layout: Layout) -> None:
    """Delete temporary files that a crash left behind. Raises StorageError or ReadOnlyError."""
    for folder in (layout.memory, layout.sessions, layout.archive, layout.spool, layout.private, layout.undo):
        names = os.listdir(folder) if folder.is_dir() else ()  # noqa: PTH208 - a folder may hold thousands
        for name in names:
            if name.endswith(TEMPORARY):
                remove(folder / name)
