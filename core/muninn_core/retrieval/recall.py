"""Recall: candidates from words and meaning, one scorer for code, knowledge and memory, a reason for every point.

Deterministic: the same index, memories and clock give the same hits in the same order, down to the rounding of scores.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple, Protocol

from muninn_core.model.answer import Hit, Reason
from muninn_core.model.chunk import Chunk
from muninn_core.model.value import replace
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.query import Query, parse_query
from muninn_core.source.bridge import CLAUDE_MEMORY, bridge_of, origin_of
from muninn_core.source.classify import traits
from muninn_core.source.identifiers import words
from muninn_core.source.shortcode import same_code

if TYPE_CHECKING:
    import numpy as np

    from muninn_core.model.chunk import SourceKind
    from muninn_core.model.citation import Citation
    from muninn_core.model.memory import Memory

Signal = tuple[str, float, float, float, str]
"""A signal's name, value, weight, contribution to the score, and note: a reason before anybody reads it."""


Standing = Callable[["Memory"], Sequence["Citation"]]
"""Says how a memory's citations stand in the asker's work tree. It looks at files, so it is asked of few."""


class Reader(Protocol):
    """The index at one moment, as recall needs it."""

    def lexical(self, words: Iterable[str], limit: int, kind: SourceKind | None = None) -> Sequence[tuple[int, float]]:
        """Return (chunk id, BM25), best first."""

    def dense(self, vector: np.ndarray, limit: int, kind: SourceKind | None = None) -> Sequence[tuple[int, float]]:
        """Return (chunk id, cosine), best first."""

    def chunks(self, ids: Sequence[int]) -> Mapping[int, Chunk]:
        """Return the chunks of the ids that are still there."""


class Bounds(NamedTuple):
    """What may be found. `admits` says so of a chunk and its memory; `sure` are candidates whatever their words are."""

    admits: Callable[[Chunk, Memory | None], bool] = lambda _chunk, _memory: True
    sure: Sequence[Memory] = ()


Curated = Callable[[str], "tuple[bool, str] | None"]
"""Says of a path whether the decision there is in force, and how it stands; None for what is no decision."""


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
            or (self.task is not None and memory.task is not None and same_code(self.task, memory.task))
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
    standing: Standing = lambda _memory: (),
    bounds: Bounds | None = None,
    curated: Curated = lambda _path: None,
    half_life: float = w.DECAY_DAYS,
) -> tuple[Hit, ...]:
    """Return at most `limit` hits, best first. Without `vector` (no model yet) words alone decide.

    `memories` are all there are, by id; one in the index that is not among them, or does not speak, is left out.
    `half_life` is that of importance, in days; 0 is endless.
    """
    ranked = rank(
        reader,
        vector,
        memories,
        text,
        limit=limit,
        now=now,
        kind=kind,
        focus=focus,
        bounds=bounds,
        curated=curated,
        half_life=half_life,
    )
    return settle(ranked, limit, standing, curated)[0]


def rank(
    reader: Reader,
    vector: np.ndarray | None,
    memories: Mapping[str, Memory],
    text: str,
    *,
    limit: int,
    now: datetime,
    kind: SourceKind | None = None,
    focus: Focus | None = None,
    bounds: Bounds | None = None,
    curated: Curated = lambda _path: None,
    half_life: float = w.DECAY_DAYS,
) -> list[Candidate]:
    """Return the candidates of a question in their order: `limit` of them and, where there are, some more."""
    query, at_hand, within = parse_query(text), focus or Focus(), bounds or Bounds()

    def candidate(chunk: Chunk, memory: Memory | None, match: Iterable[Signal]) -> Candidate:
        own = judge(query, chunk, memory, now, at_hand, half_life)
        return Candidate(chunk, memory, [*match, *own, *_decision(chunk, curated)])

    admitted, fused = _admitted(reader, vector, memories, query, limit, now, kind, within)
    found = [candidate(chunk, memory, matches(*fused[number])) for number, chunk, memory in admitted]
    there = {memory.id for _, _, memory in admitted if memory is not None}
    for memory in within.sure:
        if memory.id not in there and speaks(memory, now) and kind in (None, "memory"):
            stub = Chunk(kind="memory", path=memory.id, start=1, end=1, text=memory.text, title=memory.title)
            found.append(candidate(stub, memory, ()))
    return _spread(found)


