"""Candidates for memory: what the events of a session show, until a person or an agent decides on it.

A candidate is an event of the journal, and so is the decision on it. Its key is made of its words, so that what was
promoted or discarded once is not offered again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime

from muninn_core.capture.sessions.event_memories import Finding, find_memories, is_similar, words_of
from muninn_core.engine.memory.drafting.remember import remember
from muninn_core.engine.memory.exchange.backfill_sources import main_of
from muninn_core.engine.memory.models.reports import sum_up
from muninn_core.engine.session.journal import At, project_of
from muninn_core.errors import BadParams, NotFoundError, UsageError
from muninn_core.journal.search import Filter
from muninn_core.journal.turns import is_known
from muninn_core.journal.writer import Transaction
from muninn_core.model.event import CANDIDATE, CANDIDATE_DECIDED, SYSTEM, Event, EventDraft
from muninn_core.model.memory import Memory
from muninn_core.models.ledger import Entry
from muninn_core.protocol.families.candidates import (
    Candidate,
    CandidateDiscardParams,
    CandidateDiscardResult,
    CandidateDistilResult,
    CandidateListParams,
    CandidateListResult,
    CandidatePromoteParams,
    CandidatePromoteResult,
)
from muninn_core.protocol.families.memory import MemoryDraft, RememberParams
from muninn_core.protocol.families.models import Spent
from muninn_core.store.records.ids import UlidGenerator
from muninn_core.worktree.call_context import CallContext

MAX_EVENTS = 5_000
"""The most events of a session that are read, the newest."""

MAX_CANDIDATES = 10_000
"""The most candidates and decisions on them that are read, the newest."""

CORRECTION = "correction"
"""The type of events from which the projection of patterns counts corrections."""

MEMORY_SHARE = 0.9
"""A memory that has this share of a finding's words says it already."""


Further = Callable[[Sequence[Event], Sequence[str]], tuple[list[Finding], Entry | None, str]]
"""Returns what a model finds in events beyond known texts, what it cost, and why its answer is not used."""


def distil(
    at: At, session: str, project_id: str = "", further: Further = lambda _events, _known: ([], None, "")
) -> CandidateDistilResult:
    """Find candidates in the events of a session and record those that nothing says yet.

    Memories and earlier candidates count, decided ones too. `further` finds more than the rules. Raises NotFoundError
    for a session without events, and what `further` raises.
    """
    project = project_of(at, project_id, session)
    where = {"session_id": session, "project_id": project}
    events = at.open.search.recent(Filter(where=where), MAX_EVENTS)[::-1]
    if not events:
        raise NotFoundError(
            f"the journal has no events of the session '{session}'", hint="`muninn span list` lists sessions."
        )
    roots = [str(at.workspace.layout.root), *main_of(at.workspace.location)]
    findings = find_memories([event for event in events if not event.event_type.startswith(SYSTEM)], roots)
    more, entry, problem = further(events, [each.text for each in findings])
    findings += [each for each in more if not any(is_similar(each.text, other.text) for other in findings)]
    earlier = _all(at) if findings else []
    stored = at.workspace.memory.all().values() if findings else ()
    memories = [(memory, words_of(memory.text)) for memory in stored if memory.active]
    found, known = [], 0
    for finding in findings:
        if finding.kind == "correction":
            _note_correction(at, project, session, finding)
        event = None
        if not _is_recorded(finding, memories, earlier):
            agents = {one.event_id: one.source for one in events}
            event = _add(at, project, session, agents[finding.evidence[0]], finding)
        if event is None:
            known += 1
        else:
            found.append(_candidate(event, None))
    spent = sum_up((entry,)) if entry is not None else Spent()
    return CandidateDistilResult(
        candidates=tuple(found), known=known, spent=spent, problem=problem, saw=at.workspace.read_state()
    )


