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
from muninn_core.config import BUNDLED_MODEL, OWN_SETTINGS, TOOL_SETS
from muninn_core.config.otel_settings import load_otel_settings
from muninn_core.engine.engine import Engine
from muninn_core.errors import BadParams, BusyError, DaemonError, MuninnError, Stopping
from muninn_core.launch.place import Place, locate
from muninn_core.launch.runtime import Address, data_directory, repository_key, runtime_directory
from muninn_core.launch.transport import BACKLOG, uses_tcp
from muninn_core.protocol import wire
from muninn_core.worktree.edited_files import WatchToken
from muninn_server.file_descriptors import has_spare_descriptors
from muninn_server.rpc import Hello, RpcConnection, decode_hello, error_frame, read_message
from muninn_server.runtime_files import RuntimeFiles
from muninn_server.session import Pools, Session
from muninn_server.watch import Watcher

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muninn_core.engine.metrics import Metric
    from muninn_server.telemetry import Telemetry

log = logging.getLogger("muninn.daemon")

HELLO_SECONDS = 10.0
"""A connection without a first message is closed after this time."""

PREPARE_SECONDS = 60.0
"""How long preloading waits for the index, which clients need first."""

PRELOAD_SECONDS = 1.0
"""The delay of preloading, so that it does not slow down the request for which the daemon was started."""

PRELOAD_TRIES = 30
"""How many such delays preloading waits at most while the engine is at work."""

SHORTAGE_LOG_SECONDS = 60.0
"""How often a lack of file descriptors is logged."""

MIN_DESCRIPTORS = 4
"""Descriptors without which no client can be answered: two for the socket and its connection, two for files."""

LACK_HINT = "Close some clients, or stop the daemon and raise its limit (ulimit -n)."

CHECK_SECONDS = 1.0
"""How often the daemon checks that its socket, its lock and the repository are still there."""

LEAVE_SECONDS = 20.0
"""How long running work may take to end. Then the process exits as after a crash: acknowledged writes are on the disk,
and the next daemon cannot start before the lock is free."""

PROTOCOLS = {
    "lsp": "muninn_server.lsp.connection",
    "mcp": "muninn_server.mcp.socket_transport",
    "mcp-http": "muninn_server.mcp.http_transport",
    "http": "muninn_server.http.transport",
    "gateway": "muninn_server.gateway.transport",
    "page": "muninn_server.http.transport",
}
"""The protocols with libraries of their own. Each module has `async serve(reader, writer, session, hello)`."""

_AGENTS = ("mcp", "mcp-http", "http", "gateway")
"""Protocols whose clients are agents or other programs that cannot act as users."""

PRELOADED = ("lsp",)
"""Protocols that are loaded before their first client connects, because an editor's window waits for it. The first MCP
client waits half a second; until then its library's 37 MB are not allocated."""

BEAT_SECONDS = 0.1
"""How often the event loop's stalls are measured while a client is connected."""

REST_BEAT_SECONDS = 1.0
"""The same while clients are idle, or none is connected."""


def run(root: str, fd: int, environ: Mapping[str, str]) -> int:
    """Serve the repository that contains `root` until the daemon stops; with `fd`, serve only that connected socket."""
    place = locate(root)
    if fd >= 0:
        with tempfile.TemporaryDirectory(prefix="muninn-") as spare:
            alone = Daemon(place, None, Path(spare), tcp=False, environ=environ)
            asyncio.run(alone.serve_one(socket.socket(fileno=fd)))
        return 0
    address = Address(runtime_directory(environ), place.identity)
    files = RuntimeFiles(address, tcp=environ.get("MUNINN_TRANSPORT") == "tcp" or uses_tcp())
    if not files.acquire():
        return 0  # another daemon holds the lock
    try:
        spare_cache = Path(f"{address.base}.cache")
        daemon = Daemon(place, files, spare_cache, tcp=files.tcp, environ=environ)
        with asyncio.Runner() as runner:
            runner.get_loop()  # fails before there is a coroutine to warn of, for example without a free descriptor
            runner.run(daemon.serve())
    finally:
        files.release()
    return 0


