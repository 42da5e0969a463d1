"""The open repositories of the user's list. A bounded number stays open between questions."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from muninn_core.errors import MuninnError, StorageError
from muninn_core.federation.member import Member, open_member
from muninn_core.federation.organisation import ORG, Answered, Organisation, RemoteRepository
from muninn_core.federation.overview import overview
from muninn_core.federation.reader import Part
from muninn_core.federation.registry import ListedRepository, Registry
from muninn_core.federation.searched_repositories import SearchedRepositories
from muninn_core.index.embedding.embed import Embedder, Encoder
from muninn_core.index.read_only_index import NoIndex
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.answer import AskedRepository
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value
from muninn_core.protocol.families.repositories import Repository

MAX_OPEN = 128
"""The most repositories that stay open after a question. Each takes about four descriptors."""

MAX_VECTORS = 2_000_000
"""The most vectors of the repositories that stay open. A million take 260 MB."""

IDLE_SECONDS = 600.0
"""How long a repository stays open without a question."""

NO_MODEL = ("", 1)


class Models(NamedTuple):
    """(name, dimension) of the embedder and of the text encoder of a question."""

    embedder: tuple[str, int]
    encoder: tuple[str, int]


NO_MODELS = Models(NO_MODEL, NO_MODEL)
"""For repositories whose memories are read without their index."""


def models_of(embedder: Embedder, encoder: Encoder | None) -> Models:
    """Return the names and dimensions of the models of a question."""
    known = NO_MODEL if encoder is None else (encoder.name, encoder.dim)
    return Models((embedder.name, embedder.dim), known)


class Repositories:
    """The user's list and what is open of it. Safe to use from several threads.

    `list_file` None: there is no list. `runtime` is the runtime directory of the user's daemons, "" if it is unknown.
    """

    def __init__(
        self,
        list_file: Path | None,
        runtime: str,
        *,
        clock: Callable[[], datetime],
        ids: Callable[[], str],
        organisation: Organisation,
    ) -> None:
        self._runtime = runtime
        self.organisation = organisation
        self.registry = Registry(list_file)
        self._clock = clock
        self._ids = ids
        self._lock = threading.Lock()
        self._open: OrderedDict[tuple[ListedRepository, Models], Member] = OrderedDict()

    @contextmanager
    def open_named(
        self, names: Sequence[str], location: RepositoryLocation, models: Models, question: Value | None = None
    ) -> Iterator[SearchedRepositories]:
        """Return the named repositories except this one, readable until the block ends.

        A `question`, the parameters of recall or of a list, is put to the organisation as well. What can't be read is
        skipped, with the reason. Raises BadParams for an unknown name.
        """
        of_organisation = self.organisation.is_asked(names)
        local = [name for name in names if name != ORG or not of_organisation]
        listed = [each for each in self.registry.named(local) if each.path != location.root]
        with ExitStack() as stack:
            members: list[Member | RemoteRepository] = []
            parts: list[Part] = []
            skipped: list[AskedRepository] = []
            more, note = 0, ""
            for entry in listed:
                try:
                    member = self.member(entry, models)
                    parts.append(stack.enter_context(member.reading()))
                    members.append(member)
                except MuninnError as error:
                    skipped.append(_skipped(entry, error))
            if of_organisation:
                found = self._of_organisation(names, question, models, [location.root, *(each.path for each in listed)])
                members += found.members
                parts += found.parts
                skipped += found.skipped
                more, note = found.more, found.note
            yield SearchedRepositories(members, parts, skipped, more, note)
        self._shrink()

    def _of_organisation(
        self, names: Sequence[str], question: Value | None, models: Models, roots: Sequence[str]
    ) -> Answered:
        if question is not None:
            return self.organisation.ask(question, models, map(Path, roots))
        reason = "this question is for repositories of this machine alone"
        return Answered(skipped=[AskedRepository(name=ORG, path="", skipped=reason)] if ORG in names else ())

    def overview(self, location: RepositoryLocation) -> tuple[Repository, ...]:
        """Return the state of each repository of the list, by name. Raises StorageError without a readable list."""
        return tuple(self.state(entry, location) for entry in self.registry.entries())

    def state(self, entry: ListedRepository, location: RepositoryLocation) -> Repository:
        """Return the state of one repository."""
        return overview(entry, location, self._runtime, lambda: self.member(entry, NO_MODELS))

    def rules(self, location: RepositoryLocation, now: datetime) -> tuple[Memory, ...]:
        """Return the constraints of the repositories of rules except this one, the most important first.

        Rules from outside that are not approved, and those whose cited code has changed, are left out. A repository
        that can't be read has none.
        """
        found: list[Memory] = []
        for entry in self._listed():
            if entry.rules and entry.path != location.root:
                with suppress(MuninnError):  # `repos list` says why
                    found += self.member(entry, NO_MODELS).constraints(now)
        return tuple(sorted(found, key=lambda each: (-each.importance, each.repository, each.id)))

    def _listed(self) -> Sequence[ListedRepository]:
        """Return the list, empty where it can't be read: `repos list` says why."""
        try:
            return self.registry.entries()
        except StorageError:
            return ()

    def member(self, entry: ListedRepository, models: Models) -> Member:
        """Return a repository of the list, open. Raises NoIndex."""
        key = (entry, models)
        with self._lock:
            known = self._open.get(key)
            if known is not None:
                self._open.move_to_end(key)
        if known is not None and known.there:
            return known
        self._drop([key])
        opened = open_member(entry, *models, clock=self._clock, ids=self._ids)
        with self._lock:
            kept = self._open.setdefault(key, opened)
        if kept is not opened:  # another thread was faster
            opened.close()
        return kept

    def close(self) -> None:
        """Close all repositories."""
        with self._lock:
            members, self._open = list(self._open.values()), OrderedDict()
        for member in members:
            member.close()

    def release_memory(self) -> None:
        """Close the repositories that no question has read for `IDLE_SECONDS`."""
        oldest = time.monotonic() - IDLE_SECONDS
        self._drop([key for key, member in list(self._open.items()) if member.used < oldest])

    def _shrink(self) -> None:
        """Close the least recently used repositories beyond the limits."""
        with self._lock:
            members = list(reversed(self._open.items()))
        kept = vectors = 0
        beyond = []
        for key, member in members:
            vectors += member.index.vectors
            if kept < MAX_OPEN and vectors <= MAX_VECTORS:
                kept += 1
            else:
                beyond.append(key)
        self._drop(beyond)

    def _drop(self, keys: Iterable[tuple[ListedRepository, Models]]) -> None:
        for key in keys:
            with self._lock:
                member = self._open.pop(key, None)
            if member is not None:
                member.close()


def _skipped(entry: ListedRepository, error: MuninnError) -> AskedRepository:
    hint = error.hint if isinstance(error, NoIndex) or error.hint else "Run `muninn status` in it."
    return AskedRepository(name=entry.name, path=entry.path, skipped=error.message, hint=hint)
