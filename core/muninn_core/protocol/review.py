"""Check what memory claims against the code, and decide what may be recalled."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.citation import Citation
from muninn_core.model.memory import Actor, Cite, Memory
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Result, SessionId, Text
from muninn_core.protocol.method import Family, Method


class DiffParams(Value):
    """Which work to review."""

    range: Annotated[
        Text,
        Meta(description="A..B: what B adds to A since they parted. One revision alone is compared with HEAD."),
    ]
    format: Annotated[
        Literal["text", "markdown"], Meta(description="How `text` is written; markdown suits a pull request.")
    ] = "text"


class Turn(Value):
    """What became of one memory. `by` is the other memory that it has to do with, if any; `reason` is in words."""

    memory: Memory
    by: Memory | None = None
    reason: str = ""


class DiffResult(Result):
    """What the work from `base` to `head` does to memory; every list is in the order of the memories' ids.

    `contradicts` are pairs of which at least one memory is new; `stale` are memories whose code the work changed.
    `pending` wait for an approval since, `approved` do no longer.
    `text` says all of it, as text or markdown.
    """

    base: str
    head: str
    added: tuple[Memory, ...]
    removed: tuple[Memory, ...]
    changed: tuple[Turn, ...]
    superseded: tuple[Turn, ...]
    archived: tuple[Turn, ...]
    contradicts: tuple[Turn, ...]
    stale: tuple[Turn, ...]
    pending: tuple[Memory, ...]
    approved: tuple[Memory, ...]
    malformed: int
    text: str


class CheckParams(Value):
    """How to judge; the levels of the single rules stand in the config, under `check`."""

    strict: Annotated[bool, Meta(description="Count warnings as errors.")] = False


class Finding(Value):
    """Something that a check found. `level` is error or warn; `line` 0 is the whole file; `id` names a memory."""

    rule: str
    level: str
    message: str
    path: str = ""
    line: int = 0
    id: str = ""
    hint: str = ""


class CheckResult(Result):
    """Findings by path, line, rule. `ok` says that none is an error; `files` counts the files that were read."""

    ok: bool
    errors: int
    warnings: int
    files: int
    memories: int
    findings: tuple[Finding, ...]


class VerifyParams(Value):
    """Which citations to check."""

    id: Annotated[str | None, Meta(description="One memory, by its id or an unambiguous prefix of it.")] = None
    fix: Annotated[bool, Meta(description="Let memories whose code has moved cite the new place.")] = False
    session: SessionId | None = None


class Verified(Value):
    """A memory whose citations are not all fresh. `fixed`: it cites the new places from now on."""

    id: str
    type: str
    title: str
    cites: tuple[Citation, ...]
    fixed: bool = False


class VerifyResult(Result):
    """How many citations there are in each state, of how many memories, and the memories that need a look.

    Those with something gone come first, then drifted, unchecked, moved; by id among equals.
    """

    memories: int
    states: dict[str, int]
    found: tuple[Verified, ...]
    fixed: int = 0


class ConfirmParams(Value):
    """Which memory still holds, and where its code is now."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]
    cites: Annotated[
        tuple[Cite, ...],
        Meta(description="New places in the code, in place of those that are stale; else where the code is now."),
    ] = ()
    session: SessionId | None = None


class ConfirmResult(Result):
    """The memory as it is now; `cites` are the places that it cites from now on."""

    memory: Memory
    cites: tuple[Citation, ...]


class ApproveParams(Value):
    """Which memories to approve, and who does so."""

    ids: Annotated[
        tuple[Text, ...], Meta(min_length=1, description="The memories' ids or unambiguous prefixes of them.")
    ]
    note: Annotated[str, Meta(description="A word on it; kept with the memory.")] = ""
    actor: Annotated[Actor, Meta(description="Who approves.")] = "user"
    agent: Annotated[str | None, Meta(description="The program that acts, with its version.")] = None
    session: SessionId | None = None


class ReviewResult(Result):
    """The memories that were decided about, as they are now."""

    memories: tuple[Memory, ...]


class RejectParams(Value):
    """Which memories to reject, why, and who does so."""

    ids: Annotated[
        tuple[Text, ...], Meta(min_length=1, description="The memories' ids or unambiguous prefixes of them.")
    ]
    reason: Annotated[Text, Meta(description="Why; kept with the memory.")]
    actor: Annotated[Actor, Meta(description="Who rejects.")] = "user"
    agent: Annotated[str | None, Meta(description="The program that acts, with its version.")] = None
    session: SessionId | None = None


FAMILY = Family(
    name="review",
    title="Review",
    summary="Check what memory claims against the code, and decide what may be recalled.",
    methods=(
        Method(
            verb="diff",
            title="Review memory",
            summary="Tell what memory a branch adds, changes, contradicts and makes stale.",
            params=DiffParams,
            result=DiffResult,
            effect="read",
            alone=True,
            positional=("range",),
            use=(
                "Call when the user reviews a branch: it tells what memory the branch adds, contradicts and makes "
                "stale."
            ),
            example={"range": "main..HEAD"},
        ),
        Method(
            verb="check",
            title="Check memory",
            summary="Check what the repository carries: malformed lines, secrets, dangling citations, open conflicts.",
            params=CheckParams,
            result=CheckResult,
            effect="read",
            alone=True,
        ),
        Method(
            verb="verify",
            title="Verify citations",
            summary="Check whether the code still says what memories cite: fresh, moved, drifted or gone.",
            params=VerifyParams,
            result=VerifyResult,
            effect="write",
            positional=("id",),
            use="Call after larger changes of the code, to see which memories cite what is no longer there. With `fix` "
            "memories follow code that has moved.",
            example={"id": "0198c5"},
            progress="Checking",
            shown=("id", "fix"),
        ),
        Method(
            verb="confirm",
            title="Confirm a memory",
            summary="Say that a memory still holds: it cites the code as it is now, or in the place that is given.",
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
            summary="Let memories that wait for an approval speak; an agent can't approve what it made itself.",
            params=ApproveParams,
            result=ReviewResult,
            effect="write",
            positional=("ids",),
            example={"ids": ["0198c5"]},
        ),
        Method(
            verb="reject",
            title="Reject memories",
            summary="Decide that memories which wait for an approval are not recalled; they are kept with the reason.",
            params=RejectParams,
            result=ReviewResult,
            effect="write",
            destructive=True,
            positional=("ids",),
            example={"ids": ["0198c5"], "reason": "It was measured before the cache."},
        ),
    ),
)
