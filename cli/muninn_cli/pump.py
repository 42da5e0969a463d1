"""`muninn lsp` and `muninn mcp`: copy bytes between stdio and the daemon, and understand none of them.

An editor or agent waits for this process, so it imports little and speaks to a daemon that has paid for the rest.
"""

from __future__ import annotations

import os
import socket
import sys
from threading import Thread

from muninn_core.client import connect
from muninn_core.errors import MuninnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CHUNK = 65536
"""The most bytes that are copied at once."""

_USAGE = (
    "usage: muninn {lsp|mcp} [--repo DIR]\n\nServe stdio from the repository's daemon, which is started when needed.\n"
)


def main(argv: list[str]) -> int:
    """Serve stdin and stdout; `argv` is the face (lsp or mcp) and its options. Returns when either side ends."""
    from muninn_cli.exits import USAGE, exit_code

    face, *options = argv
    if "--help" in options or "-h" in options:
        sys.stdout.write(_USAGE)
        return 0
    try:
        repo = repository(face, options, os.environ)
    except ValueError as error:
        sys.stderr.write(f"muninn {face}: {error}\n{_USAGE}")
        return USAGE
    try:
        sock, stream = connect(repo, os.environ, face=face).detach()
    except MuninnError as error:
        sys.stderr.write(f"muninn {face}: {error.message}\n" + (f"{error.hint}\n" if error.hint else ""))
        return exit_code(error)
    _binary()
    Thread(target=_send, args=(0, sock), daemon=True).start()
    _receive(stream.read1, 1)
    sock.close()
    return 0


def repository(face: str, options: list[str], environ: Mapping[str, str]) -> str:
    """Return the folder to serve: `--repo`, for agents the project that Claude Code names, or the current folder.

    `--stdio` and `--json`, which clients add of their own accord, say nothing new. Raises ValueError for others.
    """
    repo = (environ.get("CLAUDE_PROJECT_DIR") if face == "mcp" else None) or "."
    rest = iter(options)
    for option in rest:
        if option == "--repo":
            given = next(rest, None)
            if given is None:
                raise ValueError("--repo needs a folder")
            repo = given
        elif option.startswith("--repo="):
            repo = option[len("--repo=") :]
        elif option not in ("--stdio", "--json"):
            raise ValueError(f"there is no option '{option}'")
    return repo


def _send(source: int, sock: socket.socket) -> None:
    """Copy what the client says; its end is passed on, and what the daemon still answers is not lost."""
    try:
        while data := os.read(source, CHUNK):
            sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the daemon hung up; the receiving side ends the process


def _receive(read: Callable[[int], bytes], target: int) -> None:
    """Copy what the daemon says, until it or the client is gone."""
    try:
        while data := read(CHUNK):
            view = memoryview(data)
            while view:
                view = view[os.write(target, view) :]
    except OSError:
        pass  # the client is gone: nobody is left to tell


def _binary() -> None:
    """Keep Windows from translating line ends."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(0, os.O_BINARY)
        msvcrt.setmode(1, os.O_BINARY)
