"""The ranking of reminders: how related two texts are, on an absolute scale.

Recall's scores are relative to the best candidate. A reminder is unsolicited, so it needs an absolute measure. It
combines the cosine of both texts with the share of each text's rare words that the other contains.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.retrieval.candidates.generation import admitted_chunks, lexical_matches, memory_cosines, near_matches
from muninn_core.retrieval.pool import Pool, ScoredChunk
from muninn_core.retrieval.query.query_terms import Query, Rarities, TermMatcher, parse_query, words_of_memory
from muninn_core.retrieval.reader import encodings_of_memories
from muninn_core.retrieval.request import Bounds
from muninn_core.retrieval.results.ranking import Candidate, Ranking
from muninn_core.retrieval.results.signal import signal
from muninn_core.retrieval.signals.closeness import closeness, load_background

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.retrieval.reader import Reader
    from muninn_core.retrieval.request import SearchRequest

REACH = 40
"""The number of candidates from lexical search, and from vector search."""

SURE = 0.57
"""The least value of related texts. Of 85 prompts, each with one related memory among 120, three in four are told it,
and so is one in eleven of the prompts without one (`python -m bench --only reminders`). With 0.5 it would be one in
five: people ignore reminders that are often unrelated."""

SHARE = 0.25
"""The weight of each of the two shares of words; the cosine has weight 1."""

NAMED = 0.25
"""The bonus when the text names a file that the memory is about, one of `FEW_FILES` at most.

