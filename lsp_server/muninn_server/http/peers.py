"""The running daemons of the user's other repositories: calls of their verbs, and their events in the page's stream.

Daemons are found by their info files in the runtime directory, which only the user can read. None is started.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from muninn_core import client
from muninn_core.errors import DaemonError, MuninnError
from muninn_core.model.value import Value, encode_json
from muninn_core.protocol import wire
from muninn_server.events.feed import Batch, Message, Subscriber, sse_frame
from muninn_server.http_listener import log
from muninn_server.rpc import Unreadable, read_message

SCAN_SECONDS = 2.0
"""How often an open page looks for daemons that began."""

NAME = "muninn open"
"""The name of the client for other daemons."""

_CALLS = 4
"""Calls of other daemons at once."""


class Peer(NamedTuple):
    """Another repository: the name of its files in the runtime directory, and its root."""

    key: str
    root: str


class Peers:
    """The other daemons of the user. `runtime` is the runtime directory, "" for none; `own` the key of this one."""

    def __init__(self, runtime: str, own: str) -> None:
        self.own = own
        self._runtime = runtime
        self._pool = ThreadPoolExecutor(_CALLS, "peer")

    def listed(self) -> dict[str, str]:
        """Return the roots of all repositories with an info file, by key. The daemon may have been killed since."""
        found = {}
        for file in Path(self._runtime).glob("*.json") if self._runtime else ():
            try:
                found[file.stem] = str(json.loads(file.read_bytes())["root"])
            except (OSError, ValueError, KeyError, TypeError):
                continue  # it has ended
        found.pop(self.own, None)
        return found

    def running(self) -> list[Peer]:
        """Return the repositories whose daemons answer, by root."""
        found = []
        for key, root in self.listed().items():
            with contextlib.suppress(MuninnError, OSError):
                self.connect(root).close()
                found.append(Peer(key, root))
        return sorted(found, key=lambda each: each.root)

    def connect(self, root: str) -> client.Client:
        """Connect to a daemon that runs. Raises MuninnError."""
        return client.connect(root, {"MUNINN_RUNTIME_DIR": self._runtime}, start=False, name=NAME)

    def at(self, key: str) -> Remote:
        """Return what calls verbs of a repository. Raises DaemonError for one whose daemon does not run."""
        root = self.listed().get(key)
        if root is None:
            raise DaemonError("the daemon of this repository has ended", hint="`muninn open` there starts it again.")
        return Remote(self, root, self._pool)

    def stamp(self) -> int:
        """Return a number that changes when a daemon begins or ends."""
        try:
            return Path(self._runtime).stat().st_mtime_ns
        except OSError:
            return 0


class Remote:
    """Calls verbs of another daemon, with the rights of the user."""

    def __init__(self, peers: Peers, root: str, pool: ThreadPoolExecutor) -> None:
        self.root = root
        self._peers = peers
        self._pool = pool

    async def call(
        self,
        verb: str,
        raw: Any,
        finish: Callable[[Value], bytes] = encode_json,
        *,
        cancelled: threading.Event | None = None,
    ) -> bytes:
        """Call a verb and return its result as JSON; `finish` and `cancelled` have no effect. Raises MuninnError."""
        return encode_json(await self.plain(verb, raw))

    async def plain(self, verb: str, raw: Any) -> dict[str, Any]:
        """Call a verb and return its result. Raises MuninnError."""

        def work() -> dict[str, Any]:
            with self._peers.connect(self.root) as muninn:
                return muninn.call(verb, raw)

        return await asyncio.get_running_loop().run_in_executor(self._pool, work)


class Merged:
    """Adds the events of all other repositories to one stream, as they come and go.

    The id of a message is a list of ids, one for each repository. `last` is the one of this repository.
    """

    def __init__(self, peers: Peers, last: str) -> None:
        self._peers = peers
        self._ids = {each[:16]: each for each in last.split(",") if each}
        self.last = self._ids.get(peers.own, "")
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._live: dict[str, str] = {}

    def encode(self, message: Message) -> bytes:
        """Return a message of the stream; its id continues in all repositories."""
        if not message.identity:
            return sse_frame(message.kind, message.data)
        self._ids[message.identity[:16]] = message.identity
        return sse_frame(message.kind, message.data, ",".join(self._ids.values()))

    @contextlib.asynccontextmanager
    async def following(self, subscriber: Subscriber) -> AsyncIterator[None]:
        """Offer the messages of the other repositories while the context lasts."""
        scan = asyncio.create_task(self._scan(subscriber))
        try:
            yield
        finally:
            for task in (scan, *self._tasks.values()):
                task.cancel()

    async def _scan(self, subscriber: Subscriber) -> None:
        seen = -1
        while True:
            stamp = self._peers.stamp()
            if stamp != seen:
                seen = stamp
                for key, root in (await asyncio.to_thread(self._peers.listed)).items():
                    if key not in self._tasks:
                        self._tasks[key] = asyncio.create_task(self._follow(Peer(key, root), subscriber))
            await asyncio.sleep(SCAN_SECONDS)

    async def _follow(self, one: Peer, subscriber: Subscriber) -> None:
        try:
            while await self._stream(one, subscriber):
                pass  # it was too slow, and continues where it was
        except (MuninnError, OSError, EOFError):
            pass  # it has ended, or ends; the next scan finds it when it runs again
        except Exception:  # the page shows the other repositories on
            log.exception("the events of %s can't be followed", one.root)
        finally:
            self._tasks.pop(one.key, None)
            if self._live.pop(one.key, None) is not None:
                self._announce(subscriber)

    async def _stream(self, one: Peer, subscriber: Subscriber) -> bool:
        """Offer messages until the connection ends; return whether to connect again at once."""
        sock = await asyncio.to_thread(self._connected, one.root)
        sock.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=sock)
        try:
            last = self._ids.get(one.key, "")
            writer.write(wire.request(1, "muninn/subscribe", {"last": last} if last else {}))
            answer = await read_message(reader)
            if "error" in answer:
                log.info("the daemon of %s sends no events: %s", one.root, answer["error"].get("message"))
            else:
                state = answer["result"]
                subscriber.offer(Batch([Message("state", encode_json(state["state"]), state["id"])]))
            self._live[one.key] = one.root
            self._announce(subscriber)
            while True:
                with contextlib.suppress(Unreadable):  # an event that is too long; the next one can be read
                    params = (await read_message(reader))["params"]
                    if params["kind"] == "dropped":
                        return True
                    message = Message(params["kind"], encode_json(params["data"]), params["id"])
                    subscriber.offer(Batch([message]))
        finally:
            writer.close()

    def _connected(self, root: str) -> socket.socket:
        return self._peers.connect(root).detach()[0]

    def _announce(self, subscriber: Subscriber) -> None:
        live = [{"key": key, **described(root)} for key, root in sorted(self._live.items(), key=lambda each: each[1])]
        subscriber.offer(Batch([Message("repositories", json.dumps({"repositories": live}).encode())]))


def described(root: str) -> Mapping[str, str]:
    """Return the name and the root of a repository."""
    return {"name": Path(root).name, "root": root}