class Daemon:
    """The daemon: engine, thread pools, clients, and the decision to exit."""

    def __init__(
        self, place: Place, files: RuntimeFiles | None, spare_cache: Path, *, tcp: bool, environ: Mapping[str, str]
    ) -> None:
        data = data_directory(environ)
        self._place = place
        # While the folder is open, the system gives its inode to no other one: a repository made anew is noticed.
        self._repository = os.open(place.identity, os.O_RDONLY) if os.name == "posix" else None
        self._stamp = place.repository_stamp()
        self._files = files
        self._trouble = ""
        self._tcp = tcp
        self._token = secrets.token_hex(32) if tcp else ""
        self._info: dict[str, object] = {"pid": os.getpid(), "version": __version__, "root": place.root}
        if tcp:
            self._info["token"] = self._token
        self._pools = Pools()
        self._watchers: dict[str, Watcher] = {}
        self._unwatched: dict[str, Place] = {}
        self.engine = Engine(
            version=__version__,
            spare_cache=spare_cache,
            model_cache=Path.home() / ".cache" / "muninn" / "models",
            global_memory=Path(data) / "global",
            model_ledger=Path(data) / "models",
            environ=environ,
            opened=self._watch,
            removed=self._unwatch,
            clients=lambda: len(self._clients),
            home=Path.home(),
            runtime=runtime_directory(environ) if files is not None else "",
        )
        self._telemetry: Telemetry | None = None
        self._clients: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()
        self._leaving = threading.Event()
        self._resting = threading.Lock()
        self._shortage_noted = -SHORTAGE_LOG_SECONDS
        self._alone_since = time.monotonic()

    async def serve(self) -> None:
        """Listen and serve until the daemon stops."""
        files = self._files
        assert files is not None
        self._heed_signals()
        asyncio.get_running_loop().set_exception_handler(self._note_loop_error)
        if not has_spare_descriptors(MIN_DESCRIPTORS):
            raise DaemonError("too many open files for a daemon with one client", hint=LACK_HINT)
        self._server = await self._listen(files)
        log.info("serving %s, version %s, pid %d", self._place.root, __version__, os.getpid())
        threading.Thread(target=self._prepare, name="prepare", daemon=True).start()
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._watch_over, args=(files, loop), name="place", daemon=True).start()
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
        return await asyncio.start_server(self._accept, sock=sock, backlog=BACKLOG)

    async def _listen_again(self, files: RuntimeFiles) -> None:
        """Listen on a new socket. Connected clients stay."""
        if self._leaving.is_set():
            return
        before = self._server
        self._server = await self._listen(files)
        before.close()

    def _watch_over(self, files: RuntimeFiles, loop: asyncio.AbstractEventLoop) -> None:
        """Check the repository and the runtime directory from time to time, until the daemon stops."""
        while not self._leaving.wait(CHECK_SECONDS):
            try:
                self.engine.collect_removed()
                self.engine.expire_agents()
                self._watch_again()
                reason = self._reason_to_leave(files, loop)
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
                loop.call_soon_threadsafe(self.stop)
                return

    def _reason_to_leave(self, files: RuntimeFiles, loop: asyncio.AbstractEventLoop) -> str:
        """Regain what was deleted in the runtime directory. Return why another daemon must take over, "" if none.

        Raises OSError, DaemonError.
        """
        if self._stamp is None or self._place.repository_stamp() != self._stamp or self.engine.lost_repository:
            return f"{self._place.identity} was moved, deleted or made anew"
        if not files.has_lock and not files.regain_lock():
            return "another daemon has the lock"
        if not files.has_socket:
            log.warning("the socket was deleted: listening again")
            asyncio.run_coroutine_threadsafe(self._listen_again(files), loop).result(LEAVE_SECONDS)
        elif not files.has_info:
            files.write_info(self._info)
        return ""

    async def serve_one(self, sock: socket.socket) -> None:
        """Serve one connected socket until it closes."""
        self._heed_signals()
        reader, writer = await asyncio.open_connection(sock=sock)
        await self._accept(reader, writer)
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
            self.engine.open(self._place).updater.wait_open(PREPARE_SECONDS)
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
        settings, _ = load_otel_settings(Path(OWN_SETTINGS).expanduser())
        if not settings.url:
            return
        try:
            module = importlib.import_module("muninn_server.telemetry")
        except ImportError as error:
            log.warning("OpenTelemetry is set but can't be loaded (%s): install the extra 'muninn-memory[otel]'", error)
            return
        about = {
            "service.version": __version__,
            "service.instance.id": repository_key(self._place.identity),
            "muninn.repository": Path(self._place.root).name,
        }
        self._telemetry = module.Telemetry(settings.url, settings.metrics_seconds, about, self._measure)
        self._pools.traced = self._telemetry.call

    def _measure(self) -> list[Metric]:
        workspace = self.engine.trees.get(self._place)
        return self.engine.measure(workspace) if workspace is not None else []

    def _heed_signals(self) -> None:
        loop = asyncio.get_running_loop()
        if os.name == "nt":
            signal.signal(signal.SIGTERM, lambda *_: loop.call_soon_threadsafe(self.stop))
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)

    async def _until_done(self) -> None:
        last = time.monotonic()
        while not self._stopping.is_set():
            busy = bool(self._clients)
            # An editor is idle most of the day, and then no stall can be noticed.
            wait = BEAT_SECONDS if busy and not self.engine.has_released_memory else REST_BEAT_SECONDS
            if not busy:
                wait = min(wait, max(0.01, self._remaining()))
            try:
                await asyncio.wait_for(self._stopping.wait(), wait)
            except TimeoutError:
                pass
            now = time.monotonic()
            if self.engine.should_release_memory:
                self._pools.control.submit(self._rest)
            if busy:
                self.engine.note_stall(max(0.0, now - last - wait))
                self._alone_since = now
            elif not self._clients and self._remaining() <= 0:
                log.info("no client is connected any more")
                self.stop()
            last = now

    def _rest(self) -> None:
        """Do what can wait for an idle moment. One call at a time works."""
        if not self._resting.acquire(blocking=False):
            return
        try:
            self._tidy()
            self.engine.release_memory()
        except Stopping:
            pass  # the next daemon plans again
        finally:
            self._resting.release()

    def _tidy(self) -> None:
        try:
            self.engine.keep_journals_small()
            self.engine.plan_upkeep(self._raise_if_leaving)
        except Stopping:
            raise
        except Exception:  # no request depends on it
            log.exception("the daemon could not tidy up at rest")

    def _raise_if_leaving(self) -> None:
        if self._leaving.is_set():
            raise Stopping("the daemon is stopping", hint="The next call starts it again.")

    def _remaining(self) -> float:
        return self.engine.idle_seconds(self._place) - (time.monotonic() - self._alone_since)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        self._alone_since = time.monotonic()
        try:
            await self._serve_client(reader, writer)
        except (EOFError, ConnectionError, asyncio.CancelledError):
            pass  # the client disconnected, or the daemon is stopping
        except Exception:  # other connections are served on
            log.exception("a connection failed")
        finally:
            self._clients.discard(task)
            self._alone_since = time.monotonic()
            writer.close()

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number: object = None
        if self._stopping.is_set():
            return  # the client reconnects to the next daemon
        if not has_spare_descriptors():
            self._note_shortage()
            busy = BusyError("the daemon has too many open files for another client", hint=LACK_HINT)
            writer.write(error_frame(None, busy))
            await writer.drain()
            return
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                message = await read_message(reader)
            number, hello = decode_hello(message)
            place = self._admit(hello)
        except TimeoutError:
            return
        except (ValueError, MuninnError) as error:
            refusal = error if isinstance(error, MuninnError) else DaemonError(f"not a message: {error}")
            writer.write(error_frame(number, refusal))
            await writer.drain()
            return
        greeting = {"version": __version__, "pid": os.getpid(), "root": place.root, "identity": place.identity}
        writer.write(wire.frame({"jsonrpc": "2.0", "id": number, "result": greeting}))
        await writer.drain()
        session = Session(
            self.engine,
            self._pools,
            place,
            client=hello.client or "unknown",
            stop=self.stop,
            actor="assistant" if hello.face in _AGENTS else None,
        )
        try:
            await _serve_protocol(hello, reader, writer, session)
        finally:
            if session.connection.agent and not self._stopping.is_set():
                await asyncio.to_thread(self.engine.disconnected, session.connection)

    def _admit(self, hello: Hello) -> Place:
        if hello.face not in (*PROTOCOLS, "rpc"):
            raise BadParams(
                f"there is no protocol '{hello.face}'", hint=f"The protocols are rpc, {', '.join(PROTOCOLS)}."
            )
        unknown = [name for name in hello.tools if name not in TOOL_SETS]
        if unknown:
            raise BadParams(f"there is no tool set '{unknown[0]}'", hint=f"The tool sets are {', '.join(TOOL_SETS)}.")
        if self._tcp and not secrets.compare_digest(hello.token.encode(), self._token.encode()):
            raise DaemonError("the token is wrong", hint="Only the user who started the daemon can connect.")
        place = locate(hello.root)
        if place.identity != self._place.identity:
            raise DaemonError(
                f"this daemon serves {self._place.identity}, not {place.identity}",
                hint="Connect to the daemon of your own repository.",
            )
        return place

    def _note_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log an error of the event loop; asyncio reports a lack of descriptors with a trace for each failed accept."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
            self._note_shortage()
        else:
            loop.default_exception_handler(context)

    def _note_shortage(self) -> None:
        if time.monotonic() - self._shortage_noted > SHORTAGE_LOG_SECONDS:
            log.warning("too many files are open: new clients are refused until some are closed")
            self._shortage_noted = time.monotonic()

    def _watch(self, place: Place) -> WatchToken | None:
        def failed(error: OSError) -> None:
            self.engine.note_problem(
                place,
                f"files can't be watched: {error.strerror or error}",
                "Raise fs.inotify.max_user_watches, or run `muninn index` after changes.",
            )

        watcher = Watcher(place, lambda paths: self.engine.files_changed(place, paths), failed)
        try:
            watcher.start()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self._unwatched[place.root] = place  # tried again when descriptors are free
            failed(error)
            return None
        self._watchers[place.root] = watcher
        return watcher.seen

    def _watch_again(self) -> None:
        """Watch the work trees for which there were no descriptors, when some are free."""
        for root, place in list(self._unwatched.items()):
            if has_spare_descriptors():
                del self._unwatched[root]
                self.engine.watch_again(place)

    def _unwatch(self, place: Place) -> None:
        self._unwatched.pop(place.root, None)
        watcher = self._watchers.pop(place.root, None)
        if watcher is not None:
            watcher.stop()

    async def _close(self) -> None:
        limit = threading.Timer(LEAVE_SECONDS, _leave_at_once)
        limit.daemon = True  # the process does not wait for a daemon thread
        limit.start()
        for watcher in list(self._watchers.values()):
            watcher.stop()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self._pools.close)
        for task in list(self._clients):
            task.cancel()
        if self._clients:
            await asyncio.wait(self._clients, timeout=2)
        if self._telemetry is not None:
            await loop.run_in_executor(None, self._telemetry.close)
        await loop.run_in_executor(None, self.engine.close)
        if self._repository is not None:
            os.close(self._repository)
        log.info("left")


def _leave_at_once() -> None:
    log.error("something did not end within %g s; leaving without it", LEAVE_SECONDS)
    os._exit(1)


async def _serve_protocol(
    hello: Hello, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session
) -> None:
    """Serve the bytes after the first message. Loading a protocol's libraries takes a second, so a thread does it."""
    if hello.face in PROTOCOLS:
        module = await asyncio.to_thread(importlib.import_module, PROTOCOLS[hello.face])
        await module.serve(reader, writer, session, hello)
    else:
        await RpcConnection(reader, writer, session).serve()
