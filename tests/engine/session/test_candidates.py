"""What a session showed becomes candidates for memory: fixed failures, statements, corrections; each once."""

from __future__ import annotations

import argparse
import io

import pytest
from rich.console import Console
from transcripts import Transcript

from muninn_cli.show.memory.candidates import list_candidates
from muninn_core.errors import BadParams, NotFoundError, UsageError
from muninn_core.model.value import to_plain

pytest_plugins = ["engines"]


def fixed(talk: Transcript) -> Transcript:
    return talk.ran("make test", "error: no bucket for tenant", status=2).edited("src/users.py").ran("make test", "ok")


def end(muninn, talk, tmp_path, session="s-1", agent="gemini"):
    """End a session; Gemini's conversations give no memories of their own."""
    path = talk.save(tmp_path / f"{session}.jsonl")
    muninn.call("capture", source="turn", session=session, transcript=str(path), agent=agent)
    muninn.engine.agent_journal.drain()
    return muninn.call("candidate.distil", session_id=session)


def listed(muninn, **more):
    return [(each.kind, each.type, each.text) for each in reversed(muninn.call("candidate.list", **more).candidates)]


def test_a_failure_that_a_change_ended_is_a_candidate_with_its_events(muninn, tmp_path):
    talk = fixed(Transcript(muninn.root).said("user", "Make the tests pass."))
    (found,) = end(muninn, talk, tmp_path).candidates
    assert (found.kind, found.type, found.files, found.status) == ("fixed", "attempt", ("src/users.py",), "open")
    assert (
        found.text == "`make test` failed: error: no bucket for tenant\nIt passed once src/users.py had been changed."
    )
    shown = muninn.call("candidate.list", events=True)
    assert [event.event_id for event in shown.events] == list(found.evidence)
    assert [event.payload.get("exit_status") for event in shown.events] == [2, None, 0]


def test_without_a_change_between_failure_and_success_there_is_none(muninn, tmp_path):
    talk = Transcript(muninn.root).said("user", "Go.").edited("src/users.py")
    talk.ran("make flaky", "error: timeout", status=1).ran("make flaky", "ok")
    talk.ran("make worse", "error: no bucket", status=1).edited("src/users.py")
    assert end(muninn, talk, tmp_path).candidates == ()


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("No, use tabs for the Makefile here.", "Use tabs for the Makefile here."),
        ("Wrong. Don't call the service twice per request.", "Don't call the service twice per request."),
        ("I told you to never edit generated files.", "Never edit generated files."),
        ("Use the token bucket instead of the counter.", "Use the token bucket instead of the counter."),
        ("No problem, go on with the next step.", ""),
        ("No, what does it use instead?", ""),
        ("Now write the documentation of it.", ""),
        ("Actually good, only the name is odd.", ""),
    ],
)
def test_a_correction_is_what_a_prompt_demands_of_work_that_was_done(muninn, tmp_path, prompt, text):
    talk = Transcript(muninn.root).said("user", prompt).said("assistant", "Done.").said("user", prompt)
    found = [each.text for each in end(muninn, talk, tmp_path).candidates if each.kind == "correction"]
    assert found == ([text] if text else [])


def test_a_correction_that_comes_again_is_a_pattern_and_one_candidate(muninn, tmp_path):
    for number in (1, 2):
        talk = Transcript(muninn.root, f"s-{number}").said("user", f"Step {number}.").said("assistant", "Done.")
        found = end(muninn, talk.said("user", "No, use tabs for the Makefile here."), tmp_path, f"s-{number}")
        end(muninn, talk, tmp_path, f"s-{number}")
        assert len(found.candidates) == 2 - number
    (pattern,) = muninn.call("projections.show", table="patterns").rows
    assert (pattern["type"], pattern["occurrence_count"]) == ("repeated_correction", 2)


def test_statements_of_both_sides_are_candidates_unless_the_user_objects(muninn, tmp_path):
    asked = "Why is `users.py` so short?"
    talk = Transcript(muninn.root).said("user", f"Never log the e-mail addresses of customers. {asked}")
    talk.said("assistant", "We decided to keep `users.py` small because it is read on every request.")
    talk.said("user", "Thanks, and the docs?")
    talk.said("assistant", "We decided to write the docs in French because the team prefers it.")
    talk.said("user", "No, write the docs in English only.")
    rule, answer, correction = end(muninn, talk, tmp_path).candidates
    assert [each.questions for each in (rule, answer, correction)] == [(), (asked,), ()]
    assert listed(muninn) == [
        ("statement", "constraint", "Never log the e-mail addresses of customers."),
        ("statement", "decision", "We decided to keep `users.py` small because it is read on every request."),
        ("correction", "constraint", "Write the docs in English only."),
    ]
    file = io.StringIO()
    result = to_plain(muninn.call("candidate.list"))
    list_candidates(Console(file=file, width=120), result, argparse.Namespace())
    assert file.getvalue().count("answers ") == file.getvalue().count(f"answers {asked}") == 1
    assert muninn.call("candidate.promote", id=answer.id).memory.questions == (asked,)
    other = Transcript(muninn.root, "s-2").said("user", "Why is `orders.py` so long?")
    other.said("assistant", "We decided to keep `orders.py` in one piece because the vendor replaces it as a whole.")
    (second,) = end(muninn, other, tmp_path, "s-2").candidates
    assert second.questions == ("Why is `orders.py` so long?",)
    assert muninn.call("candidate.promote", id=second.id, questions=[""]).memory.questions == ()


