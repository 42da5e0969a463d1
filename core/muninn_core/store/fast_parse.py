"""Reading what nearly every line of a log is: a memory of this version, each field of its own type, and nothing else.

Such a line goes straight into its memory, at a tenth of the cost of `parse_line` and `fields`, which say what a line
means. Whatever is unusual about one is left to them, and a test holds that both ways say the same. Reading it only
tells that it is plain: its memory is made by who asks for it, for most are never asked for between two starts.
"""

from __future__ import annotations

from sys import intern
from typing import Annotated, Any

from muninn_core.model.memory import Cite, Memory, Trust
from muninn_core.model.value import UNSET, Meta, UnsetType, Value, decoder_of, field
from muninn_core.store.change import CHANGES
from muninn_core.store.fields import headline, lowest, trust_of
from muninn_core.store.record import DEEPEST, VERSION, Record, encode_line, parse_line
from muninn_core.store.stamp import normalise


class _Plain(Value):
    """The fields of a plain memory's line. One that has others, or of other types, is not plain."""

    id: Annotated[str, Meta(min_length=1)]
    ts: str
    type: Annotated[str, Meta(min_length=1)]
    text: str
    v: int = VERSION
    session: str = ""
    actor: str = ""
    agent: str = ""
    task: str = ""
    branch: str = ""
    commit: str = ""
    key: str = ""
    title: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    cites: tuple[Cite, ...] = ()
    importance: Annotated[int, Meta(ge=1, le=10)] = 5
    confidence: Annotated[float, Meta(ge=0, le=1)] = 0.8
    trust: Trust | UnsetType = UNSET
    details: dict[str, Any] = field(default_factory=dict)


_decode = decoder_of(_Plain)


def read_line(line: bytes) -> Record:
    """Read one line, its end stripped or not. Raises MalformedRecord."""
    found = _plain(line)
    if found is None:
        return parse_line(line)
    plain, ts = found
    return Record(
        id=plain.id,
        ts=ts,
        type=intern(plain.type),
        session=intern(plain.session),
        key=plain.key,
        line=line.strip(),
        plain=True,
    )


def as_read(record: Record) -> Record:
    """Return a record as it is read from its line: of a plain one that is less than half of what its fields take."""
    return read_line(encode_line(record))


def memory_of(line: bytes) -> Memory:
    """Return the sealed memory that a plain line makes by itself. Raises ValueError for a line that is not plain."""
    found = _plain(line)
    if found is None:
        raise ValueError("no plain line")
    return _memory(*found)


def _plain(line: bytes) -> tuple[_Plain, str] | None:
    """Return the fields of a plain line, and its time in canonical form; None for any other."""
    try:
        plain = _decode(line)
        ts = normalise(plain.ts)
    except (ValueError, RecursionError):
        return None
    if plain.v != VERSION or plain.type in CHANGES or not plain.text.strip():
        return None
    if plain.details and line.count(b"[") + line.count(b"{") > DEEPEST:
        return None  # nothing else of a plain line can be nested so deeply
    return plain, ts


def _memory(plain: _Plain, ts: str) -> Memory:
    """Make the memory. What thousands have in common, from the author to the files, is in memory once."""
    cap = trust_of(plain.actor)
    session = intern(plain.session)
    return Memory(
        id=plain.id,
        type=intern(plain.type),
        text=plain.text,
        ts=ts,
        title=plain.title or headline(plain.text),
        tags=_distinct(plain.tags),
        entities=_distinct(plain.entities),
        files=_distinct(plain.files),
        cites=tuple(map(_cite, plain.cites)),
        importance=plain.importance,
        confidence=plain.confidence,
        trust=cap if isinstance(plain.trust, UnsetType) else lowest(plain.trust, cap),
        actor=intern(plain.actor),
        agent=intern(plain.agent) or None,
        session=session or None,
        sessions=(session,) if session else (),
        task=intern(plain.task) or None,
        branch=intern(plain.branch) or None,
        commit=intern(plain.commit) or None,
        updated=ts,
        sealed=True,
        details=plain.details,
    )


def _distinct(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(intern, texts)))


def _cite(cite: Cite) -> Cite:
    return Cite(
        path=intern(cite.path),
        start=cite.start,
        end=cite.end,
        symbol=cite.symbol and intern(cite.symbol),
        hash=cite.hash,
        commit=cite.commit and intern(cite.commit),
    )
