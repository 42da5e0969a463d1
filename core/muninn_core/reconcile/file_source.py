"""What a citation is judged against: a work tree, and what git knows of how it came to be. Others make one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from muninn_core.git import Hunk
from muninn_core.source.line_index import LineIndex


class Unknown(Exception):
    """The tree can't say; the text says why."""


class FileSource(Protocol):
    """The work tree, and what git knows of how it came to be. Every method may raise Unknown."""

    def exists(self, path: str) -> bool:
        """Whether a file is there."""

    def page(self, path: str) -> LineIndex | None:
        """Return a file of the work tree, None when it is not there."""

    def old_page(self, commit: str, path: str) -> LineIndex | None:
        """Return a file as a commit has it, None when the commit or the file is not there."""

    def renamed(self, commit: str, path: str) -> str | None:
        """Return the name in the work tree of a file that a commit has under another one."""

    def elsewhere(self, commit: str | None, path: str, *texts: str) -> Sequence[str]:
        """Return the files, new or changed since a commit, that may hold what was in `path`: one of `texts`, if any."""

    def hunks(self, commit: str, path: str, now: str) -> Sequence[Hunk] | None:
        """Return what was replaced in a file since a commit, None when the commit is not there."""
