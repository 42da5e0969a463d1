"""The daemon: one process per repository.

It takes a lock, which the system releases when the process dies, then listens and serves. It exits on SIGTERM, on
`shutdown`, or after the configured time without a client. A client that finds no listener starts the next daemon.
"""

from __future__ import annotations

import asyncio
import errno
import importlib
import logging
import os
import secrets
import signal
import socket
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muninn_core import __version__
from muninn_core.config import BUNDLED_MODEL, OWN_SETTINGS
from muninn_core.config.otel_settings import load_otel_settings
from muninn_core.engine.engine import Engine
from muninn_core.errors import DaemonError, MuninnError, Stopping
from muninn_core.launch.repository_location import RepositoryLocation, locate
from muninn_core.launch.runtime import Address, data_directory, home_directory, repository_key, runtime_directory
from muninn_core.launch.transport import BACKLOG, uses_tcp
from muninn_core.worktree.user_folders import user_folders
from muninn_server.client_connections import LACK_HINT, PROTOCOLS, ClientConnections
from muninn_server.file_descriptors import has_spare_descriptors
from muninn_server.runtime_files import RuntimeFiles
from muninn_server.session import Pools
from muninn_server.supervision import Supervisor
from muninn_server.tree_watchers import TreeWatchers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muninn_core.engine.metrics import Metric
    from muninn_server.telemetry import Telemetry

log = logging.getLogger("muninn.daemon")

PREPARE_SECONDS = 60.0
"""How long preloading waits for the index, which clients need first."""

PRELOAD_SECONDS = 1.0
"""The delay of preloading, so that it does not slow down the request for which the daemon was started."""

PRELOAD_TRIES = 30
"""How many such delays preloading waits at most while the engine is at work."""

MIN_DESCRIPTORS = 4
"""Descriptors without which no client can be answered: two for the socket and its connection, two for files."""

LEAVE_SECONDS = 20.0
"""How long running work may take to end. Then the process exits as after a crash: acknowledged writes are on the disk,
and the next daemon cannot start before the lock is free."""

PRELOADED = ("lsp",)
"""Protocols that are loaded before their first client connects, because an editor's window waits for it. The first MCP
client waits half a second; until then its library's 37 MB are not allocated."""

BEAT_SECONDS = 0.1
"""How often the event loop's stalls are measured while a client is connected."""

IDLE_BEAT_SECONDS = 1.0
"""The same while clients are idle, or none is connected."""


def run(root: str, fd: int, environ: Mapping[str, str]) -> int:
    """Serve the repository that contains `root` until the daemon stops; with `fd`, serve only that connected socket."""
    location = locate(root)
    if fd >= 0:
        with tempfile.TemporaryDirectory(prefix="muninn-") as spare:
            alone = Daemon(location, None, Path(spare), tcp=False, environ=environ)
            asyncio.run(alone.serve_one(socket.socket(fileno=fd)))
        return 0
    address = Address(runtime_directory(environ), location.identity)
    files = RuntimeFiles(address, tcp=environ.get("MUNINN_TRANSPORT") == "tcp" or uses_tcp())
    if not files.acquire():
        return 0  # another daemon holds the lock
    try:
        spare_cache = Path(f"{address.base}.cache")
        daemon = Daemon(location, files, spare_cache, tcp=files.tcp, environ=environ)
        with asyncio.Runner() as runner:
            runner.get_loop()  # fails before there is a coroutine to warn of, for example without a free descriptor
            runner.run(daemon.serve())
    finally:
        files.release()
    return 0


