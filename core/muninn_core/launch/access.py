"""The token and ports of MCP over HTTP and of the HTTP API, stored so that a client's settings stay valid.

The file is in the runtime directory, readable by the user only, and is created on first use. Removing it revokes the
token.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager

from muninn_core.errors import DaemonError
from muninn_core.launch.lock import FileLock
from muninn_core.launch.runtime import Address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN_BYTES = 32

_LOCK_SECONDS = 10.0
"""How long another process may take to change the file; it takes milliseconds."""


class HttpAccess:
    """The token and last port of a work tree. Port 0 means that none is stored.

    `ports` is the field of the file that keeps the ports: `ports` of MCP, `api_ports` of the HTTP API, `page_ports` of
    the page. Several processes may change the file at once.
    """

    __slots__ = ("_field", "_path", "_ports", "_root", "token")

    def __init__(self, address: Address, root: str, ports: str = "ports") -> None:
        """Read the file or create it. Raises DaemonError when it can't be written or others can read it."""
        self._path = address.base + ".mcp.json"
        self._root = root
        self._field = ports
        with self._locked():
            data = _read(self._path)
            self._ports = _dict(data.get(ports))
            self.token = _token(data)
            if not self.token:
                self.token = os.urandom(TOKEN_BYTES).hex()
                self._write({**data, "token": self.token})

    @property
    def port(self) -> int:
        """The port of the last server for this work tree, 0 when none is stored."""
        port = self._ports.get(self._root)
        return port if isinstance(port, int) and 0 < port < 65536 else 0

    def save_port(self, port: int) -> None:
        """Store the port for the next server. Raises DaemonError when the file can't be written."""
        if port != self.port:
            with self._locked():
                data = _read(self._path)
                self._ports = {**_dict(data.get(self._field)), self._root: port}
                self._write({**data, "token": _token(data) or self.token, self._field: self._ports})

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes from changing the file. Raises DaemonError."""
        lock = FileLock(self._path + ".lock")
        until = time.monotonic() + _LOCK_SECONDS
        try:
            while not lock.acquire():
                if time.monotonic() > until:
                    raise DaemonError(
                        f"another process keeps {lock.path} locked", hint="End it, or wait until it has ended."
                    )
                time.sleep(0.01)
        except OSError as error:
            raise DaemonError(f"can't lock {lock.path}: {error.strerror}") from None
        try:
            yield
        finally:
            lock.release()

    def _write(self, data: dict[str, object]) -> None:
        temporary = f"{self._path}.{os.getpid()}.new"
        try:
            fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(fd, "w", encoding="utf-8") as file:
                json.dump(data, file)
            os.replace(temporary, self._path)
        except OSError as error:
            raise DaemonError(f"can't write the token to {self._path}: {error.strerror}") from None


def _token(data: dict[str, object]) -> str:
    """Return the token of a file's content, "" without one that is long enough."""
    token = data.get("token")
    return token if isinstance(token, str) and len(token) >= TOKEN_BYTES else ""


def _dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _read(path: str) -> dict[str, object]:
    """Return the file's content, {} when it is missing or not valid JSON."""
    try:
        status = os.lstat(path)
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except (OSError, ValueError):
        return {}
    if os.name != "nt" and (status.st_mode & 0o077 or status.st_uid != os.getuid()):
        raise DaemonError(f"other users can read {path}", hint="Remove the file; the next call creates a new token.")
    return data if isinstance(data, dict) else {}
