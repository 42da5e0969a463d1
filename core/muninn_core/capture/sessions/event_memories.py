"""Finds what is worth remembering in the events of a session: fixed failures, statements and corrections.

The events are those of agents (`turn_events`), oldest first. A finding names the events that support it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, Literal

from muninn_core.capture.sessions.session_facts import Attempt, Command, SessionFacts, error_line
from muninn_core.capture.sessions.session_memories import drafts_of, relative_paths
from muninn_core.capture.statements.conversation import MAX_CHARACTERS, Message
from muninn_core.capture.statements.statement import Statement, find_statements
from muninn_core.capture.turns.turn_events import ANSWER, PROMPT, TOOL_CALL
from muninn_core.model.event import Event
from muninn_core.model.value import Value, field

Kind = Literal["fixed", "statement", "correction", "model"]

MIN_WORDS = 4
"""A correction of fewer words needs what it corrects."""

SIMILAR = 0.8
"""The share of common words from which two texts say the same."""

MAX_FINDINGS = 10
"""The most findings of one session, the surest ones."""

_OPENING = re.compile(
    r"(?i)^(?:no|nope|wrong|stop|wait|not like that|that(?:'s| is) (?:wrong|not (?:right|what i \w+))|actually|again"
    r"|i (?:said|told you|asked(?: you)?)(?: to)?)\b\s*[,.:;!\u2013\u2014-]*\s*"
)
_POLITE = re.compile(r"(?i)^(?:no (?:problem|worries|need|thanks|rush|idea)|actually (?:good|fine|nice))\b")
_DEMAND = re.compile(
    r"(?i)\b(?:don't|do not|never|always|instead|rather than|must|should(?:n't)?|only|stop)\b"
    r"|^(?:please )?(?:use|keep|put|call|leave|revert|remove|name|write|run)\b"
)
_DIRECT = re.compile(r"(?i)^(?:please )?(?:don't|do not|stop|never)\b|\binstead of\b|\brather than\b")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"\w+")


class Finding(Value):
    """Something worth remembering. `evidence` are ids of events, `score` orders findings: a higher one is surer.

    `questions` are those of the conversation that it answers.
    """

    kind: Kind
    type: str
    text: str
    score: int
    evidence: tuple[str, ...]
    title: str = ""
    files: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    actor: str = "user"


def find_memories(events: Sequence[Event], roots: Sequence[str]) -> list[Finding]:
    """Return the findings in the events of one session, at most `MAX_FINDINGS`, in the order of their first event.

    Paths are relative to the first of `roots` that contains them. Statements of the model that the next prompt corrects
    are left out, and so is a finding that says the same as a surer one.
    """
    found = [*_fixed(events, roots), *_statements(events, roots)]
    chosen: list[Finding] = []
    for each in sorted(found, key=lambda one: -one.score):
        if len(chosen) < MAX_FINDINGS and not any(is_similar(each.text, other.text) for other in chosen):
            chosen.append(each)
    order = {event.event_id: number for number, event in enumerate(events)}
    return sorted(chosen, key=lambda one: order[one.evidence[0]])


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
    return frozenset(_WORD.findall(text.casefold()))


def is_similar(left: str, right: str) -> bool:
    """Whether two texts share at least `SIMILAR` of their words."""
    left_words, right_words = words_of(left), words_of(right)
    return len(left_words & right_words) >= SIMILAR * len(left_words | right_words)


def _fixed(events: Sequence[Event], roots: Sequence[str]) -> list[Finding]:
    """Return the commands whose last failure was followed by edits and then by success."""
    failed: dict[str, tuple[int, Event]] = {}
    edits: list[tuple[int, Event]] = []
    found: dict[str, Finding] = {}
    for number, event in enumerate(events):
        about = _payload(event, TOOL_CALL)
        if _files(about) and not about.get("failed"):
            edits.append((number, event))
        command = about.get("command")
        if not isinstance(command, str) or about.get("interrupted"):
            continue
        name = " ".join(command.split())
        if about.get("failed"):
            failed[name] = (number, event)
        elif name in failed:
            began, failure = failed.pop(name)
            between = [edit for at, edit in edits if at > began]
            if between and (finding := _attempt(failure, between, event, roots)):
                found[name] = finding
    return list(found.values())


def _attempt(failure: Event, edits: Sequence[Event], passed: Event, roots: Sequence[str]) -> Finding | None:
    about = failure.payload
    status = about.get("exit_status")
    command = Command(
        text=about["command"],
        time=failure.occurred_at,
        failed=True,
        status=status if isinstance(status, int) else None,
        error=error_line(str(about.get("result", ""))),
    )
    paths = tuple(dict.fromkeys(_inside(path, roots) for edit in edits for path in _files(edit.payload)))
    nothing = SessionFacts(
        session=failure.session_id, folders=(), started_at="", ended="", version="", files=(), commits=(), tests=(),
        attempts=(Attempt(command=command, files=paths),), recognised=1,
    )  # fmt: skip
    if not command.error:
        return None
    for memory in drafts_of(nothing, failure.session_id, failure.source, roots):
        return Finding(
            kind="fixed",
            type=memory.draft.type,
            title=memory.draft.title,
            text=memory.draft.text,
            files=memory.draft.files,
            details=memory.draft.details,
            score=6,
            evidence=(failure.event_id, *(edit.event_id for edit in edits), passed.event_id),
            actor="tool",
        )
    return None


def _files(about: Mapping[str, Any]) -> list[str]:
    """Return the paths of an edit, none for a payload of another form."""
    given = about.get("files")
    return [each for each in given if isinstance(each, str)] if isinstance(given, list) else []


def _inside(path: str, roots: Sequence[str]) -> str:
    """Return a path as an absolute one: agents also name files relative to the root."""
    return path if PurePath(path).is_absolute() or not roots else str(PurePath(roots[0], path))


def _statements(events: Sequence[Event], roots: Sequence[str]) -> list[Finding]:
    """Return the statements of prompts and answers, and the corrections in prompts."""
    spoken = [event for event in events if _message_text(event)]
    messages = [
        Message(
            speaker="user" if event.event_type == PROMPT else "assistant",
            text=relative_paths(_message_text(event), roots),
        )
        for event in spoken
    ]
    statements = [each for each in find_statements(messages) if each.reversed_by is None]
    worked = _worked_before(events)
    found: list[Finding] = []
    held: list[Finding] = []
    for number, (event, message) in enumerate(zip(spoken, messages, strict=True)):
        own = [_stated(each, event, message) for each in statements if each.message == number]
        if message.speaker == "assistant":
            held += own
            continue
        correction = _correction(message.text) if event.event_id in worked else ""
        found += [*([] if correction else held), *own]
        held = []
        if correction:
            found.append(
                Finding(kind="correction", type="constraint", text=correction, score=7, evidence=(event.event_id,))
            )
    return [*found, *held]


def _message_text(event: Event) -> str:
    text = _payload(event, PROMPT).get("text") or _payload(event, ANSWER).get("text")
    return text if isinstance(text, str) else ""


def _worked_before(events: Sequence[Event]) -> set[str]:
    """Return the ids of the events that follow an answer or a tool call, so that a prompt can correct something."""
    first = next((at for at, event in enumerate(events) if event.event_type in (ANSWER, TOOL_CALL)), len(events))
    return {event.event_id for event in events[first:]}


def _stated(statement: Statement, event: Event, message: Message) -> Finding:
    return Finding(
        kind="statement",
        type=statement.type,
        text=statement.text,
        score=round(6 * statement.probability),
        evidence=(event.event_id,),
        questions=(statement.question,) if statement.question else (),
        details={"kept_because": "; ".join(statement.reasons)},
        actor=message.speaker,
    )


def _correction(prompt: str) -> str:
    """Return what a prompt corrects, at most two sentences; "" when it corrects nothing."""
    opening = _OPENING.match(prompt)
    rest = prompt[opening.end() :] if opening else prompt
    if _POLITE.match(prompt) or "```" in prompt:
        return ""
    sentences = [" ".join(sentence.split()) for sentence in _SENTENCE.split(rest.strip())]
    kept = " ".join(sentences[:2])
    first = sentences[0]
    is_one = _DEMAND.search(kept) if opening else _DIRECT.search(first)
    if not is_one or first.endswith("?") or not len(kept.split()) >= MIN_WORDS or len(kept) > MAX_CHARACTERS:
        return ""
    return kept[0].upper() + kept[1:]


def _payload(event: Event, kind: str) -> dict[str, Any]:
    """Return the payload of an event of a type, {} for another one."""
    return event.payload if event.event_type == kind and isinstance(event.payload, dict) else {}
