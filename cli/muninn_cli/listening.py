"""`muninn mcp --http`: ask the daemon to serve MCP over HTTP, say where, and stay until one of the two leaves."""

from __future__ import annotations

import json
import socket
import sys

from muninn_core.client import connect
from muninn_core.errors import DaemonError, MuninnError, from_plain
from muninn_core.launch.access import HttpAccess
from muninn_core.launch.place import locate
from muninn_core.launch.runtime import Address, runtime_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from muninn_cli.pump import Wishes

URL = "http://127.0.0.1:{}/mcp"

LEAVE_SECONDS = 5.0
"""How long to wait for the daemon to close what it serves."""


def listen(wishes: Wishes, environ: Mapping[str, str]) -> int:
    """Serve, or print a client's settings. Returns 0 when the user ended it; raises MuninnError."""
    place = locate(wishes.repo)
    access = HttpAccess(Address(runtime_directory(environ), place.identity), place.root)
    if wishes.print_config:
        port = wishes.port or access.port or _free_port()
        access.save_port(port)
        sys.stdout.write(settings(URL.format(port), access.token))
        return 0
    asked = {"port": wishes.port or access.port, "secret": access.token, "tools": wishes.tools}
    sock, stream = connect(wishes.repo, environ, face="mcp-http", options=asked).detach()
    try:
        answer = json.loads(stream.readline() or b"{}")
        if "error" in answer:
            raise from_plain(answer["error"])
        if "url" not in answer:
            raise DaemonError("the daemon left", hint="Try again.")
        access.save_port(answer["port"])
        sys.stdout.write(f"MCP for {place.root}: {answer['url']}\n")
        sys.stdout.write("The token and a client's settings: muninn mcp --http --print-config\n")
        sys.stdout.flush()
        stream.read()
    except KeyboardInterrupt:
        _hang_up(sock)
        return 0
    finally:
        sock.close()
    raise DaemonError("the daemon left, and nothing is served any more", hint="Start `muninn mcp --http` again.")


def _hang_up(sock: socket.socket) -> None:
    """Say that it is enough, and wait until nothing is served any more."""
    try:
        sock.shutdown(socket.SHUT_WR)
        sock.settimeout(LEAVE_SECONDS)
        while sock.recv(4096):
            pass
    except OSError:
        pass  # it is gone, or takes its time to go


def settings(url: str, token: str) -> str:
    """Return the settings of an MCP client, in the form that most of them share."""
    headers = {"Authorization": f"Bearer {token}"}
    server = {"type": "http", "url": url, "headers": headers}
    return json.dumps({"mcpServers": {"muninn": server}}, indent=2) + "\n"


def _free_port() -> int:
    """Return a port that nobody listens on now; it is kept, so that the settings hold."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        try:
            sock.bind(("127.0.0.1", 0))
        except OSError as error:
            raise MuninnError(f"there is no free port: {error}") from None
        port: int = sock.getsockname()[1]
        return port
