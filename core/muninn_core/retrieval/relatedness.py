"""How sure it is that a text has to do with another one, on a scale that holds from question to question.

Recall puts into order what there is, and its scores are relative to the best. Who speaks without being asked needs to
know whether the best is any good: the cosine of both texts, and how much of what is rare in each stands in the other.
"""

from __future__ import annotations

from collections.abc import Callable

from muninn_core.retrieval.query_terms import TermMatcher, parse_query

SURE = 0.5
"""From here on two texts have to do with each other. Of 85 prompts, each beside the memory that it touches among 120,
two in three reach it, and so does one in twenty of those that touch none (`python -m bench --only reminders`). With
0.42 it would be four in five, and one in six: whoever is told what has nothing to do with him stops listening."""

SHARE = 0.25
"""What each of the two shares counts beside the cosine."""

NAMED = 0.25
"""What it counts that one text names a file which the other is about."""

ALONE = 0.55
"""The cosine from which on two texts that share no telling word are alike."""


class Relatedness:
    """Compares one text with others. `rarity` says how rare a word is in the index."""

    def __init__(self, text: str, rarity: Callable[[str], float]) -> None:
        self.words = parse_query(text).words
        """The telling words of the text."""
        self._ear = TermMatcher(self.words, rarity)
        self._rarity = rarity

    def of(self, other: str, cosine: float, *, named: bool = False) -> float:
        """Return how sure it is that `other` has to do with the text: 0 for not at all, 1 and more for quite sure."""
        words = parse_query(other).words
        heard = self._ear.answering(words) if words else None
        if heard is None:
            return cosine + NAMED * named if cosine >= ALONE or named else 0.0
        back = TermMatcher(words, self._rarity).answering(self.words)
        shares = heard[0] + (back[0] if back is not None else 0.0)
        return cosine + SHARE * shares + NAMED * named
