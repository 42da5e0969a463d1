"""The authors of records that name none: git knows who committed them first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from muninn_core import git
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.worktree.history.revisions import MEMORY


class FirstAuthors:
    """Looks up who first committed a memory. Safe for several threads.

    The history of memory's files is read once, with the first memory that needs it; later calls read only new commits.
    """

    def __init__(self, location: RepositoryLocation, head: Callable[[], str | None]) -> None:
        self._root = Path(location.root)
        self._head = head
        self._lock = threading.Lock()
        self._tip: str | None = None
        self._names: dict[str, str] = {}

    def label(self, memories: Iterable[Memory]) -> tuple[Memory, ...]:
        """Return the memories, each sealed one without an author with that of the commit that first added it.

        A memory that no commit has stays as it is.
        """
        found = tuple(memories)
        if all(memory.author or not memory.sealed or memory.scope == "global" for memory in found):
            return found
        names = self._read()
        return tuple(
            replace(memory, author=names[memory.id]) if not memory.author and memory.id in names else memory
            for memory in found
        )

    def _read(self) -> dict[str, str]:
        tip = self._head()
        with self._lock:
            if tip is None or tip == self._tip:
                return self._names
            try:
                if git.is_shallow(self._root):  # git would name the author of the oldest commit that is here
                    self._tip = tip
                    return self._names
                grown = self._tip is not None and git.is_ancestor(self._root, self._tip, tip)
                new = git.first_authors(self._root, MEMORY, tip, self._tip if grown else None)
            except git.GitError:  # a partial clone lacks the files: the author stays unknown
                self._tip = tip
                return self._names
            self._names = {**new, **self._names} if grown else new
            self._tip = tip
            return self._names
