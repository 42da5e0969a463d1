"""A thousand clients of every kind: one daemon serves them and keeps nothing of them.

Some clients end as they should, some are killed, some leave in the middle of a message.
"""

from __future__ import annotations

import json
import random
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
from repositories import MUNINN, daemon_pid, stop_daemon

from muninn_core import client
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import Address
from muninn_core.protocol import wire
from torture.campaign import PATIENCE, Limit, Outcome, Site, site

CLIENTS = 1000
WARM_UP = 40
ABREAST = 16
THREADS = 13
"""The threads of the daemon that run verbs; each may come to open a connection of its own to a database."""

GROWTH_BYTES = 48 * 1024 * 1024
"""What the daemon's memory may grow by, whatever the number of clients: caches that fill, and freed pages that the
allocator keeps."""


def run(seed: int, limit: Limit) -> Outcome:
    """Serve clients until the limit (1,000 without a count); a unit of the count is a client."""
    outcome = Outcome()
    with site("hygiene") as place:
        temporary = place.folder / "tmp"
        temporary.mkdir()
        place.environ["TMPDIR"] = str(temporary)
        crowd = Crowd(place, random.Random(seed), outcome)
        crowd.serve(WARM_UP, Limit(PATIENCE))
        before = crowd.settled()
        crowd.serve(limit.count or CLIENTS, limit)
        crowd.compare(before, crowd.settled())
        crowd.end(temporary)
    return outcome


