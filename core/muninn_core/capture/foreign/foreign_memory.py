"""Memory that another tool wrote, as drafts of memories: what all formats share.

Each memory has a key that derives from its content, so that a repeated import stores nothing again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from muninn_core.errors import BadParams
from muninn_core.model.memory import KINDS
from muninn_core.model.value import decode_json
from muninn_core.protocol.families.memory import MemoryDraft

_NO_KINDS = frozenset({"context_hit", "session_summary"})
_KIND_OF_WORD = {
    "bug": "bug_fix",
    "bugfix": "bug_fix",
    "fix": "bug_fix",
    "config": "configuration",
    "setting": "configuration",
    "convention": "pattern",
    "requirement": "constraint",
    "rule": "constraint",
}


class ForeignMemory(NamedTuple):
    """One memory of another tool. `time` is RFC 3339, "" where the tool stores none. `place` names file and line."""

    draft: MemoryDraft
    place: str
    time: str = ""


class ForeignMemories(NamedTuple):
    """What a file or folder of another tool holds.

    `tool` is its display name and `slug` the name in keys and sessions. `counts` are the items by their plural;
    `left_out` are those that are no memories.
    """

    tool: str
    slug: str
    memories: tuple[ForeignMemory, ...]
    counts: dict[str, int]
    left_out: dict[str, int]


def malformed(place: str, cause: str) -> BadParams:
    """Return the error for a file that is not as its tool writes it. `place` names file and line."""
    return BadParams(f"{place}: {cause}", hint="Nothing was stored. Correct the file, or export it again.")


def content_key(slug: str, *parts: str) -> str:
    """Return the idempotency key of a memory with some content."""
    return f"{slug}:{hashlib.sha256(chr(0).join(parts).encode('utf-8', 'replace')).hexdigest()[:32]}"


def kind_of(word: str) -> str:
    """Return the kind of memory that another tool's word for a kind means; `insight` for an unknown word."""
    name = word.strip().casefold().replace(" ", "_").replace("-", "_")
    name = _KIND_OF_WORD.get(name, name)
    return name if name in KINDS and name not in _NO_KINDS else "insight"


def about(subject: str, statement: str) -> str:
    """Return a statement that names its subject."""
    return statement if subject.casefold() in statement.casefold() else f"{subject}: {statement}"


def tags_of(words: Iterable[str]) -> tuple[str, ...]:
    """Return words as tags: in lower case, without `#`, each once."""
    return tuple(dict.fromkeys(tag for word in words if (tag := word.strip().lstrip("#").casefold())))


def iso_time(text: str) -> str:
    """Return a date or time of ISO 8601 as RFC 3339; without a zone it counts as UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


def relation_draft(slug: str, subject: str, relation: str, target: str, note: str = "") -> MemoryDraft:
    """Return the memory of a relation between two named things."""
    words = f"{subject} {relation.replace('_', ' ')} {target}{f' ({note})' if note else ''}"
    return MemoryDraft(
        text=words,
        type="entity",
        tags=tags_of([relation]),
        entities=tuple(dict.fromkeys((subject, target))),
        actor="assistant",
        key=content_key(slug, "relation", subject, relation, target),
    )


def json_lines(name: str, content: bytes) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Yield the place and the object of each line. Raises BadParams that names the first line that is not one."""
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        place = f"{name}:{number}"
        try:
            value = decode_json(line)
        except ValueError as error:
            raise malformed(place, f"the line is not JSON: {error}") from None
        if not isinstance(value, dict):
            raise malformed(place, "the line is not a JSON object")
        yield place, value


def text_field(place: str, data: Mapping[str, Any], name: str) -> str:
    """Return a field that must have a text. Raises BadParams."""
    value = data.get(name)
    if not isinstance(value, str) or not value.strip():
        raise malformed(place, f"'{name}' is missing or not a text")
    return value.strip()
