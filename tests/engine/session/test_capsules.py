"""Capsules hold observations; a retrieval returns pins and summaries first; a bundle comes back as it was."""

from __future__ import annotations

import json

import pytest
from repositories import copy_plain_repo

from muninn_core.errors import BadParams, NotFoundError, UsageError
from muninn_core.model.value import replace

pytest_plugins = ["engines"]

S1 = {"session": "s1", "repository": "shop"}


def opened(muninn, intent="fix the login", scope=S1, **more):
    return muninn.call("capsule.open", type="task", intent=intent, scope=scope, **more).capsule.id


def observed(muninn, capsule, text, **more):
    return muninn.call("capsule.observe", id=capsule, text=text, **more).event


def texts(result):
    return [(item.tier, item.event.payload["text"]) for item in result.items]


def test_a_capsule_takes_observations_until_it_is_closed(muninn):
    capsule = opened(muninn)
    event = observed(muninn, capsule, "The token expired early.", details={"exit_status": 1})
    assert (event.stream_id, event.session_id, event.payload["scope"]) == (capsule, "s1", S1)
    assert observed(muninn, capsule, "Once.", key="k").event_id == observed(muninn, capsule, "Once.", key="k").event_id
    closed = muninn.call("capsule.close", id=capsule, summary="The login works.").capsule
    assert (closed.status, closed.intent, closed.scope) == ("closed", "fix the login", S1)
    for verb, more in (("capsule.observe", {"text": "x"}), ("capsule.summarise", {"text": "x"}), ("capsule.close", {})):
        with pytest.raises(UsageError, match="is closed"):
            muninn.call(verb, id=capsule, **more)
        with pytest.raises(NotFoundError, match="no capsule"):
            muninn.call(verb, id="capsule:none", **more)
    with pytest.raises(BadParams, match="is empty"):
        muninn.call("capsule.observe", id=capsule)
    with pytest.raises(BadParams, match="is no scope"):
        opened(muninn, scope={"team": "x"})
    assert [one.id for one in muninn.call("capsule.list", status="closed").capsules] == [capsule]
    assert muninn.call("capsule.list", scope={"session": "other"}).capsules == ()


def test_capsules_nest_and_close_from_the_inside(muninn):
    outer = opened(muninn)
    inner = opened(muninn, intent="read the clock", parent=outer)
    with pytest.raises(UsageError, match="contains the open capsule"):
        muninn.call("capsule.close", id=outer)
    muninn.call("capsule.close", id=inner)
    muninn.call("capsule.close", id=outer)
    with pytest.raises(UsageError, match="is closed"):
        opened(muninn, parent=outer)
    assert [one.parent for one in muninn.call("capsule.list").capsules] == [outer, "session:s1"]


def test_a_retrieval_has_pins_and_summaries_first_and_candidates_that_fit(muninn):
    capsule, elsewhere = opened(muninn), opened(muninn, scope={"session": "s2", "repository": "shop"})
    first = observed(muninn, capsule, "The clock of the server is late.")
    observed(muninn, capsule, "The weather is fine.")
    observed(muninn, elsewhere, "The clock of the client is early.")
    muninn.call("capsule.summarise", id=capsule, text="An old summary.")
    muninn.call("capsule.summarise", id=capsule, text="The clock is at fault.")
    muninn.call("capsule.pin", id=first.event_id, scope=S1)
    found = muninn.call("capsule.retrieve", query="server clock", scope=S1)
    assert texts(found)[:2] == [("pin", "The clock of the server is late."), ("summary", "The clock is at fault.")]
    assert {text for tier, text in texts(found)[2:]} <= {"The weather is fine."}
    again = muninn.call("capsule.retrieve", query="server clock", scope=S1)
    assert replace(again, saw=found.saw) == found  # the index may have caught up meanwhile
    wide = muninn.call("capsule.retrieve", query="client clock", scope={"repository": "shop"})
    assert texts(wide)[1] == ("candidate", "The clock of the client is early.")
    tight = muninn.call("capsule.retrieve", scope=S1, token_budget=10)
    assert (len(tight.items), tight.over, tight.left_out) == (2, tight.tokens - 10, 1)
    room = muninn.call("capsule.retrieve", scope=S1, token_budget=found.tokens + 100)
    assert (room.over, room.left_out, room.items[-1].tier) == (0, 0, "candidate")
    muninn.call("capsule.pin", id=first.event_id, scope=S1, remove=True)
    with pytest.raises(NotFoundError, match="is not pinned"):
        muninn.call("capsule.pin", id=first.event_id, scope=S1, remove=True)
    muninn.call("event.tombstone", id=first.event_id)
    muninn.call("capsule.close", id=capsule)
    assert texts(muninn.call("capsule.retrieve", query="clock", scope=S1)) == []
    assert texts(muninn.call("capsule.retrieve", query="weather", scope=S1)) == [("candidate", "The weather is fine.")]


