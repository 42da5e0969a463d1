"""The files that differ from HEAD, and untracked files.

Git needs a tenth of a second in a large tree. Its answer is cached until the watcher reports a change, HEAD moves or
git's index changes. Without a watcher git is asked each time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from muninn_core import git
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.source.files.path_containment import is_utf8

SETTLED_SECONDS = 0.5
"""How long nothing must have changed before git's answer is cached: a new folder may not be watched yet."""

MAX_AGE_SECONDS = 60.0
"""How long git's answer is cached at most. Some changes raise no event: mapped memory, another machine's writes, the
user's global ignore file.
"""

WatchToken = Callable[[], int | None]
"""Returns the number of noticed changes, including all before the call; None when it is unknown."""


class EditedFiles:
    """Opened once per work tree. Safe to use from several threads. `seen` is the watcher's counter, if any."""

    def __init__(
        self,
        location: RepositoryLocation,
        head: Callable[[], str | None],
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.seen: WatchToken = lambda: None
        self._location = location
        self._head = head
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._token: Any = None
        self._since = self._asked = 0.0
        self._known: tuple[str, ...] | None = None

    def files(self) -> tuple[str, ...]:
        """Return the files that differ from HEAD, and untracked ones, sorted.

        Files under `.muninn` and names that are not UTF-8 are left out.

        Raises GitError.
        """
        if not self._location.git_dir:
            return ()
        count, now = self.seen(), self._monotonic()
        if count is None:
            return self._ask()
        token = (
            count,
            self._head(),
            git.index_stamp(self._location),
        )  # taken before git runs, so later changes count
        with self._lock:
            if token != self._token:
                self._token, self._since, self._known = token, now, None
            elif self._known is not None and now - self._asked < MAX_AGE_SECONDS:
                return self._known
        found = self._ask()
        with self._lock:
            if token == self._token and now - self._since >= SETTLED_SECONDS:
                self._known, self._asked = found, now
        return found

    def _ask(self) -> tuple[str, ...]:
        root, head = Path(self._location.root), self._head()
        differing = git.worktree_changes(root, head) if head is not None else None
        found = {*(differing.changed if differing is not None else ()), *git.untracked_files(root)}
        return tuple(sorted(path for path in found if not path.startswith(".muninn/") and is_utf8(path)))
