"""The verbs of the journal on a real repository: events are recorded, found, audited, and are never memories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from repositories import git

from muninn_core.errors import BadParams, NotFoundError, PreconditionError, UsageError

pytest_plugins = ["engines"]


def append(muninn, event_type="note", **more):
    return muninn.call("event.append", event_type=event_type, **more).event


def found(muninn, **more):
    return [hit.event.payload.get("n") for hit in muninn.call("event.query", **more).hits]


def test_an_event_is_recorded_and_found_and_is_no_memory(muninn):
    event = append(muninn, payload={"text": "The deploy of the zebra service failed."}, session_id="s1")
    assert (event.project_id, event.source, event.stream_id) == (muninn.root.name, "test", "session:s1")
    (hit,) = muninn.call("event.query", text="zebra deploy").hits
    assert hit.event == event
    assert min(hit.words, hit.meaning) == 1
    assert muninn.call("memories").total == 0
    assert muninn.texts("zebra deploy", kind="memory") == []
    assert "zebra" not in muninn.call("brief").text
    assert muninn.call("event.query", id=event.event_id).hits[0].event == event
    with pytest.raises(NotFoundError):
        muninn.call("event.query", id="nothing")


def test_a_text_finds_no_event_about_something_else(muninn):
    append(muninn, payload={"n": 1, "text": "The shell of the desktop crashed after an extension was enabled."})
    append(muninn, payload={"n": 2, "text": "The invoices of the year are in the archive."})
    append(muninn, payload={"n": 3, "model": "opus-5", "input_tokens": 100})
    assert found(muninn, text="what happened to the desktop") == [1]
    assert found(muninn, text="the") != [], "a common word alone is searched"
    assert found(muninn, text="ocean weather") == []


def test_the_journal_is_outside_of_git_and_shared_by_all_work_trees(muninn, tmp_path):
    git(muninn.root, "add", "-A")
    git(muninn.root, "commit", "-q", "-m", "Add memory")
    git(muninn.root, "worktree", "add", "-q", str(tmp_path / "side"))
    first = append(muninn, payload={"n": 1})
    second = muninn.call("event.append", at=tmp_path / "side", event_type="note", payload={"n": 2}).event
    assert (first.project_id, first.position, second.position) == (second.project_id, 1, 2)
    assert git(muninn.root, "status", "--porcelain") == ""
    git(muninn.root, "worktree", "remove", "--force", str(tmp_path / "side"))
    assert found(muninn) == [2, 1]


def test_events_are_found_by_columns_payload_fields_and_time(muninn):
    for number in range(6):
        append(
            muninn,
            "tool" if number % 2 else "prompt",
            payload={
                "n": number,
                "exit_status": number % 3,
                "ok": number == 1,
                "scope": {"agent": f"a{number}"},
                "tags": ["x", f"t{number}"],
            },
            session_id=f"s{number % 2}",
            trace_id=f"trace{number}",
        )
        muninn.clock.forward(hours=1)
    assert found(muninn) == [5, 4, 3, 2, 1, 0]
    assert found(muninn, event_type="tool") == [5, 3, 1]
    assert found(muninn, where={"payload.exit_status": 2}) == [5, 2]
    assert found(muninn, where={"payload.exit_status": 1, "event_type": "tool"}) == [1]
    assert found(muninn, where={"payload.ok": True}) == [1]
    assert found(muninn, where={"payload.n": 1.0}) == [1]
    assert found(muninn, where={"payload.scope.agent": "a4"}) == [4]
    assert found(muninn, where={"payload.tags": "x", "session_id": "s0"}) == [4, 2, 0]
    assert found(muninn, where={"trace_id": "trace3"}) == [3]
    assert found(muninn, since="2026-03-01T14:00:00Z", until="2026-03-01T16:00:00Z") == [3, 2]
    assert found(muninn, session_id="s1", since="2026-03-01T14:00:00Z") == [5, 3]
    assert found(muninn, where={"payload.n": "1"}) == []
    first = muninn.call("event.query", limit=4)
    assert found(muninn, limit=4, before=first.next) == [1, 0]
    for where, said in (({"payload": 1}, "no field"), ({"event_typ": "x"}, "no field"), ({"payload.n": [1]}, "a list")):
        with pytest.raises(BadParams, match=said):
            muninn.call("event.query", where=where)


def test_a_text_and_filters_are_combined(muninn):
    for number in range(30):
        append(
            muninn,
            payload={"n": number, "text": f"The payment gateway timed out in region {number}.", "kind": number % 3},
        )
    append(muninn, payload={"n": 99, "text": "Bananas are yellow.", "kind": 1})
    assert set(found(muninn, text="payment gateway timeout", where={"payload.kind": 1}, limit=10)) == set(
        range(1, 30, 3)
    )
    assert found(muninn, text="yellow bananas", limit=1) == [99]
    assert found(muninn, text="region 17", limit=1) == [17]
    with pytest.raises(BadParams, match="no meaning with a text"):
        muninn.call("event.query", text="x", before=3)


def test_an_empty_answer_names_the_nearest_type_project_and_source(muninn):
    append(muninn, "deploy", project_id="shop", source="ci")
    capsule = muninn.call("capsule.open", type="task", project_id="shop").capsule.id
    muninn.call("capsule.observe", id=capsule, text="The crane stopped.", project_id="shop")
    said = {
        ("event_type", "delpoy"): "no event has the event_type 'delpoy'; did you mean 'deploy'?",
        ("event_type", "observation"): "no event has the event_type 'observation'; did you mean 'muninn.observation'?",
        ("project_id", "shopp"): "no event has the project_id 'shopp'; did you mean 'shop'?",
        ("source", "zzzz"): "no event has the source 'zzzz'",
    }
    for (name, value), note in said.items():
        for more in ({}, {"text": "crane"}):
            result = muninn.call("event.query", **{name: value}, **more)
            assert (result.hits, result.notes) == ((), (note,))
    assert muninn.call("event.query", event_type="deploy", since="2030-01-01").notes == ()
    assert muninn.call("event.query", event_type="deploy").notes == ()


def test_a_redacted_or_hidden_event_is_in_no_query(muninn):
    kept = append(muninn, "pattern", payload={"n": 1, "type": "habit", "description": "Plain octopus."})
    gone = append(muninn, "pattern", payload={"n": 2, "type": "habit", "description": "Secretive octopus."})
    hidden = append(muninn, "pattern", payload={"n": 3, "type": "habit", "description": "Hidden octopus."})
    assert len(muninn.call("projections.show", table="patterns").rows) == 3
    assert len(found(muninn, text="octopus")) == 3
    muninn.call("event.redact", id=gone.event_id, reason="asked to")
    muninn.call("event.tombstone", id=hidden.event_id)
    muninn.call("event.tombstone", id=hidden.event_id)
    assert found(muninn, text="octopus") == [1]
    assert [hit.event.event_id for hit in muninn.call("event.query", event_type="pattern").hits] == [
        gone.event_id, kept.event_id,
    ]  # fmt: skip
    assert found(muninn, where={"payload.n": 2}) == []
    rows = muninn.call("projections.show", table="patterns").rows
    assert [row["description"] for row in rows] == ["Plain octopus."]
    assert muninn.call("event.statistics").by["event_type"]["pattern"] == 2
    tail = muninn.call("audit.tail").events
    assert [event.payload and event.payload.get("n") for event in tail[:3]] == [1, None, 3]
    assert muninn.call("audit.verify").redacted == (gone.event_id,)
    rebuilt = muninn.call("projections.rebuild").rebuilt
    assert all(one.same for one in rebuilt), rebuilt
    folder = Path(muninn.location.journal)
    assert all(b"ecretive" not in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_statistics_count_events_and_turns(muninn):
    append(muninn, payload={}, actor="tool")
    append(muninn, "other", payload={}, source="hook")
    muninn.clock.forward(days=1)
    muninn.call("turn.begin", project_id="p", session_id="s", turn_id="t", seconds=60)
    counted = muninn.call("event.statistics")
    assert (counted.events, counted.by["event_type"]["other"], counted.by["actor"]["tool"]) == (3, 1, 1)
    assert (counted.turns, counted.first, counted.last) == ({"open": 1}, "2026-03-01", "2026-03-02")
    muninn.clock.forward(hours=1)
    assert muninn.call("event.statistics").turns == {"incomplete": 1}
    assert muninn.call("event.statistics", since="2026-03-02").events == 2


def test_a_turn_is_protected_over_the_verbs(muninn):
    names = {"project_id": "p", "session_id": "s", "turn_id": "t"}
    token = muninn.call("turn.begin", **names).ack_token
    append(muninn, **names, ack_token=token, payload={"n": 1})
    for given in ({}, {"ack_token": "B" * 43}):
        with pytest.raises(PreconditionError):
            append(muninn, **names, **given)
    end = muninn.call("turn.end", **names, ack_token=token).event
    assert end.event_type == "muninn.turn.ended"
    with pytest.raises(PreconditionError) as error:
        append(muninn, **names, ack_token=token)
    assert error.value.data["precondition"] == "ended"
    turn, session = muninn.call("span.list").spans
    assert (turn.id, turn.status, turn.parent, session.id) == ("turn:s/t", "closed", "session:s", "session:s")


def configure(muninn, text):
    (muninn.root / ".muninn/config.yaml").write_text(text)
    muninn.engine.files_changed(muninn.location, {str(muninn.root / ".muninn/config.yaml")})


def test_a_turn_begins_and_ends_although_head_is_damaged(muninn):
    (muninn.root / ".git" / "HEAD").write_bytes(b"\0" * 41)
    names = {"project_id": "p", "session_id": "s", "turn_id": "t"}
    begun = muninn.call("turn.begin", **names)
    ended = muninn.call("turn.end", ack_token=begun.ack_token, **names)
    assert ended.event.event_type == "muninn.turn.ended"
    assert all("HEAD can't be read" in each.saw.note for each in (begun, ended))


def test_the_configuration_names_types_and_schemas(muninn):
    configure(muninn, "journal:\n  types: [deploy, incident]\n")
    schema = {"type": "object", "required": ["version"], "properties": {"version": {"type": "string"}}}
    (muninn.root / ".muninn/events").mkdir()
    (muninn.root / ".muninn/events/deploy.json").write_text(json.dumps(schema))
    append(muninn, "deploy", payload={"version": "1"})
    append(muninn, "incident", payload={"anything": 1})
    with pytest.raises(BadParams, match="no type of event 'deploi'") as error:
        append(muninn, "deploi")
    assert error.value.hint == "Did you mean 'deploy'?"
    with pytest.raises(BadParams, match=r"payload\.version of 'deploy': 1 is not of type 'string'"):
        append(muninn, "deploy", payload={"version": 1})
    for text, said in (
        ('{"type": "no such type"}', "not a schema that can be used"),
        ('{"properties": {"version": {"pattern": "(?=x)"}}}', "not a regular expression of RE2"),
        ('{"properties": {"version": {"pattern": "^(a+)+$"}}}', "does not match"),
        ('{"$ref": "#"}', "refers to itself"),
        ('{"$ref": "https://localhost/x.json"}', "localhost"),
    ):
        (muninn.root / ".muninn/events/deploy.json").write_text(text)
        with pytest.raises(BadParams, match=said):
            append(muninn, "deploy", payload={"version": "a" * 60 + "!"})


def test_the_configuration_can_require_a_turn_and_a_project(muninn):
    configure(muninn, "journal:\n  require_turns: true\n  project_id: shop\n")
    with pytest.raises(PreconditionError, match="requires a turn"):
        append(muninn)
    with pytest.raises(PreconditionError, match="the project 'shop', not 'other'"):
        muninn.call("turn.begin", project_id="other", session_id="s", turn_id="t")
    token = muninn.call("turn.begin", project_id="shop", session_id="s", turn_id="t").ack_token
    assert append(muninn, session_id="s", turn_id="t", ack_token=token).project_id == "shop"


def test_a_replay_is_paged_and_written_to_a_file_with_the_same_bytes(muninn, tmp_path):
    for number in range(5):
        append(muninn, payload={"n": number})
    whole = muninn.call("audit.replay")
    first = muninn.call("audit.replay", limit=3)
    rest = muninn.call("audit.replay", limit=3, after=first.next)
    assert (first.lines + rest.lines, rest.next) == (whole.lines, None)
    path = tmp_path / "replay.jsonl"
    done = muninn.call("audit.replay", path=str(path))
    assert (done.count, done.digest, path.read_text().splitlines()) == (5, whole.digest, list(whole.lines))
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(UsageError, match="exists already"):
        muninn.call("audit.replay", path=str(path))


def test_past_months_are_sealed_and_the_retention_is_off_by_default(muninn):
    append(muninn, payload={"n": 1, "text": "The first giraffe."})
    muninn.clock.forward(days=100)
    append(muninn, payload={"n": 2})
    planned = muninn.call("audit.seal", dry_run=True)
    assert muninn.call("audit.seal", dry_run=True).sealed == planned.sealed  # it changed nothing
    done = muninn.call("audit.seal")
    assert (done.sealed, done.removed) == (("sealed/events-2026-03.jsonl.gz",), ())
    assert (planned.sealed, planned.removed) == (done.sealed, ())
    assert found(muninn) == [2, 1]
    assert found(muninn, text="giraffe") == [1]
    configure(muninn, "journal:\n  retention_days: 30\n")
    muninn.clock.forward(days=25)
    seen = muninn.call("audit.seal", dry_run=True)
    assert (seen.sealed, seen.removed) == (("sealed/events-2026-06.jsonl.gz",), done.sealed)
    assert found(muninn) == [2, 1]
    sealed = muninn.call("audit.seal")
    assert (sealed.sealed, sealed.removed) == (seen.sealed, seen.removed)
    assert muninn.call("audit.verify").removed == 1
    assert found(muninn) == [2]
    assert found(muninn, text="giraffe") == []


@pytest.mark.parametrize("payload", [{"a": float("nan")}, {"a": "x\ud800"}])
def test_invalid_events_are_refused(muninn, payload):
    with pytest.raises(BadParams, match=r"nan|lone surrogate"):
        append(muninn, payload=payload)
    assert muninn.call("audit.tail").events == ()


def test_status_shows_the_journal_once_there_is_one(muninn):
    assert muninn.call("status").journal.path == ""
    append(muninn, payload={"n": 1})
    muninn.call("event.statistics")
    journal = muninn.call("status").journal
    assert (journal.path, journal.events, journal.lag, journal.failure) == (muninn.location.journal, 1, 0, "")


def test_old_months_are_sealed_without_a_person(muninn):
    append(muninn, payload={"n": 1})
    muninn.engine.keep_journals_small()
    muninn.clock.forward(days=130)
    append(muninn, payload={"n": 2})
    muninn.engine.keep_journals_small()
    folder = Path(muninn.call("audit.seal", before="2020-01").folder)
    assert [path.name for path in (folder / "sealed").iterdir()] == ["events-2026-03.jsonl.gz"]
    assert found(muninn) == [2, 1]
    assert muninn.call("audit.verify").events == 2
    (muninn.root / ".muninn" / "config.yaml").write_text("journal: {seal_months: 0}\n")
    muninn.clock.forward(days=100)
    muninn.engine.keep_journals_small()
    assert len(list((folder / "sealed").iterdir())) == 1
