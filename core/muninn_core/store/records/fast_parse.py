"""The fast path for the common line: a memory of this version whose fields all have their own types.

Such a line is decoded straight into its memory, at a tenth of the cost of `parse_line` and `fields`. All other lines go
through these; a test checks that both give the same result. `read_line` only determines that a line is plain; the
memory is created on first use.
"""

from __future__ import annotations

from functools import lru_cache
from sys import intern
from typing import Annotated, Any

from muninn_core.model.memory import Cite, Memory, Trust
from muninn_core.model.value import UNSET, Meta, UnsetType, Value, decoder_of, field
from muninn_core.store.records.change import CHANGES
from muninn_core.store.records.fields import actor_trust, author_name, headline, lowest_trust, question_lines
from muninn_core.store.records.record import (
    MAX_DEPTH,
    MAX_ITEMS,
    MAX_RECORD_BYTES,
    VERSION,
    Record,
    encode_line,
    parse_line,
)
from muninn_core.store.records.timestamps import normalise

_Texts = Annotated[tuple[str, ...], Meta(max_length=MAX_ITEMS)]


class _PlainMemory(Value):
    """The fields of a plain line. A line with other fields or types is not plain."""

    id: Annotated[str, Meta(min_length=1)]
    ts: str
    type: Annotated[str, Meta(min_length=1)]
    text: str
    v: int = VERSION
    session: str = ""
    actor: str = ""
    author: str = ""
    agent: str = ""
    task: str = ""
    branch: str = ""
    commit: str = ""
    key: str = ""
    title: str = ""
    tags: _Texts = ()
    entities: _Texts = ()
    questions: _Texts = ()
    files: _Texts = ()
    cites: Annotated[tuple[Cite, ...], Meta(max_length=MAX_ITEMS)] = ()
    importance: Annotated[int, Meta(ge=1, le=10)] = 5
    confidence: Annotated[float, Meta(ge=0, le=1)] = 0.8
    trust: Trust | UnsetType = UNSET
    details: dict[str, Any] = field(default_factory=dict)


_decode = decoder_of(_PlainMemory)

_NO_DETAILS: dict[str, Any] = {}
"""The details of all memories that have none. A memory is never changed in place."""


def read_line(line: bytes) -> Record:
    """Parse one line, with or without its newline. Raises MalformedRecord."""
    decoded = _decode_plain(line)
    if decoded is None:
        return parse_line(line)
    plain, ts = decoded
    return Record(
        id=plain.id,
        ts=ts,
        type=intern(plain.type),
        session=intern(plain.session),
        key=plain.key,
        line=line.strip(),
        plain=True,
    )


def reparse(record: Record) -> Record:
    """Return a record as parsed from its own line. A plain one then takes less than half the memory."""
    return read_line(encode_line(record))


def memory_from_line(line: bytes, identity: str = "") -> Memory:
    """Return the sealed memory that a plain line gives. Raises ValueError for a line that is not plain.

    A caller that has the id already gives it as `identity`, so that it is in memory once.
    """
    decoded = _decode_plain(line)
    if decoded is None:
        raise ValueError("the line is not plain")
    return _make_memory(*decoded, identity)


def _decode_plain(line: bytes) -> tuple[_PlainMemory, str] | None:
    """Return the fields of a plain line and its canonical time; None for any other line."""
    if len(line) > MAX_RECORD_BYTES:
        return None
    try:
        plain = _decode(line)
        ts = normalise(plain.ts)
    except (ValueError, RecursionError):
        return None
    if plain.v != VERSION or plain.type in CHANGES or not plain.text.strip():
        return None
    if plain.details and line.count(b"[") + line.count(b"{") > MAX_DEPTH:
        return None  # only `details` can be nested
    return plain, ts


def _make_memory(plain: _PlainMemory, ts: str, identity: str) -> Memory:
    """Create the memory. Values that many memories share exist once."""
    session = intern(plain.session)
    return Memory(
        id=identity if identity == plain.id else plain.id,
        type=intern(plain.type),
        text=plain.text,
        ts=ts,
        title=plain.title or headline(plain.text),
        tags=_shared(plain.tags),
        entities=_intern_distinct(plain.entities),
        questions=question_lines(plain.questions),
        files=_shared(plain.files),
        cites=tuple(map(_intern_cite, plain.cites)),
        importance=plain.importance,
        confidence=plain.confidence,
        trust=_trust(plain.trust, plain.actor),
        actor=intern(plain.actor),
        author=intern(author_name(plain.author, plain.details)) if plain.details else _author(plain.author),
        agent=intern(plain.agent) or None,
        session=session or None,
        sessions=_shared((session,)) if session else (),
        task=intern(plain.task) or None,
        branch=intern(plain.branch) or None,
        commit=intern(plain.commit) or None,
        updated=ts,
        sealed=True,
        details=plain.details or _NO_DETAILS,
    )


@lru_cache(maxsize=64)
def _trust(given: Trust | UnsetType, actor: str) -> Trust:
    """Return the trust of a record with this trust and actor."""
    cap = actor_trust(actor)
    return cap if isinstance(given, UnsetType) else lowest_trust(given, cap)


@lru_cache(maxsize=1_024)
def _author(author: str) -> str:
    """Return the author of a record that has no details."""
    return intern(author_name(author, _NO_DETAILS))


@lru_cache(maxsize=4_096)
def _shared(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the distinct texts; equal tuples give the same object while they are among the last ones."""
    return _intern_distinct(texts)


def _intern_distinct(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(intern, texts)))


def _intern_cite(cite: Cite) -> Cite:
    return Cite(
        path=intern(cite.path),
        start=cite.start,
        end=cite.end,
        symbol=cite.symbol and intern(cite.symbol),
        hash=cite.hash,
        commit=cite.commit and intern(cite.commit),
    )
