"""The graph of links between memories, walked in both directions.

A link to a merged memory leads to the memory that it was merged into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from muninn_core.model.memory import Link, Memory


class LinkStep(NamedTuple):
    """A link on a walk from memory `source` to memory `target`, and the step at which it was reached."""

    depth: int
    source: str
    target: str
    link: Link

    def beyond(self, node: str) -> str:
        """Return the end of the link that is not `node`."""
        return self.target if node == self.source else self.source


class LinkGraph:
    """The links between `memories`. Construction indexes all links; later lookups are proportional to their results."""

    def __init__(self, memories: Mapping[str, Memory]) -> None:
        self.memories = memories
        self._links_by_id: dict[str, list[LinkStep]] = {}
        for memory in memories.values():
            for link in memory.links:
                source, target = self.resolve_merged(memory.id), self.resolve_merged(link.target)
                if target in memories and source != target:
                    step_link = LinkStep(1, source, target, link)
                    self._links_by_id.setdefault(source, []).append(step_link)
                    self._links_by_id.setdefault(target, []).append(step_link)
        self._replacements: dict[str, list[LinkStep]] = {}
        for memory in memories.values():
            self._add_replacement(memory)

    def _add_replacement(self, memory: Memory) -> None:
        """Add the step from the memory that superseded `memory`, unless a link states it."""
        source = self.resolve_merged(memory.superseded_by or "")
        stated = any(
            step.source == source and step.link.relation == "supersedes"
            for step in self._links_by_id.get(memory.id, ())
        )
        if source in self.memories and source != memory.id and not stated:
            step = LinkStep(1, source, memory.id, Link(relation="supersedes", target=memory.id))
            self._replacements.setdefault(source, []).append(step)
            self._replacements.setdefault(memory.id, []).append(step)

    def resolve_merged(self, identity: str) -> str:
        """Return the id of the memory that `identity` was merged into, directly or through others; else `identity`.

        A memory that is not among `memories`, for example a redacted one, represents no other.
        """
        seen: set[str] = set()
        while identity in self.memories and identity not in seen:
            seen.add(identity)
            merged = self.memories[identity].merged_into
            if not merged or merged not in self.memories:
                break
            identity = merged
        return identity

    def walk(
        self, starts: Iterable[str], depth: int, admits: Callable[[Memory], bool]
    ) -> tuple[dict[str, int], list[LinkStep]]:
        """Return {id: distance} of the memories within `depth` steps, and the links, by depth, relation and ids.

        A memory that superseded another, by a decision or a consolidation, has a link `supersedes` to it.
        The starts have distance 0. Links between memories that are already reached are included. When two memories
        state the same relation to each other, both links are included. `admits` excludes memories.
        """
        reached = {self.resolve_merged(each): 0 for each in starts}
        links: dict[tuple[str, str, str], LinkStep] = {}
        level = sorted(reached)
        for step in range(1, depth + 1):
            following: set[str] = set()
            for node in level:
                for step_link in (*self._links_by_id.get(node, ()), *self._replacements.get(node, ())):
                    there = step_link.beyond(node)
                    if not admits(self.memories[there]):
                        continue
                    links.setdefault(
                        (step_link.source, step_link.link.relation, step_link.target), step_link._replace(depth=step)
                    )
                    if there not in reached:
                        following.add(there)
            reached |= dict.fromkeys(following, step)
            level = sorted(following)
        return reached, sorted(links.values(), key=lambda each: (each.depth, each.link.relation, *each[1:3]))

    def strength(self, node: str) -> Iterable[tuple[str, float, str]]:
        """Yield (id, strength, relation) for each link of a memory, in either direction."""
        for step_link in self._links_by_id.get(node, ()):
            yield step_link.beyond(node), step_link.link.strength, step_link.link.relation
