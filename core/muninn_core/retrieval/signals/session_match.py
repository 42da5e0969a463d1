"""The signals of a memory's session: its neighbours, the question before it, and the session as a whole.

They are computed for all candidates at once, as columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from muninn_core.model.title import own_title
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.query.query_terms import STOP_WORDS
from muninn_core.retrieval.text.word_containment import containing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.model.memory import Memory

    Column = NDArray[np.float64]


class Sessions(Protocol):
    """The order of memories within their sessions. Ids ascend with the time of storing."""

    def near(self, identities: Iterable[str], reach: int) -> Mapping[str, Sequence[tuple[str, int]]]:
        """Return {id: (id, distance) of the memories stored up to `reach` places before and after it}."""

    def places(self, identities: Sequence[str]) -> tuple[Sequence[int], Sequence[int]]:
        """Return for each memory a number for its session, -1 without one, and its place in the session's order."""


class NoSessions:
    """Sessions without memories."""

    def near(self, _identities: Iterable[str], _reach: int) -> Mapping[str, Sequence[tuple[str, int]]]:
        """Return no neighbours."""
        return {}

    def places(self, identities: Sequence[str]) -> tuple[Sequence[int], Sequence[int]]:
        """Return no session for any memory."""
        return [-1] * len(identities), [0] * len(identities)


REACH = 2
"""The distance of the neighbours that count."""

_SATURATION = 1.2
"""BM25's k1: how fast further memories with the same word add less."""


class SessionMatches(NamedTuple):
    """The values of three signals of each candidate, and `value`, the sum of what they contribute before rounding."""

    nearby: Column
    answers: Column
    session: Column
    value: Column


def session_matches(
    memories: Sequence[Memory],
    match: Column,
    asks: NDArray[np.bool_],
    words: Sequence[str],
    rarity: Mapping[str, float],
    sessions: Sessions,
) -> SessionMatches:
    """Return the values of the candidates.

    `match` has the own match of each, `asks` whether it is a question, `rarity` that of the `words` of the question.
    """
    nearby, answers = _neighbouring(match, asks, *sessions.places([memory.id for memory in memories]))
    covered = _covered(memories, words, rarity)
    return SessionMatches(nearby, answers, covered, w.NEARBY * nearby + w.ANSWERS * answers + w.SESSION_MATCH * covered)


def _neighbouring(
    match: Column, asks: NDArray[np.bool_], sessions: Sequence[int], places: Sequence[int]
) -> tuple[Column, Column]:
    """Return the sum of the matches of each candidate's neighbours, and the match of a question right before it."""
    nearby, answers = np.zeros(len(match)), np.zeros(len(match))
    session, place = np.array(sessions, np.int64), np.array(places, np.int64)
    order = np.lexsort((place, session))
    order = order[session[order] >= 0]
    own, at, value, asking = session[order], place[order], match[order], asks[order]
    sums, answered = np.zeros(len(order)), np.zeros(len(order))
    # From the first neighbour to the last: each sum of floats has the order of the session.
    for step in (-2, -1, 1, 2):
        if len(order) <= abs(step):
            continue
        earlier, later = slice(None, -abs(step)), slice(abs(step), None)
        here, there = (later, earlier) if step < 0 else (earlier, later)
        distance = np.where(own[here] == own[there], np.abs(at[here] - at[there]), REACH + 1)
        sums[here] += value[there] * np.where(distance == 1, 1.0, np.where(distance == REACH, w.SECOND_NEIGHBOUR, 0.0))
        if step == -1:
            answered[here] = np.where((distance == 1) & asking[there], value[there], 0.0)
    nearby[order], answers[order] = sums, answered
    return nearby, answers


def _covered(memories: Sequence[Memory], asked: Sequence[str], rarity: Mapping[str, float]) -> Column:
    """Return how much of the question the candidates of each one's session hold together, the best session as 1.

    A memory without a session is a session of its own. The values are 0 unless a session has several candidates. A
    session's value is the sum of the rarities of the words, each more the more memories hold it, as in BM25.
    """
    names: dict[str, int] = {}
    session = np.array([names.setdefault(memory.work_session or memory.id, len(names)) for memory in memories], np.intp)
    if len(names) == len(memories):
        return np.zeros(len(memories))
    wanted = [word for word in asked if word not in STOP_WORDS]
    held = containing([_searched(memory) for memory in memories], wanted)
    values = np.zeros(len(names))
    for column, word in enumerate(wanted):
        counts = np.bincount(session[held[:, column]], minlength=len(names))
        values += rarity[word] * counts * (_SATURATION + 1) / (counts + _SATURATION)
    best = np.max(values, initial=0.0)
    return values[session] / best if best > 0 else np.zeros(len(memories))


def _searched(memory: Memory) -> str:
    """Return a memory's title, unless it repeats the text, and its text."""
    own = own_title(memory.title, memory.text)
    return f"{own}\n{memory.text}" if own else memory.text
