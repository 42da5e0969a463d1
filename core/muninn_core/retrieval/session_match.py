"""The signals of a memory's session: its neighbours, the question before it, and the session as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.query_terms import words_of_memory
from muninn_core.retrieval.signals import Signal, signal

if TYPE_CHECKING:
    from muninn_core.model.memory import Memory

NeighbourLookup = Callable[[str, int], Sequence[tuple[str, int]]]
"""Returns (id, distance) of the memories stored up to so many places before and after one in its session. Ids ascend
with the time of storing."""

REACH = 2
"""The distance of the neighbours that count."""

_SATURATION = 1.2
"""BM25's k1: how fast further memories with the same word add less."""


class SessionMatch(NamedTuple):
    """The values of three signals of one memory."""

    nearby: float = 0.0
    answers: float = 0.0
    session: float = 0.0

    def value(self) -> float:
        """Return what the signals contribute to a score."""
        return w.NEARBY * self.nearby + w.ANSWERS * self.answers + w.SESSION_MATCH * self.session

    def signals(self) -> list[Signal]:
        """Return the signals, without those of value 0."""
        named = (("nearby", self.nearby, w.NEARBY), ("answers", self.answers, w.ANSWERS))
        every = (*named, ("session", self.session, w.SESSION_MATCH))
        return [signal(name, value, weight) for name, value, weight in every if value]


NOTHING = SessionMatch()
"""The values of a memory without a session."""


def is_question(text: str) -> bool:
    """Whether a memory's text ends as a question."""
    return text.rstrip().endswith("?")


def session_matches(
    found: Iterable[tuple[Memory, float]],
    asked: Sequence[str],
    rarity: Callable[[str], float],
    neighbours: NeighbourLookup,
) -> dict[str, SessionMatch]:
    """Return {id: values} of candidates. `found` has each with its own match, `asked` are the words of the question."""
    memories = list(found)
    match = {memory.id: own for memory, own in memories}
    asking = {memory.id for memory, _ in memories if is_question(memory.text)}
    covered = _covered([memory for memory, _ in memories], asked, rarity)
    values: dict[str, SessionMatch] = {}
    for identity in match:
        near = neighbours(identity, REACH)
        nearby = sum(match.get(each, 0.0) * (1.0 if distance == 1 else w.SECOND) for each, distance in near)
        before = next((each for each, distance in near if distance == 1 and each < identity), "")
        answers = match[before] if before in asking else 0.0
        values[identity] = SessionMatch(nearby, answers, covered.get(identity, 0.0))
    return values


def _covered(memories: Sequence[Memory], asked: Sequence[str], rarity: Callable[[str], float]) -> dict[str, float]:
    """Return {id: how much of the question the candidates of its session hold together}, the best session as 1.

    A memory without a session is a session of its own. The value is absent unless a session has several candidates.
    """
    sessions: dict[str, list[Memory]] = {}
    for memory in memories:
        sessions.setdefault(memory.session or memory.id, []).append(memory)
    if len(sessions) == len(memories):
        return {}
    values = {name: _coverage(members, asked, rarity) for name, members in sessions.items()}
    best = max(values.values(), default=0.0)
    if best <= 0:
        return {}
    return {each.id: values[name] / best for name, members in sessions.items() for each in members}


def _coverage(members: Iterable[Memory], asked: Sequence[str], rarity: Callable[[str], float]) -> float:
    """Return the sum of the rarities of a question's words, each more the more memories hold it, as in BM25."""
    wanted = frozenset(asked)
    counts: Mapping[str, int] = Counter(
        word for member in members for word in wanted.intersection(words_of_memory(f"{member.title} {member.text}"))
    )
    return sum(
        rarity(word) * counts[word] * (_SATURATION + 1) / (counts[word] + _SATURATION)
        for word in asked
        if word in counts
    )
