"""Holds the port of an HTTP service while no daemon runs, until a client connects.

The connections that arrive before the daemon listens again are passed on to it, so that no request is lost.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import time
from threading import Thread

from muninn_core.errors import DaemonError, MuninnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HOST = "127.0.0.1"

RELEASE_SECONDS = 30.0
"""How long to wait for the daemon that left to release the port."""

CHUNK = 65536
"""The most bytes that are copied at once."""


def listen(port: int) -> socket.socket:
    """Listen on a port as soon as the last daemon has released it. Raises DaemonError when it does not."""
    deadline = time.monotonic() + RELEASE_SECONDS
    while True:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((HOST, port))
            sock.listen(128)
            return sock
        except OSError as error:
            sock.close()
            if time.monotonic() > deadline:
                raise DaemonError(
                    f"the daemon left, and its port {port} is not available: {error}", hint="Start the command again."
                ) from None
            time.sleep(0.05)


def serve_next(listener: socket.socket, start: Callable[[], None], serve: Callable[[], None]) -> None:
    """Wait for a client on a port; then start a daemon, let it serve the port, and pass the client on.

    `start` starts the daemon. When it fails, the client gets its error with the status 503, and the next client is
    awaited. `serve` makes the daemon listen on the port; the listener is closed before. Raises what `serve` raises.
    """
    port = listener.getsockname()[1]
    with contextlib.closing(listener):
        while True:
            waiting = [listener.accept()[0]]
            try:
                start()
                break
            except MuninnError as error:
                for client in (*waiting, *_arrived(listener)):
                    _refuse(client, error)
        waiting += _arrived(listener)
    try:
        serve()
    except MuninnError as error:
        for client in waiting:
            _refuse(client, error)
        raise
    for client in waiting:
        Thread(target=_pass_on, args=(client, port), daemon=True).start()


def _arrived(listener: socket.socket) -> list[socket.socket]:
    """Return the clients that have connected meanwhile."""
    found = []
    while select.select([listener], [], [], 0)[0]:
        found.append(listener.accept()[0])
    return found


def _pass_on(client: socket.socket, port: int) -> None:
    """Copy bytes between a client and the daemon until both have sent all."""
    try:
        with client, socket.create_connection((HOST, port)) as daemon:
            back = Thread(target=_copy, args=(daemon, client), daemon=True)
            back.start()
            _copy(client, daemon)
            back.join()
    except OSError:
        pass  # either has left


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(CHUNK):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # either has left


def _refuse(client: socket.socket, error: MuninnError) -> None:
    """Answer a request with an error, whatever it is."""
    body = json.dumps({"error": error.to_plain()}).encode() + b"\n"
    head = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nConnection: close\r\n"
    with client, contextlib.suppress(OSError):
        client.settimeout(RELEASE_SECONDS)
        client.recv(CHUNK)  # a socket that is closed with unread bytes resets the connection
        client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
