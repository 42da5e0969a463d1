"""The undo journal: the files of memory before a rewrite, so that it can be undone byte by byte.

A rewrite (reconcile, prune) is a list of files with their content before and after. One file in `local/undo` has all of
it: a line of JSON, then the earlier contents in order. It is complete before the first file of memory changes. Its name
ends with `.open` during the rewrite. The format is in docs/formats/layout.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from muninn_core.errors import NotFoundError, StorageError, UsageError
from muninn_core.model.value import ValidationError, Value, decode_json, encode_json, from_plain
from muninn_core.regular_file import read_regular
from muninn_core.store.files.disk import move, remove, remove_all, write_atomic
from muninn_core.store.files.layout import Layout
from muninn_core.store.files.lines import MAX_FILE_BYTES

MAX_JOURNALS, MAX_TOTAL_BYTES = 5, 100_000_000
"""The limits of stored journals, in number and in bytes. The last one is always kept."""

OPEN, CLOSED = ".open", ".undo"
VERSION = 1


class FileRewrite(Value):
    """A file of memory (absolute path) and its contents; None means that the file does not exist."""

    path: Path
    before: bytes | None
    after: bytes | None


class Entry(Value):
    """A file in a journal.

    `path` is relative to the memory folder, `before` and `after` are sha256 ("": no file), `size` is the old one in
    bytes.
    """

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


class UndoResult(Value):
    """The rewrite that was undone, and its files relative to the root."""

    kind: str
    summary: str
    files: tuple[str, ...]


def digest(content: bytes | None) -> str:
    """Return the sha256 of a content in hex, "" for None."""
    return "" if content is None else hashlib.sha256(content).hexdigest()


def read_content(path: Path) -> bytes | None:
    """Return a file's content, None when it does not exist. Raises StorageError."""
    try:
        return read_regular(path, MAX_FILE_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"can't read {path}: {error.strerror}", hint="Check its permissions.") from error


def rewrite(layout: Layout, kind: str, summary: str, changes: Sequence[FileRewrite]) -> None:
    """Change files of memory so that it can be undone: first writes, then deletions.

    The caller states what each file has now. After an interruption the same call completes the rewrite, and undo
    reverts both parts. Raises StorageError or ReadOnlyError.
    """
    effective = [change for change in changes if change.before != change.after]
    if not effective and not _journals(layout, OPEN):
        return
    journal = _begin(layout, kind, summary, effective)
    if journal is None:
        return
    for change in effective:
        if change.after is not None:
            write_atomic(change.path, change.after, tracked=True)
    remove_all(change.path for change in effective if change.after is None)
    move(journal, journal.with_suffix(CLOSED))
    _delete_old(layout)


def undo(layout: Layout) -> UndoResult:
    """Undo the last rewrite whose files are here. After an interruption the same call completes it.

    Of a rewrite on another branch, the files are as before it, or some of them: it is not undone here. Raises
    NotFoundError when there is none, UsageError when a file has changed since, StorageError or ReadOnlyError.
    """
    journal, header, contents = _last_in_effect(layout)
    now = {entry.path: digest(read_content(layout.memory / entry.path)) for entry in header.files}
    restored = [entry for entry in header.files if now[entry.path] != entry.before]
    begun = journal.with_suffix(OPEN)
    if begun != journal:
        move(journal, begun)  # after an interruption some files are as before and others as after the rewrite
    # Reverse order: restore old files, then main, which has everything, then delete new files.
    restored.sort(key=lambda entry: layout.memory / entry.path == layout.main)
    for entry in restored:
        if entry.before:
            write_atomic(layout.memory / entry.path, contents[entry.path], tracked=True)
    remove_all(layout.memory / entry.path for entry in restored if not entry.before)
    remove(begun)
    return UndoResult(
        kind=header.kind,
        summary=header.summary,
        files=tuple(layout.relative(layout.memory / entry.path) for entry in header.files),
    )


