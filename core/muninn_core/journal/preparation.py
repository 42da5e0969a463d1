"""Prepares drafts of events for the journal: checks their fields, masks secrets, encodes the payload."""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from muninn_core.errors import BadParams
from muninn_core.journal.payload import INLINE_BYTES, canonical
from muninn_core.journal.row import payload_path
from muninn_core.model.event import SYSTEM, EventDraft
from muninn_core.store.files.disk import flush_folder, translate_errors
from muninn_core.store.records.timestamps import normalise
from muninn_core.store.secrets.masking import is_surely_clean, mask_value

_NAME = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{0,200}")
_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]{0,99}")
_NAMES = ("project_id", "session_id", "turn_id", "stream_id", "actor", "source", "idempotency_key", "trace_id")


class Prepared(NamedTuple):
    """A checked draft whose payload is masked, encoded, and on disk when it is long."""

    draft: EventDraft
    text: bytes
    payload_hash: bytes
    stored: str
    masked: int


def prepare(draft: EventDraft, payloads: Path, patterns: Sequence[str] = (), *, system: bool = False) -> Prepared:
    """Return a checked draft with its encoded payload; a long payload is written to its file in `payloads`.

    `patterns` are the user's regular expressions of secrets. Raises BadParams.
    """
    _check_names(draft, system=system)
    text, masked = canonical(draft.payload), 0  # before masking: it refuses what JSON can't encode
    if patterns or not is_surely_clean(text.decode()):
        value, masked = mask_value(draft.payload, patterns)
        text = canonical(value) if masked else text
    hashed = hashlib.sha256(text).digest()
    if len(text) > INLINE_BYTES:
        write_payload(payload_path(payloads, hashed), text)
        return Prepared(draft, text, hashed, "file", masked)
    return Prepared(draft, text, hashed, "inline", masked)


def moment(text: str, name: str) -> str:
    """Return an RFC 3339 time or a date in canonical form, "" for "". Raises BadParams, which names the parameter."""
    if not text:
        return ""
    try:
        return normalise(f"{text}T00:00:00.000Z" if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else text)
    except ValueError as error:
        raise BadParams(f"'{name}': {error}", hint="Give an RFC 3339 time such as 2026-01-31T12:00:00Z.") from None


def write_payload(path: Path, text: bytes) -> None:
    """Write a long payload under its content's hash, flushed, with mode 0600; one that is there already is kept."""
    with translate_errors(path):
        try:
            if path.stat().st_size == len(text):
                return
        except FileNotFoundError:
            pass
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(handle, "wb") as file:  # noqa: PTH123 (an open handle)
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
            flush_folder(path.parent)
            flush_folder(path.parent.parent)
        finally:
            temporary.unlink(missing_ok=True)


def _check_names(draft: EventDraft, *, system: bool) -> None:
    if not _TYPE.fullmatch(draft.event_type):
        raise BadParams(
            f"'{draft.event_type[:120]}' is not a type of event",
            hint="A type begins with a letter and has up to 100 letters, digits, '_', '.', ':' and '-'.",
        )
    if draft.event_type.startswith(SYSTEM) and not system:
        raise BadParams(
            f"the type '{draft.event_type}' is reserved for the journal", hint=f"Types may not begin with '{SYSTEM}'."
        )
    for name in _NAMES:
        value = getattr(draft, name)
        if value is not None and not _NAME.fullmatch(value):
            raise BadParams(
                f"'{name}' has more than 200 characters, a control character or a lone surrogate",
                hint="Nothing was recorded.",
            )
    if not 1 <= draft.event_version < 2**31:
        raise BadParams(f"'event_version' can't be {draft.event_version}", hint="It is a whole number from 1 on.")
    moment(draft.occurred_at, "occurred_at")
