"""Consolidate the memory of sessions, and resolve contradictions."""

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
        SessionId | None, Meta(description="Only this session. Without it all sessions of the work tree are sealed.")
    ] = None


class SealResult(Result):
    """The segments that were written, relative to the root, and the number of records in them."""

    segments: tuple[str, ...]
    records: int


class ReconcileParams(Value):
    """How to reconcile."""

    dry_run: Annotated[bool, Meta(description="Report what would happen; change nothing.")] = False
    archive: Annotated[bool, Meta(description="Move the segments to memory/archive instead of deleting them.")] = False
    session: Annotated[
        SessionId | None, Meta(description="Only the segments of this session. Without it all are consolidated.")
    ] = None
    llm: Annotated[
        bool, Meta(description="First ask the route of `reconcile` about similar memories. Needs `background`.")
    ] = False
    background: Annotated[
        bool, Meta(description="With `llm`: return at once; `status` shows how it ends. One run at a time.")
    ] = False


class Merge(Value):
    """Memories with the same content: `merged` were merged into `kept`."""

    kept: str
    merged: tuple[str, ...]
    reason: str


class Superseded(Value):
    """A memory that a newer one of the same author replaced, because one value changed. `restore` restores it."""

    newer: str
    older: str
    reason: str


class CitedCode(Value):
    """Code that one side of a conflict cites, from the work tree. `problem` is set when it could not be read."""

    side: str
    path: str
    start: int
    end: int
    text: str = ""
    problem: str = ""


class Conflict(Value):
    """Two contradicting memories, the reason for the conflict, and the code that they cite.

    `keep` is the decision: left, right or both; "" while it is open.
    """

    id: str
    left: Memory
    right: Memory
    reason: str
    ts: str
    code: tuple[CitedCode, ...] = ()
    keep: str = ""


class Reconciled(Value):
    """The outcome of reconciling. `segments` are relative to the root; `summary` is one line for people.

    `conflicts` counts the new conflicts, `opened` are these.
    """

    consolidated: int
    duplicates: int
    conflicts: int
    segments: tuple[str, ...]
    merges: tuple[Merge, ...]
    superseded: tuple[Superseded, ...]
    dry_run: bool
    summary: str
    opened: tuple[Conflict, ...]


class ReconcileResult(Reconciled):
    """The outcome of reconciling, or with `dry_run` the expected one. `summary` is one line for people.

    `conflicts` counts the new conflicts, `opened` are these; the verb `conflicts` does not list those of a dry run.
    `started` is true for a run in the background; the counts are then 0.
    """

    saw: ReadState
    started: bool = False


class UndoParams(Value):
    """`undo` takes no parameters: it undoes the last reconcile or prune of the work tree."""


class UndoResult(Result):
    """The files that were restored, relative to the root. `summary` describes the operation that was undone."""

    kind: str
    files: tuple[str, ...]
    summary: str


class PruneParams(Value):
    """Whether to prune or only to report. The policy is `prune` in the configuration."""

    dry_run: Annotated[bool, Meta(description="Report what would be moved; change nothing.")] = False


class PruneResult(Result):
    """What was moved from main.jsonl to the file `archive`. `before` and `after` are sizes of main.jsonl in bytes."""

    memories: tuple[str, ...]
    records: int
    before: int
    after: int
    archive: str
    dry_run: bool
    summary: str


class EvolveParams(Value):
    """Whether to report, to record, or to take back."""

    apply: Annotated[bool, Meta(description="Record the steps. Otherwise only report them.")] = False
    undo: Annotated[bool, Meta(description="The last run instead: report it, or with `apply` revert it.")] = False
    limit: Annotated[int, Meta(ge=1, le=1000, description="The most steps of each kind.")] = 20
    session: SessionId | None = None


class EvolveStep(Value):
    """One step of upkeep. `kind` is merge, link, importance or archive.

    `target` is the memory, for a merge the one that is kept; `other` is the merged one, or the end of a link. `before`
    and `after` are the importance, or the strength of the link; 0 after a link that is removed.
    """

    kind: str
    target: str
    title: str
    reason: str
    other: str = ""
    relation: str = ""
    before: float = 0.0
    after: float = 0.0


