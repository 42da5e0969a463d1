"""The connection to the daemon: a Unix socket, or loopback TCP with a token where there are none (Windows).

File modes protect the socket. TCP has no owner, so the daemon writes a random token into a file that only the user can
read, and every hello must carry it.
"""

from __future__ import annotations

import json
import os
import socket

from muninn_core.errors import DaemonError
from muninn_core.launch.runtime import SOCKET_PATH_LIMIT, Address

BACKLOG = 1024
"""The number of clients that may wait to be accepted; hundreds may open a cold repository at once."""


def uses_tcp() -> bool:
    """Whether this system needs the TCP transport."""
    return os.name == "nt" or not hasattr(socket, "AF_UNIX")


def connect(address: Address, *, tcp: bool, timeout: float) -> tuple[socket.socket, str]:
    """Connect and return the socket and the token for the hello. Raises OSError when no daemon listens."""
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
    """Return a listening socket. The caller must hold the daemon's lock, so an existing socket file is stale.

    Raises DaemonError when the path is too long, OSError when the socket can't be made.
    """
    if tcp:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.bind(("127.0.0.1", 0))
        sock.listen(BACKLOG)
        return sock
    path = address.socket
    temporary = f"{path[:-5]}.{os.getpid()}.new"
    if len(os.fsencode(temporary)) > SOCKET_PATH_LIMIT:
        raise DaemonError(
            f"the socket's path is longer than {SOCKET_PATH_LIMIT} bytes: {path}",
            hint="Set MUNINN_RUNTIME_DIR to a shorter folder.",
        )
    # Bind under a temporary name and rename, so that no client connects before the socket listens.
    remove(temporary)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.bind(temporary)
        os.chmod(temporary, 0o600)
        sock.listen(BACKLOG)
        os.replace(temporary, path)
    except OSError:
        sock.close()
        remove(temporary)
        raise
    return sock


def write_info(address: Address, info: dict[str, object]) -> None:
    """Write the daemon's info file with mode 0600, atomically."""
    temporary = f"{address.info}.{os.getpid()}.new"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        json.dump(info, file)
    os.replace(temporary, address.info)


def read_info(address: Address) -> dict[str, object]:
    """Return the daemon's info file; {} when it is missing or broken. The daemon may have ended since."""
    try:
        with open(address.info, encoding="utf-8") as file:
            info = json.load(file)
    except (OSError, ValueError):
        return {}
    return info if isinstance(info, dict) else {}


def remove(path: str) -> None:
    """Remove a file if it exists."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
