"""What agents do is recorded in the journal, turn by turn and once, and so is what they were given."""

from __future__ import annotations

import json
import threading
import time

import pytest
from transcripts import Transcript

from muninn_core.engine.session import agent_journal

pytest_plugins = ["engines"]

DATA = {"input_tokens": 12, "output_tokens": 3}


def events(muninn, **more):
    """Return the events of agents, oldest first."""
    hits = muninn.call("event.query", limit=200, **more).hits
    return [hit.event for hit in reversed(hits) if not hit.event.event_type.startswith("muninn.")]


def kinds(muninn, **more):
    return [event.event_type for event in events(muninn, **more)]


def turns(muninn):
    return [(span.turn_id, span.status) for span in reversed(muninn.call("span.list", kind="turn").spans)]


@pytest.fixture
def talk(muninn):
    """A transcript in which a command fails, a file is edited, and the command passes."""
    return (
        Transcript(muninn.root)
        .said("user", "Make the tests pass. <private>My name is Ada.</private>")
        .ran("make test", "error: no bucket\n" + "x" * 5_000, status=2)
        .edited("src/users.py")
        .ran("make test", "ok")
        .said("assistant", "They pass. The token is ghp_" + "a1B2c3D4e5" * 4)
    )


def end_turn(muninn, talk, tmp_path, source="turn", **more):
    path = talk.save(tmp_path / "talk.jsonl")
    muninn.call("capture", source=source, session="s-1", transcript=str(path), agent="claude-code", **more)
    muninn.engine.agent_journal.drain()


def test_a_turn_is_recorded_with_prompt_tools_and_answer(muninn, talk, tmp_path):
    end_turn(muninn, talk, tmp_path)
    prompt, failed, edit, passed, answer = events(muninn)
    assert prompt.payload == {"text": "Make the tests pass."}
    assert (prompt.actor, prompt.source, prompt.session_id) == ("user", "claude-code", "s-1")
    assert [failed.payload[name] for name in ("command", "exit_status", "failed")] == ["make test", 2, True]
    assert failed.payload["result_chars"] > 5_000
    assert len(failed.payload["result"]) <= 2_000
    assert edit.payload["files"] == [f"{muninn.root}/src/users.py"]
    assert (passed.payload["exit_status"], passed.payload["result"]) == (0, "ok")
    assert answer.payload["text"].startswith("They pass. The token is [masked:")
    assert {event.turn_id for event in (prompt, failed, edit, passed, answer)} == {turns(muninn)[0][0]}
    assert [state for _, state in turns(muninn)] == ["closed"]
    assert muninn.call("audit.verify").ok


def test_a_message_that_comes_again_records_nothing_twice(muninn, talk, tmp_path):
    for source in ("turn", "turn", "session", "session"):
        end_turn(muninn, talk, tmp_path, source)
    assert len(kinds(muninn)) == 5
    muninn.engine.open(muninn.location).session_state.put(
        "s-1", "turns:talk.jsonl", None
    )  # as after the loss of the file
    end_turn(muninn, talk, tmp_path)
    assert len(kinds(muninn)) == 5
    assert len(turns(muninn)) == 1


def test_the_next_turns_are_read_on_and_a_broken_one_is_incomplete(muninn, talk, tmp_path):
    end_turn(muninn, talk, tmp_path)
    talk.said("user", "Now the docs.").ran("make docs", "done").said("assistant", "Written.")
    end_turn(muninn, talk, tmp_path)
    talk.said("user", "And release.").ran("make release", "half")
    end_turn(muninn, talk, tmp_path, "session")
    assert [state for _, state in turns(muninn)] == ["closed", "closed", "incomplete"]
    assert kinds(muninn)[5:] == ["prompt", "tool_call", "answer", "prompt", "tool_call"]


def test_messages_after_the_end_of_their_turn_are_recorded(muninn, talk, tmp_path):
    end_turn(muninn, talk, tmp_path)
    talk.said("assistant", "One more word.")
    end_turn(muninn, talk, tmp_path)
    late = events(muninn)[-1]
    assert (late.payload["text"], late.turn_id, late.trace_id) == ("One more word.", "", turns(muninn)[0][0])


