"""Accuracy of reconcile: same, new or contradictory, on the labelled pairs of `bench/data`.

Each pair is judged as a log of these two memories alone. A second pass puts all memories into one log, where a merge
across two pairs is an error, too. The figures do not depend on the machine.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness.figure import Figure
from muninn_core.model.memory import Memory
from muninn_core.reconcile.comparison.pairs import Comparison, compare_all
from muninn_core.store.folding.fold import fold
from muninn_core.store.records.record import make_record

PAIRS = Path(__file__).parents[1] / "data" / "pairs.jsonl"
LABELS = ("same", "contradiction", "new")


@dataclass(frozen=True)
class Pair:
    """Two memories in their authors' words, and a person's label."""

    id: str
    label: str
    left: dict[str, Any]
    right: dict[str, Any]

    @property
    def part(self) -> str:
        """`dev` for the pairs that the rules were developed on, `test` for the held-out pairs."""
        return "test" if hashlib.sha256(self.id.encode()).digest()[0] % 2 else "dev"

    @property
    def shared(self) -> float:
        """The Jaccard index of both sides' lower-case words."""
        left, right = ({word.strip(".,:;`") for word in side["text"].lower().split()} for side in self.sides)
        return len(left & right) / len(left | right)

    @property
    def sides(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Both memories."""
        return self.left, self.right


def load(path: Path = PAIRS) -> list[Pair]:
    """Read the labelled pairs."""
    rows = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    return [Pair(row["id"], row["label"], row["left"], row["right"]) for row in rows]


def judge(pair: Pair) -> str:
    """Return reconcile's verdict on a pair."""
    found = _compare(_memories([pair]))
    return "same" if found.merges else "contradiction" if found.contradictions or found.replaced else "new"


def confusion(judged: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Count judgements: `confusion[label][verdict]`."""
    counts = Counter(judged)
    return {label: {verdict: counts[label, verdict] for verdict in LABELS} for label in LABELS}


def scores(matrix: dict[str, dict[str, int]], label: str) -> tuple[float, float, float]:
    """Return precision, recall and F1 of a class; a class without a verdict has precision 1."""
    hits = matrix[label][label]
    said = sum(row[label] for row in matrix.values())
    there = sum(matrix[label].values())
    precision = hits / said if said else 1.0
    recall = hits / there if there else 1.0
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


def wrong_merges(pairs: list[Pair]) -> list[tuple[str, str]]:
    """Reconcile all memories as one log; return the pairs of merged texts that no label calls the same."""
    memories = _memories(pairs)
    text = {memory.id: memory.text for memory in memories}
    groups = Groups()
    for pair in pairs:
        if pair.label == "same":
            groups.join(pair.left["text"], pair.right["text"])
    merges = [(text[kept], text[gone]) for kept, gone in _compare(memories).merges]
    return [(kept, gone) for kept, gone in merges if groups.representative(kept) != groups.representative(gone)]


def measure() -> list[Figure]:
    """Return all figures. Their details hold the classes and the confusion matrix of each part."""
    pairs = load()
    figures: list[Figure] = []
    for part in ("dev", "test", "all"):
        chosen = [pair for pair in pairs if part in (pair.part, "all")]
        matrix = confusion((pair.label, judge(pair)) for pair in chosen)
        for label in LABELS:
            precision, recall, f1 = scores(matrix, label)
            note = f"recall {recall:.2f}, F1 {f1:.2f}; judged {matrix[label]} of {len(chosen)} pairs"
            detail = {"recall": recall, "f1": f1, "confusion": matrix[label], "pairs": len(chosen)}
            figures.append(Figure(f"{label}, precision ({part})", precision, "", None, note, detail))
    mistaken = [pair.id for pair in pairs if pair.label != "same" and judge(pair) == "same"]
    across = wrong_merges(pairs)
    both = {"pairs": mistaken, "across": across}
    note = "pairs judged alone, and all memories in one log"
    figures.append(Figure("different facts merged", len(mistaken) + len(across), "", None, note, both))
    return figures


def _memories(pairs: Iterable[Pair]) -> list[Memory]:
    records = []
    for pair in pairs:
        for side, stated in zip("lr", pair.sides, strict=True):
            identity = f"{pair.id}{side}"
            envelope = {"id": identity, "ts": "2026-01-07T10:00:00Z", "actor": "user", "session": identity}
            records.append(make_record({**envelope, **stated}))
    return list(fold(records).memories.values())


def _compare(memories: list[Memory]) -> Comparison:
    return compare_all(memories, set())


class Groups:
    """Groups of equivalent texts, joined pair by pair."""

    def __init__(self) -> None:
        self._next: dict[str, str] = {}

    def representative(self, text: str) -> str:
        while text in self._next:
            text = self._next[text]
        return text

    def join(self, one: str, other: str) -> None:
        first, second = self.representative(one), self.representative(other)
        if first != second:
            self._next[second] = first
