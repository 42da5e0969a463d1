"""The signals of a memory's session: its neighbours, the question before it, and the session as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.query_terms import STOP_WORDS
from muninn_core.retrieval.signals import Signal, signal
from muninn_core.source.identifiers import words_of_each

if TYPE_CHECKING:
    from muninn_core.model.memory import Memory

NeighbourLookup = Callable[[Iterable[str], int], Mapping[str, Sequence[tuple[str, int]]]]
"""Returns {id: (id, distance) of the memories stored up to so many places before and after it in its session}. Ids
ascend with the time of storing."""

REACH = 2
"""The distance of the neighbours that count."""

_SATURATION = 1.2
"""BM25's k1: how fast further memories with the same word add less."""


class SessionMatch(NamedTuple):
    """The values of three signals of one memory, and `value`, the sum of what they contribute before rounding."""

    nearby: float
    answers: float
    session: float
    value: float

    def signals(self) -> list[Signal]:
        """Return the signals, without those of value 0."""
        named = (("nearby", self.nearby, w.NEARBY), ("answers", self.answers, w.ANSWERS))
        every = (*named, ("session", self.session, w.SESSION_MATCH))
        return [signal(name, value, weight) for name, value, weight in every if value]


def session_matches(
    memories: Sequence[Memory],
    match: Mapping[str, float],
    asked: Sequence[str],
    rarity: Mapping[str, float],
    near: Mapping[str, Sequence[tuple[str, int]]],
) -> dict[str, SessionMatch]:
    """Return {id: values} of the candidates that have any.

    `match` has the own match of each, `rarity` that of the `asked` words of the question, `near` the neighbours.
    """
    asking = {memory.id for memory in memories if memory.text.rstrip()[-1:] == "?"}
    covered = _covered(memories, asked, rarity)
    values: dict[str, SessionMatch] = {}
    for identity in match:
        nearby = answers = 0.0
        before = ""
        for each, distance in near.get(identity, ()):
            nearby += match.get(each, 0.0) * (1.0 if distance == 1 else w.SECOND)
            if distance == 1 and not before and each < identity:
                before = each
        if before in asking:
            answers = match[before]
        session = covered.get(identity, 0.0)
        if nearby or answers or session:
            value = w.NEARBY * nearby + w.ANSWERS * answers + w.SESSION_MATCH * session
            # Without the constructor of the tuple, which is a Python function.
            values[identity] = tuple.__new__(SessionMatch, (nearby, answers, session, value))
    return values


def _covered(memories: Sequence[Memory], asked: Sequence[str], rarity: Mapping[str, float]) -> dict[str, float]:
    """Return {id: how much of the question the candidates of its session hold together}, the best session as 1.

    A memory without a session is a session of its own. The value is absent unless a session has several candidates. A
    session's value is the sum of the rarities of the words, each more the more memories hold it, as in BM25.
    """
    sessions: dict[str, list[Memory]] = {}
    for memory in memories:
        sessions.setdefault(memory.session or memory.id, []).append(memory)
    if len(sessions) == len(memories):
        return {}
    wanted = frozenset(asked) - STOP_WORDS
    values: dict[str, float] = {}
    for name, members in sessions.items():
        counts: dict[str, int] = {}
        for words in words_of_each([f"{member.title} {member.text}" for member in members]):
            for word in wanted.intersection(words):
                counts[word] = counts.get(word, 0) + 1
        value = 0.0
        for word in asked:
            if word in counts:
                value += rarity[word] * counts[word] * (_SATURATION + 1) / (counts[word] + _SATURATION)
        values[name] = value
    best = max(values.values(), default=0.0)
    if best <= 0:
        return {}
    return {each.id: values[name] / best for name, members in sessions.items() for each in members}
