"""A client of the daemon: connect, send the hello, call verbs. It is on the start-up path of every hook.

It handles frames and does not import the catalogue of verbs.
"""

from __future__ import annotations

import io
import os
import sys
import time

from muninn_core import __version__
from muninn_core.errors import DaemonError, MuninnError, Stopping, UsageError, from_plain
from muninn_core.launch.repository_location import RepositoryLocation, locate
from muninn_core.launch.runtime import Address, runtime_directory
from muninn_core.launch.start import connect_or_start, private_daemon, raise_if_refused
from muninn_core.launch.transport import connect as connect_only
from muninn_core.launch.transport import uses_tcp
from muninn_core.protocol import wire
from muninn_core.protocol.catalogue_digest import CATALOGUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

HELLO_SECONDS = 60.0
"""How long the daemon may take to answer the hello, which it does before it opens anything; the machine may be busy."""

MAX_TRIES = 20
"""How often a client connects anew because the daemon was shutting down or had another version."""

QUIET_SECONDS = 30.0
"""How long the daemon may send nothing before a client that waits for an answer asks whether it still runs."""


class ConnectionLost(DaemonError):
    """The connection ended before the daemon answered."""


class NotAnswering(DaemonError):
    """The daemon is there and does not answer: its process is stopped, or its event loop is held up."""


class Client:
    """One connection. Not safe for several threads.

    `check` is called each time the daemon was quiet for QUIET_SECONDS during a request, and raises if it has stopped.
    """

    def __init__(
        self,
        sock: socket.socket,
        location: RepositoryLocation,
        hello: dict[str, Any],
        check: Callable[[], None] | None = None,
    ) -> None:
        self._sock = sock
        self._reader = _Reader(sock)
        self._stream = io.BufferedReader(self._reader)
        self._last_id = 0
        self.location = location
        self.daemon: dict[str, Any] = {}
        try:
            sock.settimeout(HELLO_SECONDS)
            self.daemon = self.request(wire.HELLO, hello)
            sock.settimeout(QUIET_SECONDS if check else None)
            self._reader.check = check
        except BaseException:
            self.close()
            raise

    def call(
        self,
        verb: str,
        params: dict[str, Any] | None = None,
        *,
        progress: Callable[[dict[str, Any]], None] | None = None,
    ) -> dict[str, Any]:
        """Call a verb and return its result. Raises the MuninnError that the daemon answered with.

        `progress` gets the value of each `$/progress` notification: kind, message, percentage. KeyboardInterrupt
        cancels the request at the daemon before it is raised.
        """
        request_params = dict(params or {})
        if progress is not None:
            request_params["workDoneToken"] = f"p{self._last_id + 1}"
        return self.request(wire.PREFIX + verb, request_params, progress)

    def request(
        self, method: str, params: dict[str, Any], progress: Callable[[dict[str, Any]], None] | None = None
    ) -> dict[str, Any]:
        """Send one request and wait for its answer.

        Raises the daemon's error, ConnectionLost when the connection ends, UsageError for a request that is too long.
        """
        self._last_id += 1
        number = self._last_id
        data = wire.request(number, method, params)
        if len(data) > wire.MAX_REQUEST:
            raise UsageError(
                f"a request of {len(data):,} bytes is too long: the limit is {wire.MAX_REQUEST:,}",
                hint="Ask in several calls.",
            )
        try:
            self._sock.sendall(data)
            return self._answer(number, progress)
        except KeyboardInterrupt:
            self._sock.sendall(wire.frame({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}}))
            raise
        except TimeoutError:
            raise NotAnswering(
                "the daemon does not answer", hint="`muninn daemon stop` ends it; the next call starts a new one."
            ) from None
        except (OSError, ValueError) as error:
            raise ConnectionLost(f"the connection to the daemon broke: {error}") from None

    def _answer(self, number: int, progress: Callable[[dict[str, Any]], None] | None) -> dict[str, Any]:
        while True:
            message = wire.read(self._stream.readline, self._stream.read)
            if message is None:
                raise ConnectionLost("the daemon closed the connection", hint="See `muninn daemon logs`.")
            if message.get("method") == "$/progress" and progress is not None:
                progress(message["params"]["value"])
            if message.get("id") is None and isinstance(message.get("error"), dict):
                raise from_plain(message["error"])  # the daemon could not read the request
            if message.get("id") == number and "method" not in message:
                error = message.get("error")
                if error is not None:
                    raise from_plain(error)
                result: dict[str, Any] = message["result"]
                return result

    def follow(self, params: Mapping[str, Any] | None = None) -> Iterator[dict[str, Any]]:
        """Yield what happens in the repository, as it happens; nothing else can be asked meanwhile.

        `params` are filters, with the names of the HTTP event stream, and `last`, the id to continue after. Each item
        has `kind`, `id` and `data`. Raises ConnectionLost when the connection ends.
        """
        self.request("muninn/subscribe", dict(params or {}))
        while True:
            message = wire.read(self._stream.readline, self._stream.read)
            if message is None:
                raise ConnectionLost("the daemon closed the connection", hint="See `muninn daemon logs`.")
            if message.get("method") == "muninn/event":
                yield message["params"]

    def detach(self) -> tuple[socket.socket, Any]:
        """Return the socket and its buffered reader, for a proxy. The client must not be used afterwards."""
        self._sock.settimeout(None)
        return self._sock, self._stream

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()
        self._sock.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()


