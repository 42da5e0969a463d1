"""The interface through which citations are judged: files of a work tree and git's history of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from muninn_core.git import Hunk
from muninn_core.source.chunks.line_index import LineIndex


class Unknown(Exception):
    """A check could not be made; the message is the reason."""


class NotComparable(Unknown):
    """A file is binary or too large, or a symbolic link leads outside the work tree."""


class FileSource(Protocol):
    """A work tree with git's history. Every method may raise Unknown."""

    def exists(self, path: str) -> bool:
        """Whether the work tree has a file."""

    def page(self, path: str) -> LineIndex | None:
        """Return a file of the work tree; None for a missing one."""

    def old_page(self, commit: str, path: str) -> LineIndex | None:
        """Return a file at a commit; None when commit or file is missing."""

    def former_page(self, commit: str, path: str) -> LineIndex | None:
        """Return what a file of the work tree was at a commit, under the name that it had; None for a new one."""

    def renamed(self, commit: str, path: str) -> str | None:
        """Return the path in the work tree of a file at a commit that was renamed since; None for none."""

    def elsewhere(self, commit: str | None, path: str, *texts: str) -> Sequence[str]:
        """Return the files, new or changed since a commit, that the content of `path` may have moved to.

        With `texts`, a file must contain one of them.
        """

    def formerly(self, commit: str, path: str, text: str) -> Sequence[str]:
        """Return the other files of a commit, of the language of `path`, that contained a text as a whole word."""

    def replaced(self, commit: str, path: str) -> str | None:
        """Return the path in the work tree of a file at a commit whose path belongs to another file now; None for
        none.
        """

    def hunks(self, commit: str, path: str, now: str) -> Sequence[Hunk] | None:
        """Return the changes between a file at a commit and the file `now`; None when the commit is missing."""


def page_of_other(tree: FileSource, path: str) -> LineIndex | None:
    """Return a file that is not the cited one; None for a missing one and for one that can't be compared."""
    try:
        return tree.page(path)
    except NotComparable:
        return None
