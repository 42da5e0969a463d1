"""Plans the reconciliation of a large memory in a process of its own.

A plan folds all records a second time and compares all memories. In the daemon that would take as much memory again and
hold the interpreter's lock for seconds, so that questions and the event loop wait.

The process is started as `python -I -m muninn_core.reconcile.planning.plan_process`. Its input is one pickled `Task`,
its output the pickled plan. Both come from this program alone.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable

from muninn_core.index.extraction.worker import receive, send
from muninn_core.reconcile.planning.plan import Plan, Task, plan

MANY = 5_000
"""Records from which a process of its own is worth its start."""

_CHECK_SECONDS = 0.2


def plan_in_other_process(task: Task, check: Callable[[], None]) -> Plan | None:
    """Return the plan of another process; None when it failed or could not start, so that this one plans and reports.

    `check` is called repeatedly; the other process ends when it raises.
    """
    try:
        worker = subprocess.Popen(
            [sys.executable, "-I", "-m", "muninn_core.reconcile.planning.plan_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
    answers: list[Plan] = []
    exchange = threading.Thread(target=_exchange, args=(worker, task, answers), name="plan", daemon=True)
    exchange.start()
    try:
        while exchange.is_alive():
            exchange.join(_CHECK_SECONDS)
            check()
    finally:
        worker.kill()  # it has answered, or its answer is not wanted
        exchange.join()
        worker.wait()
        for stream in (worker.stdin, worker.stdout):
            if stream is not None:
                stream.close()
    return answers[0] if answers else None


def _exchange(worker: subprocess.Popen[bytes], task: Task, answers: list[Plan]) -> None:
    assert worker.stdin is not None
    assert worker.stdout is not None
    try:
        send(worker.stdin, task)
        answer = receive(worker.stdout)
    except OSError:
        return
    if isinstance(answer, Plan):
        answers.append(answer)


def main() -> None:
    """Answer the task on the standard input. An error ends the process without an answer."""
    if hasattr(os, "nice"):
        os.nice(5)
    gc.disable()  # a tenth of the time went into searching all memories for cycles, and the process ends soon
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # the output of libraries goes to stderr
    task = receive(sys.stdin.buffer)
    if isinstance(task, Task):
        send(answers, plan(task.layout, with_spool=task.with_spool, session=task.session))


if __name__ == "__main__":
    main()
