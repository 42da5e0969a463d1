"""The memories of one state of the log, sorted once, newest first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from muninn_core.model.memory import Memory


class MemoryOrder:
    """Sorted by the time of storing; for equal times the later id comes first. Immutable."""

    def __init__(self, memories: Mapping[str, Memory]) -> None:
        self.memories = memories
        self.every = tuple(sorted(memories.values(), key=lambda memory: (memory.ts, memory.id), reverse=True))
        self.active = tuple(memory for memory in self.every if memory.active)
        self._conditional = tuple(memory for memory in self.active if memory.expires or memory.scope != "project")

    def passing(self, passes: Callable[[Memory], bool]) -> Sequence[Memory]:
        """Return the active memories; those that expire or are not of the project's scope only if `passes` accepts
        them.
        """
        left_out = {memory.id for memory in self._conditional if not passes(memory)}
        return [memory for memory in self.active if memory.id not in left_out] if left_out else self.active
