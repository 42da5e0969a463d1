"""Turn what sessions stored into one consolidated memory, and settle contradictions."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.answer import ReadState
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result, SessionId, Text
from muninn_core.protocol.method import Family, Method


class SealParams(Value):
    """Which sessions to seal."""

    session: Annotated[
        SessionId | None, Meta(description="Only this session; all sessions of the work tree when absent.")
    ] = None


class SealResult(Result):
    """The segments that were written, relative to the root, and how many records they hold."""

    segments: tuple[str, ...]
    records: int


class ReconcileParams(Value):
    """How to consolidate."""

    dry_run: Annotated[bool, Meta(description="Say what would happen; change nothing.")] = False
    archive: Annotated[bool, Meta(description="Move the segments to memory/archive in place of deleting them.")] = False
    session: Annotated[SessionId | None, Meta(description="Only this session's segments; all of them when absent.")] = (
        None
    )


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


class UndoParams(Value):
    """Nothing to say: the last reconcile or prune of the work tree is taken back."""


class UndoResult(Result):
    """What was put back: `files` relative to the root; `summary` says what had been done to them."""

    kind: str
    files: tuple[str, ...]
    summary: str


class PruneParams(Value):
    """Whether to prune or to say what that would do; the policy is `prune` in the config."""

    dry_run: Annotated[bool, Meta(description="Say what would leave; change nothing.")] = False


class PruneResult(Result):
    """What left main.jsonl for the file `archive`, or would; `before` and `after` are the size of main in bytes."""

    memories: tuple[str, ...]
    records: int
    before: int
    after: int
    archive: str
    dry_run: bool
    summary: str


class ConflictsParams(Value):
    """Which conflicts to show."""

    id: Annotated[str | None, Meta(description="One conflict, by its id or an unambiguous prefix of it.")] = None


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


class ResolveParams(Value):
    """A person's decision."""

    id: Annotated[Text, Meta(description="The conflict's id or an unambiguous prefix of it.")]
    keep: Annotated[Literal["left", "right", "both"], Meta(description="Which side holds.")]
    text: Annotated[str, Meta(description="A new wording for the side that is kept.")] = ""
    session: SessionId | None = None


class ResolveResult(Result):
    """Both sides as they are now."""

    conflict: str
    left: Memory
    right: Memory


FAMILY = Family(
    name="reconciliation",
    title="Reconcile",
    summary="Turn what sessions stored into one consolidated memory, and settle contradictions.",
    methods=(
        Method(
            verb="seal",
            title="Seal sessions",
            summary="Turn what the open sessions stored into new files that git can carry.",
            params=SealParams,
            result=SealResult,
            effect="write",
            retry=True,
        ),
        Method(
            verb="reconcile",
            title="Reconcile memory",
            summary="Seal all sessions and consolidate them in main.jsonl: merge the same, queue what contradicts.",
            params=ReconcileParams,
            result=ReconcileResult,
            effect="write",
            destructive=True,
            tool=True,
            use="Call only when the user asks for it: it rewrites .muninn/memory/main.jsonl. Try `dry_run` first.",
            progress="Reconciling",
            shown=("dry_run",),
            session_filter=True,
        ),
        Method(
            verb="undo",
            title="Undo",
            summary="Take back the last reconcile or prune: every file as it was, byte for byte.",
            params=UndoParams,
            result=UndoResult,
            effect="write",
            destructive=True,
            idempotent=False,
        ),
        Method(
            verb="prune",
            title="Prune memory",
            summary="Move what speaks no longer from main.jsonl to the archive, by the policy in the config.",
            params=PruneParams,
            result=PruneResult,
            effect="write",
            destructive=True,
        ),
        Method(
            verb="conflicts",
            title="Show conflicts",
            summary="Show the contradictions that wait for a person.",
            params=ConflictsParams,
            result=ConflictsResult,
            effect="read",
            tool=True,
            use="Call after reconcile reports conflicts, and show both sides to the user; they decide with `resolve`.",
        ),
        Method(
            verb="resolve",
            title="Resolve a conflict",
            summary="Decide a conflict: keep left, right or both.",
            params=ResolveParams,
            result=ResolveResult,
            effect="write",
            destructive=True,
            positional=("id",),
            example={"id": "0198c5", "keep": "left"},
        ),
    ),
)
