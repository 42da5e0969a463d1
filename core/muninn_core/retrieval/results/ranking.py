"""Sorts scored candidates and converts the best to hits.

The order is deterministic: equal scores are ordered by kind, path, lines and id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.model.value import replace
from muninn_core.retrieval.results.hits import hit_of, location_of
from muninn_core.retrieval.results.signal import Signal, contribution, reasons_of, rounded, total
from muninn_core.retrieval.results.staleness import staleness

if TYPE_CHECKING:
    from muninn_core.model.answer import Hit
    from muninn_core.model.chunk import Chunk
    from muninn_core.model.citation import Citation
    from muninn_core.model.memory import Memory

CitationLookup = Callable[["Memory"], Sequence["Citation"]]
"""Returns a memory's citations in the caller's work tree. It reads files, so it is called for few memories."""

DecisionLookup = Callable[[str], "tuple[bool, str] | None"]
"""Returns (in force, status) of the decision record at a path; None for other files."""


def no_citations(_memory: Memory) -> Sequence[Citation]:
    """Return no citations, so that they do not affect the score."""
    return ()


def no_decision(_path: str) -> None:
    """Return None: treat no file as a decision."""


class Certainty(NamedTuple):
    """How sure it is that a memory answers a question, 0 to 1, and from which value on one is shown above the hits."""

    value: float
    least: float


class Candidate:
    """A chunk or memory with its signals. Lighter than a hit, since most candidates never become one."""

    __slots__ = (
        "_added",
        "_signals",
        "certainty",
        "chunk",
        "citations",
        "citations_counted",
        "interaction",
        "memory",
        "newer",
        "order",
    )

    def __init__(
        self,
        chunk: Chunk,
        memory: Memory | None,
        signals: list[Signal] | Callable[[], list[Signal]],
        score: float | None = None,
    ) -> None:
        """`signals` may be a function, which is called when the signals are read; `score` is then their total."""
        self.chunk = chunk
        self.memory = memory
        self._signals = signals
        self._added: list[Signal] = []
        self.citations: Sequence[Citation] = ()
        self.citations_counted = False
        """Whether the signals include those of the citations."""
        self.newer = ""
        """The id of a newer version of the memory's fact, the newest one that was found."""
        self.certainty: Certainty | None = None
        """Of a memory that answers the question."""
        self.interaction: float | None = None
        """The match of a memory's tokens with the question; None where tokens were not compared."""
        self.order: tuple[float, str, str, int, int | str]
        """The sort key: negative score, kind, path, first line, and last line or a memory's id."""
        if score is None:
            score = total(self.signals)
        if memory is None:
            self.order = (-score, chunk.kind, chunk.path, chunk.start, chunk.end)
        elif memory.cites:  # as `location_of`, without a call
            self.order = (-score, "memory", memory.cites[0].path, memory.cites[0].start, memory.id)
        else:
            self.order = (-score, "memory", memory.files[0] if memory.files else "", 0, memory.id)

    @property
    def signals(self) -> list[Signal]:
        """The signals, whose contributions add up to the score."""
        if callable(self._signals):
            self._signals = self._signals()
        return [*self._signals, *self._added]

    def add(self, further: Signal) -> None:
        """Add a signal and update the sort key. The other signals are not made for it."""
        self._added.append(further)
        score = rounded(contribution(further) - self.order[0])
        place = self.order[1:]
        if self.memory is not None and self.citations:
            path, start, _ = location_of(self.memory, self.citations)
            place = ("memory", path, start, self.memory.id)
        self.order = (-score, *place)


class Ranking(list[Candidate]):
    """Candidates in their order. `abstention` is the reason why candidates were withheld, else ""."""

    abstention = ""


def settle(
    ranked: Sequence[Candidate], limit: int, citations: CitationLookup, decisions: DecisionLookup = no_decision
) -> tuple[tuple[Hit, ...], list[Candidate]]:
    """Return the first `limit` candidates as hits, with citations counted, and the remaining candidates in order."""
    found, rest = _settled(ranked, limit, citations)
    hits = [hit_of(each.chunk, each.memory, reasons_of(each.signals), each.citations, each.newer) for each in found]
    return tuple(
        [
            replace(hit, status=(decisions(hit.path) or (False, ""))[1]) if hit.kind == "knowledge" else hit
            for hit in hits
        ]
    ), rest


def remembered(answering: Sequence[Candidate], hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return the hits of memories that answer a question in their order, with their certainty. `hits` has them all."""
    known = {hit.id: hit for hit in hits if hit.kind == "memory"}
    return tuple(
        replace(known[each.memory.id], certainty=each.certainty.value, least_certainty=each.certainty.least)
        for each in answering
        if each.memory is not None and each.certainty is not None
    )


def _settled(
    ranked: Sequence[Candidate], limit: int, citations: CitationLookup
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the first `limit` candidates with citations counted, and the others in order.

    Stale citations only lower a score. A candidate that is still first after its lookup stays first, so the result
    equals that of looking up all candidates.
    """
    heap = [(candidate.order, number, candidate) for number, candidate in enumerate(ranked)]
    heapify(heap)
    found: list[Candidate] = []
    while heap and len(found) < limit:
        _, number, candidate = heappop(heap)
        if candidate.memory is None or candidate.citations_counted:
            found.append(candidate)
            continue
        candidate.citations_counted = True
        candidate.citations = citations(candidate.memory)
        for further in staleness(candidate.citations):
            candidate.add(further)
        heappush(heap, (candidate.order, number, candidate))
    return found, [candidate for _, _, candidate in sorted(heap, key=itemgetter(0, 1))]
