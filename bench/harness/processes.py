"""Costs of processes: resident memory of a process tree, processor time and wall time. Needs Linux."""

from __future__ import annotations

import os
import resource
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

PAGE = resource.getpagesize()
TICKS = os.sysconf("SC_CLK_TCK")
EVERY_SECONDS = 0.05


def tree(pid: int) -> list[int]:
    """Return the ids of a process and its descendants, without those that end meanwhile."""
    found = [pid]
    for each in found:
        for task in _listed(Path(f"/proc/{each}/task")):
            found += [int(child) for child in _text(task / "children").split()]
    return found


def resident(pids: Sequence[int]) -> int:
    """Return the sum of the processes' resident memory in bytes. A shared page counts once per process."""
    return sum(
        int(_text(Path(f"/proc/{pid}/statm")).split(" ")[1]) * PAGE for pid in pids if _text(Path(f"/proc/{pid}/statm"))
    )


def proportional(pids: Sequence[int]) -> int:
    """Return the proportional memory in bytes: a shared page is divided among its processes."""
    total = 0
    for pid in pids:
        for line in _text(Path(f"/proc/{pid}/smaps_rollup")).splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total


def processor_seconds(pids: Sequence[int]) -> float:
    """Return the user and system time in seconds of processes and their reaped children."""
    total = 0
    for pid in pids:
        fields = _text(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
        total += sum(map(int, fields[11:15]))
    return total / TICKS


class Peak:
    """Samples the resident memory of the process `pid()` and its descendants during the `with` block."""

    def __init__(self, pid: Callable[[], int | None]) -> None:
        self._pid = pid
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.bytes = 0
        self.samples = 0
        self.most_processes = 0

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(EVERY_SECONDS):
            pid = self._pid()
            if pid is not None:
                pids = tree(pid)
                self.bytes = max(self.bytes, resident(pids))
                self.most_processes = max(self.most_processes, len(pids))
                self.samples += 1


def whole(command: list[str], environ: dict[str, str], given: bytes = b"") -> tuple[float, float]:
    """Run a process to its end; return its wall time and its processor time in milliseconds.

    Raises CalledProcessError when it fails.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    subprocess.run(command, env=environ, input=given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall * 1000, used * 1000


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
