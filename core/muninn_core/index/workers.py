"""Worker processes for work that would keep the daemon from answering: reading and cutting files, embedding texts.

Results come in the order of the jobs, whichever worker was first, so that the same files make the same index. The
workers live as long as the `with` block. A worker that dies (a parser broke or came to no end, memory is short,
somebody killed it) is replaced, and the files of its job are tried one by one; a file that ends a worker once more is
cut by its lines in the caller's own process, which must not end.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from muninn_core.index.extract import WILD, Extracted, Glance, Glanced, Job, extract, glance
from muninn_core.index.quantise import quantise
from muninn_core.index.worker import receive, send

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from muninn_core.index.embed import Embedder

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_MOST_WORKERS = 3
"""More workers than these wait for the one writer, and each takes 60 MB."""

_JOB_SECONDS = 60.0
"""By the clock: a worker that takes longer for one job is ended. It ends itself sooner where the system lets it."""

_MOST_DEATHS = 40
"""Workers of one crew that are replaced: if more die, that is nothing that one file is to blame for."""

_AHEAD = 2
"""Jobs a worker may be ahead of the writer: bounds what waits in memory."""


def worker_count(wanted: int) -> int:
    """Return how many workers to start: `wanted`, or for 0 one a core that we may use, up to three."""
    if wanted > 0:
        return wanted
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(_MOST_WORKERS, usable))


class WorkerPool:
    """A context manager that owns worker processes.

    Workers embed with the bundled model; `embedder` is the same one, for texts whose worker died.
    """

    def __init__(self, count: int, embedder: Embedder) -> None:
        self._count = count
        self._embedder = embedder
        self._stopped = False
        self._local = threading.local()
        self._workers: list[subprocess.Popen[bytes]] = []
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="muninn-crew")

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._stopped = True
            for worker in self._workers:
                worker.kill()  # its answer is not wanted any more
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            _dismiss(worker)

    def extract(self, jobs: Iterable[Job]) -> Iterator[list[Extracted]]:
        """Yield each job's files in the order of the jobs."""
        return self._ordered(jobs, self._one_by_one)

    def glance(self, jobs: Iterable[Glance]) -> Iterator[list[Glanced]]:
        """Yield the words of each job's files in the order of the jobs."""
        return self._ordered(jobs, glance)

    def embed(self, texts: Iterable[list[str]]) -> Iterator[NDArray[np.int8]]:
        """Yield the vectors of each list of texts, as `quantise` makes them, in the order of the lists."""
        return self._ordered(texts, lambda some: quantise(self._embedder.embed(some)))

    def _ordered(self, tasks: Iterable[Task], own: Callable[[Task], Answer]) -> Iterator[Answer]:
        """Yield the workers' answers. `own` does in this process what a worker could not."""
        waiting: deque[Future[Answer | None]] = deque()
        for task in tasks:
            waiting.append(self._threads.submit(self._do, task, own))
            if len(waiting) > self._count * _AHEAD:
                yield _answer(waiting.popleft())
        while waiting:
            yield _answer(waiting.popleft())

    def _do(self, task: Task, own: Callable[[Task], Answer]) -> Answer | None:
        answer = self._ask(task)
        if answer is not None and answer[0] == "done":
            found: Answer = answer[1]
            return found
        # Dead or failed. Here the same error would have a traceback, or is none at all.
        return None if self._stopped else own(task)

    def _one_by_one(self, job: Job) -> list[Extracted]:
        """Do a job that ended a worker: each of its files by another one, or else in this process."""
        found: list[Extracted] = []
        for file in job.files:
            single = job._replace(files=(file,))
            answer = None if self._stopped else self._ask(single)
            found += answer[1] if answer is not None and answer[0] == "done" else self._own(single)
        return found

    def _own(self, single: Job) -> list[Extracted]:
        """Extract one file in this process: without a grammar, unless no worker can be had and the text is ordinary."""
        if self._may_replace:
            return extract(single._replace(care="utmost"), None)
        found = extract(single._replace(care="careful"), None)
        return extract(single._replace(care="utmost"), None) if found[0].outcome == WILD else found

    @property
    def _may_replace(self) -> bool:
        return len(self._workers) < self._count + _MOST_DEATHS

    def _ask(self, task: object) -> Any:
        """Return a worker's answer, None from one that died of it or before."""
        worker = self._worker()
        if worker is None:
            return None
        assert worker.stdin is not None
        assert worker.stdout is not None
        patience = threading.Timer(_JOB_SECONDS, worker.kill)
        patience.daemon = True
        patience.start()
        try:
            send(worker.stdin, task)
            answer = receive(worker.stdout)
        except OSError:
            answer = None
        finally:
            patience.cancel()
        if answer is None:
            worker.kill()
            self._local.worker = None
        return answer

    def _worker(self) -> subprocess.Popen[bytes] | None:
        """Return this thread's worker; the first call, and the one after its death, starts it. None: too many died."""
        worker: subprocess.Popen[bytes] | None = getattr(self._local, "worker", None)
        if worker is None:
            if not self._may_replace:
                return None
            worker = subprocess.Popen(
                [sys.executable, "-I", "-m", "muninn_core.index.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._local.worker = worker
            self._workers.append(worker)
        return worker


def _answer(promised: Future[Answer | None]) -> Answer:
    found = promised.result()
    assert found is not None, "only a crew that was stopped has no answer"
    return found


def _dismiss(worker: subprocess.Popen[bytes]) -> None:
    """Let a worker leave, and wait until it has."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    try:
        worker.stdin.close()
    except OSError:
        pass  # it has died with a job half sent
    worker.stdout.close()
    try:
        worker.wait(timeout=5)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()
