"""Rows of `raw_events`: their columns, their hash in the chain, and the events that they become."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from muninn_core.errors import MuninnError, StorageError
from muninn_core.journal.payload import canonical
from muninn_core.model.event import Event
from muninn_core.model.value import decode_json, encode_json
from muninn_core.store.records.timestamps import EPOCH, timestamp

NO_HASH = bytes(32)
"""The hash before the first event."""


class Row(NamedTuple):
    """One row. Times are canonical text (`occurred_at`) and milliseconds since 1970 (`recorded_at`)."""

    position: int
    event_id: str
    project_id: str
    session_id: str
    turn_id: str
    stream_id: str
    stream_seq: int
    event_type: str
    event_version: int
    occurred_at: str
    actor: str
    source: str
    payload_json: str
    idempotency_key: str | None
    trace_id: str | None
    recorded_at: int
    stored: str
    payload_hash: bytes
    hash: bytes


COLUMNS = ", ".join(Row._fields)
INSERT = f"INSERT INTO raw_events({COLUMNS}) VALUES({', '.join('?' * len(Row._fields))})"


def chain_hash(previous: bytes, row: Row) -> bytes:
    """Return the hash of a row after the hash `previous`. It covers all but the payload, which has its own hash."""
    fields = [*row[:12], row.idempotency_key, row.trace_id, row.recorded_at, row.payload_hash.hex()]
    return hashlib.sha256(previous + encode_json(fields)).digest()


def payload_path(folder: Path, payload_hash: bytes) -> Path:
    """Return the file of a long payload."""
    name = payload_hash.hex()
    return folder / name[:2] / name


def payload_text(row: Row, folder: Path) -> bytes:
    """Return the canonical JSON of a row's payload; b"" when it is redacted. Raises StorageError without its file."""
    if row.stored == "redacted":
        return b""
    if row.stored == "inline":
        return row.payload_json.encode("utf-8", "surrogatepass")
    path = payload_path(folder, row.payload_hash)
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageError(
            f"the payload of event {row.event_id} can't be read: {path}: {error.strerror}",
            hint="Restore the file from a backup; its name is its content's sha256.",
        ) from error


def event_of(row: Row, folder: Path) -> Event:
    """Return the event of a row, with its payload. Raises StorageError when its file is missing or damaged."""
    text = payload_text(row, folder)
    return Event(
        position=row.position,
        event_id=row.event_id,
        project_id=row.project_id,
        session_id=row.session_id,
        turn_id=row.turn_id,
        stream_id=row.stream_id,
        stream_seq=row.stream_seq,
        event_type=row.event_type,
        event_version=row.event_version,
        occurred_at=row.occurred_at,
        recorded_at=_time(row.recorded_at),
        actor=row.actor,
        source=row.source,
        payload=decoded(row, text, folder),
        payload_hash=row.payload_hash.hex(),
        hash=row.hash.hex(),
        stored=row.stored,  # type: ignore[arg-type]
        idempotency_key=row.idempotency_key,
        trace_id=row.trace_id,
    )


def decoded(row: Row, text: bytes | str, folder: Path) -> Any:
    """Return the payload of a row from its text, None when it is redacted. Raises StorageError for a damaged one."""
    if row.stored == "redacted":
        return None
    try:
        return decode_json(text)
    except ValueError as error:
        place = payload_path(folder, row.payload_hash) if row.stored == "file" else "the journal"
        raise StorageError(
            f"the payload of event {row.event_id} is damaged in {place}: {error}",
            hint="Restore it from a backup; `muninn audit verify` names the first damaged event.",
        ) from error


@lru_cache(maxsize=1_000)
def _time(milliseconds: int) -> str:
    return timestamp(EPOCH + timedelta(milliseconds=milliseconds))


def line_of(row: Row, folder: Path) -> bytes:
    """Return a row as one line of JSON, without its end: the form of replays and of sealed months."""
    fields: dict[str, Any] = row._asdict()
    text = payload_text(row, folder)
    del fields["payload_json"], fields["stored"]
    fields["payload_hash"], fields["hash"] = row.payload_hash.hex(), row.hash.hex()
    redacted = b"true" if row.stored == "redacted" else b"false"
    return encode_json(fields)[:-1] + b',"redacted":' + redacted + b',"payload":' + (text or b"null") + b"}"


def row_of(line: bytes) -> Row:
    """Return the row of a line that `line_of` made. Raises ValueError for a malformed line."""
    try:
        fields = json.loads(line)
        if not isinstance(fields, dict):
            raise ValueError("not an event: not an object")
        redacted, payload = fields.pop("redacted"), fields.pop("payload")
        fields["payload_hash"], fields["hash"] = bytes.fromhex(fields["payload_hash"]), bytes.fromhex(fields["hash"])
        _check_types(fields)
        text = "" if redacted else canonical(payload).decode()
        return Row(**fields, stored="redacted" if redacted else "inline", payload_json=text)
    except (KeyError, TypeError, MuninnError) as error:
        raise ValueError(f"not an event: {error}") from None


_NUMBERS = ("position", "stream_seq", "event_version", "recorded_at")
_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(Row._fields, (str,)),
    **dict.fromkeys(_NUMBERS, (int,)),
    **dict.fromkeys(("idempotency_key", "trace_id"), (str, type(None))),
    **dict.fromkeys(("payload_hash", "hash"), (bytes,)),
}


def _check_types(fields: dict[str, Any]) -> None:
    """Raise TypeError for a value that no column has: a comparison with it would fail later."""
    for name, value in fields.items():
        if type(value) not in _TYPES.get(name, ()):
            raise TypeError(f"'{name}' is {type(value).__name__}")