def _last_in_effect(layout: Layout) -> tuple[Path, Header, dict[str, bytes]]:
    """Return the journal of the last rewrite that is in effect here, and what it has. Raises as `undo`."""
    for journal in reversed(_journals(layout, OPEN, CLOSED)):
        header, contents = _read(journal)
        now = {entry.path: digest(read_content(layout.memory / entry.path)) for entry in header.files}
        closed = journal.suffix == CLOSED
        if closed and all(now[entry.path] == entry.before for entry in header.files):
            continue  # git has taken it back, or it ran on another branch
        changed = [
            entry.path
            for entry in header.files
            if now[entry.path] != entry.after and (closed or now[entry.path] != entry.before)
        ]
        if changed:
            shown = ", ".join(layout.relative(layout.memory / path) for path in changed[:3])
            raise UsageError(
                f"can't undo: {shown} changed since the last {header.kind}, or is another branch's",
                hint="Undo it on its branch. Git has the earlier files: `git log -- .muninn/memory`.",
                data={"changed": changed},
            )
        return journal, header, contents
    raise NotFoundError("there is nothing to undo", hint="Undo reverts the last reconcile or prune of this work tree.")


def delete_journals(layout: Layout) -> None:
    """Delete all journals, which may have redacted text. Raises StorageError or ReadOnlyError."""
    remove_all(_journals(layout, OPEN, CLOSED))


def _begin(layout: Layout, kind: str, summary: str, changes: Sequence[FileRewrite]) -> Path | None:
    """Write the journal and return its path. A journal left open is merged into it, with its earlier contents.

    Return None when there is nothing to do; an interrupted rewrite had then not begun.
    """
    before = {_relative_name(layout, change.path): change.before for change in changes}
    after = {_relative_name(layout, change.path): digest(change.after) for change in changes}
    stale = _journals(layout, OPEN)
    for path in reversed(stale):
        header, contents = _read(path)
        for entry in header.files:
            now = read_content(layout.memory / entry.path)
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
    journal = stale[-1] if stale else layout.undo / f"{_next_number(layout):06d}{OPEN}"
    write_atomic(journal, encode_json(header) + b"\n" + b"".join(before[name] or b"" for name in names))
    for path in stale[:-1]:
        remove(path)
    return journal


def _read(journal: Path) -> tuple[Header, dict[str, bytes]]:
    raw = read_content(journal) or b""
    first, _, rest = raw.partition(b"\n")
    try:
        header = from_plain(decode_json(first), Header)
    except (ValueError, ValidationError) as error:
        raise _damaged_error(journal) from error
    contents: dict[str, bytes] = {}
    at = 0
    for entry in header.files:
        contents[entry.path] = rest[at : at + entry.size]
        at += entry.size
        inside = not entry.path.startswith("/") and ".." not in Path(entry.path).parts
        if not inside or (entry.before and digest(contents[entry.path]) != entry.before):
            raise _damaged_error(journal)
    if header.v != VERSION or at != len(rest):
        raise _damaged_error(journal)
    return header, contents


def _damaged_error(journal: Path) -> StorageError:
    return StorageError(f"the undo journal {journal.name} is damaged", hint=f"Delete {journal}; git has the files.")


def _relative_name(layout: Layout, path: Path) -> str:
    return path.relative_to(layout.memory).as_posix()


def _journals(layout: Layout, *suffixes: str) -> list[Path]:
    return sorted(path for suffix in suffixes for path in layout.undo.glob(f"[0-9]*{suffix}"))


def _next_number(layout: Layout) -> int:
    return max((int(path.stem) for path in _journals(layout, OPEN, CLOSED) if path.stem.isdigit()), default=0) + 1


def _delete_old(layout: Layout) -> None:
    total = 0
    for count, path in enumerate(reversed(_journals(layout, CLOSED))):
        total += path.stat().st_size
        if count and (count >= MAX_JOURNALS or total > MAX_TOTAL_BYTES):
            remove(path)
