"""How bytes reach the daemon: a Unix socket, or loopback TCP with a token where there are none (Windows).

The socket's mode and its folder's keep others out. TCP has no such owner, so the daemon writes a random token into a
file that only the user can read, and every hello must carry it.
"""

from __future__ import annotations

import json
import os
import socket

from muninn_core.errors import DaemonError
from muninn_core.launch.runtime import SOCKET_PATH_LIMIT, Address

BACKLOG = 1024
"""Clients that may wait to be accepted; a cold repository can be opened by hundreds at once."""


def uses_tcp() -> bool:
    """Whether this system needs the TCP transport."""
    return os.name == "nt" or not hasattr(socket, "AF_UNIX")


def connect(address: Address, *, tcp: bool, timeout: float) -> tuple[socket.socket, str]:
    """Connect and return the socket and the token for the hello. Raises OSError when nobody listens."""
    if not tcp:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.settimeout(timeout)
            sock.connect(address.socket)
        except OSError:
            sock.close()
            raise
        return sock, ""
    info = read_info(address)
    port, token = info.get("port"), info.get("token")
    if not isinstance(port, int) or not isinstance(token, str):
        raise ConnectionRefusedError("no daemon has written its port")
    return socket.create_connection(("127.0.0.1", port), timeout=timeout), token


def listen(address: Address, *, tcp: bool) -> socket.socket:
    """Return a listening socket. The caller holds the daemon's lock, so whatever lies at the address is stale."""
    if tcp:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.bind(("127.0.0.1", 0))
        sock.listen(BACKLOG)
        return sock
    path = address.socket
    fresh = f"{path[:-5]}.{os.getpid()}.new"
    if len(os.fsencode(fresh)) > SOCKET_PATH_LIMIT:
        raise DaemonError(
            f"the socket's path is longer than {SOCKET_PATH_LIMIT} bytes: {path}",
            hint="Set MUNINN_RUNTIME_DIR to a shorter folder.",
        )
    # Bound beside its place and moved there, so that nobody ever connects to a socket that does not listen yet.
    remove(fresh)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.bind(fresh)
        os.chmod(fresh, 0o600)
        sock.listen(BACKLOG)
        os.replace(fresh, path)
    except OSError:
        sock.close()
        remove(fresh)
        raise
    return sock


def write_info(address: Address, info: dict[str, object]) -> None:
    """Write what clients and people may know of the daemon, with mode 0600, whole or not at all."""
    fresh = f"{address.info}.{os.getpid()}.new"
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        json.dump(info, file)
    os.replace(fresh, address.info)


def read_info(address: Address) -> dict[str, object]:
    """Read what the daemon wrote about itself; {} when there is none. It may be of a daemon that is gone."""
    try:
        with open(address.info, encoding="utf-8") as file:
            info = json.load(file)
    except (OSError, ValueError):
        return {}
    return info if isinstance(info, dict) else {}


def remove(path: str) -> None:
    """Remove a file that may be gone already."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
