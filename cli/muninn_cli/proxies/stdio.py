"""`muninn lsp`: copies bytes between stdio and the daemon without reading them.

An editor or agent waits for this process, so it imports little. `muninn mcp` is in `muninn_cli.proxies.mcp`.
`muninn mcp --http`, `muninn http`, `muninn gateway` and `muninn open` copy nothing: the daemon listens as long as this
process runs (`muninn_cli.proxies.http_server`, `muninn_cli.proxies.page`).
"""

from __future__ import annotations

import os
import socket
import sys
from threading import Thread

from muninn_cli.proxies.options import USAGE, Options, read_options
from muninn_core.client import connect
from muninn_core.errors import MuninnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

CHUNK = 65536
"""The most bytes that are copied at once."""


def main(argv: list[str]) -> int:
    """Serve stdin and stdout until either side ends. `argv` is lsp, mcp, http, gateway or open, and its options."""
    from muninn_cli import exit_codes

    command, *words = argv
    if "--help" in words or "-h" in words:
        sys.stdout.write(USAGE[command])
        return exit_codes.OK
    try:
        options = read_options(command, words, os.environ)
    except ValueError as error:
        sys.stderr.write(f"muninn {command}: {error}\n{USAGE[command]}")
        return exit_codes.USAGE
    try:
        if command == "open":
            from muninn_cli.proxies.page import serve_page

            return serve_page(options, os.environ)
        if options.http:
            from muninn_cli.proxies.http_server import serve_http

            return serve_http(command, options, os.environ)
        if command == "mcp":
            from muninn_cli.proxies.mcp import McpProxy

            _set_binary()
            McpProxy(lambda again: _connect_agent(options, again=again), 0, 1).run()
            return exit_codes.OK
        sock, stream = connect(options.repo, os.environ, protocol=command).detach()
    except MuninnError as error:
        from muninn_cli.terminal.safe_text import safe  # not above: every start of an agent would load `re`

        sys.stderr.write(safe(f"muninn {command}: {error.message}\n" + (f"{error.hint}\n" if error.hint else "")))
        return exit_codes.exit_code(error)
    _set_binary()
    Thread(target=_send, args=(0, sock), daemon=True).start()
    _receive(stream.read1, 1)
    sock.close()
    return exit_codes.OK


def _connect_agent(options: Options, *, again: bool) -> tuple[socket.socket, BinaryIO]:
    """Connect an agent to the daemon. A later daemon may be of another version: Muninn was updated meanwhile."""
    fields = {"tools": options.tools} if options.tools else {}
    return connect(options.repo, os.environ, protocol="mcp", options=fields, replace=not again).detach()


def _send(source: int, sock: socket.socket) -> None:
    """Copy the client's bytes to the daemon. At their end only the sending side closes, so responses still arrive."""
    try:
        while data := os.read(source, CHUNK):
            sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the daemon disconnected; the receiving side ends the process


def _receive(read: Callable[[int], bytes], target: int) -> None:
    """Copy the daemon's bytes to the client until either disconnects."""
    try:
        while data := read(CHUNK):
            view = memoryview(data)
            while view:
                view = view[os.write(target, view) :]
    except OSError:
        pass  # the client disconnected


def _set_binary() -> None:
    """Keep Windows from translating line ends."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(0, os.O_BINARY)
        msvcrt.setmode(1, os.O_BINARY)
