"""Decisions of the journal supersede each other, and the context of a turn has what is active."""

from __future__ import annotations

import pytest

from muninn_core.context.results.text import render
from muninn_core.errors import BadParams, NotFoundError, PreconditionError, UsageError
from muninn_core.journal.capsules import CHARS_PER_TOKEN

pytest_plugins = ["engines"]


def recorded(muninn, title, **more):
    return muninn.call("decision.record", title=title, **more).event.event_id


def test_a_decision_is_superseded_once_and_keeps_its_lineage(muninn):
    first = recorded(
        muninn, "Sessions last an hour.", rationale="Theft.", artifacts={"pr": 12, "note": ["a", "b"]}, success=False
    )
    second = muninn.call("decision.supersede", supersedes=first, title="Sessions last a day.").event.event_id
    third = muninn.call("decision.supersede", supersedes=second, title="Sessions last a week.").event.event_id
    found = muninn.call("decision.list").decisions
    links = muninn.call("projections.show", table="artifact_links", where={"decision_id": first}).rows
    assert sorted((row["kind"], row["value"]) for row in links) == [("note", "a"), ("note", "b"), ("pr", "12")]
    assert [(one.decision_id, one.status, one.supersedes) for one in found] == [
        (third, "accepted", (second, first)),
        (second, "superseded", (first,)),
        (first, "superseded", ()),
    ]
    assert (found[2].rationale, found[2].success, found[1].success) == ("Theft.", False, None)
    assert [one.decision_id for one in muninn.call("decision.list", status="accepted").decisions] == [third]
    position = muninn.call("audit.tail", limit=1).last
    with pytest.raises(UsageError, match=f"is superseded by '{second}'"):
        muninn.call("decision.supersede", supersedes=first, title="Never.")
    with pytest.raises(NotFoundError, match="no decision 'none'"):
        muninn.call("decision.supersede", supersedes="none", title="Never.")
    with pytest.raises(NotFoundError, match="no decision 'none'"):
        muninn.call("decision.record", title="Never.", edges={"none": "refines"})
    with pytest.raises(BadParams, match="no kind of artifact"):
        muninn.call("decision.record", title="Never.", artifacts={"branch": ["x"]})
    assert muninn.call("audit.tail", limit=1).last == position


def test_a_used_id_is_refused_and_a_repeated_call_returns_the_first_event(muninn):
    recorded(muninn, "Use SQLite.", decision_id="db")
    with pytest.raises(UsageError, match="a decision 'db' already"):
        recorded(muninn, "Use files.", decision_id="db")
    given = {"supersedes": "db", "title": "Use files.", "decision_id": "db2", "idempotency_key": "k"}
    first = muninn.call("decision.supersede", **given)
    again = muninn.call("decision.supersede", **given)
    assert (again.duplicate, again.event) == (True, first.event)
    with pytest.raises(UsageError, match="'k'"):
        muninn.call("decision.supersede", **{**given, "title": "Use paper."})


def test_a_pattern_is_recorded_and_counted(muninn):
    for confidence in (0.4, 0.9):
        muninn.call("pattern.record", type="habit", description="Deploys on Tuesdays.", confidence=confidence)
    (row,) = muninn.call("projections.show", table="patterns").rows
    assert (row["type"], row["occurrence_count"], row["confidence"]) == ("habit", 2, 0.9)


def test_a_required_turn_is_a_precondition_of_every_recording_verb(muninn):
    for verb, more in (
        ("event.append", {"event_type": "note"}),
        ("decision.record", {"title": "x"}),
        ("pattern.record", {"type": "x", "description": "x"}),
    ):
        for turn in ({}, {"session_id": "s", "turn_id": "t"}):
            with pytest.raises(PreconditionError) as caught:
                muninn.call(verb, require_turn=True, **more, **turn)
            assert caught.value.data["precondition"] == "missing"
    assert muninn.call("event.statistics").events == 0


def test_the_context_has_active_decisions_the_last_facts_and_recent_turns(muninn):
    old = recorded(muninn, "Sessions last an hour.", project_id="p")
    muninn.call("decision.supersede", supersedes=old, title="Sessions last a day.", project_id="p")
    recorded(muninn, "Sessions never end.", project_id="p", status="rejected")
    recorded(muninn, "Another project's.", project_id="q")
    for text, identity in (("The port is 80.", "port"), ("The port is 81.", "port"), ("Cats sleep.", "cats")):
        muninn.call("event.append", event_type="fact", payload={"text": text, "fact_id": identity}, project_id="p")
    for turn in ("t1", "t2"):
        own = {"project_id": "p", "session_id": "s", "turn_id": turn}
        token = muninn.call("turn.begin", **own).ack_token
        for number in range(2):
            muninn.call("event.append", event_type="message", payload={"n": number}, ack_token=token, **own)
    found = muninn.call("journal.context", project_id="p", session_id="s")
    assert [(one.title, one.supersedes) for one in found.decisions] == [("Sessions last a day.", (old,))]
    assert [one.payload["text"] for one in found.facts] == ["Cats sleep.", "The port is 81."]
    assert [(one.turn.turn_id, [event.payload["n"] for event in one.events]) for one in found.turns] == [
        ("t2", [0, 1]),
        ("t1", [0, 1]),
    ]
    asked = muninn.call("journal.context", project_id="p", query="port", facts=1)
    assert [one.payload["text"] for one in asked.facts] == ["The port is 81."]
    for budget in (150, 300, 500, 900):
        tight = muninn.call("journal.context", project_id="p", token_budget=budget)
        assert len(render(tight)) / CHARS_PER_TOKEN <= tight.tokens <= budget
        shown = len(tight.decisions) + len(tight.facts) + len(tight.turns)
        assert shown + tight.left_out == 5
        assert (len(tight.decisions), bool(tight.turns)) == (1, budget > 300)
    with pytest.raises(PreconditionError, match="belongs to the project 'p'"):
        muninn.call("journal.context", project_id="q", session_id="s")
