"""The fixtures `repo` and `environ` for modules whose tests share a repository and its daemon.

A module that imports them gets for each test a work tree of the repository `served`, instead of another repository.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from repositories import Home


@pytest.fixture(name="repo")
def shared_repo(work_tree: Home) -> Path:
    """A work tree of the repository that the tests of the module share."""
    return work_tree.repo


@pytest.fixture(name="environ")
def shared_environ(served: Home) -> dict[str, str]:
    """The environment of the shared repository's clients."""
    return served.environ
