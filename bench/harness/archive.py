"""Unpacks tar archives and skips members that would leave the target folder."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a tar archive, compressed or not, into a folder."""
    with tarfile.open(archive) as tar:
        guarded(tar).extractall(folder)


def guarded(archive: tarfile.TarFile) -> tarfile.TarFile:
    """Set a filter that skips members outside the folder, such as links. Python before 3.11.4 has no filter."""
    guard = getattr(tarfile, "data_filter", None)
    if guard is not None:
        archive.extraction_filter = partial(_within, guard)
    return archive


def _within(guard: Callable[..., tarfile.TarInfo], member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    try:
        return guard(member, folder)
    except tarfile.FilterError:
        return None
