"""The journals of a process: one per repository, opened at their first use and closed with the engine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from muninn_core.errors import Stopping
from muninn_core.index.embedding.embed import Embedder
from muninn_core.journal.agents import Agents
from muninn_core.journal.capsules import Capsules
from muninn_core.journal.coordination import Barriers, Handoffs
from muninn_core.journal.event_types import EventTypes
from muninn_core.journal.journal import Journal
from muninn_core.journal.leases import Leases
from muninn_core.journal.projections import Projections
from muninn_core.journal.search import Search
from muninn_core.journal.turns import Turns
from muninn_core.launch.repository_location import RepositoryLocation


class OpenJournal:
    """A repository's journal with its turns, projections, search, and the active agents."""

    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        chance: Callable[[int], bytes],
        embedder: Embedder,
    ) -> None:
        self.journal = Journal(folder, clock=clock, new_id=new_id)
        self.turns = Turns(self.journal, chance)
        self.projections = Projections(self.journal, embedder)
        self.search = Search(self.journal, self.projections)
        self.capsules = Capsules(self.journal, self.turns, self.search)
        self.agents = Agents(self.journal, chance)
        self.leases = Leases(self.agents)
        self.handoffs = Handoffs(self.agents, self.leases)
        self.barriers = Barriers(self.agents)
        self.expire_turns()

    def expire_turns(self) -> None:
        """Make turns with an expired token incomplete, if this process writes the journal."""
        if self.journal.can_write():
            self.turns.expire()

    def close(self) -> None:
        """Commit what waits and release the journal."""
        self.projections.close()
        self.journal.close()


class Journals:
    """The open journals. Safe to use from several threads. `embedder` is called when the first journal is opened."""

    def __init__(
        self,
        *,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        chance: Callable[[int], bytes],
        embedder: Callable[[], Embedder],
    ) -> None:
        self._clock = clock
        self._new_id = new_id
        self._chance = chance
        self._embedder = embedder
        self._open: dict[str, OpenJournal] = {}
        self._types: dict[str, EventTypes] = {}
        self._opening = threading.Lock()
        self._closed = False

    def __iter__(self) -> Iterator[OpenJournal]:
        return iter(list(self._open.values()))

    def open(self, location: RepositoryLocation) -> OpenJournal:
        """Return the journal of a work tree's repository, and create it when it is missing.

        Raises StorageError, ReadOnlyError or BusyError.
        """
        found = self._open.get(location.journal)
        if found is None:
            with self._opening:
                if self._closed:
                    raise Stopping("the daemon is stopping", hint="The next call starts it again.")
                found = self._open.get(location.journal)
                if found is None:
                    found = self._open[location.journal] = OpenJournal(
                        Path(location.journal),
                        clock=self._clock,
                        new_id=self._new_id,
                        chance=self._chance,
                        embedder=self._embedder(),
                    )
        return found

    def types(self, location: RepositoryLocation) -> EventTypes:
        """Return the types of events that a work tree has schemas for."""
        return self._types.setdefault(location.root, EventTypes(Path(location.root) / ".muninn" / "events"))

    def get(self, location: RepositoryLocation) -> OpenJournal | None:
        """Return the journal of a work tree's repository if it is open or was created before."""
        if location.journal in self._open or (Path(location.journal) / "events.db").exists():
            return self.open(location)
        return None

    def opened(self, location: RepositoryLocation) -> OpenJournal | None:
        """Return the journal of a work tree's repository if it is open."""
        return self._open.get(location.journal)

    def release_memory(self) -> None:
        """Release memory that only makes the next answer faster."""
        for each in self:
            each.search.release_memory()

    def close(self) -> None:
        """Close all journals."""
        with self._opening:
            self._closed = True
            for each in self._open.values():
                each.close()
            self._open.clear()
