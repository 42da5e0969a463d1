"""Finds the work trees with memory below a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from muninn_core.errors import NotARepository
from muninn_core.launch.repository_location import RepositoryLocation, locate

MAX_FOLDERS = 200_000
"""The most folders that a scan opens."""

_NEVER = frozenset({".git", ".muninn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".cache", "target"})


class ScanResult:
    """The repositories that a scan found, in the order of their paths. `complete`: no folder was left out."""

    def __init__(self) -> None:
        self.locations: list[RepositoryLocation] = []
        self.complete = True


def scan(folder: Path, check_cancel: Callable[[], None]) -> ScanResult:
    """Return the main work trees with a `.muninn` below a folder, also those nested in others. Links are not followed.

    Linked work trees are left out: they are further checkouts of a repository. `check_cancel` stops the scan by
    raising.
    """
    found, seen = ScanResult(), set[str]()
    for number, path in enumerate(_folders(folder)):
        if number >= MAX_FOLDERS:
            found.complete = False
            break
        if not number % 500:
            check_cancel()
        location = _located(path)
        if location is not None and location.root not in seen:
            seen.add(location.root)
            found.locations.append(location)
    return found


def _folders(folder: Path) -> Iterator[str]:
    """Yield a folder and those below it that have a `.muninn` folder, by path; count each opened folder as one."""
    for path, folders, _ in os.walk(folder):
        there = ".muninn" in folders
        folders[:] = sorted(name for name in folders if name not in _NEVER)
        yield path if there else ""


def _located(path: str) -> RepositoryLocation | None:
    if not path:
        return None
    try:
        location = locate(path)
    except NotARepository:
        return None
    return None if location.linked or location.root != os.path.realpath(path) else location
