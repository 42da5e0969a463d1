"""Edits records in place: redaction, which keeps all but the content, and replacement.

Only this module does so, on a person's explicit request. Each file is replaced atomically, and repeating a redaction
changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from muninn_core.model.value import Value, encode_json
from muninn_core.store.files.disk import remove, remove_all, write_atomic
from muninn_core.store.files.layout import DRAFTS, Layout
from muninn_core.store.files.lines import read_content
from muninn_core.store.files.spool import delete_temporary_files, torn_files
from muninn_core.store.records.change import CHANGES
from muninn_core.store.records.record import ENVELOPE, MalformedRecord, Record, encode_line, make_record, parse_line

_KEPT_MEMORY_FIELDS = (
    *("importance", "confidence", "trust", "expires", "pinned", "private", "scope", "imported", "backfill", "pending"),
)
_KEPT_CHANGE_FIELDS = (
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
    "verdict",
)
_KEPT_LINK_FIELDS = ("relation", "target", "strength")


class RedactionSubject(Value):
    """What to redact.

    Memory ids, {conflict id: (left, right)} of their conflicts, and texts that identify malformed lines.
    """

    ids: frozenset[str]
    conflicts: dict[str, tuple[str, str]]
    texts: tuple[str, ...] = ()


def redaction_subject(
    ids: frozenset[str] | set[str], records: Mapping[str, Record], texts: tuple[str, ...] = ()
) -> RedactionSubject:
    """Return the subject for some memories among all records. Texts under 8 characters are ignored."""
    conflicts = {
        record.id: (record.data["left"], record.data["right"])
        for record in records.values()
        if record.type == "conflict" and ids.intersection((record.data["left"], record.data["right"]))
    }
    return RedactionSubject(
        ids=frozenset(ids), conflicts=conflicts, texts=tuple(text for text in texts if len(text) >= 8)
    )


def redact_record(record: Record, subject: RedactionSubject) -> Record:
    """Return a record without the subject's content; the same object when it has none."""
    data = record.data
    if record.id in subject.ids:
        # A change may have the id of a memory. Without its required fields it would be no record.
        remaining = _pick(data, (*ENVELOPE, *_KEPT_MEMORY_FIELDS, *(CHANGES.get(record.type, ()))))
        if "set" in remaining:
            remaining["set"] = _links(data["set"])
        remaining.update(_links(data))
        remaining["redacted"] = True
        return record if remaining == data else make_record(remaining)
    if not is_about(data, subject):
        return record
    remaining = _pick(data, (*ENVELOPE, *_KEPT_CHANGE_FIELDS))
    if isinstance(data.get("set"), dict):
        remaining["set"] = _links(data["set"])
    if remaining == {name: value for name, value in data.items() if name != "redacted"}:
        return record
    return make_record({**remaining, "redacted": True})


def redact_files(layout: Layout, subject: RedactionSubject) -> tuple[Path, ...]:
    """Redact the subject in main, segments, archive, spools and private files; return the changed files.

    A malformed line that mentions the subject is deleted, and so is a torn piece. Raises StorageError or ReadOnlyError,
    and OSError for an unreadable file; then some files may already be redacted.
    """
    delete_temporary_files(layout)
    changed = []
    for path in record_files(layout):
        content = read_content(path)
        redacted = redact_content(content, subject)
        if redacted != content:
            write_atomic(path, redacted, tracked=layout.memory in path.parents)
            changed.append(path)
    for path in torn_files(layout):
        if _mentions(read_content(path), subject):
            remove(path)
            changed.append(path)
    return tuple(changed)


def files_about(layout: Layout, subject: RedactionSubject) -> tuple[Path, ...]:
    """Return the files that `redact_files` would change. Raises OSError for an unreadable file."""
    contents = ((path, read_content(path)) for path in record_files(layout))
    found = [path for path, content in contents if redact_content(content, subject) != content]
    return (*found, *(path for path in torn_files(layout) if _mentions(read_content(path), subject)))


