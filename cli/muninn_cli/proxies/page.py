"""`muninn open`: make the daemon serve the page until this process ends, and show it in a browser.

The secret of the page is held here. A daemon that was killed is started again, and the open page works on.
"""

from __future__ import annotations

import contextlib
import html
import json
import os
import socket
import sys
from pathlib import Path
from typing import IO, NamedTuple

from muninn_cli.proxies.http_server import disconnect
from muninn_core.client import connect
from muninn_core.errors import BadParams, DaemonError, from_plain
from muninn_core.launch.access import HttpAccess
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import Address, runtime_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from muninn_cli.proxies.options import Options

SECRET_BYTES = 32


class Served(NamedTuple):
    """A connection to the daemon that keeps the page open, and the link, "" when it was sent before."""

    sock: socket.socket
    stream: IO[bytes]
    port: int
    link: str


def serve_page(options: Options, environ: Mapping[str, str]) -> int:
    """Serve the page until an interrupt, then return 0. Raises MuninnError."""
    location = locate(options.repo)
    if not location.has_memory:
        raise location.not_initialised()
    address = Address(runtime_directory(environ), location.identity)
    access = HttpAccess(address, location.root, "page_ports")
    secret = os.urandom(SECRET_BYTES).hex()
    served = _first(options, environ, access, secret)
    access.save_port(served.port)
    try:
        with _redirect(Path(f"{address.base}.page.{os.getpid()}.html"), served.link) as file:
            sys.stdout.write(f"The page of {location.root} is open until this command ends (Ctrl-C).\n")
            if options.print_link or not _show(file):
                sys.stdout.write(f"Open this link in a browser; it works once, within ten minutes:\n{served.link}\n")
            sys.stdout.flush()
            while not _left(served.stream):
                served.sock.close()
                served = _connect(options, environ, access, secret, served.port, linked=True)
                sys.stderr.write("The daemon was killed and started again; the page works on.\n")
    except KeyboardInterrupt:
        disconnect(served.sock)
        return 0
    finally:
        served.sock.close()
    raise DaemonError("the daemon left, and the page is closed", hint="Run `muninn open` again.")


def _first(options: Options, environ: Mapping[str, str], access: HttpAccess, secret: str) -> Served:
    """Open the page on the port of last time, or on any other when that is in use and none was named."""
    port = options.port or access.port
    try:
        return _connect(options, environ, access, secret, port, linked=False)
    except BadParams:
        if options.port or not port:
            raise
    return _connect(options, environ, access, secret, 0, linked=False)


def _connect(
    options: Options, environ: Mapping[str, str], access: HttpAccess, secret: str, port: int, *, linked: bool
) -> Served:
    fields = {"port": port, "secret": access.token, "page": secret, "linked": linked}
    sock, stream = connect(options.repo, environ, protocol="page", options=fields).detach()
    answer = json.loads(stream.readline() or b"{}")
    if "url" in answer:
        return Served(sock, stream, answer["port"], answer["link"])
    sock.close()
    if "error" in answer:
        raise from_plain(answer["error"])
    raise DaemonError("the daemon left before it served anything", hint="Try again.")


def _left(stream: IO[bytes]) -> bool:
    """Wait until the daemon disconnects; return whether it stopped on purpose."""
    try:
        return b'"leaving"' in stream.readline()
    except OSError:
        return False


@contextlib.contextmanager
def _redirect(file: Path, link: str) -> Iterator[Path]:
    """Write a file that leads to the link, readable by the user only.

    Other users of the machine can read the command line of the browser, so the link itself is not in it.
    """
    file.unlink(missing_ok=True)
    to = html.escape(link)
    file.touch(mode=0o600, exist_ok=False)
    file.write_text(
        '<!doctype html><meta name="referrer" content="no-referrer"><title>Muninn</title>\n'
        f'<meta http-equiv="refresh" content="0; url={to}"><a href="{to}">Open the page</a>\n',
        encoding="utf-8",
    )
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


def _show(file: Path) -> bool:
    """Open a file in the browser; return whether there is one."""
    import webbrowser

    return webbrowser.open(file.as_uri())
