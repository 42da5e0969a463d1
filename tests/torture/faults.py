"""A fault at every write, flush, rename, removal and creation of a file, of every writing verb.

A dry run lists the points of a verb. Then each point is met once per kind of fault: an I/O error, a disk that is full
from then on, a write of half the bytes, and a crash before, within and after the call. The real engine runs in a child
process; faults.c, preloaded, fails the calls of Python, SQLite and tantivy alike.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple

from repositories import copy_plain_repo

from muninn_core.store.files.layout import initialise, layout_of
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


BENCHES = 2 * (os.cpu_count() or 1)
"""Child processes. An index waits two seconds after a full disk, so there are more than processors."""


LOOK_SECONDS = 1.0


STORING = ("remember", "event.append")
"""Verbs that must be refused while the disk is full."""


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

    Points outside the index come first, and each call is met by one kind of fault before any is met by a second one.
    `limit.before` points are left out: earlier runs with this seed met them.
    """
    outcome = Outcome()
    number = min(BENCHES, len(scenarios))
    with site("faults") as place, ThreadPoolExecutor(number) as pool, contextlib.ExitStack() as stack:
        library = build(place.folder)
        benches = [stack.enter_context(Bench(place, library, str(one))) for one in range(number)]
        shares = [scenarios[one::number] for one in range(number)]
        found = [point for points in pool.map(Bench.points_of, benches, shares) for point in points]
        outcome.figures["scenarios"] = len(scenarios)
        outcome.figures["points found"] = len(found)
        outcome.figures["points found outside the index"] = sum(not _of_index(point) for point in found)
        distinct = {point._replace(nth=1) for point in found if _of_index(point)}
        outcome.figures["points found in the index, of distinct calls"] = len(distinct)
        last = None if limit.count is None else limit.before + limit.count
        queue = iter(in_order(found, seed)[limit.before : last])
        meeting = [pool.submit(bench.meet_all, queue, limit) for bench in benches]
        while wait(meeting, LOOK_SECONDS).not_done:
            pass  # the main thread must run now and then to see SIGTERM
        for bench, met in zip(benches, meeting, strict=True):
            met.result()
            outcome.add(bench.outcome)
    return outcome


def _of_index(point: Point) -> bool:
    return "/.muninn/cache/" in point.path


def in_order(points: Iterable[Point], seed: int) -> list[Point]:
    """Return the points in an order that the seed chooses. A point more or less leaves the others in their order.

    First those outside the index, one of each call before a second one of any call. Then those in the index, whose
    writes follow every verb: each kind at one call of an operation on a file, then at a second one, and so on.
    """
    chance = {point: random.Random(f"{seed} {point}").random() for point in points}
    seen: Counter[tuple[object, ...]] = Counter()
    placed = []
    for point in sorted(chance, key=chance.__getitem__):
        fault = point.kind if _of_index(point) else point.nth
        seen[point[:3], fault] += 1
        placed.append(((_of_index(point), seen[point[:3], fault], chance[point]), point))
    return [point for _, point in sorted(placed)]


def build(folder: Path) -> Path:
    """Compile faults.c. Raises NoCompiler."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        raise NoCompiler("fault injection needs Linux and a C compiler: install cc (Debian and Ubuntu: gcc)")
    library = folder / "faults.so"
    source = Path(__file__).with_name("faults.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"], check=True)
    return library


class Template:
    """The files of a folder, to be put there again with their times."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folders: list[tuple[str, int]] = []
        self._files: list[tuple[str, bytes, os.stat_result]] = []
        for place, _, names in os.walk(folder):
            self._folders.append((place, os.stat(place).st_mode & 0o777))
            for name in names:
                path = os.path.join(place, name)
                self._files.append((path, Path(path).read_bytes(), os.stat(path)))

    def restore(self) -> None:
        """Make the folder as it was."""
        shutil.rmtree(self._folder, ignore_errors=True)
        for folder, mode in self._folders:
            os.mkdir(folder, mode)
        for path, data, status in self._files:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT, status.st_mode & 0o777)
            os.write(handle, data)
            os.utime(handle, ns=(status.st_atime_ns, status.st_mtime_ns))
            os.close(handle)


