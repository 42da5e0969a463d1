"""Scores capture: which keeps of labelled conversations are found, and how many of the memories are right.

A memory is right when its text contains all terms of one keep of its session. Each keep counts once; a second memory
for it is a duplicate and not right. Each session goes through the real transcript reader, as at its end.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.capture.conversations import Keep, Session
from muninn_core.capture.statements.open_items import memory_text, read_open_items
from muninn_core.capture.statements.statement import find_statements
from muninn_core.capture.statements.statement_model import Weights
from muninn_core.capture.statements.transcript import MAX_STATEMENTS, read_transcript


@dataclass
class Score:
    """The counts of a run. `by_type` has (kept, right, found, there) per type; open work has the type `open`."""

    kept: int = 0
    right: int = 0
    there: int = 0
    duplicates: int = 0
    silent: int = 0
    empty: int = 0
    same_type: int = 0
    by_type: dict[str, Counter[str]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """The share of the memories that is right."""
        return self.right / self.kept if self.kept else 1.0

    @property
    def recall(self) -> float:
        """The share of the keeps that is found."""
        return self.right / self.there if self.there else 1.0

    def count(self, kind: str, what: str) -> None:
        """Count something of a type."""
        self.by_type.setdefault(kind, Counter())[what] += 1


def transcript_of(session: Session) -> list[bytes]:
    """Return a conversation as lines of a Claude Code transcript."""
    return [
        json.dumps(
            {
                "type": message.speaker,
                "message": {
                    "role": message.speaker,
                    "content": message.text if message.speaker == "user" else [{"type": "text", "text": message.text}],
                },
            }
        ).encode()
        + b"\n"
        for message in session.messages
    ]


def captured(session: Session) -> list[tuple[str, str]]:
    """Return (type, text) of the memories that capture makes of a session; open work has the type `open`."""
    lines = transcript_of(session)
    drafts = read_transcript(lines, session=session.id).drafts
    items = read_open_items(lines).open
    return [*((draft.type, draft.text) for draft in drafts), *([("open", memory_text(items))] if items else [])]


def captured_with(session: Session, weights: Weights, threshold: float) -> list[tuple[str, str]]:
    """Return what capture would make of a session with other weights and another threshold."""
    found = find_statements(session.messages, weights=weights, threshold=threshold)
    found = [each for each in found if each.reversed_by is None]
    best = sorted(found, key=lambda each: -each.probability)[:MAX_STATEMENTS]
    items = read_open_items(transcript_of(session)).open
    return [*((each.type, each.text) for each in best), *([("open", memory_text(items))] if items else [])]


def score(sessions: Sequence[Session], memories: Sequence[Sequence[tuple[str, str]]]) -> Score:
    """Compare the memories of each session with its keeps."""
    total = Score()
    for session, made in zip(sessions, memories, strict=True):
        keeps = [keep for keeps in session.keeps for keep in keeps]
        found: set[int] = set()
        total.there += len(keeps)
        total.silent += not keeps
        total.empty += not keeps and not made
        for keep in keeps:
            total.count(_kind(keep), "there")
        for kind, text in made:
            total.kept += 1
            total.count(kind, "kept")
            fitting = [number for number, keep in enumerate(keeps) if keep.is_in(text)]
            fresh = [number for number in fitting if number not in found]
            fresh.sort(key=lambda number: _kind(keeps[number]) != kind)
            if fresh:
                found.add(fresh[0])
                total.right += 1
                total.same_type += _kind(keeps[fresh[0]]) == kind
                total.count(kind, "right")
                total.count(_kind(keeps[fresh[0]]), "found")
            else:
                total.duplicates += bool(fitting)
                total.wrong.append(f"{session.id} {kind}{' (again)' if fitting else ''}: {text}")
        total.missed += [
            f"{session.id} {_kind(keep)}: {keep.quote}" for number, keep in enumerate(keeps) if number not in found
        ]
    return total


def _kind(keep: Keep) -> str:
    return "open" if keep.open else keep.type


def report(name: str, result: Score) -> str:
    """Return a score as lines for people."""
    lines = [
        f"{name}: precision {result.precision:.2f} ({result.right} of {result.kept}), "
        f"recall {result.recall:.2f} ({result.right} of {result.there})",
        f"  {result.duplicates} duplicates; {result.empty} of {result.silent} sessions without keeps stay empty; "
        f"{result.same_type} of {result.right} have the labelled type",
    ]
    for kind, counts in sorted(result.by_type.items()):
        lines.append(
            f"  {kind:<14} precision {counts['right'] / max(1, counts['kept']):.2f} "
            f"({counts['right']} of {counts['kept']})  recall {counts['found'] / max(1, counts['there']):.2f} "
            f"({counts['found']} of {counts['there']})"
        )
    return "\n".join(lines)
