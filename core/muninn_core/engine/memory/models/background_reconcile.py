"""Reconciles in the background with verdicts of a model: one run at a time, as the models and the log are shared."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from muninn_core.engine.memory.changes import maintenance
from muninn_core.engine.memory.models.verdicts import judge, route_for
from muninn_core.errors import BadParams, BusyError, MuninnError
from muninn_core.model.counting import number_of
from muninn_core.models.service import ModelService
from muninn_core.protocol.families.models import JudgeParams
from muninn_core.protocol.families.reconciliation import ReconcileParams, ReconcileResult
from muninn_core.store.records.timestamps import timestamp
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.workspace import Workspace

MAX_PAIRS = 200
"""The most pairs that a run asks about. The budget of models limits it, too."""


class BackgroundReconcile:
    """Runs `judge` and then `reconcile` on a thread of its own."""

    def __init__(self, models: ModelService, clock: Callable[[], datetime]) -> None:
        self._models = models
        self._clock = clock
        self._pool = ThreadPoolExecutor(1, "reconcile")
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._running = ""
        self._ended: dict[str, str] = {}

    def start(self, workspace: Workspace, params: ReconcileParams) -> ReconcileResult:
        """Start a run. Raises BusyError while another one runs, and what `check` raises."""
        check(params)
        route_for(self._models.settings(workspace.location.root))
        root = workspace.location.root
        with self._lock:
            if self._running:
                raise BusyError(
                    f"memory of {self._running} is being reconciled",
                    hint="One run at a time; `muninn status` shows when it ends.",
                )
            self._running = root
            self._ended[root] = f"began at {timestamp(self._clock())}"
        self._pool.submit(self._run, workspace, params)
        return ReconcileResult(
            consolidated=0,
            duplicates=0,
            conflicts=0,
            segments=(),
            merges=(),
            superseded=(),
            opened=(),
            dry_run=False,
            summary="reconciling in the background; `muninn status` shows how it ends",
            started=True,
            saw=workspace.read_state(),
        )

    def state(self, workspace: Workspace) -> str:
        """Return how the last run of a work tree began or ended, "" when there was none since the daemon started."""
        return self._ended.get(workspace.location.root, "")

    def close(self) -> None:
        """End the run in progress at its next pair. What it judged is recorded."""
        self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def wait(self) -> None:
        """Wait until the run in progress has ended."""
        self._pool.submit(lambda: None).result()

    def _run(self, workspace: Workspace, params: ReconcileParams) -> None:
        call = CallContext(location=workspace.location, client="reconcile --llm", cancelled=self._stop)
        try:
            judged = judge(workspace, self._models, JudgeParams(limit=MAX_PAIRS, session=params.session), call)
            done = maintenance.reconcile(workspace, params, call)
            ended = f"{number_of(len(judged.pairs), 'pair')} judged; {done.summary}"
        except MuninnError as error:
            ended = f"failed: {error.line}"
        except Exception as error:  # the next run must be possible, and `status` says what happened
            ended = f"failed: {type(error).__name__}: {error}"
        with self._lock:
            self._ended[workspace.location.root] = f"{ended} ({timestamp(self._clock())})"
            self._running = ""


def check(params: ReconcileParams) -> None:
    """Raise BadParams for parameters that do not go together."""
    if params.llm != params.background:
        raise BadParams(
            "`llm` and `background` go together: a model takes minutes, and the rules alone need no background",
            hint="`muninn reconcile --llm --background`, or `muninn judge` and then `muninn reconcile`.",
        )
    if params.dry_run and params.llm:
        raise BadParams("`dry_run` asks no model", hint="`muninn judge --dry-run` lists the pairs.")