def replace_records(layout: Layout, replacements: Mapping[str, Record], undo: dict[Path, bytes]) -> None:
    """Replace the records with the ids of `replacements`, in every file.

    `undo` receives the content of each file before it is written. Raises StorageError, ReadOnlyError or OSError.
    """
    for path in record_files(layout):
        content = read_content(path)
        lines = content.split(b"\n")
        changed = [_replaced(line, replacements) for line in lines]
        if changed != lines:
            undo[path] = content
            write_atomic(path, b"\n".join(changed), tracked=layout.memory in path.parents)


def _replaced(line: bytes, replacements: Mapping[str, Record]) -> bytes:
    try:
        record = replacements.get(parse_line(line).id) if line.strip() else None
    except MalformedRecord:
        return line
    return line if record is None else encode_line(record).rstrip(b"\n")


def record_files(layout: Layout) -> Iterator[Path]:
    """Yield every file of records of a work tree, the archive included. Links are left out, as they are not read."""
    folders = (layout.sessions, layout.archive, layout.spool, layout.private)
    for path in (layout.main, *(path for folder in folders for path in sorted(folder.glob("*.jsonl")))):
        if path.exists() and not path.is_symlink():
            yield path


def redact_content(content: bytes, subject: RedactionSubject) -> bytes:
    """Return a file's content with the subject redacted; other lines keep their bytes."""
    remaining: list[bytes] = []
    for line in content.split(b"\n"):
        if not line.strip():
            remaining.append(line)
            continue
        try:
            record = parse_line(line)
        except MalformedRecord:
            if not _mentions(line, subject):
                remaining.append(line)
            continue
        redacted = redact_record(record, subject)
        remaining.append(line if redacted is record else encode_line(redacted).rstrip(b"\n"))
    return b"\n".join(remaining)


def is_about(data: Mapping[str, Any], subject: RedactionSubject) -> bool:
    """Whether a change concerns the subject's memories."""
    match data["type"]:
        case "merge":
            return bool(subject.ids.intersection((data["keep"], *data["sources"])))
        case "conflict" | "verdict":
            return bool(subject.ids.intersection((data.get("left"), data.get("right"))))
        case "resolve":
            # Its text is that of the kept side.
            sides = subject.conflicts.get(data["conflict"])
            return sides is not None and data["keep"] != "both" and sides[data["keep"] == "right"] in subject.ids
        case "supersede":
            return bool(subject.ids.intersection((data["target"], data["by"])))
    return data.get("target") in subject.ids


def _pick(data: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: data[name] for name in names if name in data}


def _links(data: Mapping[str, Any]) -> dict[str, Any]:
    links = data.get("links")
    if not isinstance(links, list):
        return {}
    return {"links": [_pick(link, _KEPT_LINK_FIELDS) for link in links if isinstance(link, dict)]}


def remove_drafts(layout: Layout, ids: Iterable[str], texts: Iterable[str] = ()) -> None:
    """Delete the drafts that name a memory or hold one of the texts. Raises StorageError or ReadOnlyError."""
    texts = [text for each in texts for text in (each, each.replace("-->", "-- >"))]
    subject = redaction_subject(frozenset(ids), {}, tuple(texts))
    drafts = [path for path in (layout.local / DRAFTS).glob("*.md") if not path.is_symlink()]
    remove_all(path for path in drafts if _mentions(path.read_bytes().replace(b"\r\n", b"\n"), subject))


def _mentions(content: bytes, subject: RedactionSubject) -> bool:
    """Whether a line or file names a memory or holds one of the texts, as it is or as a JSON string."""
    text = content.decode("utf-8", "replace")
    encoded = (encode_json(each)[1:-1].decode() for each in subject.texts)
    return any(needle in text for needle in (*subject.ids, *subject.texts, *encoded))
