"""The token and ports of MCP over HTTP and of the HTTP API, stored so that a client's settings stay valid.

The file is in the runtime directory, readable by the user only, and is created on first use. Removing it revokes the
token.
"""

from __future__ import annotations

import json
import os

from muninn_core.errors import DaemonError
from muninn_core.launch.runtime import Address

TOKEN_BYTES = 32


class HttpAccess:
    """The token and last port of a work tree. Port 0 means that none is stored.

    `ports` is the field of the file that keeps the ports: `ports` of MCP, `api_ports` of the HTTP API.
    """

    __slots__ = ("_data", "_field", "_path", "_ports", "_root", "token")

    def __init__(self, address: Address, root: str, ports: str = "ports") -> None:
        """Read the file or create it. Raises DaemonError when it can't be written or others can read it."""
        self._path = address.base + ".mcp.json"
        self._root = root
        self._field = ports
        self._data = _read(self._path)
        known = self._data.get(ports)
        self._ports: dict[str, object] = known if isinstance(known, dict) else {}
        token = self._data.get("token")
        self.token = token if isinstance(token, str) else ""
        if len(self.token) < TOKEN_BYTES:
            self.token = os.urandom(TOKEN_BYTES).hex()
            self._write()

    @property
    def port(self) -> int:
        """The port of the last server for this work tree, 0 when none is stored."""
        port = self._ports.get(self._root)
        return port if isinstance(port, int) and 0 < port < 65536 else 0

    def save_port(self, port: int) -> None:
        """Store the port for the next server. Raises DaemonError when the file can't be written."""
        if port != self.port:
            self._ports = {**self._ports, self._root: port}
            self._write()

    def _write(self) -> None:
        temporary = f"{self._path}.{os.getpid()}.new"
        try:
            fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(fd, "w", encoding="utf-8") as file:
                json.dump({**self._data, "token": self.token, self._field: self._ports}, file)
            os.replace(temporary, self._path)
        except OSError as error:
            raise DaemonError(f"can't write the token to {self._path}: {error.strerror}") from None


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
