"""The key to MCP over HTTP: a token, and the port of each work tree, so that a client's settings hold for longer.

They lie in the runtime directory, in a file that only the user can read, and are made when they are first asked for. To
take a token back, remove the file; it goes with the runtime directory.
"""

from __future__ import annotations

import json
import os

from muninn_core.errors import DaemonError
from muninn_core.launch.runtime import Address

TOKEN_BYTES = 32


class Access:
    """Token and port of a work tree. `port` 0 is whatever is free; it is kept once it is known."""

    __slots__ = ("_path", "_ports", "_root", "token")

    def __init__(self, address: Address, root: str) -> None:
        """Read the file, or make it. Raises DaemonError when that can't be done, or others could read it."""
        self._path = address.base + ".mcp.json"
        self._root = root
        known = _read(self._path)
        ports = known.get("ports")
        self._ports: dict[str, object] = ports if isinstance(ports, dict) else {}
        token = known.get("token")
        self.token = token if isinstance(token, str) else ""
        if len(self.token) < TOKEN_BYTES:
            self.token = os.urandom(TOKEN_BYTES).hex()
            self._write()

    @property
    def port(self) -> int:
        """The port that the work tree was served on last."""
        port = self._ports.get(self._root)
        return port if isinstance(port, int) and 0 < port < 65536 else 0

    def keep_port(self, port: int) -> None:
        """Keep the port for the next time. Raises DaemonError when the file can't be written."""
        if port != self.port:
            self._ports = {**self._ports, self._root: port}
            self._write()

    def _write(self) -> None:
        fresh = f"{self._path}.{os.getpid()}.new"
        try:
            fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(fd, "w", encoding="utf-8") as file:
                json.dump({"token": self.token, "ports": self._ports}, file)
            os.replace(fresh, self._path)
        except OSError as error:
            raise DaemonError(f"the token can't be kept in {self._path}: {error.strerror}") from None


def _read(path: str) -> dict[str, object]:
    """Return what the file holds, {} when there is none or it is broken."""
    try:
        status = os.lstat(path)
        with open(path, encoding="utf-8") as file:
            known = json.load(file)
    except (OSError, ValueError):
        return {}
    if os.name != "nt" and (status.st_mode & 0o077 or status.st_uid != os.getuid()):
        raise DaemonError(f"others can read {path}", hint="Remove it; the next call makes another token.")
    return known if isinstance(known, dict) else {}
