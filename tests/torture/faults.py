"""A fault at every write, flush, rename, removal and creation of a file, of every writing verb.

A dry run lists the points of a verb. Then each point is met once per kind of fault: an I/O error, a disk that is full
from then on, a write of half the bytes, and a crash before, within and after the call. The real engine runs in a child
process; faults.c, preloaded, fails the calls of Python, SQLite and tantivy alike.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from repositories import copy_plain_repo

from muninn_core.store.layout import initialise, layout_of
from torture.campaign import Limit, Outcome, Site, site
from torture.scenarios import CONFIG, SCENARIOS

LIST = 0
KINDS = {
    "I/O error": 1,
    "full disk": 2,
    "half a write": 3,
    "crash before": 4,
    "crash within": 5,
    "crash after": 6,
}
_WRITES_ONLY = ("half a write", "crash within")
_CRASHES = ("crash before", "crash within", "crash after")


class NoCompiler(Exception):
    """There is no C compiler, which the part needs for its shared library."""


class Point(NamedTuple):
    """The n-th call of one operation on one path, and the fault that it meets."""

    scenario: str
    op: str
    path: str
    nth: int
    kind: str

    def __str__(self) -> str:
        return f"{self.scenario}: {self.kind} at {self.op} {self.nth} of {self.path}"


def run(seed: int, limit: Limit, scenarios: tuple[str, ...] = tuple(SCENARIOS)) -> Outcome:
    """Meet every point, in an order that the seed chooses, until the limit; a unit of the count is a point.

    Each call is met by one kind of fault before any is met by a second one.
    """
    outcome = Outcome()
    chance = random.Random(seed)
    later: list[Point] = []
    done = 0
    with site("faults") as place, Bench(place, outcome) as bench:
        for name in chance.sample(scenarios, len(scenarios)):
            if limit.reached(done):
                break
            points = calls_first(bench.points(name), chance)
            outcome.figures["scenarios"] += 1
            outcome.figures["points found"] += len(points)
            # Most points are in the index, whose writes follow every verb: they come last.
            later += [point for point in points if "/.muninn/cache/" in point.path]
            done += bench.meet_all([point for point in points if "/.muninn/cache/" not in point.path], limit, done)
        done += bench.meet_all(calls_first(later, chance), limit, done)
        outcome.figures["points met"] = done
    return outcome


def calls_first(points: list[Point], chance: random.Random) -> list[Point]:
    """Return the points in a random order that has one of each call before a second one of any call."""
    chance.shuffle(points)
    met: Counter[tuple[str, ...]] = Counter()
    turns = []
    for point in points:
        call = (point.scenario, point.op, point.path, str(point.nth))
        met[call] += 1
        turns.append(met[call])
    return [point for _, _, point in sorted(zip(turns, range(len(points)), points, strict=True))]


def build(folder: Path) -> Path:
    """Compile faults.c. Raises NoCompiler."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        raise NoCompiler("fault injection needs Linux and a C compiler: install cc (Debian and Ubuntu: gcc)")
    library = folder / "faults.so"
    source = Path(__file__).with_name("faults.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"], check=True)
    return library