class EvolveResult(Result):
    """The steps. `further` counts those beyond the limit. `run` is the id of the recorded run, "" when none was."""

    steps: tuple[EvolveStep, ...]
    further: int = 0
    run: str = ""
    undone: bool = False


class ConflictsParams(Value):
    """Which conflicts to show."""

    id: Annotated[
        str | None, Meta(description="One conflict, open or decided, by its id or an unambiguous prefix of it.")
    ] = None
    decided: Annotated[bool, Meta(description="List the conflicts that a person has decided, too.")] = False


class ConflictsResult(Result):
    """The conflicts, oldest first. `citations` are by memory id, as in the result of `memories`.

    `unreconciled` counts the sessions with records since the last reconcile: their contradictions are not listed yet.
    It is 0 for a conflict by its id.
    """

    conflicts: tuple[Conflict, ...]
    citations: dict[str, tuple[Citation, ...]] = field(default_factory=dict)
    unreconciled: int = 0


class ResolveParams(Value):
    """The decision on a conflict. A later decision replaces an earlier one."""

    id: Annotated[Text, Meta(description="The conflict's id or an unambiguous prefix of it.")]
    keep: Annotated[Literal["left", "right", "both"], Meta(description="The side to keep.")]
    text: Annotated[str, Meta(description="A new text for the side that is kept.")] = ""
    session: SessionId | None = None


class ResolveResult(Result):
    """Both memories in their new state. `before` is the decision that this one replaces, "" for none.

    `changed` is false when the decision was the same before; then nothing is recorded.
    """

    conflict: str
    left: Memory
    right: Memory
    before: str = ""
    changed: bool = True


FAMILY = Family(
    name="reconciliation",
    title="Reconcile",
    summary="Consolidate the memory of sessions, and resolve contradictions.",
    methods=(
        Method(
            verb="seal",
            title="Seal sessions",
            synonyms=("commit", "flush"),
            summary="Write the records of open sessions to new files that git can track.",
            params=SealParams,
            result=SealResult,
            effect="write",
            retry=True,
        ),
        Method(
            verb="reconcile",
            title="Reconcile memory",
            synonyms=("dedupe", "clean", "gc"),
            summary=("Seal all sessions and consolidate them in main.jsonl: merge duplicates, queue contradictions."),
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
            title="Undo the last reconcile or prune",
            suggested=False,
            summary="Undo the last reconcile or prune; every file is restored byte for byte.",
            params=UndoParams,
            result=UndoResult,
            effect="write",
            destructive=True,
            idempotent=False,
        ),
        Method(
            verb="prune",
            title="Prune memory",
            suggested=False,
            summary=(
                "Move memories that are no longer recalled from main.jsonl to the archive, by the configured policy."
            ),
            params=PruneParams,
            result=PruneResult,
            effect="write",
            destructive=True,
        ),
        Method(
            verb="evolve",
            title="Maintain memory",
            synonyms=("decay", "upkeep", "age"),
            summary=(
                "Merge equal memories, weaken unused links, adjust importance by use, and archive unused memories; "
                "report first, --apply records."
            ),
            params=EvolveParams,
            result=EvolveResult,
            effect="write",
            destructive=True,
            suggested=False,
        ),
        Method(
            verb="conflicts",
            title="Show conflicts",
            summary="Show the contradictions that a person must resolve.",
            params=ConflictsParams,
            result=ConflictsResult,
            effect="read",
            tool=True,
            use=(
                "Call after reconcile reports conflicts, and show both sides to the user; the user decides "
                "with `resolve`."
            ),
        ),
        Method(
            verb="resolve",
            title="Resolve a conflict",
            synonyms=("solve",),
            summary="Resolve a conflict: keep left, right or both. A later decision replaces an earlier one.",
            params=ResolveParams,
            result=ResolveResult,
            effect="write",
            destructive=True,
            positional=("id",),
            example={"id": "0198c5", "keep": "left"},
        ),
    ),
)
