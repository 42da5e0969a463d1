"""Unpacks archives, never beyond the folder that they are unpacked into."""

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
    """Leave out what leads out of the folder, a link for example, where this Python can (3.11.4 and newer)."""
    guard = getattr(tarfile, "data_filter", None)
    if guard is not None:
        archive.extraction_filter = partial(_within, guard)
    return archive


def _within(guard: Callable[..., tarfile.TarInfo], member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    try:
        return guard(member, folder)
    except tarfile.FilterError:
        return None