@pytest.fixture
def bundle(muninn):
    capsule = opened(muninn)
    inner = opened(muninn, parent=capsule)
    first = observed(muninn, capsule, "One.", details={"n": 1})
    muninn.clock.forward(hours=1)
    gone, hidden = observed(muninn, inner, "A redacted word."), observed(muninn, inner, "A hidden word.")
    muninn.call("capsule.summarise", id=capsule, text="Summary.")
    muninn.call("capsule.pin", id=first.event_id, scope=S1, reason="why")
    muninn.call("event.redact", id=gone.event_id)
    muninn.call("event.tombstone", id=hidden.event_id)
    muninn.call("capsule.close", id=inner, summary="Done.")
    opened(muninn, scope={"session": "s9"})
    return muninn.call("capsule.export", scope=S1).bundle


def test_a_bundle_comes_back_as_it_was(muninn, bundle, start, tmp_path):
    assert [len(bundle[name]) for name in ("capsules", "observations", "summaries", "pins")] == [2, 2, 2, 1]
    assert [item["content"] is None for item in bundle["observations"]] == [False, True]
    other = start(copy_plain_repo(tmp_path / "other"))
    other.call("init")
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(bundle))
    done = other.call("capsule.import", path=str(path))
    assert (done.imported, done.known) == (7, 0)
    again = other.call("capsule.export", scope=S1).bundle
    assert json.dumps(again) == json.dumps(bundle)
    done = other.call("capsule.import", path=str(path), on_conflict="error")
    assert (done.imported, done.known) == (0, 7)
    assert other.call("audit.verify").ok
    found = other.call("capsule.retrieve", query="one", scope=S1)
    assert texts(found)[0] == ("pin", "One.")


def test_conflicts_are_skipped_replaced_or_refused(muninn, bundle):
    changed = json.loads(json.dumps(bundle))
    changed["observations"][0]["content"]["text"] = "Two."
    changed["capsules"][0]["intent"] = "another intent"
    with pytest.raises(UsageError, match="differs from what is recorded"):
        muninn.call("capsule.import", bundle=changed, on_conflict="error")
    skipped = muninn.call("capsule.import", bundle=changed)
    assert (len(skipped.skipped), skipped.imported, skipped.known) == (2, 0, 5)
    assert muninn.call("capsule.export", scope=S1).bundle == bundle
    assert muninn.call("capsule.import", bundle=changed, on_conflict="overwrite").replaced == 2
    after = muninn.call("capsule.export", scope=S1).bundle
    assert after == changed
    assert muninn.call("audit.verify").ok


def test_what_is_redacted_stays_redacted_under_its_id(muninn, bundle, start, tmp_path):
    """Also where it was imported: the redaction goes by the bundle's id, and no import brings the text back."""
    other = start(copy_plain_repo(tmp_path / "other"))
    other.call("init")
    other.call("capsule.import", bundle=bundle)
    first = bundle["observations"][0]["id"]
    for repository in (muninn, other):
        assert repository.call("event.query", id=first).hits[0].event.payload["text"] == "One."
        repository.call("event.redact", id=first)
        redacted = repository.call("capsule.export", scope=S1).bundle
        assert [item["content"] for item in redacted["observations"]] == [None, None]
        assert [item["scope"] for item in redacted["observations"]] == [S1, S1]
        for strategy in ("skip", "overwrite"):
            done = repository.call("capsule.import", bundle=bundle, on_conflict=strategy)
            assert (done.imported, done.replaced, done.skipped) == (0, 0, (first,))
        with pytest.raises(UsageError, match="differs from what is recorded"):
            repository.call("capsule.import", bundle=bundle, on_conflict="error")
        assert repository.call("capsule.export", scope=S1).bundle == redacted
        assert repository.call("audit.verify").ok
    assert muninn.call("capsule.export", scope=S1).bundle == other.call("capsule.export", scope=S1).bundle


