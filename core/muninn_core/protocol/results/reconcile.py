"""Results about consolidation: merges, contradictions, and what takes them back."""

from __future__ import annotations

from muninn_core.model.answer import ReadState
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value, field
from muninn_core.protocol.results.base import Result


class Merge(Value):
    """Memories that said the same: `kept` speaks for `merged` from now on."""

    kept: str
    merged: tuple[str, ...]
    reason: str


class Reconciled(Value):
    """What reconciling did, or would do. `segments` are relative to the root, `summary` is the line for people."""

    consolidated: int
    duplicates: int
    conflicts: int
    segments: tuple[str, ...]
    merges: tuple[Merge, ...]
    dry_run: bool
    summary: str


class ReconcileResult(Reconciled):
    """What reconciling did, or would do; `summary` is the line for people."""

    saw: ReadState


class UndoResult(Result):
    """What was put back: `files` relative to the root; `summary` says what had been done to them."""

    kind: str
    files: tuple[str, ...]
    summary: str


class PruneResult(Result):
    """What left main.jsonl for the file `archive`, or would; `before` and `after` are the size of main in bytes."""

    memories: tuple[str, ...]
    records: int
    before: int
    after: int
    archive: str
    dry_run: bool
    summary: str


class CitedCode(Value):
    """Code that a side of a conflict cites, as it stands in the work tree; `problem` says why there is no text."""

    side: str
    path: str
    start: int
    end: int
    text: str = ""
    problem: str = ""


class Conflict(Value):
    """Two memories that can't both hold, why they were put side by side, and the code that they cite."""

    id: str
    left: Memory
    right: Memory
    reason: str
    ts: str
    code: tuple[CitedCode, ...] = ()


class ConflictsResult(Result):
    """The conflicts that wait for a person, oldest first; `citations` by memory, as in the result of `memories`."""

    conflicts: tuple[Conflict, ...]
    citations: dict[str, tuple[Citation, ...]] = field(default_factory=dict)


class ResolveResult(Result):
    """Both sides as they are now."""

    conflict: str
    left: Memory
    right: Memory