With more files it is shared out: a commit of ten files is about none of them in particular.
"""

FEW_FILES = 2

ALONE = 0.64
"""The least cosine of related texts that share no word."""


STANDS_OUT = 0.1
"""The least closeness (see `closeness`) of a memory that stands out by meaning alone. Of 84 prompts that share no word
with their memory 24 reach it with the right one, and so do four of 180 prompts without one."""

FEW, PER_DOUBLING = 40, 0.025
"""The number of memories for which `STANDS_OUT` was chosen, and how much more is needed each time it doubles: the
closest of more memories is closer by chance. The maximum of n values of a normal distribution grows about so."""

SECOND_MARGIN = 0.05
"""How much less close a second memory may be that stands out beside the first."""

NEAR = 0.25
"""The least cosine of the text encoder for a memory that stands out."""

MOST_OUT = 2
"""The most memories that stand out. The right one is among the first two more often than first, and seldom third."""

_PATH = re.compile(r"(?<![\w.-])[\w.-]+(?:/[\w.-]+)*\.\w{1,8}\b|(?:[\w.-]+/)+[\w.-]+")


class RelatedMemories(NamedTuple):
    """The ranking of memories by how related they are to the text; those below `least` are left out.

    With `nearest`, and when the text encoder compares them, memories that stand out by meaning alone are related when
    no other reaches `least`.
    """

    least: float = SURE
    nearest: bool = False

    def gather(self, reader: Reader, request: SearchRequest) -> Pool:
        """Return the nearest memories by words and by meaning. The meaning of a candidate is its cosine, unscaled."""
        query = parse_query(request.text)
        near = near_matches(reader, request._replace(kind="memory", bounds=Bounds()), REACH)
        dense = near[0] or near[1] or [()] * len(reader.sources)
        lexical = lexical_matches(reader, query.words, REACH, "memory")
        scores: list[dict[int, tuple[float, float]]] = []
        for source, nearest, matches in zip(reader.sources, dense, lexical, strict=True):
            known = dict(nearest)
            missing = [number for number, _ in matches if number not in known]
            known.update(memory_cosines(source, request, missing))
            scores.append({number: (0.0, known.get(number, 0.0)) for number in (*known, *missing)})
        found = admitted_chunks(reader, request, [list(each) for each in scores], scores)
        return Pool(query, found, {}, 0.0, False)

    def score(self, reader: Reader, request: SearchRequest, pool: Pool) -> Ranking:
        """Return the memories that are related, each with one signal."""
        relatedness = Relatedness(pool.query, reader.rarities)
        paths = frozenset(path.removeprefix("./") for path in _PATH.findall(request.text))
        best: dict[str, tuple[float, ScoredChunk]] = {}
        meanings: dict[str, tuple[float, ScoredChunk]] = {}
        for one in pool.found:
            memory = one.memory
            if memory is None:
                continue
            if memory.id not in meanings or one.meaning > meanings[memory.id][0]:
                meanings[memory.id] = one.meaning, one
            named = named_share(paths, memory.files)
            value = relatedness.score(f"{memory.title} {memory.text}", one.meaning, named=named)
            if value >= self.least and (memory.id not in best or value > best[memory.id][0]):
                best[memory.id] = value, one
        if not best and self.nearest and request.encoded is not None:
            wanted = closeness_wanted(len(request.memories))
            best = _standing_out(reader, request.encoded.vector, meanings, wanted, self.least)
        return Ranking(
            Candidate(one.chunk, one.memory, [signal("related", value, 1.0)]) for value, one in best.values()
        )


def closeness_wanted(count: int) -> float:
    """Return the least closeness with which one of `count` memories stands out."""
    return STANDS_OUT + PER_DOUBLING * math.log2(max(count, FEW) / FEW)


def _standing_out(
    reader: Reader,
    encoded: NDArray[np.float32],
    found: Mapping[str, tuple[float, ScoredChunk]],
    wanted: float,
    least: float,
) -> dict[str, tuple[float, ScoredChunk]]:
    """Return the memories whose closeness to a prompt is `wanted`, at most `MOST_OUT`, each with a confidence.

    `found` has the cosine of each. The confidence of a memory that just stands out is `least`.
    """
    near = sorted((each for each in found if found[each][0] >= NEAR), key=lambda each: (-found[each][0], each))[:REACH]
    background = load_background()
    rows = {
        each: row
        for each, row in sorted(encodings_of_memories(reader, near).items())
        if row.shape == background.prompts[0].shape
    }
    if not rows:
        return {}
    values = closeness(encoded, np.stack(list(rows.values())), background).tolist()
    confidences = clearly_closest(dict(zip(rows, values, strict=True)), wanted, least)
    return {identity: (confidence, found[identity][1]) for identity, confidence in confidences.items()}


def clearly_closest(values: Mapping[str, float], wanted: float, least: float) -> dict[str, float]:
    """Return {id: confidence} of the closest memories, from the closeness of each; {} if none reaches `wanted`."""
    ranked = sorted(values.items(), key=lambda each: (-each[1], each[0]))[:MOST_OUT]
    best = ranked[0][1] if ranked else 0.0
    if best < wanted:
        return {}
    return {identity: least + value - wanted for identity, value in ranked if value >= best - SECOND_MARGIN}


def named_share(paths: Iterable[str], files: Sequence[str]) -> float:
    """Return how much a memory of these files is about the named `paths`, 0 to 1."""
    if not any(_same_file(path, file) for file in files for path in paths):
        return 0.0
    return min(1.0, FEW_FILES / len(files))


def _same_file(named: str, path: str) -> bool:
    return path == named or path.endswith(f"/{named}") or ("/" in path and named.endswith(f"/{path}"))


class Relatedness:
    """Compares one text with others. `rarities` returns {word: inverse document frequency}."""

    def __init__(self, query: Query, rarities: Rarities) -> None:
        self._words = query.words
        self._rarities = rarities
        self._matcher = TermMatcher(query.words, rarities)

    def score(self, other: str, cosine: float, *, named: float = 0.0) -> float:
        """Return how related a memory's text is to this text: 0 is unrelated, 1 and more is closely related.

        `named` from 0 to 1 says how much the memory is about a file that this text names.
        """
        words = words_of_memory(other)
        matched = self._matcher.match(words) if words else None
        if matched is None:
            return cosine + NAMED * named if cosine >= ALONE or named else 0.0
        back = TermMatcher(words, self._rarities).match(self._words)
        shares = matched[0] + (back[0] if back is not None else 0.0)
        return cosine + SHARE * shares + NAMED * named
