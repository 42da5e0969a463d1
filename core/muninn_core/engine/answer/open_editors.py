"""Which files are open in editors: what only a language server knows, and every question may use.

Faces put it here; nothing is written to disk. A file that is open nowhere any more is forgotten at once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

MOST = 50
"""How many open files count, those that were used last."""


class OpenEditors:
    """The open files of every editor, by work tree. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, dict[object, tuple[str, ...]]] = {}

    def update(self, root: str, editor: object, files: Sequence[str]) -> None:
        """Say which files of the work tree at `root` an editor has open, the last used first; none when it leaves.

        Paths are relative to the root, with slashes. `editor` is anything that stands for it.
        """
        with self._lock:
            editors = self._open.setdefault(root, {})
            editors.pop(editor, None)  # whoever spoke last comes last
            if files:
                editors[editor] = tuple(files[:MOST])
            if not editors:
                del self._open[root]

    def files(self, root: str, before: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the files in `before` and those that are open, the editor that spoke last first, each once."""
        with self._lock:
            editors = list(reversed(self._open.get(root, {}).values()))
        return tuple(dict.fromkeys([*before, *(file for files in editors for file in files)]))[:MOST]
