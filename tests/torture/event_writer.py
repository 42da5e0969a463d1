"""A client that records events, turns and capsules until it is killed.

`python -m torture.event_writer ROOT LEDGER SEED` starts it. It keeps one connection while it can. A call with an
idempotency key is repeated until it is answered; others are sent once.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Any

from muninn_core import client
from muninn_core.errors import MuninnError
from torture.ledger import Ledger
from torture.writer import goes_on

PROJECT = "probe"


class EventWriter:
    """One writer with a session of its own."""

    def __init__(self, root: Path, ledger: Path, seed: str) -> None:
        self._root = root
        self._ledger = Ledger(ledger)
        self._chance = random.Random(seed)
        self._session = f"s-{seed}"
        self._name = seed
        self._count = 0
        self._client: client.Client | None = None

    def step(self) -> None:
        """Record something, chosen at random."""
        self._chance.choice((self._event, self._event, self._turn, self._capsule))()

    def _nonce(self) -> str:
        self._count += 1
        return f"n-{self._name}-{self._count}"

    def _event(self, **more: Any) -> None:
        """Append an event under a key, and repeat it until it is answered."""
        nonce = self._nonce()
        params = {
            "event_type": "probe", "payload": {"text": nonce}, "idempotency_key": nonce, "project_id": PROJECT,
            "session_id": self._session, **more,
        }  # fmt: skip
        for _ in range(20):
            answer = self._call("event.append", nonce, params)
            if answer or not self._lost:
                return

    def _turn(self) -> None:
        nonce = self._nonce()
        whose = {"project_id": PROJECT, "session_id": self._session, "turn_id": nonce}
        begun = self._call("turn.begin", nonce, whose)
        if begun:
            token = begun["ack_token"]
            for _ in range(self._chance.randrange(3)):
                self._event(turn_id=nonce, ack_token=token)
            self._call("turn.end", nonce, {**whose, "ack_token": token})

    def _capsule(self) -> None:
        nonce = self._nonce()
        opened = self._call("capsule.open", nonce, {"type": "task", "intent": nonce, "project_id": PROJECT})
        if opened:
            where = {"id": opened["capsule"]["id"], "project_id": PROJECT}
            for _ in range(self._chance.randrange(3)):
                seen = self._nonce()
                self._call("capsule.observe", seen, {**where, "text": seen, "key": seen})
            self._call("capsule.summarise", nonce, {**where, "text": nonce})
            self._call("capsule.close", nonce, where)

    def _call(self, verb: str, nonce: str, params: dict[str, Any]) -> dict[str, Any]:
        """Call a verb between two lines of the ledger; return nothing when it failed or got no answer."""
        self._lost = False
        self._ledger.write("call", nonce, verb=verb)
        try:
            if self._client is None:
                self._client = client.connect(str(self._root), os.environ)
            answer = self._client.call(verb, params)
        except (MuninnError, OSError) as error:
            self._lost = isinstance(error, client.ConnectionLost | OSError)
            if self._client is not None:
                self._client.close()
                self._client = None
            self._ledger.write("error", nonce, verb=verb, error=f"{type(error).__name__}: {error}")
            return {}
        event = answer.get("event", {}).get("event_id")
        self._ledger.write("ack", nonce, verb=verb, event_id=event, capsule=answer.get("capsule", {}).get("id"))
        return answer


def main() -> None:
    """Record until the driver closes the standard input."""
    root, ledger, seed = sys.argv[1:]
    os.set_blocking(0, False)
    writer = EventWriter(Path(root), Path(ledger), seed)
    while goes_on():
        writer.step()


if __name__ == "__main__":
    main()
