"""The folders outside of repositories that an engine uses: caches, the user's own memory, and the home folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class UserFolders:
    """Where an engine keeps what belongs to no repository.

    `spare_cache` holds the indexes of read-only work trees, `model_cache` the embedding models. `global_memory` is the
    folder of the user's memory of all projects; None disables the global scope. `model_ledger` is the folder of the
    user's ledger of language models; None disables them. `home` is the user's folder, where other tools keep memory
    outside the work tree; None disables it.
    """

    spare_cache: Path
    model_cache: Path
    global_memory: Path | None = None
    model_ledger: Path | None = None
    home: Path | None = None

    def in_home(self, path: str) -> Path | None:
        """Return a path that begins with `~/` in the user's folder, None without one."""
        return self.home / path.removeprefix("~/") if self.home is not None else None


def user_folders(home: Path, data: Path, spare_cache: Path) -> UserFolders:
    """Return the folders of a user with this home folder and data directory."""
    return UserFolders(
        spare_cache=spare_cache,
        model_cache=home / ".cache" / "muninn" / "models",
        global_memory=data / "global",
        model_ledger=data / "models",
        home=home,
    )
