"""What the verbs of all families share: the open work trees, the clock, and how memory is changed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from muninn_core.engine.answer.open_editors import OpenEditors
from muninn_core.engine.memory import drafts
from muninn_core.errors import BadParams
from muninn_core.model.memory import Memory
from muninn_core.store.ids import Ids
from muninn_core.store.shared import SharedLog
from muninn_core.worktree.call import Call
from muninn_core.worktree.open_trees import OpenTrees
from muninn_core.worktree.workspace import Workspace


class Verbs:
    """The base of each family's verbs.

    A verb is a method named `Method.function` that takes checked parameters and the call, and returns the result. It
    raises MuninnError.
    """

    def __init__(
        self, *, version: str, clock: Callable[[], datetime], ids: Ids, trees: OpenTrees, clients: Callable[[], int]
    ) -> None:
        self.version = version
        self.clock = clock
        self.ids = ids
        self.trees = trees
        self.desk = OpenEditors()
        self._clients = clients
        self._begun = time.monotonic()
        self._longest_stall = 0.0
        self._catching_up = threading.Lock()

    def _reading(self, call: Call) -> Workspace:
        """Return the call's work tree with what other processes have written to its log. Raises NotInitialised."""
        workspace = self.trees.open(call.place)
        workspace.follow()
        return workspace

    def _writable(self, call: Call) -> Workspace:
        """Return the call's work tree for writing. Raises MuninnError where another daemon writes, or nobody can."""
        return self.trees.writable(call.place)

    def _sharing(self, workspace: Workspace) -> SharedLog:
        """Return the log of global memory. Raises BadParams where there is none."""
        if workspace.shared is not None:
            return workspace.shared
        switched = not workspace.config.memory.global_scope
        raise BadParams(
            "there is no global memory here" + (": the configuration leaves it out" if switched else ""),
            hint="Set memory.global_scope in .muninn/config.yaml." if switched else "The project's scope is there.",
        )

    def _store(self, workspace: Workspace, memory: Memory, records: list[dict[str, Any]], session: str | None) -> None:
        """Append changes of a memory to the log that holds the memory."""
        if records:
            log = self._sharing(workspace) if memory.scope == "global" else workspace.log
            log.append(records, session or workspace.session)
            workspace.follow_shared()
            workspace.hand_over_memories()

    def _change(self, workspace: Workspace, call: Call, session: str | None, kind: str, **fields: Any) -> None:
        """Append one change, of the record type `kind`, to the log that holds its target."""
        clean, _ = drafts.cleaned(fields, workspace)
        record = {"type": kind, "actor": call.actor or "user", **clean}
        known = workspace.known().get(str(fields.get("target")))
        everywhere = known is not None and known.scope == "global"
        log = self._sharing(workspace) if everywhere else workspace.log
        log.append([record], session or workspace.session)
        if everywhere:
            workspace.follow_shared()
        workspace.hand_over_memories()
