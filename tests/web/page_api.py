"""The page of `muninn open` for tests: how to run it, and requests as a browser sends them."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from http_api import Answer, Stream, streaming
from interrupts import interruptible
from repositories import MUNINN, PATIENCE


class PageServer(NamedTuple):
    """A repository whose page is open: the process of `muninn open`, and the link that works once."""

    repo: Path
    environ: dict[str, str]
    process: subprocess.Popen[str]
    link: str

    @property
    def port(self) -> int:
        return int(re.findall(r":(\d+)/", self.link)[0])

    def request(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send a request; an empty header is left out."""
        given = {"Host": f"127.0.0.1:{self.port}", **{name.replace("_", "-"): each for name, each in headers.items()}}
        if body is not None:
            given["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, {name: value for name, value in given.items() if value})
        response = connection.getresponse()
        found = Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        connection.close()
        return found


class Opened(NamedTuple):
    """A browser that used the link: the page's folder, its cookie and its token."""

    server: PageServer
    folder: str
    cookie: str
    token: str

    def get(self, name: str = "", **headers: str) -> Answer:
        return self.server.request("GET", self.folder + name, **{"Cookie": self.cookie, **headers})

    @contextlib.contextmanager
    def events(self, last: str = "") -> Iterator[Stream]:
        """Open the page's event stream."""
        with streaming(self.server.port, f"{self.folder}events", f"Cookie: {self.cookie}", last) as stream:
            yield stream

    def post(self, verb: str, params: Any = None, at: str = "", **headers: str) -> Answer:
        """Call a verb as the page does, of the repository with the key `at`, unless headers say otherwise."""
        own = f"http://127.0.0.1:{self.server.port}"
        given = {"Cookie": self.cookie, "Origin": own, "X_Muninn_Page": self.token, **headers}
        body = {"jsonrpc": "2.0", "id": 1, "method": f"muninn/{verb}", "params": params or {}}
        return self.server.request("POST", f"{self.folder}{f'at/{at}/' if at else ''}rpc", body, **given)


def open_link(server: PageServer) -> Opened:
    """Use the link as a browser does."""
    answer = server.request("GET", server.link.partition(str(server.port))[2])
    assert answer.status == 200, answer.body
    cookie = answer.headers["set-cookie"].partition(";")[0]
    (folder,) = set(re.findall(rb"/page/[0-9a-f]{32}/", answer.body))
    page = server.request("GET", folder.decode(), Cookie=cookie)
    (token,) = re.findall(rb'name="token" content="([0-9a-f]{64})"', page.body)
    return Opened(server, folder.decode(), cookie, token.decode())


@contextlib.contextmanager
def page_of(repo: Path, environ: dict[str, str]) -> Iterator[PageServer]:
    """Run `muninn open --print`."""
    command = [MUNINN, "open", "--print", "--repo", str(repo)]
    with interruptible():
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environ)
    with process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(3)]
        assert said[2].startswith("http://127.0.0.1:"), said
        try:
            yield PageServer(repo, environ, process, said[2].strip())
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
