"""A client process that runs every writing verb until it is killed: `python -m torture.writer ROOT LEDGER SEED`.

It uses only its own memories, so what it expects does not depend on other writers.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from muninn_core import client
from muninn_core.errors import MuninnError
from torture.campaign import sentence
from torture.ledger import Ledger

SELDOM = 15
"""Verbs that change no memory of the writer run this often, out of 100 calls."""


class Writer:
    """The memories of one writer, and one method per verb that changes memories."""

    def __init__(self, root: Path, ledger: Path, seed: str) -> None:
        self._root = root
        self._ledger = Ledger(ledger)
        self._chance = random.Random(seed)
        self._name = seed
        self._count = 0
        self._mine: list[str] = []
        self._waiting: list[str] = []
        self._cited: list[str] = []

    def step(self) -> None:
        """Run one verb, chosen at random."""
        if self._chance.randrange(100) < SELDOM:
            self._chance.choice(ELSEWHERE)(self)
        elif len(self._mine) < 4 or self._chance.random() < 0.5:
            self._remember()
        else:
            self._chance.choice(ON_OWN)(self)

    def _nonce(self) -> str:
        self._count += 1
        return f"n-{self._name}-{self._count}"

    def _call(self, verb: str, nonce: str, params: dict[str, Any], *, records: bool, **more: Any) -> dict[str, Any]:
        """Call a verb between its two lines of the ledger. `records`: the answer promises a record with the nonce."""
        self._ledger.write("call", nonce, verb=verb, **more)
        try:
            answer = client.call(str(self._root), os.environ, verb, {"session": f"s{self._name[0]}", **params})
        except MuninnError as error:
            self._ledger.write("error", nonce, verb=verb, error=f"{type(error).__name__}: {error.message}", **more)
            return {}
        ids = answer.get("ids") or [None]
        records = records and answer.get("changed", True) is not False  # restoring what is in force stores nothing
        self._ledger.write("ack", nonce, verb=verb, records=records, id=ids[0] if verb == "remember" else None, **more)
        return answer

    def _remember(self, **more: Any) -> None:
        nonce = self._nonce()
        keyed = {"key": nonce} if self._chance.random() < 0.7 else {}
        draft = {"text": sentence(self._chance, nonce), **keyed, **more}
        answer = self._call("remember", nonce, draft, records=True)
        target = self._waiting if more.get("actor") == "assistant" else self._cited if "files" in more else self._mine
        target += answer.get("ids", ())

    def _propose(self) -> None:
        self._remember(actor="assistant", agent="probe/1")

    def _remember_cited(self) -> None:
        self._remember(files=["src/users.py:4-6"])

    def _remember_private(self) -> None:
        self._remember(private=True)

    def _change(self, verb: str, target: str, name: str, **more: Any) -> None:
        nonce = self._nonce()
        self._call(verb, nonce, {"id": target, name: f"Because of {nonce}.", **more}, records=True, about=target)

    def _update(self) -> None:
        self._change("update", self._chance.choice(self._mine), "text")

    def _forget(self) -> None:
        self._change("forget", self._chance.choice(self._mine), "reason")

    def _restore(self) -> None:
        self._change("restore", self._chance.choice(self._mine), "reason")

    def _decide(self) -> None:
        if self._waiting:
            verb, name = self._chance.choice([("approve", "note"), ("reject", "reason")])
            nonce, target = self._nonce(), self._waiting.pop()
            self._call(verb, nonce, {"ids": [target], name: f"Because of {nonce}."}, records=True, about=target)

    def _pin(self) -> None:
        """Pin or unpin, which stores nothing where nothing changes."""
        params = {"id": self._chance.choice(self._mine), "reason": "Needed."}
        self._call(self._chance.choice(("pin", "unpin")), self._nonce(), params, records=False)

    def _record_event(self) -> None:
        """Append to the journal. The key makes a repeated call store nothing more."""
        nonce = self._nonce()
        self._ledger.write("call", nonce, verb="event.append")
        params = {"event_type": "probe", "payload": {"nonce": nonce}, "idempotency_key": nonce}
        try:
            client.call(str(self._root), os.environ, "event.append", params)
        except MuninnError as error:
            self._ledger.write("error", nonce, verb="event.append", error=f"{type(error).__name__}: {error.message}")
        else:
            self._ledger.write("ack", nonce, verb="event.append", records=False)

    def _confirm(self) -> None:
        if self._cited:
            self._call("confirm", self._nonce(), {"id": self._cited.pop()}, records=False)

    def _consolidate(self) -> None:
        kept, gone = self._chance.sample(self._mine, 2)
        self._mine.remove(gone)
        nonce = self._nonce()
        params = {"ids": [kept, gone], "keep": kept, "decision": "supersede", "reason": f"Because of {nonce}."}
        self._call("consolidate", nonce, params, records=False)

    def _promote_candidate(self) -> None:
        """Say a rule in a session of its own and promote the candidate that is found in it."""
        nonce = self._nonce()
        prompt = {"text": f"Never log the numbers of {nonce}, the auditor said."}
        self._call_bare("event.append", {"event_type": "prompt", "payload": prompt, "session_id": nonce})
        self._call_bare("candidate.distil", {"session_id": nonce})
        for each in self._call_bare("candidate.list", {}).get("candidates", ()):
            if nonce in each["text"]:
                self._call_bare("candidate.promote", {"id": each["id"]})

    def _redact(self) -> None:
        target = self._mine.pop(self._chance.randrange(len(self._mine)))
        self._call("redact", self._nonce(), {"id": target}, records=False, target=target)

    def _note_and_promote(self) -> None:
        answer = self._call(
            "remember",
            nonce := self._nonce(),
            {"text": sentence(self._chance, "note"), "scope": "session"},
            records=False,
        )
        if answer:
            self._call("promote", f"{nonce}-p", {"id": answer["ids"][0]}, records=False)

    def _contradict_and_resolve(self) -> None:
        word = self._chance.choice(("Redis", "Postgres", "SQLite")) + str(self._count)
        for text in (f"Sessions must be stored in {word}.", f"Sessions must not be stored in {word}."):
            self._call("remember", self._nonce(), {"text": text}, records=False)
        self._plain("reconcile")
        try:
            conflicts = client.call(str(self._root), os.environ, "conflicts", {})["conflicts"]
        except MuninnError:
            return
        for conflict in conflicts[:1]:
            self._plain("resolve", id=conflict["id"], keep="left")

    def _plain(self, verb: str, **params: Any) -> None:
        self._call(verb, self._nonce(), params, records=False)

    def _import(self) -> None:
        nonce = self._nonce()
        record = {"v": 1, "id": nonce, "ts": "2026-01-01T00:00:00.000Z", "type": "insight", "session": ""}
        record["text"] = sentence(self._chance, nonce)
        path = self._root.parent / f"{nonce}.json"
        path.write_text(json.dumps({"version": 1, "exported": record["ts"], "records": [record]}))
        self._call("import", nonce, {"path": str(path)}, records=True)
        path.unlink()

    def _packs(self) -> None:
        path = self._root.parent / f"{self._name}.tar.gz"
        name = f"pack-{self._name}"
        for verb, params in (
            ("pack.export", {"name": name, "path": str(path), "version": f"1.{self._count}.0"}),
            ("pack.add", {"path": str(path)}),
            ("pack.update", {"path": str(path)}),
            ("pack.remove", {"name": name}),
        ):
            self._call_bare(verb, params)

    def _files(self) -> None:
        self._call_bare("template.new", {"name": f"page-{self._name}-{self._count}"})
        self._call_bare("draft", {})
        self._call_bare("init", {})

    def _call_bare(self, verb: str, params: dict[str, Any]) -> dict[str, Any]:
        """Call a verb without a session; return {} after an error, whose traces the comparison at the end finds."""
        try:
            return client.call(str(self._root), os.environ, verb, params)
        except MuninnError as error:
            self._ledger.write("error", self._nonce(), verb=verb, error=f"{type(error).__name__}: {error.message}")
            return {}

    def _configure(self) -> None:
        self._call_bare("config.set", {"key": "index.workers", "value": "2"})
        self._call_bare("config.unset", {"key": "index.workers"})

    def _seal(self) -> None:
        self._plain("seal")

    def _reconcile(self) -> None:
        self._call_bare("reconcile", {"archive": self._chance.random() < 0.3})

    def _undo(self) -> None:
        self._call_bare("undo", {})

    def _prune(self) -> None:
        self._call_bare("prune", {})

    def _evolve(self) -> None:
        self._call_bare("evolve", {"apply": True, "limit": 3})

    def _capture(self) -> None:
        self._plain("capture", source=self._chance.choice(("commit", "turn", "session")))

    def _backfill(self) -> None:
        self._call_bare("backfill", {"source": "git", "apply": True})

    def _verify(self) -> None:
        self._plain("verify", fix=True)

    def _index(self) -> None:
        self._call_bare("index", {"rebuild": self._chance.random() < 0.5})


ON_OWN: tuple[Callable[[Writer], None], ...] = (
    Writer._update,
    Writer._update,
    Writer._forget,
    Writer._restore,
    Writer._consolidate,
    Writer._redact,
    Writer._propose,
    Writer._decide,
    Writer._remember_cited,
    Writer._confirm,
    Writer._remember_private,
    Writer._record_event,
    Writer._pin,
    Writer._promote_candidate,
)
ELSEWHERE: tuple[Callable[[Writer], None], ...] = (
    Writer._seal,
    Writer._reconcile,
    Writer._undo,
    Writer._prune,
    Writer._evolve,
    Writer._capture,
    Writer._backfill,
    Writer._verify,
    Writer._import,
    Writer._packs,
    Writer._files,
    Writer._configure,
    Writer._index,
    Writer._note_and_promote,
    Writer._contradict_and_resolve,
)


def main() -> None:
    """Write until killed, or until the standard input ends."""
    root, ledger, seed = sys.argv[1:]
    writer = Writer(Path(root), Path(ledger), seed)
    os.set_blocking(0, False)
    print("ready", flush=True)
    while goes_on():
        writer.step()


def goes_on() -> bool:
    """Whether the driver still holds the other end of the standard input."""
    try:
        return os.read(0, 1) != b""
    except BlockingIOError:
        return True


if __name__ == "__main__":
    main()
