"""Worker processes for long work: reading and cutting files, embedding texts.

Results come in the order of the jobs, so that the same files make the same index. The workers live as long as the
`with` block. A worker that dies (its parser crashed or hung, memory ran out, it was killed) is replaced, and the files
of its job are tried one by one. A file that ends a worker again is cut by lines in the caller's process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from muninn_core.index.extraction.extract import RISKY, Extracted, FileWords, Job, WordsJob, extract, read_words
from muninn_core.index.extraction.worker import receive, send
from muninn_core.index.vectors.quantise import quantise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from muninn_core.index.embedding.embed import Embedder

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_MAX_WORKERS = 3
"""More workers would wait for the single writer. Each takes 60 MB."""

_JOB_SECONDS = 60.0
"""Wall-clock limit of one job; the worker is killed after it. Most systems end a worker earlier, see `worker.py`."""

_MAX_REPLACED = 40
"""Workers of one pool that are replaced. If more die, the cause is not a file."""

_AHEAD = 2
"""Jobs per worker that may be ahead of the writer. Bounds the results in memory."""


def worker_count(wanted: int) -> int:
    """Return how many workers to start: `wanted`, or for 0 one per usable core, up to three."""
    if wanted > 0:
        return wanted
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(_MAX_WORKERS, usable))


class WorkerPool:
    """A context manager that owns worker processes.

    Workers embed with the bundled model. `embedder` is the same model, for texts whose worker died.
    """

    def __init__(self, count: int, embedder: Embedder) -> None:
        self._count = count
        self._embedder = embedder
        self._stopped = False
        self._local = threading.local()
        self._workers: list[subprocess.Popen[bytes]] = []
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="muninn-workers")

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._stopped = True
            for worker in self._workers:
                worker.kill()  # its answer is no longer needed
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            _dismiss(worker)

    def start(self) -> None:
        """Start a worker now, so that it loads while the caller does other work; else the first task starts it."""
        self._threads.submit(self._worker)

    def extract(self, jobs: Iterable[Job]) -> Iterator[list[Extracted]]:
        """Yield each job's files in the order of the jobs."""
        return self._ordered(jobs, self._one_by_one)

    def read_words(self, jobs: Iterable[WordsJob]) -> Iterator[list[FileWords]]:
        """Yield the words of each job's files in the order of the jobs."""
        return self._ordered(jobs, read_words)

    def embed(self, texts: Iterable[list[str]]) -> Iterator[NDArray[np.int8]]:
        """Yield the vectors of each list of texts, as `quantise` makes them, in the order of the lists."""
        return self._ordered(texts, lambda some: quantise(self._embedder.embed(some)))

    def _ordered(self, tasks: Iterable[Task], own: Callable[[Task], Answer]) -> Iterator[Answer]:
        """Yield the workers' answers. `own` does a task in this process when its worker failed."""
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
        # In this process the task succeeds, or its error has a traceback.
        return None if self._stopped else own(task)

    def _one_by_one(self, job: Job) -> list[Extracted]:
        """Do a job that ended a worker: each file in another worker, or else in this process."""
        found: list[Extracted] = []
        for file in job.files:
            single = job._replace(files=(file,))
            answer = None if self._stopped else self._ask(single)
            found += answer[1] if answer is not None and answer[0] == "done" else self._own(single)
        return found

    def _own(self, single: Job) -> list[Extracted]:
        """Extract one file in this process: by lines, or by its grammar if it is harmless and no worker starts."""
        if self._may_replace:
            return extract(single._replace(care="utmost"), None)
        found = extract(single._replace(care="careful"), None)
        return extract(single._replace(care="utmost"), None) if found[0].outcome == RISKY else found

    @property
    def _may_replace(self) -> bool:
        return len(self._workers) < self._count + _MAX_REPLACED

    def _ask(self, task: object) -> Any:
        """Return a worker's answer, None when the worker has died or can't be started."""
        worker = self._worker()
        if worker is None:
            return None
        assert worker.stdin is not None
        assert worker.stdout is not None
        timer = threading.Timer(_JOB_SECONDS, worker.kill)
        timer.daemon = True
        timer.start()
        try:
            send(worker.stdin, task)
            answer = receive(worker.stdout)
        except OSError:
            answer = None
        finally:
            timer.cancel()
        if answer is None:
            worker.kill()
            self._local.worker = None
        return answer

    def _worker(self) -> subprocess.Popen[bytes] | None:
        """Return this thread's worker and start it when needed. None when too many have died."""
        worker: subprocess.Popen[bytes] | None = getattr(self._local, "worker", None)
        if worker is None:
            if not self._may_replace:
                return None
            worker = subprocess.Popen(
                [sys.executable, "-I", "-m", "muninn_core.index.extraction.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._local.worker = worker
            self._workers.append(worker)
        return worker


def _answer(promised: Future[Answer | None]) -> Answer:
    found = promised.result()
    assert found is not None, "only a stopped pool has no answer"
    return found


def _dismiss(worker: subprocess.Popen[bytes]) -> None:
    """End a worker by closing its input, and wait until it has exited."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    try:
        worker.stdin.close()
    except OSError:
        pass  # it died while a job was sent
    worker.stdout.close()
    try:
        worker.wait(timeout=5)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()
