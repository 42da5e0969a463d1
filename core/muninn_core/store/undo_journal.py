"""The undo journal: what the files of memory held before a rewrite, so that it can be taken back byte for byte.

A rewrite (reconcile, prune) is a list of files with their content before and after. One file in the private folder
`local/undo` holds all of it: a line of JSON, then the earlier contents one after another. It is there, whole, before
the first file of memory changes. While the rewrite is under way its name ends with `.open`; a rename closes it.
Knows files and digests, not what is in them. The format is in docs/formats/layout.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from muninn_core.errors import NotFoundError, StorageError, UsageError
from muninn_core.model.value import ValidationError, Value, decode_json, encode_json, from_plain
from muninn_core.store.disk import move, remove, remove_all, write_whole
from muninn_core.store.layout import Layout

KEPT, KEPT_BYTES = 5, 100_000_000
"""Older journals go beyond this many, or when all of them are larger than this; the last one always stays."""

OPEN, CLOSED = ".open", ".undo"
VERSION = 1


class Change(Value):
    """A file of memory (absolute path) and its contents; None is a file that is not there."""

    path: Path
    before: bytes | None
    after: bytes | None


class Entry(Value):
    """A file in a journal: path relative to the memory folder, sha256 before and after ("": no file), size before."""

    path: str
    before: str
    after: str
    size: int = 0


class Header(Value):
    """The first line of a journal: what was done, in a sentence, and to which files."""

    v: int
    kind: str
    summary: str
    files: tuple[Entry, ...]


class Undone(Value):
    """What undo put back: files relative to the root, and what had been done to them."""

    kind: str
    summary: str
    files: tuple[str, ...]


def digest(content: bytes | None) -> str:
    """Return the sha256 of a content, "" for a file that is not there."""
    return "" if content is None else hashlib.sha256(content).hexdigest()


def content_of(path: Path) -> bytes | None:
    """Return what is in a file, None when it is not there. Raises StorageError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"can't read {path}: {error.strerror}", hint="Check its permissions.") from error


def rewrite(layout: Layout, kind: str, summary: str, changes: Sequence[Change]) -> None:
    """Change files of memory so that it can be undone: what is added comes first, what goes, last.

    The caller says what each file holds; a change to what is so already does nothing. Interrupted, the same call ends
    it, and undo takes both parts back. Raises StorageError or ReadOnlyError.
    """
    wanted = [change for change in changes if change.before != change.after]
    if not wanted and not _journals(layout, OPEN):
        return
    journal = _begin(layout, kind, summary, wanted)
    if journal is None:
        return
    for change in wanted:
        if change.after is not None:
            write_whole(change.path, change.after)
    remove_all(change.path for change in wanted if change.after is None)
    move(journal, journal.with_suffix(CLOSED))
    _forget_old(layout)


def undo(layout: Layout) -> Undone:
    """Take the last rewrite back. Run again after an interruption, it ends what it began.

    Raises NotFoundError when there is none, UsageError when a file has changed since, StorageError or ReadOnlyError.
    """
    journals = _journals(layout, OPEN, CLOSED)
    if not journals:
        raise NotFoundError("there is nothing to undo", hint="Undo takes back the last reconcile or prune here.")
    header, contents = _read(journals[-1])
    now = {entry.path: digest(content_of(layout.memory / entry.path)) for entry in header.files}
    changed = [entry.path for entry in header.files if now[entry.path] not in (entry.before, entry.after)]
    if changed:
        shown = ", ".join(layout.relative(layout.memory / path) for path in changed[:3])
        raise UsageError(
            f"can't undo: {shown} changed since the last {header.kind}",
            hint="Git has the earlier files: `git log -- .muninn/memory`.",
            data={"changed": changed},
        )
    back = [entry for entry in header.files if now[entry.path] != entry.before]
    # The other way round: what was there is there again before what was added goes, and main, which holds all, last.
    back.sort(key=lambda entry: layout.memory / entry.path == layout.main)
    for entry in back:
        if entry.before:
            write_whole(layout.memory / entry.path, contents[entry.path])
    remove_all(layout.memory / entry.path for entry in back if not entry.before)
    remove(journals[-1])
    return Undone(
        kind=header.kind,
        summary=header.summary,
        files=tuple(layout.relative(layout.memory / entry.path) for entry in header.files),
    )


def forget(layout: Layout) -> None:
    """Delete all journals: what they would bring back is to be nowhere. Raises StorageError or ReadOnlyError."""
    remove_all(_journals(layout, OPEN, CLOSED))


def _begin(layout: Layout, kind: str, summary: str, changes: Sequence[Change]) -> Path | None:
    """Write the journal. One that an interruption left open is taken into it: its contents are the earlier ones.

    None says that there is nothing to do, and that an interrupted rewrite had not begun.
    """
    before = {_name(layout, change.path): change.before for change in changes}
    after = {_name(layout, change.path): digest(change.after) for change in changes}
    stale = _journals(layout, OPEN)
    for path in reversed(stale):
        header, contents = _read(path)
        for entry in header.files:
            now = content_of(layout.memory / entry.path)
            if digest(now) in (entry.before, entry.after):
                before[entry.path] = contents[entry.path] if entry.before else None
                after.setdefault(entry.path, digest(now))
    names = [name for name in sorted(before) if digest(before[name]) != after[name]]
    if not names:
        for path in stale:
            remove(path)
        return None
    entries = [
        Entry(path=name, before=digest(before[name]), after=after[name], size=len(before[name] or b""))
        for name in names
    ]
    header = Header(v=VERSION, kind=kind, summary=summary, files=tuple(entries))
    journal = stale[-1] if stale else layout.undo / f"{_next(layout):06d}{OPEN}"
    write_whole(journal, encode_json(header) + b"\n" + b"".join(before[name] or b"" for name in names))
    for path in stale[:-1]:
        remove(path)
    return journal


def _read(journal: Path) -> tuple[Header, dict[str, bytes]]:
    raw = content_of(journal) or b""
    first, _, rest = raw.partition(b"\n")
    try:
        header = from_plain(decode_json(first), Header)
    except (ValueError, ValidationError) as error:
        raise _damaged(journal) from error
    contents: dict[str, bytes] = {}
    at = 0
    for entry in header.files:
        contents[entry.path] = rest[at : at + entry.size]
        at += entry.size
        inside = not entry.path.startswith("/") and ".." not in Path(entry.path).parts
        if not inside or (entry.before and digest(contents[entry.path]) != entry.before):
            raise _damaged(journal)
    if header.v != VERSION or at != len(rest):
        raise _damaged(journal)
    return header, contents


def _damaged(journal: Path) -> StorageError:
    return StorageError(f"the undo journal {journal.name} is damaged", hint=f"Delete {journal}; git has the files.")


def _name(layout: Layout, path: Path) -> str:
    return path.relative_to(layout.memory).as_posix()


def _journals(layout: Layout, *suffixes: str) -> list[Path]:
    return sorted(path for suffix in suffixes for path in layout.undo.glob(f"[0-9]*{suffix}"))


def _next(layout: Layout) -> int:
    return max((int(path.stem) for path in _journals(layout, OPEN, CLOSED) if path.stem.isdigit()), default=0) + 1


def _forget_old(layout: Layout) -> None:
    kept = 0
    for count, path in enumerate(reversed(_journals(layout, CLOSED))):
        kept += path.stat().st_size
        if count and (count >= KEPT or kept > KEPT_BYTES):
            remove(path)