class Crowd:
    """The clients of one daemon, and what the system shows of it."""

    def __init__(self, place: Site, chance: random.Random, outcome: Outcome) -> None:
        self._site = place
        self._chance = chance
        self._outcome = outcome
        self._root = place.repository("repo")
        self._address = Address(place.environ["MUNINN_RUNTIME_DIR"], locate(str(self._root)).identity)
        self._counting = threading.Lock()
        pid = daemon_pid(self._root, place.environ)
        assert pid is not None
        self._daemon = psutil.Process(pid)

    def serve(self, count: int, limit: Limit) -> None:
        """Run so many clients, several at a time."""
        kinds = [self._chance.choice(KINDS) for _ in range(count)]
        with ThreadPoolExecutor(ABREAST) as threads:
            list(threads.map(lambda kind: None if limit.reached(0) else self._serve_one(kind), kinds))

    def _serve_one(self, kind: Callable[[Crowd], None]) -> None:
        try:
            kind(self)
        except Exception as error:  # any failure of a client is the finding
            self._outcome.violations.append(f"{kind.__name__.strip('_')}: {type(error).__name__}: {error}")
        with self._counting:
            self._outcome.figures[f"clients: {kind.__name__.strip('_').replace('_', ' ')}"] += 1

    # --- kinds of clients ---

    def _connection(self) -> None:
        with client.connect(str(self._root), self._site.environ) as muninn:
            assert muninn.call("recall", {"query": "display name of a user", "limit": 1})["hits"]

    def _writer(self) -> None:
        with client.connect(str(self._root), self._site.environ) as muninn:
            assert muninn.call("remember", {"text": "Users have a display name.", "key": "hygiene"})["ids"]

    def _command(self) -> None:
        done = self._muninn("recall", "display name of a user", "--json")
        assert done.communicate(timeout=PATIENCE)[0]
        assert done.returncode == 0

    def _agent(self) -> None:
        line = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
        line["params"] = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        process = self._muninn("mcp")
        answer = process.communicate(json.dumps(line).encode() + b"\n", timeout=PATIENCE)[0]
        assert b'"serverInfo"' in answer
        assert process.returncode == 0

    def _editor(self) -> None:
        process = self._muninn("lsp")
        ask = {"processId": None, "rootUri": self._root.as_uri(), "capabilities": {}}
        messages = wire.request(1, "initialize", ask) + wire.frame(
            {"jsonrpc": "2.0", "method": "initialized", "params": {}}
        )
        messages += wire.request(2, "shutdown", {}) + wire.frame({"jsonrpc": "2.0", "method": "exit"})
        answer = process.communicate(messages, timeout=PATIENCE)[0]
        assert b'"capabilities"' in answer

    def _killed_command(self) -> None:
        process = self._muninn("recall", "display name of a user")
        time.sleep(self._chance.uniform(0, 0.3))  # the kill hits any moment of its life
        process.kill()
        process.communicate()

    def _interrupted_command(self) -> None:
        process = self._muninn("index", "--wait")
        time.sleep(self._chance.uniform(0, 0.3))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)

    def _half_message(self) -> None:
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(self._address.socket)
            sock.sendall(self._chance.choice((b"", b"Content-", b"Content-Length: 100\r\n\r\n{", b"\x00" * 30)))

    def _left_with_a_question(self) -> None:
        with client.connect(str(self._root), self._site.environ) as muninn:
            sock, stream = muninn.detach()
            sock.sendall(wire.request(9, "muninn/recall", {"query": "users", "limit": 5}))
            stream.close()

    def _muninn(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [MUNINN, *arguments],
            cwd=self._root,
            env=self._site.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    # --- what is left of them ---

    def settled(self) -> dict[str, int]:
        """Return the daemon's counters once it has noticed that its clients are gone."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with client.connect(str(self._root), self._site.environ) as muninn:
                muninn.call("index")
                if muninn.call("status")["clients"] == 1:
                    break
            time.sleep(0.05)
        else:
            self._outcome.violations.append("the daemon still counts clients that are gone")
        return {
            "sockets": self._sockets(),
            "descriptors": self._daemon.num_fds() - self._sockets(),
            "threads": self._daemon.num_threads(),
            "children": len(self._daemon.children(recursive=True)),
            "resident bytes": self._daemon.memory_info().rss,
        }

    def _sockets(self) -> int:
        return len(self._daemon.net_connections(kind="all"))

    def _wait_for_sockets(self, most: int) -> int:
        """Return the daemon's open sockets once there are at most so many; it closes those of gone clients soon."""
        end = time.monotonic() + PATIENCE
        while (now := self._sockets()) > most and time.monotonic() < end:
            time.sleep(0.05)
        return now

    def compare(self, before: dict[str, int], after: dict[str, int]) -> None:
        """Compare the daemon with itself before the crowd, and look for second daemons and zombies."""
        expect, figures = self._outcome.expect, self._outcome.figures
        daemons, zombies = self._processes()
        figures["daemons"] = len(daemons)
        figures["zombies"] = zombies
        expect(daemons == [self._daemon.pid], f"the daemons are {daemons}, not only {self._daemon.pid}")
        expect(zombies == 0, f"{zombies} zombies")
        grown = after["resident bytes"] - before["resident bytes"]
        figures["memory growth, KiB"] = grown // 1024
        figures["descriptors before"], figures["descriptors after"] = before["descriptors"], after["descriptors"]
        sockets = self._wait_for_sockets(before["sockets"])
        expect(sockets <= before["sockets"], f"sockets of clients that are gone stay open: {sockets}")
        expect(after["descriptors"] <= before["descriptors"] + THREADS, f"descriptors grew: {before} to {after}")
        expect(after["children"] <= before["children"], f"child processes stay: {before} to {after}")
        expect(grown <= GROWTH_BYTES, f"memory grew by {grown:,} bytes")
        known = {Path(path).name for path in self._files()}
        left = {path.name for path in Path(self._site.environ["MUNINN_RUNTIME_DIR"]).iterdir()} - known
        expect(not left, f"files left in the runtime folder: {sorted(left)}")

    def end(self, temporary: Path) -> None:
        """Stop the daemon and look at what is left on the disk."""
        stop_daemon(self._root, self._site.environ)
        expect = self._outcome.expect
        left = [str(path) for path in temporary.rglob("*")]
        left += [path for path in (self._address.socket, self._address.info) if Path(path).exists()]
        left += [str(path) for path in (self._root / ".muninn").rglob("*") if path.name.endswith((".tmp", ".new"))]
        self._outcome.figures["files left"] = len(left)
        expect(not left, f"left on the disk: {left}")
        daemons, zombies = self._processes()
        expect(not daemons and not zombies, f"after the end: daemons {daemons}, {zombies} zombies")

    def _files(self) -> tuple[str, ...]:
        address = self._address
        return (address.socket, address.info, address.lock, address.start_lock, address.log)

    def _processes(self) -> tuple[list[int], int]:
        """Return the pids of this repository's daemons, and the number of zombies of this campaign."""
        daemons, zombies, ours = [], 0, psutil.Process().pid
        for process in psutil.process_iter(["pid", "ppid", "cmdline", "status"]):
            info = process.info
            if info["cmdline"] and info["cmdline"][-1] == str(self._root):
                daemons.append(info["pid"])
            if info["status"] == psutil.STATUS_ZOMBIE and info["ppid"] in (ours, self._daemon.pid):
                zombies += 1
        return daemons, zombies


KINDS: tuple[Callable[[Crowd], None], ...] = (
    Crowd._connection,
    Crowd._connection,
    Crowd._connection,
    Crowd._writer,
    Crowd._command,
    Crowd._agent,
    Crowd._editor,
    Crowd._killed_command,
    Crowd._interrupted_command,
    Crowd._half_message,
    Crowd._left_with_a_question,
)