def test_a_stored_fact_is_no_candidate(muninn, tmp_path):
    muninn.call("remember", text="Never log the e-mail addresses of customers, the auditor said.", type="constraint")
    talk = fixed(Transcript(muninn.root).said("user", "Never log the e-mail addresses of customers."))
    first = end(muninn, talk, tmp_path)
    assert ([each.kind for each in first.candidates], first.known) == (["fixed"], 1)
    again = end(muninn, talk, tmp_path)
    assert (again.candidates, again.known) == ((), 2)
    other = fixed(Transcript(muninn.root, "s-2").said("user", "Once more."))
    assert end(muninn, other, tmp_path, "s-2").candidates == ()


def test_the_end_of_a_session_finds_them_and_what_was_captured_is_not_offered(muninn, tmp_path):
    talk = fixed(Transcript(muninn.root).said("user", "Never log the e-mail addresses of customers."))
    path = talk.said("assistant", "Done.").said("user", "No, keep the old name of it.").save(tmp_path / "t.jsonl")
    muninn.call("capture", source="session", session="s-1", transcript=str(path), agent="claude-code")
    assert len(muninn.call("memories", session="s-1", type="attempt").memories) == 1
    assert listed(muninn) == [("correction", "constraint", "Keep the old name of it.")]


def test_a_promoted_candidate_is_a_memory_that_leads_to_its_events(muninn, tmp_path):
    found = end(muninn, fixed(Transcript(muninn.root).said("user", "Go.")), tmp_path).candidates[0]
    done = muninn.call("candidate.promote", id=found.id, private=True)
    memory = done.memory
    assert (memory.text, memory.type, memory.files, memory.session) == (found.text, "attempt", found.files, "s-1")
    assert (memory.private, memory.details["command"], done.candidate.status) == (True, "make test", "promoted")
    assert muninn.call("candidate.promote", id=found.id[:20]).memory.id == memory.id
    (led,) = muninn.call("candidate.list", memory=memory.id, events=True).candidates
    assert led.evidence == found.evidence
    assert listed(muninn) == []
    assert len(muninn.call("event.query", where={"payload.memory": memory.id}).hits) == 1
    with pytest.raises(UsageError, match="is the memory"):
        muninn.call("candidate.discard", id=found.id)


def test_a_candidate_is_promoted_in_other_words_or_discarded_for_good(muninn, tmp_path):
    talk = Transcript(muninn.root).said("user", "Never log the e-mail addresses of customers.")
    talk.said("user", "Always run the linter before a commit.")
    first, second = end(muninn, talk, tmp_path).candidates
    memory = muninn.call(
        "candidate.promote",
        id=first.id,
        text="No e-mail address in a log.",
        type="decision",
        questions=["May we write personal data to files?"],
    ).memory
    assert memory.questions == ("May we write personal data to files?",)
    assert (memory.text, memory.type, memory.trust) == ("No e-mail address in a log.", "decision", "user")
    dropped = muninn.call("candidate.discard", id=second.id, reason="it is in CONTRIBUTING").candidate
    assert (dropped.status, dropped.reason) == ("discarded", "it is in CONTRIBUTING")
    assert muninn.call("candidate.discard", id=second.id).candidate == dropped
    assert end(muninn, talk, tmp_path).candidates == ()
    assert [each.status for each in muninn.call("candidate.list", status=None).candidates] == ["discarded", "promoted"]
    with pytest.raises(UsageError, match="discarded"):
        muninn.call("candidate.promote", id=second.id)
    assert muninn.call("audit.verify").ok


def test_an_unknown_candidate_is_an_error(muninn, tmp_path):
    with pytest.raises(NotFoundError, match="no candidate 'x'"):
        muninn.call("candidate.promote", id="x")
    with pytest.raises(NotFoundError, match="no events of the session 'none'"):
        muninn.call("candidate.distil", session_id="none")
    talk = Transcript(muninn.root).said("user", "Never log the e-mail addresses of customers.")
    end(muninn, talk.said("user", "Always run the linter before a commit."), tmp_path)
    with pytest.raises(BadParams, match="2 candidates begin with '0'"):
        muninn.call("candidate.discard", id="0")