class Bench:
    """The child process, and one prepared repository per scenario."""

    def __init__(self, place: Site, outcome: Outcome) -> None:
        self._outcome = outcome
        self._folder = place.folder / "work"
        self._templates = place.folder / "templates"
        self._before: dict[str, Any] = {}
        self._after: dict[str, Any] = {}
        self._made: dict[str, Any] = {}
        self._log = (place.folder / "faulty.log").open("w")
        environ = {**place.environ, "LD_PRELOAD": str(build(place.folder)), "OPENBLAS_NUM_THREADS": "1"}
        self._child = subprocess.Popen(
            [sys.executable, "-m", "torture.faulty"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert self._child.stdout
        assert self._child.stdout.readline() == "ready\n"

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._child.communicate()
        self._log.close()

    def _job(self, do: str, scenario: str, **more: Any) -> dict[str, Any]:
        assert self._child.stdin
        assert self._child.stdout
        task = {"do": do, "scenario": scenario, "folder": str(self._folder), **more}
        self._child.stdin.write(json.dumps(task) + "\n")
        self._child.stdin.flush()
        answer: dict[str, Any] = json.loads(self._child.stdout.readline())
        return answer

    def _made_by(self, do: str, scenario: str, **more: Any) -> Any:
        """Return what a job made that meets no fault."""
        answer = self._job(do, scenario, **more)
        if "made" not in answer:
            raise RuntimeError(f"{scenario}: {do} without a fault: {answer}")
        return answer["made"]

    def _fresh(self, scenario: str) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        shutil.copytree(self._templates / scenario, self._folder, symlinks=True)

    def points(self, scenario: str) -> list[Point]:
        """Prepare a scenario, run it without a fault, and return its points."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        root = copy_plain_repo(self._folder / "repo")
        initialise(layout_of(root), CONFIG)
        self._made[scenario] = self._made_by("prepare", scenario)
        shutil.copytree(self._folder, self._templates / scenario, symlinks=True)
        self._before[scenario] = self._made_by("check", scenario)
        self._fresh(scenario)
        fault = {"op": "", "path": "", "nth": 0, "action": LIST}
        dry = self._made_by("act", scenario, made=self._made[scenario], fault=fault)
        assert dry["error"] is None, f"{scenario}: {dry['error']}"
        lines = (self._folder / "points").read_text().splitlines()
        self._after[scenario] = {**self._made_by("check", scenario), "state": dry["state"], "later": dry["later"]}
        counted: Counter[str] = Counter()
        found = []
        for line in lines:
            counted[line] += 1
            op, path = line.split(" ", 1)
            kinds = [kind for kind in KINDS if op == "write" or kind not in _WRITES_ONLY]
            found += [Point(scenario, op, path, counted[line], kind) for kind in kinds]
        self._outcome.figures["calls that change files"] += len(lines)
        return found

    def meet_all(self, points: list[Point], limit: Limit, before: int) -> int:
        """Meet points until the limit, of which `before` were met already; return how many were met now."""
        for done, point in enumerate(points):
            if limit.reached(before + done):
                return done
            self._outcome.figures[f"met: {point.kind}"] += 1
            self.meet(point)
        return len(points)

    def meet(self, point: Point) -> None:
        """Run a scenario with one fault and compare what it leaves with the states before and after it."""
        self._fresh(point.scenario)
        fault = {"op": point.op, "path": point.path, "nth": point.nth, "action": KINDS[point.kind]}
        acted = self._job("act", point.scenario, made=self._made[point.scenario], fault=fault)
        crashed = acted.get("killed", False)
        if not crashed and "made" not in acted:
            self._outcome.violations.append(f"{point}: the process ended: {acted}")
            return
        if not crashed:
            self._compare_answer(point, acted["made"])
        elif point.kind not in _CRASHES:
            self._outcome.violations.append(f"{point}: the process was killed by something else")
        checked = self._job("check", point.scenario)
        if "made" not in checked:
            self._outcome.violations.append(f"{point}: the next process: {checked}")
            return
        self._compare_files(point, checked["made"], None if crashed else acted["made"])

    def _compare_answer(self, point: Point, acted: dict[str, Any]) -> None:
        """What the process itself says that met the fault and goes on."""
        before, after = self._before[point.scenario]["state"], self._after[point.scenario]["state"]
        figures, expect = self._outcome.figures, self._outcome.expect
        figures["points not reached again"] += point.kind not in _CRASHES and not acted["met"]
        error = acted["error"]
        if error is None:
            expect(acted["state"] == after, f"{point}: acknowledged, but its effect is missing")
            figures["answered in spite of the fault"] += 1
        else:
            figures["refused with an error"] += 1
            expect(not error.startswith("InternalError"), f"{point}: {error}")
            expect(acted["state"] in (before, after), f"{point}: half a state after {error}")
            figures["refused, although stored"] += acted["state"] == after != before
        later = [one for one in acted["later"] if one not in acted["state"]]
        expect(len(later) == 1, f"{point}: the next memory is not stored")

    def _compare_files(self, point: Point, checked: dict[str, Any], acted: dict[str, Any] | None) -> None:
        """What the next process finds."""
        before, after, expect = self._before[point.scenario], self._after[point.scenario], self._outcome.expect
        if acted is not None:
            expect(checked["state"] == acted["later"], f"{point}: the next process sees another state")
        else:
            self._outcome.figures["crashed and started again"] += 1
            self._compare_crashed(point, checked["state"], before["state"], after["state"])
        expect(checked["files"] in (before["files"], after["files"]), f"{point}: half the files are there")
        expect(checked["index"], f"{point}: the index differs from one that is built anew")
        expect(not checked["temporary"], f"{point}: left behind: {checked['temporary']}")
        wrong = [one for one in checked["problems"] if "/torn-" not in one and one not in before["problems"]]
        expect(not wrong, f"{point}: problems at the next start: {wrong}")

    def _compare_crashed(self, point: Point, found: list[str], before: list[str], after: list[str]) -> None:
        """A call of several records that a crash cut off may have left the first ones; it was not acknowledged."""
        if found not in (before, after):
            self._outcome.figures["crashed between the records of a call"] += 1
            kept = _ids(before) <= _ids(found) <= _ids(after)
            self._outcome.expect(kept, f"{point}: half a state after the crash")


def _ids(state: list[str]) -> set[str]:
    """Return the ids of the memories in a state; its other members are lists."""
    return {memory["id"] for memory in map(json.loads, state) if isinstance(memory, dict) and "id" in memory}
