"""Review candidates for memory, which are found in the events of sessions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from muninn_core.model.event import Event
from muninn_core.model.memory import Memory
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result, Text
from muninn_core.protocol.families.events import ProjectId
from muninn_core.protocol.families.memory import MAX_QUESTIONS, Questions
from muninn_core.protocol.families.models import Spent
from muninn_core.protocol.method import Family, Method

Status = Literal["open", "promoted", "discarded"]
CandidateId = Annotated[Text, Meta(description="The candidate's id, or an unambiguous prefix of it.")]


class Candidate(Value):
    """A finding from the events of a session. `kind` is fixed (a failure that a change ended), statement, correction,
    or model for what a language model proposes.

    `evidence` are ids of events on this machine. `questions` are those of the conversation that it answers. `memory` is
    the id of the memory that it became, `reason` says why it was discarded.
    """

    id: str
    kind: str
    type: str
    title: str
    text: str
    status: Status
    session_id: str
    found_at: str
    evidence: tuple[str, ...]
    files: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    agent: str = ""
    memory: str = ""
    reason: str = ""


class CandidateListParams(Value):
    """Which candidates to list."""

    status: Annotated[Status | None, Meta(description="Only candidates in this state; open ones by default.")] = "open"
    session_id: Annotated[str, Meta(description="Only candidates of this session.")] = ""
    memory: Annotated[str, Meta(description="Only the candidate that became this memory, whatever its state.")] = ""
    events: Annotated[bool, Meta(description="Return the events of the evidence, too.")] = False
    limit: Annotated[int, Meta(ge=1, le=1000, description="The most candidates.")] = 50


class CandidateListResult(Result):
    """The candidates, the last found first. `events` has their evidence in order, without what retention removed."""

    candidates: tuple[Candidate, ...]
    events: tuple[Event, ...] = ()


class CandidateDistilParams(Value):
    """The session to look at."""

    session_id: Annotated[Text, Meta(description="The session.")]
    project_id: ProjectId = ""
    model: Annotated[bool, Meta(description="Ask the route of `capture`, too, for what the rules miss.")] = False


class CandidateDistilResult(Result):
    """The new candidates. `known` counts findings that memory or an earlier candidate says already.

    `spent` is what the model cost, `problem` why its answer was not used.
    """

    candidates: tuple[Candidate, ...]
    known: int
    spent: Spent = Spent()
    problem: str = ""


class CandidatePromoteParams(Value):
    """The candidate to store, and what to change in it."""

    id: CandidateId
    text: Annotated[str, Meta(description="The text to store instead of the candidate's.")] = ""
    title: Annotated[str, Meta(description="The title to store instead of the candidate's.")] = ""
    type: Annotated[str, Meta(description="The type to store instead of the candidate's.")] = ""
    questions: Annotated[
        Questions,
        Meta(
            max_length=MAX_QUESTIONS,
            description="What it answers, instead of the candidate's questions; an empty one removes them.",
        ),
    ] = ()
    private: Annotated[bool, Meta(description="Keep the memory on this machine.")] = False


class CandidatePromoteResult(Result):
    """The stored memory, and the candidate."""

    memory: Memory
    candidate: Candidate


class CandidateDiscardParams(Value):
    """The candidate to discard."""

    id: CandidateId
    reason: Annotated[str, Meta(description="The reason; it is recorded.")] = ""


class CandidateDiscardResult(Result):
    """The discarded candidate."""

    candidate: Candidate


FAMILY = Family(
    name="candidates",
    title="Candidates",
    summary="Review candidates for memory, which are found in the events of sessions.",
    groups={"candidate": "Candidates for memory from the events of sessions."},
    methods=(
        Method(
            verb="candidate.list",
            title="List candidates for memory",
            summary="List the candidates for memory from ended sessions, with the events that support them.",
            params=CandidateListParams,
            result=CandidateListResult,
            effect="read",
            synonyms=("candidates",),
        ),
        Method(
            verb="candidate.distil",
            title="Find candidates in a session",
            summary="Find candidates in the events of a session; hooks do this when a session ends.",
            params=CandidateDistilParams,
            result=CandidateDistilResult,
            effect="append",
            positional=("session_id",),
            example={"session_id": "s-1"},
        ),
        Method(
            verb="candidate.promote",
            title="Promote a candidate",
            summary="Store a candidate as a memory, which keeps the link to its events on this machine.",
            params=CandidatePromoteParams,
            result=CandidatePromoteResult,
            effect="write",
            positional=("id", "text"),
            may_omit=("text",),
            example={"id": "01kjmzt7mg0000000000000001"},
        ),
        Method(
            verb="candidate.discard",
            title="Discard a candidate",
            summary="Discard a candidate; equal findings are not offered again.",
            params=CandidateDiscardParams,
            result=CandidateDiscardResult,
            effect="append",
            positional=("id",),
            example={"id": "01kjmzt7mg0000000000000001"},
            synonyms=("discard",),
        ),
    ),
)
