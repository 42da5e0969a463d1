"""The spool: one file per open session, in the part of `.muninn` that git ignores. Sealing turns it into a segment."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from muninn_core.errors import BadParams
from muninn_core.store.files.disk import TEMPORARY, append, remove, truncate, write_atomic
from muninn_core.store.files.layout import DRAFTS, Layout
from muninn_core.store.files.lines import read_content
from muninn_core.store.records.record import MalformedRecord, parse_line

SUFFIX = ".jsonl"
_TORN = "torn-"
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def spool_path(layout: Layout, session: str) -> Path:
    """Return the path of a session's spool. Raises BadParams for a name that is unfit for a file."""
    if not _SESSION.fullmatch(session):
        raise BadParams(
            f"'{session}' is not a valid session name",
            hint="Use at most 100 letters, digits, '.', '_' and '-', the first a letter or digit.",
        )
    return layout.spool / f"{session}{SUFFIX}"


def private_path(layout: Layout, session: str) -> Path:
    """Return the path of a session's private records, which are never sealed. Raises BadParams as `spool_path` does."""
    return layout.private / spool_path(layout, session).name


def private_files(layout: Layout) -> tuple[Path, ...]:
    """Return the existing files of private records, sorted."""
    return tuple(sorted(layout.private.glob(f"*{SUFFIX}")))


def segment_path(layout: Layout, session: str, content: bytes) -> Path:
    """Return the path of a segment. It contains a digest of the content; docs/formats/layout.md has the reasons."""
    return layout.sessions / f"{session}-{hashlib.sha256(content).hexdigest()[:12]}{SUFFIX}"


def list_spools(layout: Layout) -> dict[str, Path]:
    """Return the existing spools by session."""
    return {
        path.name.removesuffix(SUFFIX): path
        for path in sorted(layout.spool.glob(f"*{SUFFIX}"))
        if not path.is_symlink()
    }


def unreconciled_sessions(layout: Layout) -> int:
    """Return the number of sessions that have records in a spool or a segment, so since the last reconcile."""
    sealed = {path.stem.rpartition("-")[0] for path in layout.sessions.glob(f"*{SUFFIX}")}
    return len(sealed | list_spools(layout).keys())


def torn_files(layout: Layout) -> tuple[Path, ...]:
    """Return the files with bytes cut off from spools, kept for a person to inspect."""
    pieces = [path for folder in (layout.spool, layout.private) for path in sorted(folder.glob(f"{_TORN}*"))]
    return tuple(path for path in pieces if not path.name.endswith((SUFFIX, TEMPORARY)))


def ends_with_newline(path: Path) -> bool:
    """Whether the last line of a file of records is complete; true for a missing file. Raises OSError."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
            return file.read() in (b"\n", b"")
    except FileNotFoundError:
        return True


def repair_last_line(layout: Layout, path: Path) -> None:
    """Repair a last line without a newline: a complete record gets one, anything else moves to a file of its own.

    Raises StorageError or ReadOnlyError, and OSError when the file can't be read.
    """
    content = read_content(path)
    whole = content.rfind(b"\n") + 1
    tail = content[whole:]
    if not tail:
        return
    try:
        parse_line(tail)
    except MalformedRecord:
        name = f"{_TORN}{path.name.removesuffix(SUFFIX)}-{hashlib.sha256(tail).hexdigest()[:12]}"
        write_atomic(path.with_name(name), tail)
        truncate(path, whole)
    else:
        append(path, b"\n")


def delete_temporary_files(layout: Layout) -> None:
    """Delete the temporary files that a crash left. Raises StorageError or ReadOnlyError."""
    tracked = (layout.muninn, layout.knowledge, layout.context_files, layout.memory, layout.sessions, layout.archive)
    private = (layout.local, layout.local / DRAFTS, layout.contexts, layout.spool, layout.private, layout.undo)
    for folder in (*tracked, *private):
        names = os.listdir(folder) if folder.is_dir() else ()  # noqa: PTH208 - a folder may hold thousands
        for name in names:
            path = folder / name
            if name.endswith(TEMPORARY) and not path.is_dir():
                remove(path)
