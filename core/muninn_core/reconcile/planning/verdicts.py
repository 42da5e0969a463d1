"""Verdicts of a model about pairs of memories that the rules keep apart.

A verdict is a record of the log: `{type: verdict, left, right, verdict, model, prompt, texts}`. `texts` is a digest of
both wordings; a verdict counts while they are the same. What follows from it is computed here, so that every clone
comes to the same result without asking a model.

A verdict never merges. On the labelled pairs of `bench/data`, 14 of 283 different pairs have the same type, numbers,
names and negations and 70 % of their words in common, so no rule of this kind tells a model's right "same" from a wrong
one. Every verdict but "new" therefore waits for a person, as a contradiction does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from muninn_core.model.memory import Memory
from muninn_core.store.folding.fold import Fold, State
from muninn_core.store.records.record import Record

VERDICT = "verdict"
"""The type of the record."""

VERDICTS = ("same", "new", "contradictory", "uncertain")

_VERDICT_PHRASES = {
    "same": "says that both say the same",
    "contradictory": "says that they contradict each other",
    "uncertain": "is uncertain whether they say the same",
}


def verdict_fields(left: Memory, right: Memory, verdict: str, model: str, prompt: str) -> dict[str, Any]:
    """Return the fields of a verdict's record. The order of the two memories makes no difference."""
    left, right = sorted((left, right), key=lambda memory: memory.id)
    named = {"left": left.id, "right": right.id, "verdict": verdict, "model": model, "prompt": prompt}
    return {"type": VERDICT, **named, "texts": texts_digest(left, right)}


def texts_digest(one: Memory, other: Memory) -> str:
    """Return a digest of the wordings of two memories, whatever their order: 16 hex digits of SHA-256."""
    left, right = sorted((one, other), key=lambda memory: memory.id)
    said = "\0".join((left.id, left.type, left.text, right.id, right.type, right.text))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def valid_verdicts(records: Mapping[str, Record], memories: Mapping[str, Memory]) -> dict[frozenset[str], Record]:
    """Return the newest verdict of each pair of active memories that still have the judged wordings."""
    found: dict[frozenset[str], Record] = {}
    judged = (record for record in records.values() if record.type == VERDICT)
    for record in sorted(judged, key=lambda record: record.stamp):
        left, right = (_current(record.data.get(side), memories) for side in ("left", "right"))
        if left is not None and right is not None and record.data.get("texts") == texts_digest(left, right):
            found[frozenset((left.id, right.id))] = record
    return found


def judged_conflicts(fold: Fold, state: State) -> Iterator[tuple[str, str, str]]:
    """Yield the pairs that a model did not judge to be new, with the reason for a person."""
    for record in valid_verdicts(fold.records, state.memories).values():
        data = record.data
        if data.get("verdict") in _VERDICT_PHRASES:
            yield (
                data["left"],
                data["right"],
                f"the model {_name(data.get('model'))} {_VERDICT_PHRASES[data['verdict']]}",
            )


def _current(identity: Any, memories: Mapping[str, Memory]) -> Memory | None:
    memory = memories.get(identity) if isinstance(identity, str) else None
    return memory if memory is not None and memory.active else None


def _name(model: Any) -> str:
    return model[:80] if isinstance(model, str) and model.isprintable() else "of another version"