def list_candidates(at: At, params: CandidateListParams) -> CandidateListResult:
    """Return candidates, the last found first."""
    chosen = [
        each
        for each in _all(at)
        if params.session_id in ("", each.session_id)
        and (each.memory == params.memory if params.memory else params.status in (None, each.status))
    ][: params.limit]
    events: list[Event] = []
    if params.events:
        for identity in dict.fromkeys(identity for each in chosen for identity in each.evidence):
            with suppress(NotFoundError):  # retention removed it
                events.append(at.open.journal.event(identity))
        events.sort(key=lambda event: event.position)
    return CandidateListResult(candidates=tuple(chosen), events=tuple(events), saw=at.workspace.read_state())


def promote(
    at: At, params: CandidatePromoteParams, call: CallContext, ids: UlidGenerator, now: datetime
) -> CandidatePromoteResult:
    """Store a candidate as a memory. A second call returns the same memory.

    Raises NotFoundError for an unknown candidate, UsageError for a discarded one.
    """
    found = _one(at, params.id)
    if found.status == "discarded":
        raise UsageError(f"the candidate {found.id} was discarded", hint="Store its text with `muninn remember`.")
    if found.status == "promoted":
        return CandidatePromoteResult(memory=_memory(at, found), candidate=found, saw=at.workspace.read_state())
    draft = MemoryDraft(
        type=params.type or found.type,
        title=params.title or ("" if params.text else found.title),
        text=params.text or found.text,
        files=found.files,
        questions=params.questions or found.questions,
        tags=("session",),
        importance=8 if found.kind in ("statement", "correction") else 5,
        session=found.session_id,
        agent=found.agent or None,
        details=found.details,
        private=params.private,
        key=f"candidate:{found.id}",
    )
    stored = remember(at.workspace, RememberParams(batch=(draft,), session=None), call, ids, now)
    decided = _decide(at, found, call, {"outcome": "promoted", "memory": stored.ids[0]})
    return CandidatePromoteResult(memory=_memory(at, decided), candidate=decided, saw=at.workspace.read_state())


def discard(at: At, params: CandidateDiscardParams, call: CallContext) -> CandidateDiscardResult:
    """Discard a candidate. Raises NotFoundError for an unknown candidate, UsageError for a promoted one."""
    found = _one(at, params.id)
    if found.status == "promoted":
        raise UsageError(
            f"the candidate {found.id} is the memory {found.memory}", hint="`muninn forget` archives the memory."
        )
    if found.status == "open":
        found = _decide(at, found, call, {"outcome": "discarded", "reason": params.reason})
    return CandidateDiscardResult(candidate=found, saw=at.workspace.read_state())


def _is_recorded(finding: Finding, memories: list[tuple[Memory, frozenset[str]]], earlier: list[Candidate]) -> bool:
    """Whether a memory, given with its words, or a candidate says what a finding says."""
    command = finding.details.get("command")
    words = words_of(finding.text)
    for memory, its_words in memories:
        if command is not None and memory.type == "attempt" and memory.scope != "session":
            if memory.details.get("command") == command:
                return True
        elif len(words & its_words) >= MEMORY_SHARE * len(words):
            return True
    return any(
        each.details.get("command") == command if command is not None else is_similar(each.text, finding.text)
        for each in earlier
    )


def _note_correction(at: At, project: str, session: str, finding: Finding) -> None:
    """Record a correction, if its type is allowed: the projection of patterns finds repeated ones."""
    allowed = at.workspace.config.journal.types
    if allowed and CORRECTION not in allowed:
        return
    draft = EventDraft(
        event_type=CORRECTION,
        payload={"text": finding.text, "evidence": list(finding.evidence)},
        project_id=project,
        session_id=session,
        source="muninn",
        idempotency_key=f"correction:{finding.evidence[0]}",
    )
    _record(at, draft, lambda transaction: is_known(transaction, draft))


