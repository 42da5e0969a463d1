"""`muninn mcp --http`: makes the daemon serve MCP over HTTP until this process or the daemon ends."""

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

    from muninn_cli.proxy_options import Options

URL = "http://127.0.0.1:{}/mcp"

CLOSE_SECONDS = 5.0
"""How long to wait for the daemon to close the port."""


def serve_http(options: Options, environ: Mapping[str, str]) -> int:
    """Serve, or print a client's settings. Returns 0 after an interrupt. Raises MuninnError."""
    place = locate(options.repo)
    access = HttpAccess(Address(runtime_directory(environ), place.identity), place.root)
    if options.print_config:
        port = options.port or access.port or _free_port()
        access.save_port(port)
        sys.stdout.write(settings(URL.format(port), access.token))
        return 0
    fields = {"port": options.port or access.port, "secret": access.token, "tools": options.tools}
    sock, stream = connect(options.repo, environ, face="mcp-http", options=fields).detach()
    try:
        answer = json.loads(stream.readline() or b"{}")
        if "error" in answer:
            raise from_plain(answer["error"])
        if "url" not in answer:
            raise DaemonError("the daemon left before it served anything", hint="Try again.")
        access.save_port(answer["port"])
        sys.stdout.write(f"MCP for {place.root}: {answer['url']}\n")
        sys.stdout.write("The token and a client's settings: muninn mcp --http --print-config\n")
        sys.stdout.flush()
        stream.read()
    except KeyboardInterrupt:
        _disconnect(sock)
        return 0
    finally:
        sock.close()
    raise DaemonError("the daemon left, and the port is closed", hint="Start `muninn mcp --http` again.")


def _disconnect(sock: socket.socket) -> None:
    """Disconnect, and wait until the daemon has closed the port."""
    try:
        sock.shutdown(socket.SHUT_WR)
        sock.settimeout(CLOSE_SECONDS)
        while sock.recv(4096):
            pass
    except OSError:
        pass  # the daemon has disconnected, or needs longer


def settings(url: str, token: str) -> str:
    """Return the settings of an MCP client, in the form that most clients read."""
    headers = {"Authorization": f"Bearer {token}"}
    server = {"type": "http", "url": url, "headers": headers}
    return json.dumps({"mcpServers": {"muninn": server}}, indent=2) + "\n"


def _free_port() -> int:
    """Return a free port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        try:
            sock.bind(("127.0.0.1", 0))
        except OSError as error:
            raise MuninnError(f"there is no free port: {error}") from None
        port: int = sock.getsockname()[1]
        return port