def settle(
    ranked: Sequence[Candidate], limit: int, standing: Standing, curated: Curated = lambda _path: None
) -> tuple[tuple[Hit, ...], list[Candidate]]:
    """Return the first `limit` candidates as hits, their citations counted, and the candidates that come after them."""
    found, rest = _settled(ranked, limit, standing)
    hits = (hit_of(each.chunk, each.memory, [reason_of(one) for one in each.signals], each.citations) for each in found)
    return tuple(
        replace(hit, status=(curated(hit.path) or (False, ""))[1]) if hit.kind == "knowledge" else hit for hit in hits
    ), rest


def _admitted(
    reader: Reader,
    vector: np.ndarray | None,
    memories: Mapping[str, Memory],
    query: Query,
    limit: int,
    now: datetime,
    kind: SourceKind | None,
    within: Bounds,
) -> tuple[list[tuple[int, Chunk, Memory | None]], dict[int, tuple[float, float]]]:
    """Return the best candidates that may be found, and the matches of all.

    While too many are refused, more are asked for: a filter must not hide what lies behind the first hundred.
    """
    reach = w.CANDIDATES
    while True:
        fused = fuse(
            reader.lexical(query.words, reach, kind), () if vector is None else reader.dense(vector, reach, kind)
        )
        best = _best(fused, max(w.RANKED, 3 * limit) * reach // w.CANDIDATES)
        found = []
        for number, chunk in reader.chunks(best).items():
            memory = memories.get(chunk.path) if chunk.kind == "memory" else None
            spoken = chunk.kind != "memory" or (memory is not None and speaks(memory, now))
            if spoken and within.admits(chunk, memory):
                found.append((number, chunk, memory))
        enough = len(found) >= limit or len(found) == len(best) or len(fused) < reach
        if enough or reach >= w.MOST_CANDIDATES:
            return found, fused
        reach *= w.WIDER


def _decision(chunk: Chunk, curated: Curated) -> list[Signal]:
    """Return what a decision record's own status counts."""
    told = curated(chunk.path) if chunk.kind == "knowledge" else None
    if told is None:
        return []
    holds, standing = told
    return [signal("decided", 1.0, w.DECIDED, standing) if holds else signal("retired", 1.0, w.RETIRED, standing)]


class Candidate:
    """What may become a hit. Most never do, so a hit's values and reasons are made at the end, for those that do."""

    __slots__ = ("chunk", "citations", "judged", "memory", "order", "signals")

    def __init__(self, chunk: Chunk, memory: Memory | None, signals: list[Signal]) -> None:
        self.chunk = chunk
        self.memory = memory
        self.signals = signals
        self.citations: Sequence[Citation] = ()
        self.judged = False
        self.order = self._order()

    def add(self, further: Signal) -> None:
        """Count one more signal."""
        self.signals.append(further)
        self.order = self._order()

    def _order(self) -> tuple[float, str, str, int, int | str]:
        """Return what hits are sorted by: score, kind, path, first line, and last line or a memory's id."""
        score = total(self.signals)
        if self.memory is None:
            chunk = self.chunk
            return (-score, chunk.kind, chunk.path, chunk.start, chunk.end)
        path, start, _ = place_of(self.memory, self.citations)
        return (-score, "memory", path, start, self.memory.id)


def _best(fused: Mapping[int, tuple[float, float]], count: int) -> list[int]:
    """Return the best candidates, and those that equal the last of them: ids differ from one build to the next."""
    scores = {number: w.WORDS * words + w.MEANING * meaning for number, (words, meaning) in fused.items()}
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    if len(ranked) <= count:
        return ranked
    last = scores[ranked[count - 1]]
    return [number for number in ranked if scores[number] >= last]


def speaks(memory: Memory, now: datetime) -> bool:
    """Whether a memory is to be recalled: it is active and has not expired."""
    return memory.active and not has_expired(memory, now)


def has_expired(memory: Memory, now: datetime) -> bool:
    """Whether a memory's time is over."""
    if not memory.expires:
        return False
    try:
        return datetime.fromisoformat(memory.expires) < now
    except (ValueError, TypeError):
        return False  # no time that can be compared: better shown than lost


def fuse(lexical: Sequence[tuple[int, float]], dense: Sequence[tuple[int, float]]) -> dict[int, tuple[float, float]]:
    """Scale both lists to 0..1; return each candidate's match by words and by meaning."""
    top = max((score for _, score in lexical), default=0.0)
    words = {number: score / top for number, score in lexical} if top > 0 else {}
    if not dense:
        return {number: (value, 0.0) for number, value in words.items()}
    high = max(score for _, score in dense)
    # A question that is near nothing must not make its best neighbour look perfect.
    floor = min(min(score for _, score in dense), max(0.0, high - 0.2))
    span = high - floor
    meaning = {number: (score - floor) / span for number, score in dense if score > floor}
    return {number: (words.get(number, 0.0), meaning.get(number, 0.0)) for number in words | meaning}


def matches(words: float, meaning: float) -> list[Signal]:
    """Return the signals of a candidate's match."""
    found = (signal("words", words, w.WORDS), signal("meaning", meaning, w.MEANING))
    return [each for each in found if each[1]]


def judge(
    query: Query, chunk: Chunk, memory: Memory | None, now: datetime, focus: Focus, half_life: float = w.DECAY_DAYS
) -> list[Signal]:
    """Return the signals that lie in the chunk itself; those that count nothing are left out."""
    signals: list[Signal] = []
    if focus.covers(chunk.path, memory):
        signals.append(signal("focus", 1.0, w.FOCUS))
    if memory is not None:
        left = weathered(memory, now, half_life)
        faded = f"{memory.importance} of 10, faded to {10 * left:.1f}" if left < 0.99 * memory.importance / 10 else ""
        signals.append(signal("importance", left, w.IMPORTANCE, faded))
        if memory.scope != "project":
            signals.append(signal("scope", 1.0, w.SESSION if memory.scope == "session" else w.GLOBAL, memory.scope))
        signals.append(signal("recency", recency(memory.updated or memory.ts, now), w.RECENCY))
        signals.append(signal("confidence", memory.confidence, w.CONFIDENCE))
        return [found for found in signals if found[3]]
    if chunk.symbol and query.identifiers:
        defined = query.identifiers.intersection(chunk.symbol.split())
        if defined:
            share = len(defined) / len(query.identifiers)
            signals.append(signal("symbol", share, w.SYMBOL, "defines " + ", ".join(sorted(defined))))
    bridge = bridge_of(chunk.path) if chunk.kind == "knowledge" else None
    if bridge is not None and bridge.trust == "agent":
        signals.append(signal("agent", 1.0, w.AGENT, bridge.title))
    # Where a folder outside of the work tree lies says nothing of what is in it.
    path = chunk.path.rpartition("/")[2] if bridge is CLAUDE_MEMORY else chunk.path
    named = path_words(path).intersection(query.words)
    if named:
        signals.append(signal("path", len(named) / len(query.words), w.PATH, ", ".join(sorted(named))))
    kinds = traits(chunk.path)
    if "test" in kinds and not query.about_tests:
        signals.append(signal("test", 1.0, w.TEST))
    aside = kinds.intersection(("vendored", "generated", "example"))
    if aside:
        signals.append(signal("aside", 1.0, w.ASIDE, ", ".join(sorted(aside))))
    return [found for found in signals if found[3]]


@lru_cache(maxsize=4096)
def path_words(path: str) -> frozenset[str]:
    """Return the words of a path."""
    return frozenset(words(path).split())


def staleness(citations: Sequence[Citation]) -> list[Signal]:
    """Return what stale citations count against a memory, nothing when none is."""
    stale = [one for one in citations if one.stale]
    if not stale:
        return []
    value = sum(1.0 if one.state == "gone" else 0.5 for one in stale) / len(citations)
    return [
        signal("stale", value, w.STALE, ", ".join(sorted({f"{one.was or one.place} {one.state}" for one in stale})))
    ]


def signal(name: str, value: float, weight: float, note: str = "") -> Signal:
    """Make a signal; contributions are rounded so that their sum is the score, exactly."""
    return (name, value, weight, round(value * weight, 4), note)


def total(signals: Iterable[Signal]) -> float:
    """Return the score that signals add up to."""
    return round(sum([found[3] for found in signals]), 4)


def reason_of(found: Signal) -> Reason:
    """Return a signal as it is shown."""
    name, value, weight, contribution, note = found
    return Reason(signal=name, value=round(value, 4), weight=weight, contribution=contribution, note=note)


def recency(ts: str, now: datetime) -> float:
    """Return 1 for now, a half for `HALF_LIFE_DAYS` ago; 0 for a time that can't be read."""
    return _halved(ts, now, w.HALF_LIFE_DAYS)


def weathered(memory: Memory, now: datetime, half_life: float) -> float:
    """Return a memory's importance, 0..1, as it is after the time since it was last changed.

    Nothing is written: a change of any kind makes it fresh again. Pinned and lasting ones do not fade, nor does
    anything with a half-life of 0.
    """
    full = memory.importance / 10
    if half_life <= 0 or memory.pinned or memory.type in w.LASTING:
        return full
    return full * _halved(memory.updated or memory.ts, now, half_life, unknown=1.0)


def _halved(ts: str, now: datetime, half_life: float, unknown: float = 0.0) -> float:
    try:
        age = (now - datetime.fromisoformat(ts)).total_seconds() / 86_400
    except (ValueError, TypeError):
        return unknown
    return float(0.5 ** (max(age, 0.0) / half_life))


def hit_of(chunk: Chunk, memory: Memory | None, reasons: Sequence[Reason], citations: Sequence[Citation] = ()) -> Hit:
    """Make a hit of a chunk and its reasons, whose sum is its score."""
    score = round(sum(found.contribution for found in reasons), 4)
    if memory is None:
        bridge = bridge_of(chunk.path) if chunk.kind == "knowledge" else None
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
            trust=bridge.trust if bridge else None,
            origin=origin_of(chunk.path) if bridge else "",
        )
    return memory_hit(memory, reasons, citations)


