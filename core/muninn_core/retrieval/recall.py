"""Recall: candidates from words and meaning, one scorer for code, knowledge and memory, a reason for every point.

Deterministic: the same index, memories and clock give the same hits in the same order, down to the rounding of scores.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from muninn_core.model.answer import Hit, Reason
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.query import Query, parse_query
from muninn_core.source.classify import traits
from muninn_core.source.identifiers import words

if TYPE_CHECKING:
    import numpy as np

    from muninn_core.model.chunk import Chunk, SourceKind
    from muninn_core.model.memory import Memory


class Reader(Protocol):
    """The index at one moment, as recall needs it."""

    def lexical(self, words: Iterable[str], limit: int, kind: SourceKind | None = None) -> Sequence[tuple[int, float]]:
        """Return (chunk id, BM25), best first."""

    def dense(self, vector: np.ndarray, limit: int, kind: SourceKind | None = None) -> Sequence[tuple[int, float]]:
        """Return (chunk id, cosine), best first."""

    def chunks(self, ids: Sequence[int]) -> Mapping[int, Chunk]:
        """Return the chunks of the ids that are still there."""


class Focus:
    """What the asker is at: it counts a little in favour of what belongs to it."""

    __slots__ = ("files", "session", "task")

    def __init__(self, files: Collection[str] = (), session: str | None = None, task: str | None = None) -> None:
        self.files = frozenset(files)
        self.session = session
        self.task = task

    def covers(self, path: str, memory: Memory | None) -> bool:
        """Whether a file or memory belongs to what the asker is at."""
        if memory is None:
            return path in self.files
        return (
            bool(self.files.intersection(memory.files))
            or (self.session is not None and self.session in (memory.session, *memory.sessions))
            or (self.task is not None and self.task == memory.task)
        )


def recall(
    reader: Reader,
    vector: np.ndarray | None,
    memories: Mapping[str, Memory],
    text: str,
    *,
    limit: int,
    now: datetime,
    kind: SourceKind | None = None,
    focus: Focus | None = None,
) -> tuple[Hit, ...]:
    """Return at most `limit` hits, best first. Without `vector` (no model yet) words alone decide.

    `memories` are all there are, by id; one in the index that is not among them, or does not speak, is left out.
    """
    query = parse_query(text)
    fused = fuse(
        reader.lexical(query.words, w.CANDIDATES, kind),
        () if vector is None else reader.dense(vector, w.CANDIDATES, kind),
    )
    best = sorted(fused, key=lambda number: (-sum(r.contribution for r in fused[number]), number))
    chunks = reader.chunks(best[: max(w.RANKED, 3 * limit)])
    hits = []
    for number, chunk in chunks.items():
        memory = memories.get(chunk.path) if chunk.kind == "memory" else None
        if chunk.kind == "memory" and (memory is None or not speaks(memory, now)):
            continue
        reasons = fused[number] + judge(query, chunk, memory, now, focus or Focus())
        hits.append(hit_of(chunk, memory, reasons))
    return tuple(_spread(hits)[:limit])


def speaks(memory: Memory, now: datetime) -> bool:
    """Whether a memory is to be recalled: it is active and has not expired."""
    return memory.active and not (memory.expires and _has_passed(memory.expires, now))


def _has_passed(ts: str, now: datetime) -> bool:
    try:
        return datetime.fromisoformat(ts) < now
    except (ValueError, TypeError):
        return False  # no time that can be compared: better shown than lost


def fuse(lexical: Sequence[tuple[int, float]], dense: Sequence[tuple[int, float]]) -> dict[int, list[Reason]]:
    """Scale both lists to 0..1 and return each candidate's reasons."""
    found: dict[int, list[Reason]] = {}
    top = max((score for _, score in lexical), default=0.0)
    for number, score in lexical:
        if top > 0:
            found.setdefault(number, []).append(reason("words", score / top, w.WORDS))
    high = max((score for _, score in dense), default=0.0)
    low = min((score for _, score in dense), default=0.0)
    # A question that is near nothing must not make its best neighbour look perfect.
    floor = min(low, max(0.0, high - 0.2))
    for number, score in dense:
        if score > floor:
            found.setdefault(number, []).append(reason("meaning", (score - floor) / (high - floor), w.MEANING))
    return found


