"""Follows repositories: one thread per repository reads its events and what waits there, and connects again."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from muninn_core import client
from muninn_core.errors import BadParams, MuninnError
from muninn_core.launch.runtime import runtime_directory

FIRST_EVENTS = 50
"""Events of the past that are shown at the start."""

WAIT_SECONDS = 3.0
"""How long one call waits for events; what waits for a person is read again after it."""

MOST_RECORDS = 50
"""The most records of memory that are shown after one call."""

RETRY_SECONDS = 1.0
"""How long to wait before connecting again."""


class Update(NamedTuple):
    """What is new in the repository at `root`. `kind` is event, agents, inbox or state, which decides on `content`.

    event: an event. agents: the result of `agent.list`. inbox: a list of `Waiting`. state: a word.
    """

    root: str
    kind: str
    content: Any


class Waiting(NamedTuple):
    """Something that waits for a person. `kind` is conflict, approval or candidate."""

    root: str
    kind: str
    id: str
    text: str


DECISIONS: Mapping[str, Mapping[str, tuple[str, str, dict[str, Any]]]] = {
    "conflict": {
        "l": ("keep the left", "resolve", {"keep": "left"}),
        "r": ("keep the right", "resolve", {"keep": "right"}),
        "b": ("keep both", "resolve", {"keep": "both"}),
    },
    "approval": {
        "a": ("approve", "approve", {}),
        "x": ("reject", "reject", {"reason": "rejected in muninn watch"}),
    },
    "candidate": {
        "p": ("promote", "candidate.promote", {}),
        "d": ("discard", "candidate.discard", {"reason": "discarded in muninn watch"}),
    },
}
"""What can be decided about each kind: key, words, verb and parameters."""


class Follower(threading.Thread):
    """Follows one repository until `stop`. `deliver` is called on this thread; `starts`: start the daemon if needed."""

    def __init__(
        self, root: str, environ: Mapping[str, str], deliver: Callable[[Update], None], *, starts: bool
    ) -> None:
        super().__init__(name=f"follow {root}", daemon=True)
        self.root = root
        self._environ = environ
        self._deliver = deliver
        self._starts = starts
        self._last: int | None = None
        self._records: set[str] | None = None
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End the thread after its current call; nothing more is delivered."""
        self._stopped.set()

    def run(self) -> None:
        """Connect, follow, and connect again after a failure."""
        while not self._stopped.is_set():
            try:
                with client.connect(self.root, self._environ, start=self._starts) as muninn:
                    self._say("state", "live")
                    while not self._stopped.is_set():
                        self._read(muninn)
            except (MuninnError, OSError) as error:
                self._say("state", f"reconnecting: {getattr(error, 'message', error)}")
                self._stopped.wait(RETRY_SECONDS)

    def _say(self, kind: str, content: Any) -> None:
        if not self._stopped.is_set():
            self._deliver(Update(self.root, kind, content))

    def _read(self, muninn: client.Client) -> None:
        """Deliver what is there, then wait for the next events."""
        for event in self._memory_changes(muninn):
            self._say("event", event)
        if self._last is None:
            tail = muninn.call("audit.tail", {"limit": FIRST_EVENTS})
            events, self._last = tail["events"], tail["last"]
        else:
            try:
                found = muninn.call("event.wait", {"after": self._last, "wait": WAIT_SECONDS})
            except BadParams:  # the journal was made anew
                self._last = None
                raise
            events, self._last = found["events"], found["last"]
        for event in events:
            self._say("event", event)
        self._say("agents", muninn.call("agent.list"))
        self._say("inbox", inbox(self.root, muninn))

    def _memory_changes(self, muninn: client.Client) -> list[dict[str, Any]]:
        """Return the records of memory since the last call, oldest first, in the form of events."""
        newest = muninn.call("log", {"limit": MOST_RECORDS})["entries"]
        known, self._records = self._records, {entry["event"]["id"] for entry in newest}
        if known is None:
            return []
        return [_as_event(entry) for entry in reversed(newest) if entry["event"]["id"] not in known]


def _as_event(entry: Mapping[str, Any]) -> dict[str, Any]:
    record = entry["event"]
    return {
        "occurred_at": record["ts"],
        "event_type": "memory",
        "session_id": record["agent"] or record["author"],
        "stream_id": "",
        "payload": {"text": f"{record['summary']}: {entry['title']}"},
        "stored": "inline",
    }


def inbox(root: str, muninn: client.Client) -> list[Waiting]:
    """Return what waits for a person: contradictions, approvals, candidates."""
    conflicts = muninn.call("conflicts")["conflicts"]
    pending = muninn.call("memories", {"pending": True})["memories"]
    candidates = muninn.call("candidate.list")["candidates"]
    return [
        *(Waiting(root, "conflict", one["id"], f"{one['left']['text']} | {one['right']['text']}") for one in conflicts),
        *(Waiting(root, "approval", one["id"], one["text"]) for one in pending),
        *(Waiting(root, "candidate", one["id"], one["text"]) for one in candidates),
    ]


def decide(item: Waiting, key: str, environ: Mapping[str, str]) -> str:
    """Decide what waits, as the key says; return what was done. Raises MuninnError."""
    words, verb, params = DECISIONS[item.kind][key]
    named = {"ids": [item.id]} if item.kind == "approval" else {"id": item.id}
    with client.connect(item.root, environ) as muninn:
        muninn.call(verb, {**named, **params})
    return f"{words}: {item.text}"


def running(environ: Mapping[str, str]) -> list[str]:
    """Return the roots of the repositories whose daemons run now, by the info files of the runtime directory."""
    found = set()
    for file in Path(runtime_directory(environ)).glob("*.json"):
        try:
            info = json.loads(file.read_bytes())
            os.kill(int(info["pid"]), 0)
            found.add(str(info["root"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # it has ended
    return sorted(found)


def sentence(event: Mapping[str, Any]) -> str:
    """Return an event in one line: time, with its day before today, type, who, and what its payload says first."""
    at = time.localtime(_seconds(event["occurred_at"]))
    day = "" if at[:3] == time.localtime()[:3] else f"{at.tm_year:04}-{at.tm_mon:02}-{at.tm_mday:02} "
    moment = f"{day}{time.strftime('%H:%M:%S', at)}"
    who = event["session_id"] or event["stream_id"]
    return f"{moment}  {event['event_type'].removeprefix('muninn.'):<18} {who[:24]:<24} {_event_detail(event)}"


def _seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def _event_detail(event: Mapping[str, Any]) -> str:
    payload = event["payload"]
    if event["stored"] == "redacted" or not isinstance(payload, dict):
        return "redacted"
    for name in ("command", "text", "title", "reason"):
        if isinstance(payload.get(name), str) and payload[name]:
            return " ".join(payload[name].split())
    for name in ("resources", "files", "ids"):
        if isinstance(payload.get(name), list) and payload[name]:
            return ", ".join(map(str, payload[name]))
    return json.dumps(payload, ensure_ascii=False) if payload else ""
