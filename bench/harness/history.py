"""Writes a large memory in the form that sessions leave: many segments with memories and changes.

Texts are made of a corpus's words with a fixed seed. The store's own encoder writes them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.harness.corpus import SEED, Corpus
from muninn_core.store.files.layout import Layout
from muninn_core.store.files.spool import segment_path
from muninn_core.store.records.ids import UlidGenerator
from muninn_core.store.records.record import VERSION, encode_line, make_record
from muninn_core.store.records.timestamps import timestamp

CHANGED = 0.08
"""The share of memories after which a change to an older one is stored."""


def write_history(layout: Layout, words: Corpus, memories: int, segments: int) -> int:
    """Write memories, spread over segments, and changes to them; return the number of records."""
    made = list(_records(words.memories(memories)))
    layout.sessions.mkdir(parents=True, exist_ok=True)
    for number in range(segments):
        session = f"s-{number:05d}"
        first, end = (len(made) * at // segments for at in (number, number + 1))
        lines = [encode_line(make_record({**data, "session": session})) for data in made[first:end]]
        content = b"".join(lines)
        segment_path(layout, session, content).write_bytes(content)
    return len(made)


def _records(drafts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    chance = random.Random(SEED)
    now = datetime(2024, 1, 1, tzinfo=UTC)
    ids = UlidGenerator(lambda: now, chance.randbytes)
    known: list[str] = []
    for draft in drafts:
        now += timedelta(seconds=chance.randint(5, 400))
        memory = {"v": VERSION, "id": ids(), "ts": timestamp(now), "actor": "assistant", **draft}
        yield memory
        known.append(memory["id"])
        if chance.random() < CHANGED:
            now += timedelta(seconds=1)
            yield {"v": VERSION, "id": ids(), "ts": timestamp(now), "actor": "user", **_change(chance, known)}


def _change(chance: random.Random, known: list[str]) -> dict[str, Any]:
    target, other = chance.choice(known), chance.choice(known)
    return chance.choice(
        (
            {"type": "pin", "target": target},
            {"type": "archive", "target": target, "reason": "no longer so"},
            {"type": "update", "target": target, "set": {"tags": ["reviewed"]}},
            {"type": "link", "target": target, "relation": "extends", "to": other},
            {"type": "feedback", "target": target, "useful": True},
        )
    )
