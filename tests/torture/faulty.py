"""The process in which faults happen: it loads the engine once and forks a child for every job.

It runs with faults.c preloaded. A job is a JSON line on the standard input, its result a line on the standard output; a
child that was killed has the result {"killed": true}.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import itertools
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from index.states import content

from muninn_core.errors import MuninnError
from muninn_core.launch.repository_location import locate
from muninn_core.model.value import encode_json, replace
from muninn_core.worktree.indexing import index_failure
from torture.campaign import PATIENCE
from torture.engine import engine_on, warm
from torture.scenarios import SCENARIOS

LOOK_SECONDS = 0.05

FULL = 2
"""The action of a full disk in faults.c."""

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MEANWHILE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("index", {}),
    ("recall", {"query": "sessions"}),
    ("remember", {"text": "There is no room for this.", "session": "s1"}),
    ("event.append", {"event_type": "probe", "session_id": "s1", "payload": {}}),
    ("reconcile", {}),
    ("memories", {}),
    ("status", {}),
)
"""Verbs that are called while the disk stays full."""

FILES = ("packs", "context", "knowledge", "config.yaml")
"""Files and folders of .muninn that a verb writes as a whole."""


class Job:
    """One job in its child process: an engine on the repository, whose ids depend on the phase alone."""

    def __init__(self, task: dict[str, Any]) -> None:
        self._task = task
        self._folder = Path(task["folder"])
        self._root = self._folder / "repo"
        phase = {"prepare": 1, "act": 2, "check": 3}[task["do"]]
        counter = itertools.count(phase << 40)
        self._options = {"clock": lambda: NOW, "chance": lambda size: (next(counter) << 16).to_bytes(size, "big")}
        self._scenario = SCENARIOS[task["scenario"]]

    def run(self) -> Any:
        """Do what the job says, in the state that the repository is in."""
        with engine_on(self._root, self._folder, **self._options) as (engine, call):
            call("index")
            made = getattr(self, f"_{self._task['do']}")(engine, call)
            self._wait(engine)
        return made

    def _wait(self, engine: Any) -> None:
        """Wait until the index has all memories. One that failed is tried again by itself."""
        while not engine.open(locate(str(self._root))).updater.wait_memories(LOOK_SECONDS):
            time.sleep(LOOK_SECONDS)  # the index may not be open, which ends a wait at once

    def _settle(self, engine: Any) -> None:
        """Wait until the index has all memories, or waits for its next try because the disk is full."""
        updater = engine.open(locate(str(self._root))).updater
        while not updater.wait_memories(LOOK_SECONDS):
            if updater._retry is not None or updater._memories_ended >= updater._memories_requested:
                return

    def _prepare(self, _engine: Any, call: Any) -> Any:
        return self._scenario.prepare(call, self._root)

    def _act(self, engine: Any, call: Any) -> dict[str, Any]:
        """Run the verb with one fault, then store another memory without one.

        While a disk stays full, other verbs are called too.
        """
        library, fault = ctypes.CDLL(None), self._task["fault"]
        result: dict[str, Any] = {"error": None}
        with open(self._folder / "points", "wb") as log:
            library.torture_arm(
                str(self._folder).encode(), log.fileno(), fault["op"].encode(), fault["path"].encode(), fault["nth"],
                fault["action"],
            )  # fmt: skip
            result["error"] = _error_of(lambda: self._scenario.act(call, self._root, self._task["made"]))
            self._settle(engine)
            if fault["action"] == FULL and library.torture_met():
                result["meanwhile"] = {
                    verb: _error_of(functools.partial(call, verb, **params)) for verb, params in MEANWHILE
                }
            result["met"] = library.torture_disarm()
        result["state"] = self._state(engine)
        call("remember", text="Stored afterwards.", session="s9")
        result["later"] = self._state(engine)
        return result

    def _check(self, engine: Any, call: Any) -> dict[str, Any]:
        """What a process sees that comes afterwards, and whether the index equals one that is built anew.

        `rebuilt` has the contents of indexes that were built anew, by the files that they were built from: the index is
        built anew unless it equals one of them. The answer has the new ones.
        """
        self._wait(engine)
        status = call("status")
        updater = engine.open(locate(str(self._root))).updater
        followed = content(updater.index)
        sources, rebuilt, new = self._sources(), self._task["rebuilt"], {}
        equal = rebuilt.get(sources) == _digest(followed)
        if not equal:
            call("index", rebuild=True)
            self._wait(engine)
            anew = content(updater.index)
            equal, new = followed == anew, {sources: _digest(anew)}
        return {
            "state": self._state(engine),
            "files": self._files(),
            "problems": [f"{problem.path}: {problem.message}" for problem in status.problems],
            "index": equal,
            "rebuilt": new,
            "temporary": [
                str(path.relative_to(self._root))
                for path in (self._root / ".muninn").rglob("*.tmp")
                if "cache" not in path.parts
            ],
        }

    def _sources(self) -> str:
        """The digest of all files that an index can follow from: all but the index and git's own."""
        found = {}
        for place, folders, names in os.walk(self._folder):
            folders[:] = sorted(set(folders) - {".git", "cache", "spare"})
            for name in names:
                path = Path(place, name)
                found[str(path.relative_to(self._folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
        found.pop("points", None)  # what a dry run lists
        return _digest(sorted(found.items()))

    def _state(self, engine: Any) -> list[str]:
        """The memories and conflicts of both logs, each as a JSON text."""
        memory = engine.open(locate(str(self._root))).memory
        memory.refresh()
        memory.refresh_shared()
        state = memory.log.state
        # A start seals what a former process left, so whether a memory is sealed is not compared.
        memories = [replace(one, sealed=False) for one in memory.all().values()]
        return sorted(encode_json(one).decode() for one in (*memories, state.disputes, state.unresolved))

    def _files(self) -> dict[str, str]:
        muninn = self._root / ".muninn"
        places = [muninn / name for name in FILES]
        found = [path for place in places for path in (place, *place.rglob("*")) if path.is_file()]
        found += [
            path for path in self._folder.glob("*.tar.gz*") if path.suffix != ".tmp"
        ]  # beside what a person named
        return {str(path.relative_to(self._folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def _error_of(work: Callable[[], object]) -> str | None:
    """Do some work; return the error in one line, None without one."""
    try:
        work()
    except MuninnError as error:
        return f"{type(error).__name__}: {error.line}"
    return None


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()


def in_child(task: dict[str, Any]) -> dict[str, Any]:
    """Run a job in a forked child and return its result."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(read)
            signal.alarm(round(PATIENCE))
            result = Job(task).run()
            with os.fdopen(write, "w") as pipe:
                json.dump({"made": result}, pipe)
            code = 0
        except BaseException as error:
            print(f"{task}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            with os.fdopen(write, "w") as pipe:
                json.dump({"broken": f"{type(error).__name__}: {error}"}, pipe)
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return {"killed": os.WTERMSIG(status) == signal.SIGKILL, "signal": os.WTERMSIG(status)}
    return json.loads(text)


def main() -> None:
    """Load everything, then run jobs until the input ends."""
    index_failure.RETRY_SECONDS = (0.1, 0.5)
    warm()
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(in_child(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
