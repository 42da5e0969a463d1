"""The folders of the bare mirrors of repositories."""

from __future__ import annotations

import hashlib
from pathlib import Path

from muninn_core.git import mirror


def mirror_of(folder: Path, tenant: int, repository: str) -> Path:
    """Return the mirror of a repository, made if needed. Its name is a hash, since names may contain slashes."""
    name = hashlib.sha256(f"{tenant}/{repository}".encode()).hexdigest()[:32]
    return mirror.open_mirror(folder / f"{name}.git")