def judge(query: Query, chunk: Chunk, memory: Memory | None, now: datetime, focus: Focus) -> list[Reason]:
    """Return the reasons that lie in the chunk itself."""
    reasons: list[Reason] = []
    if focus.covers(chunk.path, memory):
        reasons.append(reason("focus", 1.0, w.FOCUS))
    if memory is not None:
        reasons.append(reason("importance", memory.importance / 10, w.IMPORTANCE))
        reasons.append(reason("recency", recency(memory.updated or memory.ts, now), w.RECENCY))
        reasons.append(reason("confidence", memory.confidence, w.CONFIDENCE))
        return [found for found in reasons if found.contribution]
    if chunk.symbol and query.identifiers:
        defined = query.identifiers.intersection(chunk.symbol.split())
        if defined:
            share = len(defined) / len(query.identifiers)
            reasons.append(reason("symbol", share, w.SYMBOL, "defines " + ", ".join(sorted(defined))))
    named = set(words(chunk.path).split()).intersection(query.words)
    if named:
        reasons.append(reason("path", len(named) / len(query.words), w.PATH, ", ".join(sorted(named))))
    kinds = traits(chunk.path)
    if "test" in kinds and not query.about_tests:
        reasons.append(reason("test", 1.0, w.TEST))
    aside = kinds.intersection(("vendored", "generated", "example"))
    if aside:
        reasons.append(reason("aside", 1.0, w.ASIDE, ", ".join(sorted(aside))))
    return [found for found in reasons if found.contribution]


def reason(signal: str, value: float, weight: float, note: str = "") -> Reason:
    """Make a reason; contributions are rounded so that their sum is the score, exactly."""
    return Reason(signal=signal, value=round(value, 4), weight=weight, contribution=round(value * weight, 4), note=note)


def recency(ts: str, now: datetime) -> float:
    """Return 1 for now, a half for `HALF_LIFE_DAYS` ago; 0 for a time that can't be read."""
    try:
        age = (now - datetime.fromisoformat(ts)).total_seconds() / 86_400
    except (ValueError, TypeError):
        return 0.0
    return float(0.5 ** (max(age, 0.0) / w.HALF_LIFE_DAYS))


def hit_of(chunk: Chunk, memory: Memory | None, reasons: Sequence[Reason]) -> Hit:
    """Make a hit of a chunk and its reasons, whose sum is its score."""
    score = round(sum(found.contribution for found in reasons), 4)
    if memory is None:
        return Hit(
            kind=chunk.kind,
            id=f"{chunk.path}:{chunk.start}-{chunk.end}",
            path=chunk.path,
            start_line=chunk.start,
            end_line=chunk.end,
            score=score,
            why=tuple(reasons),
            text=chunk.text,
            title=chunk.title,
            type=chunk.language,
            symbol=chunk.symbol,
        )
    return memory_hit(memory, reasons)


def memory_hit(memory: Memory, reasons: Sequence[Reason]) -> Hit:
    """Make a hit of a memory and its reasons."""
    place = memory.cites[0] if memory.cites else None
    return Hit(
        kind="memory",
        id=memory.id,
        path=place.path if place else next(iter(memory.files), ""),
        start_line=place.start if place else 0,
        end_line=place.end if place else 0,
        score=round(sum(found.contribution for found in reasons), 4),
        why=tuple(reasons),
        text=memory.text,
        title=memory.title,
        type=memory.type,
    )


def _spread(hits: list[Hit]) -> list[Hit]:
    """Order the hits; each further chunk of a file is marked down, so that one file does not fill the list."""
    from muninn_core.model.value import replace

    seen: dict[str, int] = {}
    spread = []
    for hit in sorted(hits, key=_order):
        if hit.kind != "memory":
            before = seen.get(hit.path, 0)
            seen[hit.path] = before + 1
            if before:
                crowd = reason("crowd", float(before), w.CROWD)
                hit = replace(hit, score=round(hit.score + crowd.contribution, 4), why=(*hit.why, crowd))
        spread.append(hit)
    return sorted(spread, key=_order)


def _order(hit: Hit) -> tuple[float, str, str, int, str]:
    return (-hit.score, hit.kind, hit.path, hit.start_line, hit.id)