def test_a_last_answer_that_is_still_being_written_is_waited_for(muninn, talk, tmp_path):
    talk.said("user", "Say more.")
    path = talk.save(tmp_path / "talk.jsonl")
    talk.said("assistant", "This comes late.")

    def write():
        talk.save(path)

    late = threading.Timer(0.2, write)
    late.start()
    muninn.call(
        "capture", source="turn", session="s-1", transcript=str(path), agent="claude-code", answer="This comes late."
    )
    assert events(muninn)[-1].payload == {"text": "This comes late."}
    assert len(turns(muninn)) == 2
    late.join()


def test_a_transcript_that_the_agent_deletes_is_read_before_the_answer(muninn, talk, tmp_path):
    path = talk.save(tmp_path / "talk.jsonl")
    call = {"source": "turn", "session": "s-1", "transcript": str(path), "agent": "opencode"}
    muninn.call("capture", **call)
    path.unlink()
    assert kinds(muninn) == ["prompt", "tool_call", "tool_call", "tool_call", "answer"]
    muninn.call("capture", **call)
    assert len(kinds(muninn)) == 5


def test_tokens_are_recorded_once_per_response(muninn, tmp_path):
    block = {"type": "text", "text": "Fine."}
    lines = [
        {"type": "user", "uuid": "u1", "promptId": "p1", "message": {"role": "user", "content": "Go."}},
        *(
            {
                "type": "assistant",
                "uuid": uuid,
                "message": {"id": "m1", "model": "m", "role": "assistant", "content": [block], "usage": DATA},
            }
            for uuid in ("u2", "u3")
        ),
        {"type": "assistant", "uuid": "u4", "isSidechain": True, "message": {"role": "assistant", "content": [block]}},
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"type": "user", "cut')
    muninn.call("capture", source="turn", session="s-1", transcript=str(path), agent="claude-code")
    found = events(muninn)
    assert [event.event_type for event in found] == ["prompt", "answer", "usage", "answer"]
    assert found[2].payload == {"model": "m", **DATA}
    assert turns(muninn) == [("p1", "closed")]


def test_deliveries_to_a_session_are_recorded_as_events(muninn):
    identity = muninn.call("remember", text="Sessions live in Postgres.", type="decision", importance=9).ids[0]
    muninn.call("brief", session="s-1")
    muninn.call("recall", query="where do sessions live <private>for Ada</private>", session="s-1")
    pack = muninn.call("context", query="move sessions", session="s-1")
    muninn.call("recall", query="where do sessions live")  # without a session nobody was given anything
    given = events(muninn, event_type="given", session_id="s-1")
    assert [event.payload["verb"] for event in given] == ["brief", "recall", "context"]
    assert all(identity in event.payload["ids"] for event in given)
    assert given[1].payload["query"] == "where do sessions live"
    assert given[2].payload["bundle"] == pack.bundle
    assert len(muninn.call("event.query", where={"payload.ids": identity}).hits) == 3


@pytest.mark.parametrize("setting", ["agents: false", "types: [deploy]"])
def test_the_configuration_turns_recording_off(muninn, talk, tmp_path, setting):
    config = muninn.root / ".muninn" / "config.yaml"
    config.write_text(f"journal:\n  {setting}\n")
    muninn.engine.files_changed(muninn.location, {str(config)})
    muninn.call("remember", text="Sessions live in Postgres.", type="decision", importance=9)
    muninn.call("brief", session="s-1")
    end_turn(muninn, talk, tmp_path)
    assert kinds(muninn) == []


def test_the_first_job_runs_at_once_and_others_wait_for_a_pause_and_run_in_one_go(muninn, monkeypatch):
    background, ran, first = muninn.engine.agent_journal, [], threading.Event()
    workspace = muninn.engine.open(muninn.location)
    background.later(workspace, lambda _at: first.set())
    assert first.wait(300)
    background.drain()
    monkeypatch.setattr(agent_journal, "PAUSE_SECONDS", 3600.0)
    monkeypatch.setattr(agent_journal, "MAX_PAUSE_SECONDS", 3600.0)
    background._added = time.monotonic()
    for number in range(3):
        background.later(workspace, lambda _at, number=number: ran.append(number))
    assert ran == []
    background.drain()
    assert ran == [0, 1, 2]
    monkeypatch.setattr(agent_journal, "MAX_PAUSE_SECONDS", 0.0)
    done = threading.Event()
    background.later(workspace, lambda _at: done.set())
    assert done.wait(300)
