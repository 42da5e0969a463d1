"""Editors for tests: pytest-lsp's client, and a bare one that sends and sees the very bytes. A pytest plugin."""

from __future__ import annotations

import asyncio
import functools
import json
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import LanguageClient, make_test_lsp_client
from repositories import MUNINN, Home, kill_daemon, make_home, stop_daemon

from muninn_core import client
from muninn_core.protocol import wire


class BareEditor:
    """Exchanges raw frames with one `muninn lsp`. Notifications are collected in `notices`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.notices: list[dict[str, Any]] = []
        self._number = 0

    async def send(self, *messages: dict[str, Any]) -> None:
        """Send messages in one write."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(wire.frame({"jsonrpc": "2.0", **message}) for message in messages))
        await self.process.stdin.drain()

    async def read(self) -> dict[str, Any]:
        """Return the next message."""
        assert self.process.stdout is not None
        header = await self.process.stdout.readuntil(b"\r\n\r\n")
        message: dict[str, Any] = json.loads(await self.process.stdout.readexactly(wire.content_length(header)))
        return message

    async def answer(self, number: object) -> dict[str, Any]:
        """Return the answer to one request; notifications before it are kept."""
        while True:
            message = await self.read()
            if message.get("id") == number and "method" not in message:
                return message
            self.notices.append(message)

    async def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request and return its answer, result or error."""
        self._number += 1
        await self.send({"id": self._number, "method": method, "params": params})
        return await self.answer(self._number)

    async def result(self, method: str, params: Any = None) -> Any:
        """Send a request and return its result."""
        answer = await self.ask(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    async def execute(self, command: str, *arguments: Any) -> dict[str, Any]:
        """Run a command and return the answer."""
        return await self.ask("workspace/executeCommand", {"command": command, "arguments": list(arguments)})


Bare = Callable[..., Coroutine[Any, Any, BareEditor]]
BareIn = Callable[..., Coroutine[Any, Any, BareEditor]]
Open = Callable[..., Coroutine[Any, Any, LanguageClient]]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """One repository and one daemon for all tests that can share them; each has its own files and sessions there."""
    root, environ = make_home(tmp_path_factory.mktemp("home"))
    with client.connect(str(root), environ) as muninn:
        muninn.call("init")
    yield Home(root, environ)
    kill_daemon(root, environ)
    shutil.rmtree(environ["MUNINN_RUNTIME_DIR"], ignore_errors=True)


@pytest_asyncio.fixture
async def bare_in() -> AsyncIterator[BareIn]:
    """A function that starts `muninn lsp` on a folder and, unless told otherwise, does the handshake."""
    processes: list[asyncio.subprocess.Process] = []

    async def start(
        folder: Path,
        environ: Mapping[str, str],
        *,
        handshake: bool = True,
        capabilities: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> BareEditor:
        process = await asyncio.create_subprocess_exec(
            *(MUNINN, "lsp", "--repo", str(folder)), stdin=-1, stdout=-1, env=dict(environ)
        )
        processes.append(process)
        editor = BareEditor(process)
        if handshake:
            params = {"processId": None, "rootUri": folder.as_uri(), "capabilities": dict(capabilities or {})}
            params |= {"initializationOptions": dict(options)} if options is not None else {}
            await editor.result("initialize", params)
            await editor.send({"method": "initialized", "params": {}})
        return editor

    yield start
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()


@pytest.fixture
def bare(home: Home, bare_in: BareIn) -> Bare:
    """The same on the shared repository."""
    return functools.partial(bare_in, home.repo, home.environ)


@pytest_asyncio.fixture
async def open_editor(home: Home) -> AsyncIterator[Open]:
    """A function that starts pytest-lsp's client on the shared repository and does the handshake."""
    clients: list[LanguageClient] = []

    async def start(encoding: str = "utf-16", folder: Path | None = None) -> LanguageClient:
        client = make_test_lsp_client()
        await client.start_io(MUNINN, "lsp", "--repo", str(home.repo), env=home.environ)
        clients.append(client)
        await client.initialize_session(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(
                    general=types.GeneralClientCapabilities(position_encodings=[encoding]),
                    window=types.WindowClientCapabilities(work_done_progress=True),
                ),
                root_uri=(folder or home.repo).as_uri(),
            )
        )
        return client

    yield start
    for opened in clients:
        await opened.shutdown_session()
        await opened.stop()


@pytest.fixture
def many_files(repo: Path, environ: dict[str, str]) -> Home:
    """A separate, unindexed repository with so much code that indexing takes some time."""
    stop_daemon(repo, environ)
    for number in range(300):
        body = "\n\n".join(f"def step_{number}_{i}(value):\n    return value * {i} + {number}" for i in range(20))
        (repo / f"module_{number}.py").write_text(body + "\n")
    return Home(repo, environ)
