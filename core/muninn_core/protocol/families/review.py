"""Check memory against the code, review a branch, and approve waiting memories."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.citation import Citation
from muninn_core.model.memory import Actor, Cite, Memory
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import CallingProgram, MemoryId, MemoryIds, Result, SessionId, Text
from muninn_core.protocol.method import Family, Method


class DiffParams(Value):
    """The range to review."""

    range: Annotated[
        Text,
        Meta(description="A..B compares B with the merge base of A and B. A single revision is compared with HEAD."),
    ]
    format: Annotated[
        Literal["text", "markdown"], Meta(description="The format of `text`; markdown suits a pull request.")
    ] = "text"


class AffectedMemory(Value):
    """A memory that the range affects. `by` is the other memory involved, if any; `reason` is in words."""

    memory: Memory
    by: Memory | None = None
    reason: str = ""


class DiffResult(Result):
    """What the range `base` to `head` does to memory. Every list is ordered by memory id.

    `contradicts` are pairs of which at least one memory is new. `stale` are memories whose cited code the range
    changed. `pending` are memories that wait for approval since then, `approved` those that were approved. `text` has
    all of it, as text or markdown.
    """

    base: str
    head: str
    added: tuple[Memory, ...]
    removed: tuple[Memory, ...]
    changed: tuple[AffectedMemory, ...]
    superseded: tuple[AffectedMemory, ...]
    archived: tuple[AffectedMemory, ...]
    contradicts: tuple[AffectedMemory, ...]
    stale: tuple[AffectedMemory, ...]
    pending: tuple[Memory, ...]
    approved: tuple[Memory, ...]
    malformed: int
    text: str


class CheckParams(Value):
    """How to judge findings. The level of each rule is in the configuration, under `check`."""

    strict: Annotated[bool, Meta(description="Treat warnings as errors.")] = False


class Finding(Value):
    """A finding. `level` is error or warn; `line` is 1-based, 0 for the whole file; `id` names a memory."""

    rule: str
    level: str
    message: str
    path: str = ""
    line: int = 0
    id: str = ""
    hint: str = ""


class CheckResult(Result):
    """The findings, by path, line and rule. `ok` is true without errors; `files` counts the files that were read."""

    ok: bool
    errors: int
    warnings: int
    files: int
    memories: int
    findings: tuple[Finding, ...]


class VerifyParams(Value):
    """Which citations to check."""

    id: Annotated[
        str | None,
        Meta(description="One memory, by its id or an unambiguous prefix of it. Without it all are checked."),
    ] = None
    fix: Annotated[bool, Meta(description="Update citations of code that has moved to its new place.")] = False
    session: SessionId | None = None


class Verified(Value):
    """A memory with citations that are not fresh. `fixed` is true when its citations were updated."""

    id: str
    type: str
    title: str
    cites: tuple[Citation, ...]
    fixed: bool = False


class VerifyResult(Result):
    """The number of citations in each state, and the memories that need attention.

    Memories with gone citations come first, then drifted, unchecked and moved ones; among equals by id.
    """

    memories: int
    states: dict[str, int]
    found: tuple[Verified, ...]
    fixed: int = 0


class ConfirmParams(Value):
    """The memory that still holds, and the code that it is about."""

    id: MemoryId
    cites: Annotated[
        tuple[Cite, ...],
        Meta(description="New citations in place of the stale ones. Without them the current places are cited."),
    ] = ()
    session: SessionId | None = None


class ConfirmResult(Result):
    """The memory, and the citations that it has now."""

    memory: Memory
    cites: tuple[Citation, ...]


class ApproveParams(Value):
    """The memories to approve, and the approving actor."""

    ids: MemoryIds
    note: Annotated[str, Meta(description="A note, kept with the memory.")] = ""
    actor: Annotated[Actor, Meta(description="The approving actor.")] = "user"
    agent: CallingProgram = None
    session: SessionId | None = None


class ReviewResult(Result):
    """The memories in their new state."""

    memories: tuple[Memory, ...]


class RejectParams(Value):
    """The memories to reject, the reason, and the rejecting actor."""

    ids: MemoryIds
    reason: Annotated[Text, Meta(description="The reason, kept with the memory.")]
    actor: Annotated[Actor, Meta(description="The rejecting actor.")] = "user"
    agent: CallingProgram = None
    session: SessionId | None = None


FAMILY = Family(
    name="review",
    title="Review",
    summary="Check memory against the code, review a branch, and approve waiting memories.",
    methods=(
        Method(
            verb="diff",
            title="Review a branch's memory",
            summary="Show which memories a branch adds, changes, contradicts and makes stale.",
            params=DiffParams,
            result=DiffResult,
            effect="read",
            without_memory=True,
            alone=True,
            positional=("range",),
            use=(
                "Call when the user reviews a branch: it lists the memories that the branch adds, contradicts"
                " and makes stale."
            ),
            example={"range": "main..HEAD"},
        ),
        Method(
            verb="check",
            title="Check memory",
            summary=(
                "Check the repository's memory files: malformed lines, secrets, dangling citations, open conflicts."
            ),
            params=CheckParams,
            result=CheckResult,
            effect="read",
            alone=True,
        ),
        Method(
            verb="verify",
            title="Verify citations",
            synonyms=("stale", "validate"),
            summary="Compare the citations of memories with the code: fresh, moved, drifted or gone.",
            params=VerifyParams,
            result=VerifyResult,
            effect="write",
            positional=("id",),
            use=(
                "Call after larger changes to the code, to find memories whose cited code is gone. `fix` "
                "updates citations of moved code."
            ),
            example={"id": "0198c5"},
            progress="Checking",
            shown=("id", "fix"),
        ),
        Method(
            verb="confirm",
            title="Confirm a memory",
            summary="Confirm that a memory still holds, and update its citations to the current code.",
            params=ConfirmParams,
            result=ConfirmResult,
            effect="write",
            positional=("id",),
            example={"id": "0198c5"},
            rooted_paths=("cites",),
        ),
        Method(
            verb="approve",
            title="Approve memories",
            summary="Approve waiting memories, so that they are recalled. An agent can't approve its own.",
            params=ApproveParams,
            result=ReviewResult,
            effect="write",
            positional=("ids",),
            example={"ids": ["0198c5"]},
        ),
        Method(
            verb="reject",
            title="Reject memories",
            summary="Reject waiting memories. They are not recalled; they are kept with the reason.",
            params=RejectParams,
            result=ReviewResult,
            effect="write",
            destructive=True,
            positional=("ids",),
            example={"ids": ["0198c5"], "reason": "It was measured before the cache."},
        ),
    ),
)
