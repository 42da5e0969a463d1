"""One record of the log: reading a line and writing one. Knows the envelope, not what the kinds mean.

The format is docs/formats/log.md. What this version does not know stays in `data` and is written back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muninn_core.model.value import Value, decode_json, encode_json
from muninn_core.store.change import flaw
from muninn_core.store.ids import derived_id
from muninn_core.store.stamp import normalise

VERSION = 1
DEEPEST = 64
"""Nesting beyond this is no record of ours, and would overflow the stack of whoever walks it."""

_MARKERS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")

ENVELOPE = ("v", "id", "ts", "type", "session", "actor", "agent", "task", "branch", "commit", "key")


class Record(Value):
    """A record as it was read. `ts` is canonical; `data` holds every field as it stood, the id always.

    `line` are its bytes, "" when nobody wrote it yet. `given` is None where `data` is still to be made of them: hardly
    anybody asks for it. `plain` is whether the line, on its own, makes a memory of which every field is of its type and
    of this version: `quick` says which are, and makes it of the line when somebody asks.
    """

    id: str
    ts: str
    type: str
    session: str
    key: str = ""
    line: bytes = b""
    given: dict[str, Any] | None = None
    plain: bool = False

    @property
    def data(self) -> dict[str, Any]:
        """Every field as it stood, and the id. Not to be changed; ask once and keep it."""
        if self.given is not None:
            return self.given
        data: dict[str, Any] = decode_json(self.line)
        return data

    @property
    def stamp(self) -> tuple[str, str]:
        """What decides who wrote last."""
        return (self.ts, self.id)

    def says_as(self, other: Record) -> bool:
        """Whether both say the same in every field."""
        return (self.line == other.line and self.line != b"") or self.data == other.data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.says_as(other)

    __hash__ = None  # type: ignore[assignment]  # it holds plain data


class MalformedRecord(ValueError):
    """A line or object that is no record; its text says why."""


def parse_line(line: bytes) -> Record:
    """Read one line, its end stripped or not. Raises MalformedRecord."""
    line = line.strip()
    data = _decode(line)
    if not isinstance(data, dict):
        raise MalformedRecord("no JSON object")
    return _record(data, line)


def make_record(data: Mapping[str, Any]) -> Record:
    """Check a record that is to be written; it needs an id. Raises MalformedRecord."""
    try:
        line = encode_json(dict(data))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise MalformedRecord(f"can't be written as JSON: {error}") from None
    return _record(_decode(line), b"")


def encode_line(record: Record) -> bytes:
    """Write a record as one line with its end: the envelope in order, then the rest by name."""
    data = record.data
    ordered = {name: data[name] for name in ENVELOPE if name in data}
    ordered.update((name, _sorted(data[name])) for name in sorted(data.keys() - ordered.keys()))
    return encode_json(ordered) + b"\n"


def preferred(one: Record, other: Record) -> Record:
    """Of two records with the same id, return the one that stands, whichever came first."""
    return max(one, other, key=lambda record: (record.data.get("redacted") is True, record.ts, encode_line(record)))


def _decode(line: bytes) -> Any:
    try:
        data = decode_json(line)
    except RecursionError:
        raise MalformedRecord("nested too deeply") from None
    except ValueError as error:
        what = "a merge marker of git" if line.startswith(_MARKERS) else f"no JSON: {error}"
        raise MalformedRecord(what) from None
    # Counting first: nearly no line has enough brackets to be worth a walk.
    if line.count(b"[") + line.count(b"{") > DEEPEST and _depth(data) > DEEPEST:
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
        raise MalformedRecord("'v' is no version")
    if version > VERSION:
        raise MalformedRecord(f"written by a later version (format {version}; this one reads {VERSION})")
    for name in ("ts", "type"):
        if not isinstance(data.get(name), str) or not data[name]:
            raise MalformedRecord(f"no '{name}'")
    try:
        ts = normalise(data["ts"])
    except ValueError:
        raise MalformedRecord("'ts' is no RFC 3339 time") from None
    identity = data.get("id")
    if identity is None and line:
        identity = derived_id(ts, line)
        data["id"] = identity
    if not isinstance(identity, str) or not identity:
        raise MalformedRecord("'id' is no text")
    lack = flaw(data)
    if lack:
        raise MalformedRecord(lack)
    session, key = data.get("session"), data.get("key")
    return Record(
        id=identity,
        ts=ts,
        type=data["type"],
        session=session if isinstance(session, str) else "",
        key=key if isinstance(key, str) else "",
        line=line,
        given=data,
    )


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value
