"""The user's list of repositories, which questions can be put to as well."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Result
from muninn_core.protocol.method import Family, Method

RepositoryName = Annotated[
    str, Meta(min_length=1, max_length=64, description="The repository's name in your list: `repos list` shows it.")
]

RepositoryStatus = Literal["this", "running", "stopped", "unindexed", "unusable", "missing"]
"""this: the repository that is asked. running: its daemon runs. stopped: it does not, and its index can be read.
unindexed: it has no index. unusable: its index can't be read. missing: its folder, or its `.muninn`, does not exist.
"""


class Repository(Value):
    """A repository of the list. `path` is the root of its work tree; the constraints of one of `rules` hold everywhere.

    `files`, `chunks` and `memories` are those that a question can find; memories that may not leave it are not counted.
    `indexed` is the time of the last change of its index (RFC 3339), `behind` the number of its indexed files that
    were changed or deleted since. `problem` is why it can't be read, or not whole, `hint` what to do.
    """

    name: str
    path: str
    rules: bool = False
    state: RepositoryStatus = "stopped"
    files: int = 0
    chunks: int = 0
    memories: int = 0
    indexed: str = ""
    behind: int = 0
    problem: str = ""
    hint: str = ""


class ReposAddParams(Value):
    """The repository to add."""

    path: Annotated[str, Meta(min_length=1, description="A folder in the repository.")]
    name: Annotated[
        str, Meta(max_length=64, description="Its name: letters, digits, '.', '_' and '-'. Default: its folder's name.")
    ] = ""
    rules: Annotated[
        bool, Meta(description="Its constraints hold in every repository of yours: they are part of each brief.")
    ] = False


class ReposAddResult(Result):
    """The repository as it is in the list now. `renamed`: another one had the name of the folder."""

    repository: Repository
    renamed: bool = False


class ReposListParams(Value):
    """`repos.list` takes no parameters."""


class ReposListResult(Result):
    """The repositories by name. `list_file` is the file of the list."""

    repositories: tuple[Repository, ...]
    list_file: str = ""


class ReposRemoveParams(Value):
    """The repository to remove from the list. Its files are not changed."""

    name: RepositoryName


class ReposRemoveResult(Result):
    """The removed entry."""

    name: str
    path: str


class ReposScanParams(Value):
    """Where to look for repositories."""

    path: Annotated[str, Meta(min_length=1, description="The folder below which to look.")]
    add: Annotated[bool, Meta(description="Add those that are not in the list yet.")] = False


class FoundRepository(Value):
    """A repository that was found. `name` is that of the list, or the one that it would get.

    `listed`: it is in the list now. `added`: this call added it.
    """

    name: str
    path: str
    listed: bool = False
    added: bool = False


class ReposScanResult(Result):
    """The repositories with a `.muninn` below a folder, by path. `complete` is false when there were too many folders.

    Linked work trees are left out.
    """

    found: tuple[FoundRepository, ...]
    complete: bool = True


FAMILY = Family(
    name="repositories",
    title="Repositories",
    summary="Keep a list of your other repositories, so that questions can search them, too.",
    groups={"repos": "Keep a list of your repositories; `recall --repos all` asks them as well."},
    methods=(
        Method(
            verb="repos.add",
            title="Add a repository",
            summary="Add a repository of this machine to your list.",
            params=ReposAddParams,
            result=ReposAddResult,
            effect="control",
            without_memory=True,
            positional=("path",),
            absolute_paths=("path",),
            example={"path": "/home/me/billing", "name": "billing"},
        ),
        Method(
            verb="repos.list",
            title="List repositories",
            summary="List your repositories: what can be found in each, how current its index is, and its daemon.",
            params=ReposListParams,
            result=ReposListResult,
            effect="read",
            without_memory=True,
            use="Call to learn the names that `repos` of other tools takes, and what was remembered there.",
        ),
        Method(
            verb="repos.remove",
            title="Remove a repository",
            summary="Remove a repository from your list; its files are not changed.",
            params=ReposRemoveParams,
            result=ReposRemoveResult,
            effect="control",
            without_memory=True,
            positional=("name",),
            example={"name": "billing"},
        ),
        Method(
            verb="repos.scan",
            title="Find repositories",
            summary="Find the repositories with memory below a folder, and add them to your list if wanted.",
            params=ReposScanParams,
            result=ReposScanResult,
            effect="control",
            without_memory=True,
            positional=("path",),
            absolute_paths=("path",),
            example={"path": "/home/me/src"},
        ),
    ),
)
