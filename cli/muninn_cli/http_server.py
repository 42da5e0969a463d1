"""`muninn mcp --http`, `muninn http` and `muninn gateway`: make the daemon serve HTTP until this process or it ends."""

from __future__ import annotations

import json
import socket
import sys

from muninn_core.client import connect
from muninn_core.errors import DaemonError, MuninnError, from_plain
from muninn_core.launch.access import HttpAccess
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import Address, runtime_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from muninn_cli.proxy_options import Options

CLOSE_SECONDS = 5.0
"""How long to wait for the daemon to close the port."""


class Service:
    """What is served over HTTP: MCP, the API or the gateway.

    `protocol` is that of the connection to the daemon, `ports` the field of the file of access that keeps the port.
    """

    __slots__ = ("command", "path", "ports", "protocol", "title")

    def __init__(self, protocol: str, title: str, command: str, path: str, ports: str) -> None:
        self.protocol = protocol
        self.title = title
        self.command = command
        self.path = path
        self.ports = ports


SERVICES = {
    "mcp": Service("mcp-http", "MCP", "muninn mcp --http", "/mcp", "ports"),
    "http": Service("http", "The HTTP API", "muninn http", "", "api_ports"),
    "gateway": Service("gateway", "The gateway", "muninn gateway", "", "gateway_ports"),
}
"""The services by the word of their command."""


def serve_http(command: str, options: Options, environ: Mapping[str, str]) -> int:
    """Serve, or print what a client needs. Returns 0 after an interrupt. Raises MuninnError."""
    service = SERVICES[command]
    place = locate(options.repo)
    access = HttpAccess(Address(runtime_directory(environ), place.identity), place.root, service.ports)
    if options.print_header:
        sys.stdout.write(f"Authorization: Bearer {access.token}\n")
        return 0
    if options.print_config:
        port = options.port or access.port or _free_port()
        access.save_port(port)
        sys.stdout.write(_settings(command, f"http://127.0.0.1:{port}{service.path}", access.token))
        return 0
    fields = {"port": options.port or access.port, "secret": access.token, "tools": options.tools}
    sock, stream = connect(options.repo, environ, protocol=service.protocol, options=fields).detach()
    try:
        answer = json.loads(stream.readline() or b"{}")
        if "error" in answer:
            raise from_plain(answer["error"])
        if "url" not in answer:
            raise DaemonError("the daemon left before it served anything", hint="Try again.")
        access.save_port(answer["port"])
        sys.stdout.write(f"{service.title} for {place.root}: {answer['url']}\n")
        sys.stdout.write(f"The token and a client's settings: {service.command} --print-config\n")
        sys.stdout.flush()
        stream.read()
    except KeyboardInterrupt:
        disconnect(sock)
        return 0
    finally:
        sock.close()
    raise DaemonError("the daemon left, and the port is closed", hint=f"Start `{service.command}` again.")


def disconnect(sock: socket.socket) -> None:
    """Disconnect, and wait until the daemon has closed the port."""
    try:
        sock.shutdown(socket.SHUT_WR)
        sock.settimeout(CLOSE_SECONDS)
        while sock.recv(4096):
            pass
    except OSError:
        pass  # the daemon has disconnected, or needs longer


def _settings(command: str, url: str, token: str) -> str:
    """Return the settings of a client; those of an MCP client are in the form that most clients read."""
    headers = {"Authorization": f"Bearer {token}"}
    settings: dict[str, object] = {"url": url, "headers": headers}
    if command == "mcp":
        settings = {"mcpServers": {"muninn": {"type": "http", **settings}}}
    return json.dumps(settings, indent=2) + "\n"


def _free_port() -> int:
    """Return a free port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        try:
            sock.bind(("127.0.0.1", 0))
        except OSError as error:
            raise MuninnError(f"there is no free port: {error}") from None
        port: int = sock.getsockname()[1]
        return port
