"""Editing records in place: blanking what they say of some memories (all but the content stays), or replacing them.

The one place that does so: a person asked for it by an explicit verb. Each file is replaced as a whole
or not at all, and doing it again changes nothing more. Knows no git and no index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from muninn_core.model.value import Value
from muninn_core.store.disk import remove, write_whole
from muninn_core.store.layout import Layout
from muninn_core.store.record import ENVELOPE, MalformedRecord, Record, encode_line, make_record, parse_line
from muninn_core.store.spool import sweep, torn_pieces

_KEPT_OF_BIRTHS = (
    *("importance", "confidence", "trust", "expires", "pinned", "private", "scope", "imported", "backfill", "pending"),
)
_KEPT_OF_CHANGES = (
    "target",
    "by",
    "relation",
    "to",
    "strength",
    "useful",
    "keep",
    "sources",
    "left",
    "right",
    "conflict",
)
_KEPT_OF_LINKS = ("relation", "target", "strength")


class Subject(Value):
    """What is to be blanked: memories by id, the conflicts that they are a side of, and texts that tell a broken line.

    `conflicts` are {id: (left, right)}.
    """

    ids: frozenset[str]
    conflicts: dict[str, tuple[str, str]]
    texts: tuple[str, ...] = ()


def subject_of(ids: frozenset[str] | set[str], records: Mapping[str, Record], texts: tuple[str, ...] = ()) -> Subject:
    """Return the subject of some memories among all records. Short texts tell nothing and are left out."""
    conflicts = {
        record.id: (record.data["left"], record.data["right"])
        for record in records.values()
        if record.type == "conflict" and ids.intersection((record.data["left"], record.data["right"]))
    }
    return Subject(ids=frozenset(ids), conflicts=conflicts, texts=tuple(text for text in texts if len(text) >= 8))


def blanked(record: Record, subject: Subject) -> Record:
    """Return a record without what it says of the subject; the very record when it says nothing of it."""
    data = record.data
    if record.id in subject.ids:
        kept = _only(data, (*ENVELOPE, *_KEPT_OF_BIRTHS))
        kept.update(_links(data))
        kept["redacted"] = True
        return record if kept == data else make_record(kept)
    if not _is_about(data, subject):
        return record
    kept = _only(data, (*ENVELOPE, *_KEPT_OF_CHANGES))
    if isinstance(data.get("set"), dict):
        kept["set"] = _links(data["set"])
    if kept == {name: value for name, value in data.items() if name != "redacted"}:
        return record
    return make_record({**kept, "redacted": True})


def blank_files(layout: Layout, subject: Subject) -> tuple[Path, ...]:
    """Blank the subject in main, segments, archive, spools and private files; return the files that changed.

    A line that is no record goes as a whole when it names the subject, and so do the bytes of a line that a crash cut
    off. Raises StorageError or ReadOnlyError, or OSError for a file that can't be read; then some files may be done.
    """
    sweep(layout)
    changed = []
    for path in record_files(layout):
        content = path.read_bytes()
        fresh = blank_content(content, subject)
        if fresh != content:
            write_whole(path, fresh)
            changed.append(path)
    for path in torn_pieces(layout):
        if _names(path.read_bytes(), subject):
            remove(path)
            changed.append(path)
    return tuple(changed)


def replace_records(layout: Layout, fresh: Mapping[str, Record], undo: dict[Path, bytes]) -> None:
    """Put records in the place of those that have their ids, in every file.

    `undo` takes what a file held before it is written. Raises StorageError, ReadOnlyError or OSError.
    """
    for path in record_files(layout):
        content = path.read_bytes()
        lines = content.split(b"\n")
        changed = [_replaced(line, fresh) for line in lines]
        if changed != lines:
            undo[path] = content
            write_whole(path, b"\n".join(changed))


def _replaced(line: bytes, fresh: Mapping[str, Record]) -> bytes:
    try:
        record = fresh.get(parse_line(line).id) if line.strip() else None
    except MalformedRecord:
        return line
    return line if record is None else encode_line(record).rstrip(b"\n")


def record_files(layout: Layout) -> Iterator[Path]:
    """Yield every file of a work tree that holds records, read or not."""
    if layout.main.exists():
        yield layout.main
    for folder in (layout.sessions, layout.archive, layout.spool, layout.private):
        yield from sorted(folder.glob("*.jsonl"))


def blank_content(content: bytes, subject: Subject) -> bytes:
    """Return a file's content with the subject blanked; lines that do not speak of it keep their bytes."""
    kept: list[bytes] = []
    for line in content.split(b"\n"):
        if not line.strip():
            kept.append(line)
            continue
        try:
            record = parse_line(line)
        except MalformedRecord:
            if not _names(line, subject):
                kept.append(line)
            continue
        fresh = blanked(record, subject)
        kept.append(line if fresh is record else encode_line(fresh).rstrip(b"\n"))
    return b"\n".join(kept)


def _is_about(data: Mapping[str, Any], subject: Subject) -> bool:
    match data["type"]:
        case "merge":
            return bool(subject.ids.intersection((data["keep"], *data["sources"])))
        case "conflict":
            return bool(subject.ids.intersection((data["left"], data["right"])))
        case "resolve":
            # Its wording is that of the side that is kept.
            sides = subject.conflicts.get(data["conflict"])
            return sides is not None and data["keep"] != "both" and sides[data["keep"] == "right"] in subject.ids
        case "supersede":
            return bool(subject.ids.intersection((data["target"], data["by"])))
    return data.get("target") in subject.ids


def _only(data: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: data[name] for name in names if name in data}


def _links(data: Mapping[str, Any]) -> dict[str, Any]:
    links = data.get("links")
    if not isinstance(links, list):
        return {}
    return {"links": [_only(link, _KEPT_OF_LINKS) for link in links if isinstance(link, dict)]}


def _names(line: bytes, subject: Subject) -> bool:
    text = line.decode("utf-8", "replace")
    return any(word in text for word in (*subject.ids, *subject.texts))
