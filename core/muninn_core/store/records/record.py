"""One record of the log: parsing and encoding a line. It checks the envelope and leaves the kinds to others.

The format is docs/formats/log.md. Unknown fields stay in `data` and are written back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from muninn_core.model.value import Value, decode_json, encode_json
from muninn_core.store.records.change import find_error
from muninn_core.store.records.ids import derived_id
from muninn_core.store.records.timestamps import normalise

VERSION = 1
MAX_RECORD_BYTES = 1_000_000
"""A longer line is set aside: every answer would read all of it."""

MAX_ITEMS = 1_000
"""The most tags, entities, questions, files, cites or links of a record. Answers look up each file."""

_LISTS = ("tags", "entities", "questions", "files", "cites", "links")

MAX_DEPTH = 64
"""Deeper nesting is refused, because it would overflow the stack of recursive readers."""

_MARKER = re.compile(rb"(?:<{7,}|>{7,}|\|{7,})(?: .*)?|={7,}", re.DOTALL)
"""A line that git writes around the sides of a conflict (git-merge(1), "How conflicts are presented")."""

ENVELOPE = ("v", "id", "ts", "type", "session", "actor", "author", "agent", "task", "branch", "commit", "key")


class Record(Value):
    """A parsed record. `ts` is canonical.

    `line` has its bytes, b"" for one not written yet. `decoded` is the object, None until `data` is needed. `plain`
    means that the line alone creates a memory whose fields are all typed and of this version; see `fast_parse`.
    """

    id: str
    ts: str
    type: str
    session: str
    key: str = ""
    line: bytes = b""
    decoded: dict[str, Any] | None = None
    plain: bool = False

    @property
    def data(self) -> dict[str, Any]:
        """The fields as written, with the id always present. Do not change it; it is decoded on each access."""
        if self.decoded is not None:
            return self.decoded
        data: dict[str, Any] = decode_json(self.line)
        return data

    @property
    def stamp(self) -> tuple[str, str]:
        """Orders records: the latest wins."""
        return (self.ts, self.id)

    def has_same_content(self, other: Record) -> bool:
        """Whether both have equal fields."""
        return (self.line == other.line and self.line != b"") or self.data == other.data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.has_same_content(other)

    __hash__ = None  # type: ignore[assignment]  # `decoded` is a dict


LATER = "written by a later version"
"""How the reason begins why a line of a later format is not read."""


def remedy(reason: str) -> str:
    """Return what to do about a line that is malformed for this reason. One of a later version is kept."""
    return "Update Muninn" if reason.startswith(LATER) else "Repair or delete the line"


class MalformedRecord(ValueError):
    """A line or object that is not a record. The message has the reason."""


def parse_line(line: bytes) -> Record:
    """Parse one line, with or without its newline. Raises MalformedRecord."""
    line = line.strip()
    data = _decode(line)
    if not isinstance(data, dict):
        raise MalformedRecord("not a JSON object")
    return _record(data, line)


def make_record(data: Mapping[str, Any]) -> Record:
    """Return a record to be written, after checking it. `data` must have an id. Raises MalformedRecord."""
    try:
        line = encode_json(dict(data))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise MalformedRecord(f"can't be written as JSON: {error}") from None
    return _record(_decode(line), b"")


def encode_line(record: Record) -> bytes:
    """Return a record as one line with a newline: the envelope in order, then the other fields sorted by name."""
    data = record.data
    ordered = {name: data[name] for name in ENVELOPE if name in data}
    ordered.update((name, _sorted(data[name])) for name in sorted(data.keys() - ordered.keys()))
    return encode_json(ordered) + b"\n"


def is_merge_marker(line: bytes) -> bool:
    """Whether a line is one that git writes around the sides of a conflict. It carries no record."""
    return _MARKER.fullmatch(line.rstrip(b"\r")) is not None


def preferred_version(one: Record, other: Record) -> Record:
    """Of two records with the same id, return the one that counts, whatever their order."""
    return max(one, other, key=lambda record: (record.data.get("redacted") is True, record.ts, encode_line(record)))


def _decode(line: bytes) -> Any:
    if len(line) > MAX_RECORD_BYTES:
        raise MalformedRecord(f"it has {len(line):,} bytes; the limit is {MAX_RECORD_BYTES:,}")
    try:
        data = decode_json(line)
    except RecursionError:
        raise MalformedRecord("nested too deeply") from None
    except ValueError as error:
        what = (
            "a merge marker of git"
            if is_merge_marker(line)
            else f"not JSON: {str(error).removeprefix('JSON is malformed: ')}"
        )
        raise MalformedRecord(what) from None
    # Count brackets first: hardly any line has enough to be deep.
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and _depth(data) > MAX_DEPTH:
        raise MalformedRecord("nested too deeply")
    return data


def _depth(data: Any) -> int:
    level, depth = [data], 0
    while level:
        depth += 1
        nested = [item for item in level if isinstance(item, dict | list)]
        level = [inner for item in nested for inner in (item.values() if isinstance(item, dict) else item)]
    return depth - 1


def _record(data: dict[str, Any], line: bytes) -> Record:
    version = data.get("v", VERSION)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise MalformedRecord("'v' is not a version")
    if version > VERSION:
        raise MalformedRecord(f"{LATER} (format {version}; this one reads {VERSION})")
    for name in ("ts", "type"):
        if not isinstance(data.get(name), str) or not data[name]:
            raise MalformedRecord(f"'{name}' is missing or not text")
    try:
        ts = normalise(data["ts"])
    except ValueError:
        raise MalformedRecord("'ts' is not an RFC 3339 time") from None
    identity = data.get("id")
    if identity is None and line:
        identity = derived_id(ts, line)
        data["id"] = identity
    if not isinstance(identity, str) or not identity:
        raise MalformedRecord("'id' is not text")
    problem = find_error(data) or _find_long_list(data) or _find_long_list(data.get("set"))
    if problem:
        raise MalformedRecord(problem)
    session, key = data.get("session"), data.get("key")
    return Record(
        id=identity,
        ts=ts,
        type=data["type"],
        session=session if isinstance(session, str) else "",
        key=key if isinstance(key, str) else "",
        line=line,
        decoded=data,
    )


def _find_long_list(data: Any) -> str:
    """Return which list of a record is too long, "" for none."""
    if isinstance(data, dict):
        for name in _LISTS:
            value = data.get(name)
            if isinstance(value, list) and len(value) > MAX_ITEMS:
                return f"'{name}' has {len(value):,} items; the limit is {MAX_ITEMS:,}"
    return ""


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value
