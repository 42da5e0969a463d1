"""The lock of a work tree: one process stores memory there."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from muninn_core.errors import ReadOnlyError
from muninn_core.launch.lock import FileLock
from muninn_core.protocol.families.repository import Problem
from muninn_core.resource_exhaustion import raise_if_exhausted
from muninn_core.store.files.disk import make_private_folder


class TreeLock:
    """The lock in the private folder of a work tree, which is created with it."""

    def __init__(self, local: Path) -> None:
        self._local = local
        self._lock = FileLock(str(local / "lock"))

    def take(self) -> Problem | None:
        """Take the lock; return why it can't be taken, None when it is held.

        Raises OSError when no file can be opened for lack of descriptors.
        """
        try:
            make_private_folder(self._local)
            if self._lock.acquire():
                self._lock.write(f"{os.getpid()}\n")
                return None
            holder = Path(self._lock.path).read_text("utf-8").strip()
            return Problem(
                kind="busy",
                message=f"another process{f' (pid {holder})' if holder else ''} has this repository open for writing",
                hint="Stop it; until then nothing can be stored here.",
            )
        except OSError as error:
            raise_if_exhausted(error)
            return Problem(
                kind="read_only",
                message=f"{self._local} can't be written: {error.strerror}",
                hint="Memory can be read here but not stored.",
            )

    def renew(self) -> bool:
        """Take the lock again when its file was deleted; return whether it was.

        Raises ReadOnlyError when another process has it.
        """
        if self._lock.intact:
            return False
        fresh = FileLock(self._lock.path)
        try:
            make_private_folder(self._local)
            taken = fresh.acquire()
        except OSError as error:
            raise ReadOnlyError(
                f"{self._local} can't be written: {error.strerror}", hint="Check the folder's permissions."
            ) from error
        if not taken:
            raise ReadOnlyError(
                "another process has this repository open for writing", hint="Run `muninn daemon stop` and try again."
            )
        self._lock.release()
        self._lock = fresh
        fresh.write(f"{os.getpid()}\n")
        return True

    def is_free(self) -> bool:
        """Whether it could be taken now."""
        with suppress(OSError):
            make_private_folder(self._local)
            free = self._lock.acquire()
            self._lock.release()
            return free
        return False

    def release(self) -> None:
        """Let others take it."""
        self._lock.release()
