"""The files of the work tree that differ from HEAD: git is asked once for each state of both."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from muninn_core import git
from muninn_core.launch.place import Place


class Changed:
    """Safe to use from several threads. `token` changes whenever HEAD moves or changed files have been looked at."""

    def __init__(self, place: Place, head: Callable[[], str | None], token: Callable[[], object]) -> None:
        self._place = place
        self._head = head
        self._token = token
        self._lock = threading.Lock()
        self._known: tuple[object, tuple[str, ...]] | None = None

    def files(self) -> tuple[str, ...]:
        """Return the files that differ from HEAD, also new ones, sorted; our own folder is nobody's subject."""
        if not self._place.git_dir:
            return ()
        with self._lock:
            token = self._token()
            if self._known is None or self._known[0] != token:
                self._known = (token, self._differing())
            return self._known[1]

    def _differing(self) -> tuple[str, ...]:
        root, commit = Path(self._place.root), self._head()
        differing = git.changes(root, commit) if commit is not None else None
        found = {*(differing.changed if differing is not None else ()), *git.untracked(root)}
        return tuple(sorted(path for path in found if not path.startswith(".muninn/")))
