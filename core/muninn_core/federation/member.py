"""A repository of the list, opened for reading beside its own daemon: its index, and the memories that may leave it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from muninn_core import git
from muninn_core.config import load_config
from muninn_core.context.staleness import warning
from muninn_core.errors import MuninnError, NotARepository
from muninn_core.federation.reader import Part
from muninn_core.federation.registry import ListedRepository
from muninn_core.index.read_only_index import NoIndex, ReadOnlyIndex
from muninn_core.launch.repository_location import RepositoryLocation, locate
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.retrieval.decay import is_recallable
from muninn_core.store.files.disk import refuse_links
from muninn_core.store.files.layout import Layout, own_folders
from muninn_core.store.folding.fold import State
from muninn_core.store.log import Log, open_log
from muninn_core.worktree.citations.citations import Citations
from muninn_core.worktree.knowledge.origins import Origins
from muninn_core.worktree.local.private_layout import layout_at

CITED_SECONDS = 10.0
"""How long a result of git about a citation holds while HEAD stays the same."""


class Member:
    """An open repository of the list. Safe to use from several threads."""

    def __init__(
        self, listed: ListedRepository, location: RepositoryLocation, layout: Layout, log: Log, index: ReadOnlyIndex
    ) -> None:
        self.listed = listed
        self.location = location
        self.layout = layout
        self.index = index
        self.origins = Origins(layout)
        self.used = time.monotonic()
        self._log = log
        self._head = git.HeadReader(location)
        self._crossing: tuple[State | None, Mapping[str, Memory]] = (None, {})
        most = load_config(layout.config)[0].index.max_file_bytes
        self.citations = Citations(
            layout.root, most=lambda: most, token=lambda: (self.head().commit, time.monotonic() // CITED_SECONDS)
        )

    @property
    def there(self) -> bool:
        """Whether its memory still is where it was opened."""
        return self.layout.muninn.is_dir()

    def head(self) -> git.Head:
        """Return the checked-out commit and branch."""
        return self._head.read()

    def memories(self) -> Mapping[str, Memory]:
        """Return the memories that may leave the repository, by id, after changes of their files were read.

        Those of the checked-out branch, without private memories and the notes of sessions.
        """
        self._log.refresh(wait=False, brief=True)
        state = self._log.state
        if self._crossing[0] is not state:
            name = self.listed.name
            found = {key: replace(each, repository=name) for key, each in state.memories.items() if _crosses(each)}
            self._crossing = (state, found)
        return self._crossing[1]

    def constraints(self, now: datetime) -> list[Memory]:
        """Return the constraints that hold: recallable, vetted, and not about code that has changed."""
        judge = self.citations.checker().judge
        held = (each for each in self.memories().values() if each.type == "constraint" and not each.unvetted)
        return [each for each in held if is_recallable(each, now) and not warning(judge(each))]

    @contextmanager
    def reading(self) -> Iterator[Part]:
        """Return the index with the memories that may be found, fixed until the block ends. Raises NoIndex."""
        with self.index.reading() as snapshot:
            self.used = time.monotonic()
            yield Part(self.listed.name, snapshot, self.memories(), self.index.same_model, self.index.unfinished)

    def close(self) -> None:
        """Close the index and release what is cached."""
        self.index.close()
        self.citations.release_memory()
        self._crossing = (None, {})


def _crosses(memory: Memory) -> bool:
    """Whether a memory may leave its repository: it is active, of the project, and not private."""
    return memory.active and memory.scope == "project" and not memory.private


def open_member(
    listed: ListedRepository,
    model: tuple[str, int],
    encoder: tuple[str, int],
    *,
    clock: Callable[[], datetime],
    ids: Callable[[], str],
) -> Member:
    """Open a repository of the list for reading. `model` and `encoder` are those of the questions (`ReadOnlyIndex`).

    Raises NoIndex, with the reason why it can't be read.
    """
    location = location_of(listed)
    layout = layout_at(location)
    try:
        refuse_links(own_folders(layout))
        log = open_log(layout, clock=clock, ids=ids, writable=False)
    except (MuninnError, OSError) as error:
        raise NoIndex(
            f"its memory can't be read: {error}", hint=f"Check the permissions and files of {layout.muninn}."
        ) from error
    return Member(listed, location, layout, log, ReadOnlyIndex(layout.cache, model, encoder))


def location_of(listed: ListedRepository) -> RepositoryLocation:
    """Return the work tree of a listed repository. Raises NoIndex when it is missing or has no memory."""
    gone = f"`muninn repos remove {listed.name}` takes it from your list."
    if not Path(listed.path).is_dir():
        raise NoIndex(f"{listed.path} does not exist", hint=gone)
    try:
        location = locate(listed.path)
    except NotARepository as error:
        raise NoIndex(error.message, hint=gone) from error
    if location.root != listed.path:
        raise NoIndex(f"{listed.path} is part of {location.root} now", hint=gone)
    if not (Path(location.root) / ".muninn").is_dir():
        raise NoIndex(f"{listed.path} has no .muninn", hint=f"Run `muninn init` in it, or {gone}")
    return location
