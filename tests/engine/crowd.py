"""A repository in which hundreds of files say the same, and a few in other folders say a little of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from repositories import copy_plain_repo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engines import Muninn

MANY = 300
"""Files that say the same."""


@pytest.fixture(scope="module")
def crowded(start_shared: Callable[..., Muninn], tmp_path_factory: pytest.TempPathFactory) -> Muninn:
    """The crowded repository for tests that only ask."""
    return crowd(start_shared(copy_plain_repo(tmp_path_factory.mktemp("crowded") / "repo")))


@pytest.fixture
def own_crowded(start: Callable[..., Muninn], plain_repo: Path) -> Muninn:
    """A crowded repository for a test that changes it."""
    return crowd(start(plain_repo))


@pytest.fixture(scope="module")
def with_attempt(start_shared: Callable[..., Muninn], tmp_path_factory: pytest.TempPathFactory) -> Muninn:
    """A crowded repository with one memory, for tests that only ask."""
    muninn = crowd(start_shared(copy_plain_repo(tmp_path_factory.mktemp("attempt") / "repo")))
    muninn.call("remember", text="The token bucket was tried and failed.", type="attempt")
    return muninn


def crowd(muninn: Muninn) -> Muninn:
    """Add many files that say the same and a few in other folders that say a little of it, and index them."""
    muninn.call("init")
    root = muninn.root
    (root / "noise").mkdir()
    for i in range(MANY):
        (root / "noise" / f"token_{i:03}.py").write_text(
            f'"""Token bucket token bucket {i}."""\n\n\ndef token_bucket_{i}():\n    return {i}\n'
        )
    (root / "quiet" / "deep").mkdir(parents=True)
    (root / "quiet" / "deep" / "limits.go").write_text(
        "package limits\n\n// A long story about rates, with a token and, later, the bucket.\nfunc Take() {}\n"
    )
    (root / "quiet" / "notes.md").write_text("# Rates\n\nA client that drains the bucket waits for a token.\n")
    muninn.call("index")
    return muninn