def _add(at: At, project: str, session: str, agent: str, finding: Finding) -> Event | None:
    """Record a candidate; return None when one with the same words is there."""
    words = " ".join(sorted(words_of(finding.text)))
    draft = EventDraft(
        event_type=CANDIDATE,
        payload={
            "kind": finding.kind,
            "type": finding.type,
            "title": finding.title,
            "text": finding.text,
            "files": list(finding.files),
            "questions": list(finding.questions),
            "details": finding.details,
            "evidence": list(finding.evidence),
            "agent": agent,
        },
        project_id=project,
        session_id=session,
        actor=finding.actor,
        source="muninn",
        idempotency_key=f"candidate:{hashlib.sha256(words.encode()).hexdigest()[:40]}",
    )
    return _record(at, draft, lambda transaction: is_known(transaction, draft))


def _decide(at: At, found: Candidate, call: CallContext, outcome: dict[str, str]) -> Candidate:
    candidate = at.open.journal.event(found.id)
    draft = EventDraft(
        event_type=CANDIDATE_DECIDED,
        payload={"candidate": found.id, **outcome},
        project_id=candidate.project_id,
        session_id=candidate.session_id,
        actor=call.actor or "user",
        source="muninn",
        idempotency_key=f"decided:{found.id}",
    )
    return _candidate(candidate, _record(at, draft, lambda _transaction: False))


def _record(at: At, draft: EventDraft, is_there: Callable[[Transaction], bool]) -> Event | None:
    journal = at.open.journal
    prepared = journal.prepare(draft, at.workspace.config.memory.secrets, system=True)

    def operation(transaction: Transaction) -> Event | None:
        if is_there(transaction):
            return None
        row, duplicate = journal.add(transaction, prepared)
        return journal.appended(row, prepared, duplicate=duplicate).event

    return journal.writer.run(operation)


def _all(at: At) -> list[Candidate]:
    """Return all candidates with their state, the last found first. A redacted one is left out."""
    events = at.open.search.recent(Filter(where={"event_type": CANDIDATE}), MAX_CANDIDATES)
    decided = at.open.search.recent(Filter(where={"event_type": CANDIDATE_DECIDED}), MAX_CANDIDATES) if events else []
    outcomes = {event.payload["candidate"]: event for event in decided if event.payload}
    return [_candidate(event, outcomes.get(event.event_id)) for event in events if event.payload]


def _candidate(event: Event, decided: Event | None) -> Candidate:
    about = event.payload
    outcome = decided.payload if decided is not None else {}
    return Candidate(
        id=event.event_id,
        kind=about["kind"],
        type=about["type"],
        title=about["title"],
        text=about["text"],
        status=outcome.get("outcome", "open"),
        session_id=event.session_id,
        found_at=event.recorded_at,
        evidence=tuple(about["evidence"]),
        files=tuple(about["files"]),
        questions=tuple(about.get("questions", ())),  # events of earlier versions have none
        details=about["details"],
        agent=about["agent"],
        memory=outcome.get("memory", ""),
        reason=outcome.get("reason", ""),
    )


def _one(at: At, identity: str) -> Candidate:
    """Return a candidate by its id or a prefix. Raises NotFoundError, and BadParams for an ambiguous prefix."""
    found = [each for each in _all(at) if each.id.startswith(identity)]
    if not found:
        raise NotFoundError(f"there is no candidate '{identity}'", hint="`muninn candidate list` lists candidates.")
    if len(found) > 1 and identity not in [each.id for each in found]:
        raise BadParams(
            f"{len(found)} candidates begin with '{identity}'", hint=f"Give more of the id, such as {found[0].id}."
        )
    return next((each for each in found if each.id == identity), found[0])


def _memory(at: At, candidate: Candidate) -> Memory:
    found = at.workspace.memory.all().get(candidate.memory)
    if found is None:
        raise NotFoundError(
            f"the memory {candidate.memory} of the candidate {candidate.id} is not here",
            hint="It was stored in another work tree or on another branch.",
        )
    return found
