"""Which files the work tree has edited: those that differ from HEAD, and new ones.

Git is asked, which takes a tenth of a second in a large tree, and what it says is kept for as long as nothing changed:
no file of the work tree, which a watcher tells; neither HEAD nor what git itself wrote, which is looked at each time.
Where nobody watches, git is asked each time: what was edited a moment ago is what somebody works at.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from muninn_core import git
from muninn_core.launch.place import Place

SETTLED_SECONDS = 0.5
"""What git says is kept when nothing has changed for so long before: a folder that has just come may not be watched
yet."""

AT_MOST_SECONDS = 60.0
"""After this long git is asked again: files can be changed in ways of which no system tells (memory that is mapped,
another machine's writes, the user's own list of what git ignores)."""

WatchToken = Callable[[], int | None]
"""Returns how many changes of the work tree were noticed, all that happened before the call among them; None when
nobody can say."""


class EditedFiles:
    """Opened once a work tree; its threads may all ask. `seen` is the watcher's, once there is one."""

    def __init__(
        self,
        place: Place,
        head: Callable[[], str | None],
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.seen: WatchToken = lambda: None
        self._place = place
        self._head = head
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._token: Any = None
        self._since = self._asked = 0.0
        self._known: tuple[str, ...] | None = None

    def files(self) -> tuple[str, ...]:
        """Return the files that differ from HEAD, also new ones, sorted; our own folder is nobody's work.

        Raises GitError.
        """
        if not self._place.git_dir:
            return ()
        count, now = self.seen(), self._monotonic()
        if count is None:
            return self._ask()
        token = (
            count,
            self._head(),
            git.index_stamp(self._place),
        )  # taken before git runs, so later changes count
        with self._lock:
            if token != self._token:
                self._token, self._since, self._known = token, now, None
            elif self._known is not None and now - self._asked < AT_MOST_SECONDS:
                return self._known
        found = self._ask()
        with self._lock:
            if token == self._token and now - self._since >= SETTLED_SECONDS:
                self._known, self._asked = found, now
        return found

    def _ask(self) -> tuple[str, ...]:
        root, head = Path(self._place.root), self._head()
        differing = git.worktree_changes(root, head) if head is not None else None
        found = {*(differing.changed if differing is not None else ()), *git.untracked_files(root)}
        return tuple(sorted(path for path in found if not path.startswith(".muninn/")))
