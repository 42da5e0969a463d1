"""Readers of the event stream in a process of their own: `python -m bench.harness.stream_readers ROOT QUICK TOTAL`.

QUICK connections read as fast as they can, and one reads an event a second. The process prints a line when all follow.
When each quick one has TOTAL events, or nothing has come for `PATIENCE` seconds, it prints how many different events
each has, how many the slow one read before its notice (-1 without one), and its own processor time in seconds. It does
as little as it can for an event, so that it does not take the processor from the daemon.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import socket
import sys
import threading
import time

from muninn_core import client

FILTER = {"topic": "journal", "event_type": "load"}
PATIENCE = 60.0

_NUMBER = re.compile(rb'"number":(\d+),')


class Slow(threading.Thread):
    """Reads an event a second until its notice."""

    def __init__(self, muninn: client.Client) -> None:
        super().__init__(daemon=True)
        self._muninn = muninn
        self._events = muninn.follow(FILTER)
        self.hurry = threading.Event()
        self.read = 0
        self.noticed = False

    def run(self) -> None:
        """Read."""
        for each in self._events:
            if each["kind"] == "dropped":
                self.noticed = True
                return
            self.read += 1
            self.hurry.wait(1)


def main() -> None:
    """Follow until all events have come."""
    root, quick, total = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    slow = Slow(client.connect(root, os.environ, start=False, name="bench"))
    slow.start()
    ready = selectors.DefaultSelector()
    seen: list[set[int]] = []
    rest: dict[socket.socket, bytes] = {}
    for number in range(quick):
        muninn = client.connect(root, os.environ, start=False, name="bench")
        muninn.request("muninn/subscribe", FILTER)
        sock, _ = muninn.detach()
        seen.append(set())
        rest[sock] = b""
        ready.register(sock, selectors.EVENT_READ, number)
    print("ready", flush=True)
    while ready.get_map():
        found = ready.select(PATIENCE)
        if not found:
            break
        for key, _ in found:
            sock = key.fileobj
            assert isinstance(sock, socket.socket)
            data = rest[sock] + sock.recv(1 << 18)
            end = 0
            for match in _NUMBER.finditer(data):
                seen[key.data].add(int(match[1]))
                end = match.end()
            rest[sock] = data[end:]
            if len(seen[key.data]) >= total or not data:
                ready.unregister(sock)
    slow.hurry.set()
    slow.join(PATIENCE)
    print(
        json.dumps(
            {
                "seen": [len(each) for each in seen],
                "slow": slow.read if slow.noticed else -1,
                "seconds": time.process_time(),
            }
        )
    )


if __name__ == "__main__":
    main()
