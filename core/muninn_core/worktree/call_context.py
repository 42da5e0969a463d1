"""The context of one call: work tree, actor, progress, cancellation, and unsaved text."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from muninn_core.errors import Cancelled
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.value import Value

if TYPE_CHECKING:
    from muninn_core.worktree.citations.overlays import Overlays


class Progress(Value):
    """How far a call is. `kind` is begin, report or end; `percentage` is 0 to 100."""

    kind: str
    message: str = ""
    percentage: int = 0

    def to_lsp(self) -> dict[str, object]:
        """Return the value of an LSP `$/progress` notification (LSP 3.17, Work Done Progress)."""
        if self.kind == "end":
            return {"kind": "end", "message": self.message}
        shared: dict[str, object] = {"kind": self.kind, "message": self.message, "percentage": self.percentage}
        return {**shared, "title": "Muninn", "cancellable": True} if self.kind == "begin" else shared


class Connection:
    """One client's connection. `agent`, `agent_key` and `role` are those of the agent that registered on it, if any."""

    __slots__ = ("agent", "agent_key", "role")

    def __init__(self) -> None:
        self.agent = self.agent_key = self.role = ""


class CallContext:
    """One call. `actor` overrides the actor that the client states. `report` is None when the client wants no progress.

    `buffers` are the files that the client's editor has open; None when the client is no editor.
    """

    __slots__ = ("_cancelled", "_report", "actor", "buffers", "client", "connection", "location")

    def __init__(
        self,
        *,
        location: RepositoryLocation,
        client: str = "",
        actor: str | None = None,
        cancelled: threading.Event | None = None,
        report: Callable[[Progress], None] | None = None,
        buffers: Overlays | None = None,
        connection: Connection | None = None,
    ) -> None:
        self.location = location
        self.client = client
        self.actor = actor
        self.buffers = buffers
        self.connection = connection or Connection()
        self._cancelled = cancelled
        self._report = report

    @property
    def cancelled(self) -> bool:
        """Whether the client cancelled the call or disconnected."""
        return self._cancelled is not None and self._cancelled.is_set()

    def raise_if_cancelled(self) -> None:
        """Raise Cancelled when the client cancelled the call or disconnected."""
        if self.cancelled:
            raise Cancelled("the request was cancelled")

    def report(self, kind: str, message: str = "", percentage: int = 0) -> None:
        """Send the client how far the call is."""
        if self._report is not None:
            self._report(Progress(kind=kind, message=message, percentage=percentage))