def memory_hit(memory: Memory, reasons: Sequence[Reason], citations: Sequence[Citation] = ()) -> Hit:
    """Make a hit of a memory, its reasons and its citations as they stand."""
    path, start, end = place_of(memory, citations)
    return Hit(
        kind="memory",
        id=memory.id,
        path=path,
        start_line=start,
        end_line=end,
        score=round(sum(found.contribution for found in reasons), 4),
        why=tuple(reasons),
        text=memory.text,
        title=memory.title,
        type=memory.type,
        elsewhere=memory.elsewhere,
        work=memory.work,
        private=memory.private,
        scope=memory.scope,
        trust=memory.trust,
        cites=tuple(citations),
        origin=memory.origin,
    )


def place_of(memory: Memory, citations: Sequence[Citation] = ()) -> tuple[str, int, int]:
    """Return path, first and last line of what a memory is about: its first cite, or the first of its files.

    Citations come in the order of the cites; they say where the code is now.
    """
    if memory.cites and citations:
        return citations[0].path, citations[0].start, citations[0].end
    if memory.cites:
        cite = memory.cites[0]
        return cite.path, cite.start, cite.end
    return next(iter(memory.files), ""), 0, 0


def _spread(found: list[Candidate]) -> list[Candidate]:
    """Order candidates; each further chunk of a file is marked down, so that one file does not fill the list."""
    seen: dict[str, int] = {}
    for candidate in sorted(found, key=_order):
        if candidate.memory is None:
            before = seen.get(candidate.chunk.path, 0)
            seen[candidate.chunk.path] = before + 1
            if before:
                candidate.add(signal("crowd", float(before), w.CROWD))
    return sorted(found, key=_order)


def _settled(ranked: Sequence[Candidate], limit: int, standing: Standing) -> tuple[list[Candidate], list[Candidate]]:
    """Return the first `limit` candidates once their citations count, and the others in their order.

    Stale citations only ever lower a score, so whoever is on top when they have been looked at stays there: the
    outcome is that of looking at all.
    """
    heap = [(candidate.order, number, candidate) for number, candidate in enumerate(ranked)]
    heapify(heap)
    found: list[Candidate] = []
    while heap and len(found) < limit:
        _, number, candidate = heappop(heap)
        if candidate.memory is None or candidate.judged:
            found.append(candidate)
            continue
        candidate.judged = True
        candidate.citations = standing(candidate.memory)
        for further in staleness(candidate.citations):
            candidate.add(further)
        heappush(heap, (candidate.order, number, candidate))
    return found, [candidate for _, _, candidate in sorted(heap, key=lambda item: item[:2])]


def _order(candidate: Candidate) -> tuple[float, str, str, int, int | str]:
    return candidate.order