class Daemon:
    """The daemon: engine, thread pools, clients, and the decision to exit."""

    def __init__(
        self,
        location: RepositoryLocation,
        files: RuntimeFiles | None,
        spare_cache: Path,
        *,
        tcp: bool,
        environ: Mapping[str, str],
    ) -> None:
        self._location = location
        # While the folder is open, the system gives its inode to no other one: a repository made anew is noticed.
        self._repository = os.open(location.identity, os.O_RDONLY) if os.name == "posix" else None
        self._fingerprint = location.repository_fingerprint()
        self._files = files
        token = secrets.token_hex(32) if tcp else ""
        self._info: dict[str, object] = {"pid": os.getpid(), "version": __version__, "root": location.root}
        if tcp:
            self._info["token"] = token
        self._pools = Pools()
        home = Path(home_directory(environ))
        self._own_settings = home / OWN_SETTINGS.removeprefix("~/")
        self.engine = Engine(
            version=__version__,
            folders=user_folders(home, Path(data_directory(environ)), spare_cache),
            environ=environ,
            opened=lambda location: self._watchers.watch(location),
            removed=lambda location: self._watchers.unwatch(location),
            clients=lambda: len(self._clients),
            runtime=runtime_directory(environ) if files is not None else "",
        )
        self._telemetry: Telemetry | None = None
        self._stopping = asyncio.Event()
        self._leaving = threading.Event()
        self._idle_work = threading.Lock()
        self._watchers = TreeWatchers(self.engine)
        self._clients = ClientConnections(
            self.engine, self._pools, location, token=token, stop=self.stop, stopping=self._stopping
        )

    async def serve(self) -> None:
        """Listen and serve until the daemon stops."""
        files = self._files
        assert files is not None
        self._handle_signals()
        asyncio.get_running_loop().set_exception_handler(self._note_loop_error)
        if not has_spare_descriptors(MIN_DESCRIPTORS):
            raise DaemonError("too many open files for a daemon with one client", hint=LACK_HINT)
        self._server = await self._listen(files)
        log.info("serving %s, version %s, pid %d", self._location.root, __version__, os.getpid())
        threading.Thread(target=self._prepare, name="prepare", daemon=True).start()
        loop = asyncio.get_running_loop()
        again = self._listen_again
        supervisor = Supervisor(
            self.engine,
            self._location,
            files,
            self._watchers,
            stamp=self._fingerprint,
            info=self._info,
            listen_again=lambda: asyncio.run_coroutine_threadsafe(again(files), loop).result(LEAVE_SECONDS),
            leave=lambda: loop.call_soon_threadsafe(self.stop),
            leaving=self._leaving,
        )
        threading.Thread(target=supervisor.run, name="supervisor", daemon=True).start()
        try:
            await self._until_done()
        finally:
            self._leaving.set()  # else the checks would listen again on the socket that is removed here
            self._server.close()
            try:
                files.leave()
            except OSError as error:
                log.warning("the socket could not be removed: %s", error)
            await self._close()

    async def _listen(self, files: RuntimeFiles) -> asyncio.Server:
        sock = files.bind(self._info)
        return await asyncio.start_server(self._clients.serve, sock=sock, backlog=BACKLOG)

    async def _listen_again(self, files: RuntimeFiles) -> None:
        """Listen on a new socket. Connected clients stay."""
        if self._leaving.is_set():
            return
        before = self._server
        self._server = await self._listen(files)
        before.close()

    async def serve_one(self, sock: socket.socket) -> None:
        """Serve one connected socket until it closes."""
        self._handle_signals()
        reader, writer = await asyncio.open_connection(sock=sock)
        await self._clients.serve(reader, writer)
        await self._close()

    def stop(self) -> None:
        """Begin to stop. Call it on the loop's thread, any number of times."""
        self._stopping.set()
        self._leaving.set()

    def _prepare(self) -> None:
        """Load what the first requests would wait for: the repository, then the preloaded protocols.

        The protocols wait for the first index: their import holds the interpreter's lock for as long as the index of
        a small repository takes.
        """
        try:
            self.engine.open(self._location).updater.wait_open(PREPARE_SECONDS)
        except MuninnError as error:
            log.info("%s", error.message)
            self._load_model()
        except Exception:  # the first request opens it again and gets the error
            log.exception("the repository could not be opened")
        self._begin_telemetry()
        for protocol in PRELOADED:
            for _ in range(PRELOAD_TRIES):
                if self._leaving.wait(PRELOAD_SECONDS):
                    return
                if not self.engine.at_work:
                    break
            if not self._leaving.is_set():
                try:
                    importlib.import_module(PROTOCOLS[protocol])
                except Exception as error:  # its first client loads it again and gets the error
                    log.warning("%s could not be loaded: %s", protocol, error)

    def _load_model(self) -> None:
        """Load the model that the first index needs: a repository without `.muninn` is served to be initialised."""
        try:
            self.engine.trees.embedder(BUNDLED_MODEL).embed_query("what is remembered")
        except Exception as error:  # opening the index reports it
            log.info("the model could not be loaded: %s", error)

    def _begin_telemetry(self) -> None:
        """Trace calls and send metrics, if the user's own settings name a receiver."""
        settings, _ = load_otel_settings(self._own_settings)
        if not settings.url:
            return
        try:
            module = importlib.import_module("muninn_server.telemetry")
        except ImportError as error:
            log.warning("OpenTelemetry is set but can't be loaded (%s): install the extra 'muninn-memory[otel]'", error)
            return
        about = {
            "service.version": __version__,
            "service.instance.id": repository_key(self._location.identity),
            "muninn.repository": Path(self._location.root).name,
        }
        self._telemetry = module.Telemetry(settings.url, settings.metrics_seconds, about, self._measure)
        self._pools.traced = self._telemetry.call

    def _measure(self) -> list[Metric]:
        workspace = self.engine.trees.get(self._location)
        return self.engine.measure(workspace) if workspace is not None else []

    def _handle_signals(self) -> None:
        loop = asyncio.get_running_loop()
        if os.name == "nt":
            signal.signal(signal.SIGTERM, lambda *_: loop.call_soon_threadsafe(self.stop))
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)

    async def _until_done(self) -> None:
        last = time.monotonic()
        while not self._stopping.is_set():
            busy = len(self._clients) > 0
            # An editor is idle most of the day, and then no stall can be noticed.
            wait = BEAT_SECONDS if busy and not self.engine.has_released_memory else IDLE_BEAT_SECONDS
            if not busy:
                wait = min(wait, max(0.01, self._remaining()))
            try:
                await asyncio.wait_for(self._stopping.wait(), wait)
            except TimeoutError:
                pass
            now = time.monotonic()
            if self.engine.should_release_memory:
                self._pools.control.submit(self._work_idle)
            if busy:
                self.engine.note_stall(max(0.0, now - last - wait))
            elif len(self._clients) == 0 and self._remaining() <= 0:
                log.info("no client is connected any more")
                self.stop()
            last = now

    def _work_idle(self) -> None:
        """Tidy up and release memory while the daemon is idle. A second call does nothing while one runs."""
        if not self._idle_work.acquire(blocking=False):
            return
        try:
            self._tidy()
            self.engine.release_memory()
        except Stopping:
            pass  # the next daemon plans again
        finally:
            self._idle_work.release()

    def _tidy(self) -> None:
        try:
            self.engine.keep_journals_small()
            self.engine.plan_upkeep(self._raise_if_leaving)
        except Stopping:
            raise
        except Exception:  # no request depends on it
            log.exception("the daemon could not tidy up while it was idle")

    def _raise_if_leaving(self) -> None:
        if self._leaving.is_set():
            raise Stopping("the daemon is stopping", hint="The next call starts it again.")

    def _remaining(self) -> float:
        return self.engine.idle_seconds(self._location) - self._clients.seconds_without_client

    def _note_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log an error of the event loop; asyncio reports a lack of descriptors with a trace for each failed accept."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
            self._clients.note_shortage()
        else:
            loop.default_exception_handler(context)

    async def _close(self) -> None:
        limit = threading.Timer(LEAVE_SECONDS, _exit_without_waiting)
        limit.daemon = True  # the process does not wait for a daemon thread
        limit.start()
        self._watchers.stop()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self._pools.close)
        await self._clients.close()
        if self._telemetry is not None:
            await loop.run_in_executor(None, self._telemetry.close)
        await loop.run_in_executor(None, self.engine.close)
        if self._repository is not None:
            os.close(self._repository)
        log.info("left")


def _exit_without_waiting() -> None:
    log.error("something did not end within %g s; leaving without it", LEAVE_SECONDS)
    os._exit(1)
