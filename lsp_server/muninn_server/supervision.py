"""Checks from time to time that clients reach the daemon and that its repository is still there.

What was deleted in the runtime directory is created again. The daemon leaves when another one must take over.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from muninn_core.errors import MuninnError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from muninn_core.engine.engine import Engine
    from muninn_core.launch.repository_location import RepositoryLocation
    from muninn_server.runtime_files import RuntimeFiles
    from muninn_server.tree_watchers import TreeWatchers

log = logging.getLogger("muninn.daemon")

CHECK_SECONDS = 1.0
"""How often the daemon checks that its socket, its lock and the repository are still there."""


class Supervisor:
    """The checks of one daemon. `stamp` identifies its repository since the start, `info` is its info file.

    `listen_again` listens on a new socket, `leave` begins to stop the daemon; both are called on the thread of `run`.
    """

    def __init__(
        self,
        engine: Engine,
        location: RepositoryLocation,
        files: RuntimeFiles,
        watchers: TreeWatchers,
        *,
        stamp: object,
        info: dict[str, object],
        listen_again: Callable[[], None],
        leave: Callable[[], object],
        leaving: threading.Event,
    ) -> None:
        self._engine = engine
        self._location = location
        self._files = files
        self._watchers = watchers
        self._fingerprint = stamp
        self._info = info
        self._listen_again = listen_again
        self._leave = leave
        self._leaving = leaving
        self._trouble = ""

    def run(self) -> None:
        """Check the repository and the runtime directory from time to time, until the daemon stops."""
        while not self._leaving.wait(CHECK_SECONDS):
            try:
                self._engine.collect_removed()
                self._engine.expire_agents()
                self._watchers.watch_again()
                reason = self._reason_to_leave()
            except (OSError, MuninnError) as error:
                if str(error) != self._trouble:  # logged once, tried again each time
                    log.warning("the daemon can't be reached: %s", error)
                self._trouble = str(error)
                continue
            except Exception:  # an unexpected failure must not end the checks; the next one runs in a second
                log.exception("the check failed")
                continue
            self._trouble = ""
            if reason:
                log.warning("leaving: %s", reason)
                self._leave()
                return

    def _reason_to_leave(self) -> str:
        """Regain what was deleted in the runtime directory. Return why another daemon must take over, "" if none.

        Raises OSError, DaemonError.
        """
        if (
            self._fingerprint is None
            or self._location.repository_fingerprint() != self._fingerprint
            or self._engine.lost_repository
        ):
            return f"{self._location.identity} was moved, deleted or made anew"
        files = self._files
        if not files.has_lock and not files.regain_lock():
            return "another daemon has the lock"
        if not files.has_socket:
            log.warning("the socket was deleted: listening again")
            self._listen_again()
        elif not files.has_info:
            files.write_info(self._info)
        return ""
