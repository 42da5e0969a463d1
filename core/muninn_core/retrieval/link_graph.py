"""How memories hang together: their links, followed in both directions, step by step.

A link to a memory that was merged means the one that speaks for it now. It knows no question and ranks nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from muninn_core.model.memory import Link, Memory


class LinkStep(NamedTuple):
    """A link as it is met on a walk: who states it, about whom, and at which step it was found."""

    depth: int
    source: str
    target: str
    link: Link

    def beyond(self, here: str) -> str:
        """Return the end of the link that is not `here`."""
        return self.target if here == self.source else self.source


class LinkGraph:
    """The links of some memories. Made once for a state; asking it costs what the answer is long."""

    def __init__(self, memories: Mapping[str, Memory]) -> None:
        self.memories = memories
        self._strands: dict[str, list[LinkStep]] = {}
        for memory in memories.values():
            for link in memory.links:
                source, target = self.speaker(memory.id), self.speaker(link.target)
                if target in memories and source != target:
                    strand = LinkStep(1, source, target, link)
                    self._strands.setdefault(source, []).append(strand)
                    self._strands.setdefault(target, []).append(strand)

    def speaker(self, identity: str) -> str:
        """Return the id of the memory that speaks for one that was merged; else the id itself."""
        seen: set[str] = set()
        while identity in self.memories and identity not in seen:
            seen.add(identity)
            merged = self.memories[identity].merged_into
            if not merged:
                break
            identity = merged
        return identity

    def walk(
        self, starts: Iterable[str], depth: int, admits: Callable[[Memory], bool]
    ) -> tuple[dict[str, int], list[LinkStep]]:
        """Return {id: steps away} of what links lead to, and the links, by depth, relation and ids.

        The starts are there with 0. Of two memories that state the same relation of each other both links are told;
        a link within what is reached already is told, too, at the step at which it was met.
        """
        reached = {self.speaker(each): 0 for each in starts}
        told: dict[tuple[str, str, str], LinkStep] = {}
        level = sorted(reached)
        for step in range(1, depth + 1):
            following: set[str] = set()
            for here in level:
                for strand in self._strands.get(here, ()):
                    there = strand.beyond(here)
                    if not admits(self.memories[there]):
                        continue
                    told.setdefault((strand.source, strand.link.relation, strand.target), strand._replace(depth=step))
                    if there not in reached:
                        following.add(there)
            reached |= dict.fromkeys(following, step)
            level = sorted(following)
        return reached, sorted(told.values(), key=lambda each: (each.depth, each.link.relation, *each[1:3]))

    def strength(self, here: str) -> Iterable[tuple[str, float, str]]:
        """Yield (id, strength, relation) of what a memory is linked to, whichever side states it."""
        for strand in self._strands.get(here, ()):
            yield strand.beyond(here), strand.link.strength, strand.link.relation
