"""Unpacks archives, never beyond the folder that they are unpacked into."""

from __future__ import annotations

import tarfile
from pathlib import Path


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a tar archive, compressed or not, into a folder."""
    with tarfile.open(archive) as tar:
        guarded(tar).extractall(folder)


def guarded(archive: tarfile.TarFile) -> tarfile.TarFile:
    """Refuse what leads out of the folder, where this Python can (3.11.4 and newer)."""
    guard = getattr(tarfile, "data_filter", None)
    if guard is not None:
        archive.extraction_filter = guard
    return archive
