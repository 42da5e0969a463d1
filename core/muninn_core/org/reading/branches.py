"""The branches that a question reads, and paths that name their repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from muninn_core.org.database.connections import Connection
from muninn_core.org.reading.vectors import Version
from muninn_core.source.files.qualified import qualified, split

_LISTS = 32
"""Lists of branches that are kept, so that a thousand of them are not made and compared for each question."""


class ReadBranch(NamedTuple):
    """A branch that a question reads: its repository's name, its ref, and the commit of its last push."""

    id: int
    repository: str
    ref: str
    commit: str
    generation: int


class ReadBranches(tuple[ReadBranch, ...]):
    """The branches that a question reads, by name, and what is computed from them."""

    @cached_property
    def names(self) -> Mapping[int, str]:
        """{id: name of the repository, "" where it is the only one}."""
        return {each.id: each.repository if len(self) > 1 else "" for each in self}

    @cached_property
    def by_repository(self) -> Mapping[str, ReadBranch]:
        """{name of the repository: branch}."""
        return {each.repository: each for each in self}

    @cached_property
    def order(self) -> list[int]:
        """The ids."""
        return [each.id for each in self]

    @cached_property
    def ordered(self) -> str:
        """The ids as an array of PostgreSQL."""
        return f"{{{','.join(map(str, self.order))}}}"

    @cached_property
    def versions(self) -> tuple[Version, ...]:
        """The states of the branches, as shared vectors know them."""
        return tuple((each.id, each.generation, each.commit) for each in self)

    def qualified(self, branch: int, path: str) -> str:
        """Return a path of a branch as searches have it: with several branches it names the repository."""
        name = self.names[branch]
        return qualified(name_in_path(name), path) if name else path


def name_in_path(repository: str) -> str:
    """Return the name of a repository as paths have it, where a slash ends it. Names have no colon."""
    return repository.replace("/", ":")


def repository_of(path: str) -> str:
    """Return the name of the repository that a path names, "" for none."""
    return split(path)[0].replace(":", "/")


def enter(
    connection: Connection,
    tenant: int,
    principal: int,
    repositories: Sequence[str] | None = None,
    ref: str | None = None,
) -> ReadBranches:
    """Let a transaction of the role of readers see what a principal may read, and return these branches by name.

    `repositories` restricts them. Without `ref`, each repository has its default branch.
    """
    names = None if repositories is None else list(repositories)
    sql = (
        "SELECT array_agg(branch), array_agg(name), array_agg(ref), array_agg(commit), array_agg(generation) "
        "FROM enter(%s, %s, %s, %s)"
    )
    row = connection.execute(sql, (tenant, principal, names, ref), binary=True).fetchone()
    return _branches(*(tuple(column or ()) for column in row or ()))


@lru_cache(maxsize=_LISTS)
def _branches(*columns: tuple[Any, ...]) -> ReadBranches:
    """Return branches from the columns that the database returned for a caller. Equal columns give one object."""
    return ReadBranches(map(ReadBranch._make, zip(*columns, strict=True)))