def test_an_imported_observation_is_pinned_and_hidden_by_either_id(start, bundle, tmp_path):
    other = start(copy_plain_repo(tmp_path / "other"))
    other.call("init")
    other.call("capsule.import", bundle=bundle)
    first = bundle["observations"][0]["id"]
    own = other.call("event.query", id=first).hits[0].event.event_id
    assert own != first
    for item in (own, first):
        other.call("capsule.pin", id=item, scope={"session": "s9"})
    assert texts(other.call("capsule.retrieve", scope={"session": "s9"}))[:1] == [("pin", "One.")]
    assert len(other.call("capsule.retrieve", scope={"session": "s9"}).items) == 1
    other.call("event.tombstone", id=first)
    assert first not in {item["id"] for item in other.call("capsule.export", scope=S1).bundle["observations"]}


def test_the_summary_of_a_closed_capsule_has_its_scope_and_its_author(muninn):
    capsule = opened(muninn)
    muninn.call("capsule.close", id=capsule, summary="The login works.")
    found = muninn.call("event.query", where={"payload.scope.session": "s1", "event_type": "muninn.summary"}).hits
    assert [(hit.event.payload["text"], hit.event.session_id) for hit in found] == [("The login works.", "s1")]


def test_a_list_takes_a_span_of_time(muninn):
    early = opened(muninn)
    muninn.clock.forward(hours=48)
    late = opened(muninn, intent="later")
    day = muninn.call("capsule.list").capsules[0].opened_at[:10]
    assert [one.id for one in muninn.call("capsule.list", after=day).capsules] == [late]
    assert [one.id for one in muninn.call("capsule.list", before=day).capsules] == [early]
    with pytest.raises(BadParams, match="'after'"):
        muninn.call("capsule.list", after="yesterday")


def test_an_import_that_meets_a_used_key_imports_nothing(muninn, bundle):
    changed = json.loads(json.dumps(bundle))
    changed["capsules"][0]["intent"] = "another intent"
    changed["observations"][0]["content"]["text"] = "Two."
    key = f"muninn.tombstone:{changed['observations'][0]['id']}"
    project = muninn.call("capsule.list", scope=S1).capsules[0].project_id
    muninn.call("event.append", event_type="note", payload={"n": 1}, idempotency_key=key, project_id=project)
    before = muninn.call("audit.tail").last
    with pytest.raises(UsageError, match="was used for event"):
        muninn.call("capsule.import", bundle=changed, on_conflict="overwrite")
    assert muninn.call("audit.tail").last == before
    assert muninn.call("capsule.export", scope=S1).bundle == bundle
    assert muninn.call("audit.verify").ok


@pytest.mark.parametrize("taken", ["session:s-9", "turn:s-9/t-1", ""])
def test_a_capsule_of_a_bundle_takes_no_place_of_a_session_or_turn(muninn, bundle, taken):
    turn = muninn.call("turn.begin", project_id="p", session_id="s-9", turn_id="t-1")
    changed = json.loads(json.dumps(bundle))
    changed["capsules"][0]["id"] = taken
    with pytest.raises(BadParams, match=r"capsules\[0\]\.id can't be"):
        muninn.call("capsule.import", bundle=changed, on_conflict="overwrite", project_id="p")
    muninn.call("turn.end", project_id="p", session_id="s-9", turn_id="t-1", ack_token=turn.ack_token)


def test_an_export_takes_a_span_of_time(muninn, bundle):
    assert muninn.call("capsule.export", after="2026-03-02").bundle["capsules"] == []
    assert len(muninn.call("capsule.export", before="2026-03-01T12:30:00Z").bundle["capsules"]) == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": "9"}, "version '9'"),
        ({"pins": None}, "no list 'pins'"),
        ({"observations": [{"id": 1}]}, r"observations\[0\]\.id"),
    ],
)
def test_a_bundle_of_another_form_is_refused(muninn, change, said):
    empty = {"version": "1", "capsules": [], "observations": [], "summaries": [], "pins": []}
    with pytest.raises(BadParams, match=said):
        muninn.call("capsule.import", bundle={**empty, **change})
    assert muninn.call("audit.tail").events == ()