class _Reader(io.RawIOBase):
    """Reads a socket. With a `check`, a timeout of the socket ends the wait only if the check raises."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.check: Callable[[], None] | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            try:
                return self._sock.recv_into(buffer)
            except TimeoutError:
                if self.check is None:
                    raise
                self.check()


def connect(
    repo: str,
    environ: Mapping[str, str],
    *,
    protocol: str = "rpc",
    start: bool = True,
    name: str = "",
    private: bool = False,
    replace: bool = True,
    needs_memory: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Client:
    """Connect to the daemon of the repository around `repo`; with `start`, start it when it does not run.

    A `private` daemon serves this client alone and exits with it; on Windows, which can't pass it a socket, the shared
    one answers. With `start` and `replace`, a daemon of another version or with another catalogue is replaced.
    `protocol` is rpc, lsp, mcp or mcp-http: the one after the hello. `options` are added to the hello. Raises
    NotARepository for a bad folder, DaemonError when there is no daemon and none can be started. With `needs_memory` no
    daemon is started in a repository without `.muninn`, and NotInitialised is raised.
    """
    location = locate(repo)

    def hello(token: str = "") -> dict[str, Any]:
        return _hello(location, protocol, name, token, options)

    is_bare = needs_memory and not location.has_memory
    if is_bare and private:
        raise location.not_initialised()
    start = start and not is_bare
    if private and os.name != "nt":
        return Client(private_daemon(location, environ), location, hello())
    tcp = environ.get("MUNINN_TRANSPORT") == "tcp" or uses_tcp()
    try:
        address = Address(runtime_directory(environ), location.identity)
    except DaemonError:
        if not start or tcp:
            raise
        return Client(private_daemon(location, environ), location, hello())
    last: MuninnError | None = None
    for _ in range(MAX_TRIES):
        try:
            sock, token = (
                connect_or_start(location, address, environ, tcp=tcp)
                if start
                else connect_only(address, tcp=tcp, timeout=HELLO_SECONDS)
            )
        except OSError as error:
            raise _unreachable(error, location, address, is_bare=is_bare) from error
        try:
            client = Client(sock, location, hello(token), lambda: _raise_if_stopped(location, address, name, tcp=tcp))
        except ConnectionLost as error:  # the daemon was shutting down
            last = error
            time.sleep(0.02)
            continue
        if _is_same_build(client.daemon) or not (start and replace):
            return client
        client.close()
        _shut_down(location, address, name, tcp=tcp)
    raise last or DaemonError("the daemon could not be replaced", hint="`muninn daemon stop`, then try again.")


def _is_same_build(daemon: Mapping[str, Any]) -> bool:
    """Whether a daemon has the version and the catalogue of this client, by its answer to the hello.

    Installations from a checkout can have one version and different catalogues.
    """
    return daemon.get("version") == __version__ and daemon.get("catalogue") == CATALOGUE


def _unreachable(error: OSError, location: RepositoryLocation, address: Address, *, is_bare: bool) -> MuninnError:
    """Return the error of a client that found no daemon. Raises DaemonError if the system refused the connection.

    `is_bare`: the repository has no memory, and the client needs it.
    """
    raise_if_refused(error, address)
    if is_bare:
        return location.not_initialised()
    return DaemonError("no daemon is running for this repository", hint="`muninn daemon start` starts it.")


def call(
    repo: str,
    environ: Mapping[str, str],
    verb: str,
    params: dict[str, Any],
    *,
    repeatable: bool = False,
    name: str = "",
    needs_memory: bool = False,
) -> dict[str, Any]:
    """Connect, call one verb and close the connection. `needs_memory` is that of `connect`.

    When the connection breaks before the answer, the call is sent once more to a new daemon if the verb is `repeatable`
    (`Method.repeatable` of the catalogue, which clients on the start-up path do not load) or the parameters have an
    idempotency `key`. Otherwise ConnectionLost is raised. A call that the daemon refuses because it is shutting down is
    sent again, up to MAX_TRIES times: clients of several versions may replace each other's daemon.
    """
    safe, refusals = repeatable or "key" in params, 0
    while True:
        with connect(repo, environ, name=name, needs_memory=needs_memory) as client:
            try:
                return client.call(verb, params)
            except ConnectionLost:
                if not safe:
                    raise
                safe = False
            except Stopping:
                refusals += 1
                if refusals >= MAX_TRIES:
                    raise


def _hello(
    location: RepositoryLocation, protocol: str, name: str, token: str, options: Mapping[str, Any] | None
) -> dict[str, Any]:
    program = name or os.path.basename(sys.argv[0] or "python")
    hello = {
        "version": __version__,
        "face": protocol,
        "root": location.root,
        "identity": location.identity,
        "client": program,
        "pid": os.getpid(),
        **(options or {}),
    }
    return {**hello, "token": token} if token else hello


def _raise_if_stopped(location: RepositoryLocation, address: Address, name: str, *, tcp: bool) -> None:
    """Say hello on another connection. Raises DaemonError when the daemon accepts it and does not answer.

    Any other failure says nothing: a daemon refuses connections while it leaves, or when it lacks descriptors.
    """
    try:
        _connect_only(location, address, name, tcp=tcp).close()
    except NotAnswering:
        raise
    except (OSError, MuninnError):
        pass


def _shut_down(location: RepositoryLocation, address: Address, name: str, *, tcp: bool) -> None:
    """Ask a daemon of another version to shut down, and wait until it closes the connection.

    The connection is one for verbs: on the ones of editors and agents another request must come first.
    """
    try:
        with _connect_only(location, address, name, tcp=tcp) as client:
            client.call("shutdown")
            client._stream.read()
    except (MuninnError, OSError):
        pass  # it is ending already


def _connect_only(location: RepositoryLocation, address: Address, name: str, *, tcp: bool) -> Client:
    """Connect for verbs to a daemon that runs, of whatever version. Raises OSError and MuninnError."""
    sock, token = connect_only(address, tcp=tcp, timeout=HELLO_SECONDS)
    return Client(sock, location, _hello(location, "rpc", name, token, None))
