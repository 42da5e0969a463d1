"""The files that editors have open, as language clients report them. They rank higher; nothing is written to disk."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

MAX_OPEN_FILES = 50
"""The most open files that count, the most recently used first."""


class OpenEditors:
    """The open files of every editor, by work tree. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, dict[object, tuple[str, ...]]] = {}

    def update(self, root: str, editor: object, files: Sequence[str]) -> None:
        """Set the open files of an editor in the work tree at `root`, the most recently used first; none to remove it.

        Paths are relative to the root, with slashes. `editor` is any hashable value that identifies the editor.
        """
        with self._lock:
            editors = self._open.setdefault(root, {})
            editors.pop(editor, None)  # the latest update comes last
            if files:
                editors[editor] = tuple(files[:MAX_OPEN_FILES])
            if not editors:
                del self._open[root]

    def files(self, root: str, before: Iterable[str] = ()) -> tuple[str, ...]:
        """Return `before`, then the open files, the most recently updated editor first, without duplicates."""
        with self._lock:
            editors = list(reversed(self._open.get(root, {}).values()))
        return tuple(dict.fromkeys([*before, *(file for files in editors for file in files)]))[:MAX_OPEN_FILES]
