"""A repository's memory for Python programs: the verbs as methods, in this process or in the daemon that runs already.

An entry point, like the daemon: it reads the environment, and hands the engine what it needs.
"""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from muninn_core import __version__
from muninn_core.client import Client, ConnectionLost, connect
from muninn_core.errors import DaemonError, MuninnError, Stopping
from muninn_core.launch.repository_location import RepositoryLocation, locate
from muninn_core.launch.runtime import data_directory, home_directory
from muninn_core.model.value import from_plain, to_plain
from muninn_core.protocol.catalogue import decode_params, lookup
from muninn_core.recording.turn import Turn
from muninn_core.verbs import Verbs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muninn_core.engine.engine import Engine
    from muninn_core.model.value import Value


class Runner(Protocol):
    """Runs verbs with plain parameters."""

    def run(self, verb: str, params: dict[str, Any]) -> Value:
        """Run a verb of the catalogue. Raises MuninnError."""

    def close(self) -> None:
        """Give back what it holds; a second time does nothing."""


class Repository(Verbs):
    """The memory of one work tree. Safe to use from several threads; `close` it, or use it in a `with` block."""

    def __init__(self, location: RepositoryLocation, runner: Runner) -> None:
        self._location = location
        self._runner = runner

    @property
    def root(self) -> Path:
        """The work tree."""
        return Path(self._location.root)

    def call(self, verb: str, **params: Any) -> Value:
        """Run a verb of the catalogue; `remember`, `recall` and the others do so with types. Raises MuninnError."""
        return self._runner.run(verb, to_plain(params))

    def turn(
        self, prompt: str = "", *, agent: str = "python", session: str = "", turn: str = "", project: str = ""
    ) -> Turn:
        """Return a turn of an agent, for a `with` block: what it records becomes events of the journal.

        `prompt` is its first event. `session` groups turns; without one the turn has a session of its own. `turn` is
        its id, used once per session; without one it gets a new id. `project` is that of the configuration when it is
        empty, else the name of the repository's folder.
        """
        named = project or self.config_get("journal.project_id").entry.value.strip("\"'") or self._location.project
        return Turn(self, prompt, project=named, session=session, turn=turn, agent=agent)

    def close(self) -> None:
        """Close the repository, or disconnect from its daemon; a second time does nothing.

        Without a daemon, memories that were stored here are sealed. A daemon seals them when it exits.
        """
        self._runner.close()

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()


def open_repository(root: str | os.PathLike[str] = ".", *, environ: Mapping[str, str] | None = None) -> Repository:
    """Open the repository around a folder.

    Where its daemon runs, that one answers, so that both agree on what is stored and indexed. Otherwise the verbs run
    in this process, which then holds the repository for writing: its files are not watched, so after changes to them
    call `index`. Raises MuninnError where there is no repository; without `.muninn`, `init` makes it.
    """
    given = os.environ if environ is None else environ
    location = locate(os.fspath(root))
    try:
        return Repository(location, _Served(location, given))
    except DaemonError:
        return Repository(location, _Alone(location, given))


class _Served:
    """The daemon that runs already. One connection; calls wait for each other.

    A daemon that leaves, because it was stopped or replaced, is started again by the next call.
    """

    def __init__(self, location: RepositoryLocation, environ: Mapping[str, str]) -> None:
        self._location = location
        self._environ = environ
        self._lock = threading.Lock()
        self._closed = False
        self._client: Client | None = self._connect(start=False)

    def _connect(self, *, start: bool) -> Client:
        return connect(self._location.root, self._environ, name="python", start=start)

    def run(self, verb: str, params: dict[str, Any]) -> Value:
        method = lookup(verb)
        decode_params(method, params)  # what is wrong is said here, as it would be without a daemon
        with self._lock:
            if self._closed:
                raise _closed_error()
            return from_plain(self._ask(verb, params, safe=method.repeatable), method.result)

    def _ask(self, verb: str, params: dict[str, Any], *, safe: bool) -> Any:
        """Call once, or twice where a daemon left under a call that can be repeated without storing anything twice."""
        while True:
            fresh = self._client is None
            client = self._client = self._client or self._connect(start=True)
            try:
                return client.call(verb, params)
            except (ConnectionLost, Stopping) as error:
                client.close()
                self._client = None
                if fresh or not (safe or isinstance(error, Stopping)):
                    raise

    def close(self) -> None:
        with self._lock:
            client, self._client, self._closed = self._client, None, True
        if client is not None:
            client.close()


class _Alone:
    """An engine of this process."""

    def __init__(self, location: RepositoryLocation, environ: Mapping[str, str]) -> None:
        # Read when the numeric libraries are loaded, by the next import at the latest.
        for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(name, "1")
        from muninn_core.engine.engine import Engine
        from muninn_core.worktree.call_context import CallContext
        from muninn_core.worktree.user_folders import user_folders

        self._spare = tempfile.TemporaryDirectory(prefix="muninn-")
        self._scope = CallContext(location=location, client="python")
        self._closed = False
        self._engine: Engine = Engine(
            version=__version__,
            folders=user_folders(Path(home_directory(environ)), Path(data_directory(environ)), Path(self._spare.name)),
            environ=environ,
            clients=lambda: 1,
        )

    def run(self, verb: str, params: dict[str, Any]) -> Value:
        if self._closed:
            raise _closed_error()
        method = lookup(verb)
        return self._engine.call(verb, decode_params(method, params), self._scope)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._engine.close()
            self._spare.cleanup()


def _closed_error() -> MuninnError:
    return MuninnError("the repository was closed", hint="open_repository opens it again.")