class Bench:
    """A child process, and one prepared repository per scenario."""

    def __init__(self, place: Site, library: Path, name: str) -> None:
        self.outcome = Outcome()
        self._folder = place.folder / f"work-{name}"
        self._templates: dict[str, Template] = {}
        self._before: dict[str, Any] = {}
        self._after: dict[str, Any] = {}
        self._made: dict[str, Any] = {}
        self._rebuilt: dict[str, str] = {}
        self._log = (place.folder / f"faulty-{name}.log").open("w")
        environ = {**place.environ, "LD_PRELOAD": str(library), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._child = subprocess.Popen(
            [sys.executable, "-m", "torture.faulty"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    def __enter__(self) -> Bench:
        assert self._child.stdout
        assert self._child.stdout.readline() == "ready\n"
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
        answer = self._check(scenario) if do == "check" else self._job(do, scenario, **more)
        if "made" not in answer:
            raise RuntimeError(f"{scenario}: {do} without a fault: {answer}")
        return answer["made"]

    def _check(self, scenario: str) -> dict[str, Any]:
        """Look at the repository in a process of its own. It builds the index anew for each state of the files once."""
        answer = self._job("check", scenario, rebuilt=self._rebuilt)
        self._rebuilt.update(answer.get("made", {}).pop("rebuilt", {}))
        return answer

    def points_of(self, scenarios: Iterable[str]) -> list[Point]:
        """Run scenarios without a fault, and return their points."""
        return [point for scenario in scenarios for point in self._points(scenario)]

    def _points(self, scenario: str) -> list[Point]:
        lines = self.prepare(scenario)
        self.outcome.figures["calls that change files"] += len(lines)
        counted: Counter[str] = Counter()
        found = []
        for line in lines:
            counted[line] += 1
            op, path = line.split(" ", 1)
            kinds = [kind for kind in KINDS if op == "write" or kind not in _WRITES_ONLY]
            found += [Point(scenario, op, path, counted[line], kind) for kind in kinds]
        return found

    def prepare(self, scenario: str) -> list[str]:
        """Make the repository of a scenario, note the states before and after it, and return its calls."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        root = copy_plain_repo(self._folder / "repo")
        initialise(layout_of(root), CONFIG)
        self._made[scenario] = self._made_by("prepare", scenario)
        template = self._templates[scenario] = Template(self._folder)
        self._before[scenario] = self._made_by("check", scenario)
        template.restore()
        fault = {"op": "", "path": "", "nth": 0, "action": LIST}
        dry = self._made_by("act", scenario, made=self._made[scenario], fault=fault)
        assert dry["error"] is None, f"{scenario}: {dry['error']}"
        calls = (self._folder / "points").read_text().splitlines()
        self._after[scenario] = {**self._made_by("check", scenario), "state": dry["state"], "later": dry["later"]}
        return calls

    def meet_all(self, points: Iterator[Point], limit: Limit) -> None:
        """Meet points of an iterator that several benches share, until the limit."""
        while not limit.reached(0) and (point := next(points, None)):
            if point.scenario not in self._templates:
                self.prepare(point.scenario)
            before = len(self.outcome.violations)
            self.meet(point)
            self.outcome.figures["points met"] += 1
            for violation in self.outcome.violations[before:]:
                print(f"! {violation}", file=sys.stderr, flush=True)

    def meet(self, point: Point) -> None:
        """Run a scenario with one fault and compare what it leaves with the states before and after it."""
        self.outcome.figures[f"met: {point.kind}"] += 1
        self._templates[point.scenario].restore()
        fault = {"op": point.op, "path": point.path, "nth": point.nth, "action": KINDS[point.kind]}
        acted = self._job("act", point.scenario, made=self._made[point.scenario], fault=fault)
        crashed = acted.get("killed", False)
        if not crashed and "made" not in acted:
            self.outcome.violations.append(f"{point}: the process ended: {acted}")
            return
        if not crashed:
            self._compare_answer(point, acted["made"])
        elif point.kind not in _CRASHES:
            self.outcome.violations.append(f"{point}: the process was killed by something else")
        checked = self._check(point.scenario)
        if "made" not in checked:
            self.outcome.violations.append(f"{point}: the next process: {checked}")
            return
        self._compare_files(point, checked["made"], None if crashed else acted["made"])

    def _compare_answer(self, point: Point, acted: dict[str, Any]) -> None:
        """What the process itself says that met the fault and goes on."""
        before, after = self._before[point.scenario]["state"], self._after[point.scenario]["state"]
        figures, expect = self.outcome.figures, self.outcome.expect
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
        for verb, said in acted.get("meanwhile", {}).items():
            figures["calls while the disk stays full"] += 1
            expect(not (said or "").startswith("InternalError"), f"{point}: then {verb}: {said}")
            refused = (said or "").startswith("StorageError")
            expect(refused or verb not in STORING, f"{point}: then {verb} on the full disk: {said}")
        later = [one for one in acted["later"] if one not in acted["state"]]
        expect(len(later) == 1, f"{point}: the next memory is not stored")

    def _compare_files(self, point: Point, checked: dict[str, Any], acted: dict[str, Any] | None) -> None:
        """What the next process finds."""
        before, after, expect = self._before[point.scenario], self._after[point.scenario], self.outcome.expect
        if acted is not None:
            states = [acted["later"]]
            if SCENARIOS[point.scenario].completed and acted["error"]:
                states.append(sorted([*after["state"], *(one for one in acted["later"] if one not in acted["state"])]))
            expect(checked["state"] in states, f"{point}: the next process sees another state")
            self.outcome.figures["refused, and completed by the next start"] += checked["state"] != acted["later"]
        else:
            self.outcome.figures["crashed and started again"] += 1
            self._compare_crashed(point, checked["state"], before["state"], after["state"])
        expect(checked["files"] in (before["files"], after["files"]), f"{point}: half the files are there")
        expect(checked["index"], f"{point}: the index differs from one that is built anew")
        expect(not checked["temporary"], f"{point}: left behind: {checked['temporary']}")
        wrong = [one for one in checked["problems"] if "/torn-" not in one and one not in before["problems"]]
        expect(not wrong, f"{point}: problems at the next start: {wrong}")

    def _compare_crashed(self, point: Point, found: list[str], before: list[str], after: list[str]) -> None:
        """A call of several records that a crash cut off may have left the first ones; it was not acknowledged."""
        if found not in (before, after):
            self.outcome.figures["crashed between the records of a call"] += 1
            kept = _ids(before) <= _ids(found) <= _ids(after)
            self.outcome.expect(kept, f"{point}: half a state after the crash")


def _ids(state: list[str]) -> set[str]:
    """Return the ids of the memories in a state; its other members are lists."""
    return {memory["id"] for memory in map(json.loads, state) if isinstance(memory, dict) and "id" in memory}
