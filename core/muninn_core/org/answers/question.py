"""A question to an organisation's memory: what it is answered from, and the files that its parameters name.

In a question to several repositories, a path begins with the name of its repository and a colon, as the ids of hits do.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from muninn_core.errors import BadParams, NotFoundError
from muninn_core.model.answer import IndexState, ReadState
from muninn_core.model.counting import number_of
from muninn_core.model.value import Value
from muninn_core.near_match import nearest_path, shorten
from muninn_core.org.reading.branches import ReadBranch, ReadBranches
from muninn_core.org.reading.file_rows import HeldFile
from muninn_core.org.reading.reader import PostgresReader
from muninn_core.source.files.path_containment import can_name_file

_CANDIDATES = 8
"""The most repositories that an error about an ambiguous path lists."""


class Question(NamedTuple):
    """What an answer is computed from: a reader with its branches, and the time.

    `unread` counts the repositories that the question names and the caller can't read, or that do not exist.
    """

    reader: PostgresReader
    branches: ReadBranches
    now: datetime
    unread: int = 0

    @property
    def saw(self) -> ReadState:
        """The state that the answer is computed from. One repository has a commit, several have a note."""
        state = IndexState(generation=max((each.generation for each in self.branches), default=0))
        lacks = f" Of the named repositories, {self.unread} can't be read." if self.unread else ""
        if len(self.branches) == 1:
            only = self.branches[0]
            note = f"{only.repository} as pushed.{lacks}"
            return ReadState(commit=only.commit, branch=only.ref, index=state, note=note)
        count = number_of(len(self.branches), "repository", "repositories")
        return ReadState(index=state, note=f"{count} as pushed.{lacks}")

    def shown(self, branch: int, path: str) -> str:
        """Return a path of a branch as answers without a field for the repository have it."""
        name = self.branches.names[branch]
        return f"{name}:{path}" if name else path

    def split(self, given: str) -> tuple[ReadBranch | None, str]:
        """Return the branch that a path names, None if it names none of several, and the path in it."""
        name, mark, rest = given.partition(":")
        named = self.branches.by_repository.get(name) if mark else None
        if named is not None:
            return named, rest.lstrip("/")
        return (self.branches[0] if len(self.branches) == 1 else None), given

    def file(self, given: str) -> HeldFile:
        """Return the file at a path. Raises BadParams, also for a path in several repositories; NotFoundError.

        A path of a repository that the caller may not read is one that is nowhere.
        """
        branch, path = self.split(given)
        path = plain_path(path)
        held = [each for each in self.reader.stored.at(path) if branch is None or each.branch == branch.id]
        if len(held) > 1:
            raise ambiguous(path, [self.branches.names[each.branch] for each in held])
        if held:
            return held[0]
        near = nearest_path(path, self.paths(branch)) if branch is not None else None
        near = self.shown(branch.id, near) if branch is not None and near is not None else None
        raise NotFoundError(
            f"there is no file {shorten(given)} that you may read",
            hint=f"Did you mean {near}?" if near else "`files` finds files by a glob, in all repositories.",
            data={"nearest": near} if near else {},
        )

    def paths(self, branch: ReadBranch) -> list[str]:
        """Return the paths of the files of a branch, sorted."""
        return [path for _, path, _, _ in self.reader.stored.of_branch(branch.id)]


def plain_path(given: str) -> str:
    """Return a path relative to the root of a repository, with slashes. Raises BadParams."""
    plain = posixpath.normpath(given.replace("\\", "/")) if given.strip() else ""
    if plain == "." or not can_name_file(plain):
        raise BadParams(
            f"'{shorten(given)}' is not a path in a repository", hint="Name files relative to its root: src/users.py."
        )
    return plain


def ambiguous(what: str, repositories: Sequence[str]) -> BadParams:
    """Return the error for a path that several repositories have."""
    candidates = [f"{name}:{what}" for name in sorted(repositories)]
    shown = ", ".join(candidates[:_CANDIDATES]) + (" …" if len(candidates) > _CANDIDATES else "")
    return BadParams(
        f"{len(candidates)} repositories have {what}", hint=f"Name one: {shown}", data={"candidates": candidates}
    )


def refuse_others(verb: str, params: Value, allowed: frozenset[str]) -> None:
    """Raise BadParams for a parameter that an organisation's memory does not have."""
    plain = type(params)(**{name: getattr(params, name) for name in allowed})
    others = [name for name in params.__struct_fields__ if getattr(params, name) != getattr(plain, name)]
    if others:
        raise BadParams(
            f"'{verb}' takes no '{others[0]}' in an organisation's memory",
            hint=f"It takes {', '.join(sorted(allowed))}.",
            data={"parameter": others[0]},
        )
