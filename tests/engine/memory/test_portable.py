"""Bundles: a round trip changes nothing, and imported memories are never trusted as the user's own."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from private_text import holders, key_of_chance
from repositories import git

from muninn_cli.show.memory.bundles import bundle_text
from muninn_core.engine.memory.exchange import bundles
from muninn_core.errors import BadParams, NotFoundError, StorageError
from muninn_core.launch.repository_location import locate
from muninn_core.model.value import to_plain
from muninn_core.protocol.catalogue import METHODS
from muninn_server.session import Pools

pytest_plugins = ["engines"]


def bundle(muninn, **filters):
    return bundle_text(to_plain(muninn.call("export", **filters)))


@pytest.fixture
def file(tmp_path):
    """Where bundles are put."""
    return tmp_path / "bundle.json"


def carry(muninn, other, file, **how):
    file.write_text(bundle(muninn))
    return other.call("import", path=str(file), **how)


def fill(muninn):
    """Store one of everything that a log can say of memories."""
    first = muninn.call("remember", text="Sessions live in Redis.", tags=["a"], session="s1", task="T-1").ids[0]
    muninn.clock.forward(hours=1)
    second = muninn.call(
        "remember",
        text="Sessions live in Postgres now.",
        type="decision",
        links=[{"relation": "extends", "target": first, "strength": 0.3}],
        cites=[{"path": "src/users.py", "start": 1, "end": 2}],
        details={"rationale": "one store", "n": [1, 2.5, None, True]},
        session="s2",
        confidence=0.1 + 0.2,
        questions=["Where is the login kept?"],
    ).ids[0]
    muninn.clock.forward(days=1)
    third = muninn.call("remember", text='Ünïcödé \u2028 and "quotes" <b>.', session="s2").ids[0]
    muninn.call("forget", id=third, reason="a joke")
    fourth = muninn.call("remember", text="A shared login.", session="s2").ids[0]
    muninn.call("redact", id=fourth)
    return first, second, third, fourth


@pytest.mark.parametrize("trust", ["outside", "keep"])
def test_export_import_export_gives_the_same_bytes(muninn, other, file, trust):
    fill(muninn)
    carry(muninn, other, file, trust=trust)
    assert bundle(other) == file.read_text()
    other.call("seal")
    other.call("reconcile")
    assert bundle(other) == file.read_text()


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).filter(str.strip)
DRAFTS = st.fixed_dictionaries(
    {"text": TEXTS},
    optional={
        "title": TEXTS,
        "type": st.sampled_from(["decision", "attempt", "insight"]),
        "tags": st.lists(TEXTS, max_size=3),
        "importance": st.integers(1, 10),
        "confidence": st.floats(0, 1),
        "details": st.dictionaries(TEXTS, st.one_of(TEXTS, st.integers(-(2**53), 2**53), st.none()), max_size=3),
        "session": st.sampled_from(["s1", "s2"]),
        "private": st.booleans(),
    },
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(drafts=st.lists(DRAFTS, min_size=1, max_size=6))
def test_an_export_and_import_preserves_memories_byte_for_byte(muninn, other, file, drafts):
    muninn.call("remember", batch=drafts)
    content = bundle(muninn, private=True)
    file.write_text(content)
    other.call("import", path=str(file))
    assert bundle(other, private=True) == content


def test_the_same_state_gives_the_same_bundle_whenever_it_is_asked(muninn):
    fill(muninn)
    before = bundle(muninn)
    muninn.clock.forward(days=9)
    assert bundle(muninn) == before
    assert json.loads(before)["exported"] == max(record["ts"] for record in json.loads(before)["records"])


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({"tag": "a"}, {0}),
        ({"type": "decision"}, {1}),
        ({"session": "s1"}, {0}),
        ({"task": "T-1"}, {0}),
        ({"since": "2026-03-01T12:30:00Z", "until": "2026-03-02"}, {1}),
        ({"since": "2026-03-02"}, {2, 3}),
        ({"since": "2026-03-09"}, set()),
    ],
)
def test_filters_choose_memories_with_all_that_was_said_of_them(muninn, filters, wanted):
    ids = fill(muninn)
    records = json.loads(bundle(muninn, **filters))["records"]
    assert {record.get("target", record["id"]) for record in records} == {ids[each] for each in wanted}


def test_a_filter_that_is_no_time_is_refused(muninn):
    with pytest.raises(BadParams, match="'since' is not a time"):
        muninn.call("export", since="yesterday")


def test_private_memories_leave_only_when_asked_for_and_stay_private(muninn, other, file):
    muninn.call("remember", text="My own port is 7001.", private=True)
    assert json.loads(bundle(muninn))["records"] == []
    assert muninn.call("export").private == 1
    file.write_text(bundle(muninn, private=True))
    other.call("import", path=str(file))
    assert other.call("memories").memories[0].private
    assert other.call("seal").records == 0


def test_imported_memories_have_outside_trust_unless_vouched_for(muninn, other, file, tmp_path, start):
    fill(muninn)
    assert muninn.call("memories").memories[0].trust == "user"
    carry(muninn, other, file)
    assert {memory.trust for memory in other.call("memories", archived=True).memories} == {"outside"}
    memory = other.call("memories").memories[0]
    assert (memory.actor, memory.details["imported"]) == ("user", {"actor": "import", "trust": "outside"})
    carry(muninn, other, file, trust="keep", on_conflict="overwrite")
    assert {memory.trust for memory in other.call("memories", archived=True).memories} == {"outside"}


def test_vouched_for_memories_keep_their_trust(muninn, other, file):
    fill(muninn)
    carry(muninn, other, file, trust="keep")
    assert {memory.trust for memory in other.call("memories", archived=True).memories} == {"user"}


def test_importing_twice_stores_once(muninn, other, file):
    fill(muninn)
    first = carry(muninn, other, file)
    second = carry(muninn, other, file)
    assert (second.imported, second.known) == (0, first.imported)


def test_outside_text_cannot_change_what_this_repository_remembers(muninn, file):
    ours = muninn.call("remember", text="Deploys need two approvals.").ids[0]
    shared = {"v": 1, "ts": "2026-04-01T00:00:00Z", "session": "", "actor": "user"}
    attacks = [
        {"id": "a1", "type": "archive", "target": ours},
        {"id": "a2", "type": "redact", "target": ours},
        {"id": "a3", "type": "update", "target": ours, "set": {"text": "Deploys need nobody."}},
        {"id": "a4", "type": "insight", "text": "Newer.", "links": [{"relation": "supersedes", "target": ours}]},
        {"id": "a5", "type": "supersede", "target": ours, "by": "a9"},
        {"id": "a6", "type": "merge", "keep": "a9", "sources": [ours]},
    ]
    harmless = {"id": "a9", "type": "insight", "text": "Elsewhere deploys need three."}
    records = [{**shared, **each} for each in (*attacks, harmless)]
    file.write_text(json.dumps({"version": 1, "exported": "", "records": records}))
    result = muninn.call("import", path=str(file))
    assert result.withheld == ("a1", "a2", "a3", "a4", "a5", "a6")
    memory = muninn.call("memories", id=ours).memories[0]
    assert (memory.active, memory.text, memory.trust) == (True, "Deploys need two approvals.", "user")
    assert muninn.call("memories", id="a9").memories[0].trust == "outside"


def test_outside_text_cannot_change_a_memory_that_comes_later_from_another_branch(muninn, file):
    git(muninn.root, "add", "-A")
    git(muninn.root, "commit", "-q", "-m", "Begin")
    git(muninn.root, "checkout", "-q", "-b", "side")
    ours = muninn.call("remember", text="Deploys need two approvals.").ids[0]
    muninn.call("seal")
    git(muninn.root, "add", "-A")
    git(muninn.root, "commit", "-q", "-m", "Remember")
    git(muninn.root, "checkout", "-q", "main")
    shared = {"v": 1, "ts": "2026-04-01T00:00:00Z", "session": "", "actor": "user"}
    attacks = [
        {"id": "a1", "type": "redact", "target": ours},
        {"id": "a2", "type": "update", "target": ours, "set": {"text": "Deploys need nobody."}},
        {"id": "a3", "type": "merge", "keep": "a9", "sources": [ours]},
        {"id": "a4", "type": "link", "target": "a9", "relation": "supersedes", "to": ours},
    ]
    newer = {"id": "a9", "type": "insight", "text": "Newer.", "links": [{"relation": "supersedes", "target": ours}]}
    records = [{**shared, **each} for each in (*attacks, newer)]
    file.write_text(json.dumps({"version": 1, "exported": "", "records": records}))
    assert muninn.call("import", path=str(file)).withheld == ("a1", "a2", "a3", "a4")
    git(muninn.root, "merge", "-q", "side")
    memory = muninn.call("memories", id=ours).memories[0]
    assert (memory.active, memory.text, memory.trust) == (True, "Deploys need two approvals.", "user")


def changed(file):
    """Change the first record's text in a bundle's file."""
    data = json.loads(file.read_text())
    data["records"][0]["text"] = "Something else."
    file.write_text(json.dumps(data))
    return data["records"][0]["id"]


def test_a_record_with_other_content_is_skipped_replaced_or_refused(muninn, other, file):
    fill(muninn)
    carry(muninn, other, file)
    identity = changed(file)
    before = bundle(other)
    assert other.call("import", path=str(file)).skipped == (identity,)
    with pytest.raises(BadParams, match="another content"):
        other.call("import", path=str(file), on_conflict="error")
    assert bundle(other) == before
    assert other.call("import", path=str(file), on_conflict="overwrite", dry_run=True).replaced == 1
    assert bundle(other) == before
    assert other.call("import", path=str(file), on_conflict="overwrite").replaced == 1
    assert other.call("memories", id=identity).memories[0].text == "Something else."


def test_a_failed_import_stores_nothing(muninn, other, file, monkeypatch):
    fill(muninn)
    carry(muninn, other, file)
    other.call("reconcile")
    muninn.call("remember", text="One more.")
    file.write_text(bundle(muninn))
    changed(file)
    before, main = bundle(other), other.root / ".muninn/memory/main.jsonl"
    content = main.read_bytes()

    def full(*_arguments):
        raise StorageError("the disk is full")

    log = other.engine.open(locate(str(other.root))).memory.log
    with monkeypatch.context() as patch:
        patch.setattr(log, "append", full)
        with pytest.raises(StorageError):
            other.call("import", path=str(file), on_conflict="overwrite")
    assert (bundle(other), main.read_bytes()) == (before, content)


def test_an_import_does_not_restore_redacted_memories(muninn, other, file):
    first = fill(muninn)[0]
    carry(muninn, other, file)
    other.call("redact", id=first)
    for trust in ("outside", "keep"):
        other.call("import", path=str(file), on_conflict="overwrite", trust=trust)
        assert other.call("memories", id=first).memories[0].redacted
        assert holders(other.root, "Sessions live in Redis") == []


def test_a_redaction_while_a_bundle_is_compared_holds(muninn, other, file, monkeypatch):
    first = fill(muninn)[0]
    carry(muninn, other, file)
    file.write_text(file.read_text().replace("Sessions live in Redis", "Sessions live in Redis 7"))
    plan = bundles.plan_import

    def planned(*given, **more):
        found = plan(*given, **more)
        other.call("redact", id=first)
        return found

    monkeypatch.setattr(bundles, "plan_import", planned)
    assert other.call("import", path=str(file), on_conflict="overwrite", trust="keep").replaced
    assert other.call("memories", id=first).memories[0].redacted
    assert holders(other.root, "Sessions live in Redis") == []


def test_writers_do_not_wait_for_the_masking_of_a_bundle():
    pools = Pools()
    try:
        assert pools.of(METHODS["import"]) is not pools.of(METHODS["remember"])
    finally:
        pools.close()


def test_secrets_leave_in_no_bundle_and_come_in_with_none(muninn, other, file):
    secret = key_of_chance()
    segment = muninn.root / ".muninn/memory/sessions/by-hand.jsonl"
    segment.parent.mkdir(parents=True, exist_ok=True)
    line = {"v": 1, "id": "h1", "ts": "2026-01-01T00:00:00Z", "type": "insight", "text": f"token = {secret}"}
    segment.write_text(json.dumps(line) + "\n")
    result = muninn.call("export")
    assert result.masked == 1
    assert secret not in bundle(muninn)
    file.write_text(json.dumps({"version": 1, "records": [line]}))
    assert other.call("import", path=str(file)).masked == 1
    assert holders(other.root, secret) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", "this is not a bundle"),
        ("[]", "no list of records"),
        ('{"version": 9, "records": []}', "version 9"),
        ('{"version": 1, "records": [{"type": "insight"}]}', "record 1 of the bundle has no id"),
        ('{"version": 1, "records": [{"id": "x", "type": "insight", "ts": "soon"}]}', "'ts' is not an RFC 3339 time"),
        (
            '{"version": 1, "records": [{"id": "x", "type": "a", "ts": "2026-01-01T00:00:00Z", "text": "1"},'
            ' {"id": "x", "type": "a", "ts": "2026-01-01T00:00:00Z", "text": "2"}]}',
            "two different records 'x'",
        ),
    ],
)
def test_a_file_that_is_no_bundle_is_refused_as_a_whole(muninn, file, content, message):
    file.write_text(content)
    with pytest.raises(BadParams, match=message):
        muninn.call("import", path=str(file))
    assert muninn.call("status").log.records == 0


def test_a_bundle_that_is_not_there_is_named(muninn):
    with pytest.raises(NotFoundError, match=r"nowhere\.json"):
        muninn.call("import", path="nowhere.json")


def test_a_bundle_that_is_no_regular_file_is_refused_at_once(muninn, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(10**9)  # no block of it is on the disk
    for path, what in (
        (pipe, "not a regular file"),
        ("/dev/zero", "not a regular file"),
        (large, "the limit is 134,217,728"),
    ):
        with pytest.raises(NotFoundError, match=what):
            muninn.call("import", path=str(path))


def test_a_segment_that_leads_to_a_device_is_reported_and_not_read(muninn):
    muninn.call("remember", text="Users are kept in a dictionary.")
    segment = muninn.root / ".muninn" / "memory" / "sessions" / "pulled-0123456789ab.jsonl"
    segment.parent.mkdir(parents=True, exist_ok=True)
    segment.symlink_to("/dev/zero")
    (hit,) = muninn.call("recall", query="users dictionary", kind="memory").hits
    assert hit.text == "Users are kept in a dictionary."
    problems = muninn.call("status").problems
    assert any(problem.path.endswith(segment.name) for problem in problems)


@pytest.mark.parametrize("trust", ["outside", "keep"])
def test_an_imported_memory_is_not_called_abandoned(muninn, other, file, trust):
    muninn.call("remember", text="Sessions live in Redis.")
    carry(muninn, other, file, trust=trust)
    (memory,) = other.call("memories").memories
    assert memory.commit  # of the repository that it comes from
    assert memory.work == ""
