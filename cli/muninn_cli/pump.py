"""`muninn lsp` and `muninn mcp`: copy bytes between stdio and the daemon, and understand none of them.

An editor or agent waits for this process, so it imports little and speaks to a daemon that has paid for the rest.
`muninn mcp --http` copies nothing: the daemon itself listens, as long as this process stays (`muninn_cli.listening`).
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
    from collections.abc import Callable, Iterator, Mapping

CHUNK = 65536
"""The most bytes that are copied at once."""

_USAGE = {
    "lsp": (
        "usage: muninn lsp [--repo DIR]\n\nServe stdio from the repository's daemon, which is started when needed.\n"
    ),
    "mcp": (
        "usage: muninn mcp [--repo DIR] [--tools SET[,SET]]\n"
        "       muninn mcp --http [--port N] [--print-config] [--repo DIR] [--tools SET[,SET]]\n"
        "\n"
        "Serve stdio from the repository's daemon, which is started when needed.\n"
        "\n"
        "  --tools SET      core (the default), all or mnemosyne; more than one with commas\n"
        "  --http           let the daemon serve HTTP on 127.0.0.1 until this command ends\n"
        "  --port N         on this port; otherwise the last one, or any that is free\n"
        "  --print-config   print a client's settings, with address and token, and serve nothing\n"
    ),
}


class Wishes:
    """What the options say: the folder to serve, the sets of tools, and for HTTP whether, where, and what to do."""

    __slots__ = ("http", "port", "print_config", "repo", "tools")

    def __init__(self, repo: str) -> None:
        self.repo = repo
        self.tools: list[str] = []
        self.http = False
        self.port = 0
        self.print_config = False


def main(argv: list[str]) -> int:
    """Serve stdin and stdout; `argv` is the face (lsp or mcp) and its options. Returns when either side ends."""
    from muninn_cli.exits import USAGE, exit_code

    face, *options = argv
    if "--help" in options or "-h" in options:
        sys.stdout.write(_USAGE[face])
        return 0
    try:
        wishes = read_options(face, options, os.environ)
    except ValueError as error:
        sys.stderr.write(f"muninn {face}: {error}\n{_USAGE[face]}")
        return USAGE
    try:
        if wishes.http:
            from muninn_cli.listening import listen

            return listen(wishes, os.environ)
        sock, stream = connect(wishes.repo, os.environ, face=face, options=told(wishes)).detach()
    except MuninnError as error:
        sys.stderr.write(f"muninn {face}: {error.message}\n" + (f"{error.hint}\n" if error.hint else ""))
        return exit_code(error)
    _binary()
    Thread(target=_send, args=(0, sock), daemon=True).start()
    _receive(stream.read1, 1)
    sock.close()
    return 0


def read_options(face: str, options: list[str], environ: Mapping[str, str]) -> Wishes:
    """Return what the options say. The folder is `--repo`, for agents the one that Claude Code names, or the current.

    `--stdio` and `--json`, which clients add of their own accord, say nothing new. Raises ValueError for others.
    """
    wishes = Wishes((environ.get("CLAUDE_PROJECT_DIR") if face == "mcp" else None) or ".")
    rest = iter(options)
    for word in rest:
        option, given, value = word.partition("=")
        if option == "--repo":
            wishes.repo = value if given else _value(rest, "--repo needs a folder")
        elif face == "mcp" and option == "--tools":
            names = value if given else _value(rest, "--tools needs the name of a set")
            wishes.tools += [name for name in names.split(",") if name]
        elif face == "mcp" and option == "--port":
            wishes.port = _port(value if given else _value(rest, "--port needs a number"))
        elif face == "mcp" and word in ("--http", "--print-config"):
            wishes.http = wishes.http or word == "--http"
            wishes.print_config = wishes.print_config or word == "--print-config"
        elif word not in ("--stdio", "--json"):
            raise ValueError(f"there is no option '{word}'")
    if not wishes.http and (wishes.port or wishes.print_config):
        raise ValueError("--port and --print-config go with --http")
    return wishes


def told(wishes: Wishes) -> dict[str, object]:
    """Return what the daemon is told of the options in its hello."""
    return {"tools": wishes.tools} if wishes.tools else {}


def _value(rest: Iterator[str], lacks: str) -> str:
    value = next(rest, None)
    if not value:
        raise ValueError(lacks)
    return value


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise ValueError(f"'{text}' is no port: 1 to 65535")
    return int(text)


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
