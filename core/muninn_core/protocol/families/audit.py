"""Verify the journal, replay it, and show its projections."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from muninn_core.model.event import Event
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result
from muninn_core.protocol.families.events import Limit, Since, Until
from muninn_core.protocol.method import Family, Method


class AuditReplayParams(Value):
    """Which events to replay, from the first to the last."""

    stream: Annotated[str, Meta(description="Only events of this stream.")] = ""
    since: Since = ""
    until: Until = ""
    project_id: Annotated[str, Meta(description="Only events of this project.")] = ""
    after: Annotated[int, Meta(ge=0, description="Only events after this position: the `next` of the page before.")] = 0
    limit: Annotated[int, Meta(ge=1, le=10_000, description="The most events of one answer; a file gets all.")] = 1000
    path: Annotated[
        str, Meta(description="Write the lines to this new file instead; a relative path starts at the root.")
    ] = ""


class AuditReplayResult(Result):
    """The events as lines of JSON, the same bytes each time until one is redacted.

    `digest` is the sha256 of the lines with their ends. `next` is `after` of the next page, None at the end.
    """

    lines: tuple[str, ...]
    count: int
    digest: str
    next: int | None = None
    path: str = ""


class AuditVerifyParams(Value):
    """The verb takes no parameters."""


class BrokenChain(Value):
    """The first broken place. `kind` is changed, dropped, moved, truncated, blanked or unreadable."""

    kind: str
    position: int
    event_id: str
    message: str


class AuditVerifyResult(Result):
    """Whether the chain is intact. `events` were checked; `redacted` are the ids of those that a redaction blanked.

    `removed` counts events that retention removed. `head` is the last good hash.
    """

    ok: bool
    events: int
    head: str
    redacted: tuple[str, ...]
    removed: int
    broken: BrokenChain | None = None


class AuditTailParams(Value):
    """How many events to show."""

    limit: Limit = 20
    after: (
        Annotated[int, Meta(ge=0, description="The first events after this position, instead of the last ones.")] | None
    ) = None


class AuditTailResult(Result):
    """The events in their order, deleted and redacted ones too. `last` is the position to continue `after`."""

    events: tuple[Event, ...]
    last: int


class AuditSealParams(Value):
    """Which months to seal."""

    before: Annotated[
        str, Meta(description="Seal the months before this one (YYYY-MM); the current one when empty.")
    ] = ""
    dry_run: Annotated[
        bool, Meta(description="Report the files that would be written and removed; change nothing.")
    ] = False


class AuditSealResult(Result):
    """The sealed files that were written, and those that retention removed, in the journal's folder.

    With `dry_run` they are those that would be.
    """

    sealed: tuple[str, ...]
    removed: tuple[str, ...]
    folder: str


class ProjectionsStatusParams(Value):
    """The verb takes no parameters."""


class ProjectionState(Value):
    """A projection: its tables, the position that it holds, and how many events it lags behind."""

    name: str
    tables: tuple[str, ...]
    offset: int
    lag: int


class ProjectionsStatusResult(Result):
    """The projections. `events` is the position of the last event; `failure` says why they do not follow."""

    events: int
    projections: tuple[ProjectionState, ...]
    failure: str = ""


class ProjectionsRebuildParams(Value):
    """Which projections to build again."""

    names: Annotated[tuple[str, ...], Meta(description="The projections; all when there are none.")] = ()


class RebuiltProjection(Value):
    """A projection, the sha256 of its content, and whether that is the same as before."""

    name: str
    digest: str
    same: bool


class ProjectionsRebuildResult(Result):
    """The projections that were built again."""

    rebuilt: tuple[RebuiltProjection, ...]


class ProjectionsShowParams(Value):
    """Which rows to show."""

    table: Annotated[
        Literal["memory_facts", "decisions", "decision_edges", "artifact_links", "patterns"],
        Meta(description="The table."),
    ]
    where: Annotated[dict[str, Any], Meta(description='Values of columns: {"status": "accepted"}.')] = field(
        default_factory=dict
    )
    project_id: Annotated[str, Meta(description="Only rows of this project.")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="The most rows.")] = 100


class ProjectionsShowResult(Result):
    """The rows, the newest first, with the names of the columns."""

    rows: tuple[dict[str, Any], ...]


FAMILY = Family(
    name="audit",
    title="Audit and projections",
    summary="Verify the journal, replay it, and show its projections.",
    groups={
        "audit": "Verify the journal, and replay it.",
        "projections": "Projections: tables computed from the journal.",
    },
    plumbing=True,
    methods=(
        Method(
            verb="audit.replay",
            title="Replay events",
            summary="Return events in their order as lines of JSON: the same bytes each time.",
            params=AuditReplayParams,
            result=AuditReplayResult,
            effect="control",
            for_agents=True,
            absolute_paths=("path",),
            example={"stream": "session:s-1"},
        ),
        Method(
            verb="audit.verify",
            title="Verify the journal",
            summary="Check every event against the chain of hashes, and name the first that was changed or removed.",
            params=AuditVerifyParams,
            result=AuditVerifyResult,
            effect="control",
            for_agents=True,
        ),
        Method(
            verb="audit.tail",
            title="Show the last events",
            summary="Show the last events of the journal, deleted and redacted ones too.",
            params=AuditTailParams,
            result=AuditTailResult,
            effect="read",
        ),
        Method(
            verb="audit.seal",
            title="Seal months",
            summary="Move the events of past months into compressed files, and remove files beyond the retention.",
            params=AuditSealParams,
            result=AuditSealResult,
            effect="control",
            destructive=True,
            irreversible=True,
            erased="removed",
            example={"before": "2026-03"},
        ),
        Method(
            verb="projections.status",
            title="Show projections",
            summary="Show how many events the projections lag behind the journal.",
            params=ProjectionsStatusParams,
            result=ProjectionsStatusResult,
            effect="read",
        ),
        Method(
            verb="projections.rebuild",
            title="Rebuild projections",
            summary="Rebuild the projections of the journal, and compare them with their earlier content.",
            params=ProjectionsRebuildParams,
            result=ProjectionsRebuildResult,
            effect="control",
            positional=("names",),
            example={"names": ["patterns"]},
        ),
        Method(
            verb="projections.show",
            title="Show rows of a projection",
            summary="Show facts, decisions, their edges and artifacts, or patterns.",
            params=ProjectionsShowParams,
            result=ProjectionsShowResult,
            effect="read",
            positional=("table",),
            example={"table": "decisions"},
        ),
    ),
)
