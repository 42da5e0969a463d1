"""`muninn mcp --http`, `muninn http` and `muninn gateway`: make the daemon serve HTTP until this process ends.

When the daemon is gone (killed, stopped, or replaced after an upgrade), this process holds the port, and the next
request starts another daemon.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys

from muninn_cli.proxies.http_waiting import listen, serve_next
from muninn_core.client import connect
from muninn_core.errors import DaemonError, MuninnError, from_plain
from muninn_core.launch.access import HttpAccess
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import Address, runtime_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO, Any

    from muninn_cli.proxies.options import Options

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
    location = locate(options.repo)
    access = HttpAccess(Address(runtime_directory(environ), location.identity), location.root, service.ports)
    if options.print_header:
        sys.stdout.write(f"Authorization: Bearer {access.token}\n")
        return 0
    if options.print_config:
        port = options.port or access.port or _free_port()
        access.save_port(port)
        sys.stdout.write(_settings(command, f"http://127.0.0.1:{port}{service.path}", access.token))
        return 0
    server = _Server(options, environ, service, access.token)
    try:
        server.serve(options.port or access.port, again=False)
        access.save_port(server.port)
        sys.stdout.write(f"{service.title} for {location.root}: {server.url}\n")
        sys.stdout.write(f"The token and a client's settings: {service.command} --print-config\n")
        sys.stdout.flush()
        while True:
            server.wait()
            listener = listen(server.port)
            sys.stderr.write("The daemon has left. The next request starts another one.\n")
            serve_next(listener, server.start, lambda: server.serve(server.port, again=True))
            sys.stderr.write("Another daemon serves.\n")
    except KeyboardInterrupt:
        return 0
    finally:
        server.close()


class _Server:
    """The connection to the daemon, which serves HTTP as long as the connection is open."""

    def __init__(self, options: Options, environ: Mapping[str, str], service: Service, token: str) -> None:
        self._options = options
        self._environ = environ
        self._service = service
        self._token = token
        self._socket: socket.socket | None = None
        self._stream: IO[bytes] | None = None
        self.port = 0
        self.url = ""

    def start(self) -> None:
        """Start the daemon, if none runs. It may be of another version: Muninn was updated. Raises MuninnError."""
        self._replace(*connect(self._options.repo, self._environ, replace=False).detach())

    def serve(self, port: int, *, again: bool) -> None:
        """Make the daemon listen on a port, any when it is 0. `again`: not for the first time. Raises MuninnError."""
        fields: dict[str, Any] = {"port": port, "secret": self._token, "tools": self._options.tools}
        client = connect(
            self._options.repo, self._environ, protocol=self._service.protocol, options=fields, replace=not again
        )
        sock, stream = client.detach()
        self._replace(sock, stream)
        answer = json.loads(stream.readline() or b"{}")
        if "error" in answer:
            raise from_plain(answer["error"])
        if "url" not in answer:
            raise DaemonError("the daemon left before it served anything", hint="Try again.")
        self.port, self.url = answer["port"], answer["url"]

    def wait(self) -> None:
        """Wait until the daemon leaves."""
        if self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.read()

    def close(self) -> None:
        """Disconnect, and wait until the daemon has closed the port."""
        if self._socket is not None:
            disconnect(self._socket)
            self._socket.close()

    def _replace(self, sock: socket.socket, stream: IO[bytes]) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket, self._stream = sock, stream


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
