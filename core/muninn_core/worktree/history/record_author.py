"""The author that new records name."""

from __future__ import annotations

from collections.abc import Callable

from muninn_core import git
from muninn_core.launch.repository_location import RepositoryLocation


class RecordAuthor:
    """The author in git's configuration, in the form that `memory.author` sets. Safe for several threads.

    `form` returns the setting: "none", "name" or "email".
    """

    def __init__(self, location: RepositoryLocation, form: Callable[[], str]) -> None:
        self._reader = git.AuthorReader(location)
        self._form = form

    def __call__(self) -> str:
        """Return the author, as `Ada` or `Ada <ada@example.org>`; "" where git has no name or can't be asked."""
        form = self._form()
        if form == "none":
            return ""
        try:
            author = self._reader.read()
        except git.GitError:
            return ""  # a record without its author's name is better than none
        return f"{author.name} <{author.email}>" if form == "email" and author.name and author.email else author.name
