"""Pruning: what leaves, what never does, and that nothing that stays changes."""

import json
from datetime import UTC, datetime

import pytest

from muninn_core.config import PruneConfig, load_config
from muninn_core.errors import UsageError
from muninn_core.reconcile.planning.apply import reconcile
from muninn_core.reconcile.planning.prune import prune
from muninn_core.store.files.undo_journal import undo

pytest_plugins = ["logs"]

LATER = datetime(2026, 6, 1, tzinfo=UTC)
OLD = PruneConfig(age_days=30)


def store(log, text, **fields):
    (record,) = log.append([{"type": "insight", "actor": "assistant", "text": text, **fields}], "s1")
    return record.id


def change(log, kind, **fields):
    log.append([{"type": kind, "actor": "user", **fields}], "s1")


def pruned(log, policy=OLD, now=LATER, **options):
    reconcile(log)
    return prune(log, policy, now, **options)


def test_without_a_policy_nothing_is_pruned_and_the_error_says_which_keys_make_one(log, layout):
    store(log, "One thing")
    with pytest.raises(UsageError, match="no policy") as error:
        pruned(log, load_config(layout.config)[0].prune)
    assert "prune.age_days" in error.value.hint


def test_old_archived_superseded_and_expired_memories_are_removed_and_others_are_unchanged(log, layout):
    archived = store(log, "Nobody needs this")
    change(log, "archive", target=archived)
    older = store(log, "The port is 80")
    newer = store(log, "The port is 81", links=[{"relation": "supersedes", "target": older}])
    expired = store(log, "The freeze ends tonight", expires="2026-01-09T00:00:00Z")
    fresh = store(log, "It ends in May", expires="2026-05-25T00:00:00Z")
    plain = store(log, "The build needs a compiler")
    reconcile(log)
    before = log.state.memories
    outcome = pruned(log)
    assert set(outcome.memories) == {archived, older, expired}
    assert outcome.summary == "3 memories moved to the archive"
    assert set(log.state.memories) == {newer, fresh, plain}
    assert all(log.state.memories[each] == before[each] for each in (newer, fresh, plain))
    assert log.state.unresolved == ()
    kept = (layout.root / outcome.archive).read_bytes()
    assert {json.loads(line)["id"] for line in kept.splitlines()} >= set(outcome.memories)
    assert (len(layout.main.read_bytes()), outcome.before - len(kept)) == (outcome.after, outcome.after)


@pytest.mark.parametrize("fields", [{"pinned": True}, {"importance": 8}, {"actor": "user"}])
def test_pinned_important_and_user_memories_stay(log, fields):
    identity = store(log, "Nobody needs this", **fields)
    change(log, "archive", target=identity)
    assert pruned(log).memories == ()
    allowed = {"importance": {"importance": 9}, "actor": {"user": True}}.get(next(iter(fields)))
    if allowed:
        assert pruned(log, PruneConfig(age_days=30, **allowed)).memories == (identity,)


def test_a_memory_that_another_one_rests_on_stays_with_it(log):
    kept = store(log, "Tests run in random order")
    merged = store(log, "The tests run in random order", files=["b.py"])
    silent = store(log, "The queue is in Redis")
    first = store(log, "The queue is in memory")
    change(log, "supersede", target=first, by=silent)
    change(log, "archive", target=silent)
    change(log, "pin", target=first)
    assert pruned(log).memories == ()
    assert log.state.memories[merged].merged_into == kept
    assert log.state.memories[kept].files == ("b.py",)
    assert not log.state.memories[first].active


def test_a_wording_that_a_decision_gave_is_not_lost_with_the_side_that_lost(log):
    store(log, "The upload limit is 10 MB")
    right = store(log, "The upload limit is 20 MB", actor="user")
    reconcile(log)
    (conflict,) = log.state.conflicts
    change(log, "resolve", conflict=conflict.id, keep="right", text="The upload limit is 20 MB for images")
    assert pruned(log).memories == ()
    assert log.state.memories[right].text == "The upload limit is 20 MB for images"


def test_merged_memories_are_removed_with_their_representative(log):
    kept = store(log, "Tests run in random order")
    merged = store(log, "The tests run in random order")
    reconcile(log)
    change(log, "archive", target=kept)
    assert set(pruned(log).memories) == {kept, merged}
    assert log.state.memories == {}
    assert log.position == 0


def test_a_word_that_is_not_reconciled_yet_counts(log):
    identity = store(log, "Nobody needs this")
    change(log, "archive", target=identity)
    reconcile(log)
    log.append([{"type": "restore", "target": identity}], "s2")
    assert prune(log, OLD, LATER).memories == ()


def test_the_oldest_inactive_memories_are_removed_until_the_file_fits(log, layout):
    ids = [store(log, f"Module number {number} {'x' * 400}") for number in range(6)]
    for identity in ids[:4]:
        change(log, "archive", target=identity)
    reconcile(log)
    size = layout.main.stat().st_size
    outcome = prune(log, PruneConfig(max_bytes=size - 700), LATER)
    assert outcome.memories == tuple(ids[:2])
    assert outcome.after <= size - 700
    assert set(prune(log, PruneConfig(max_bytes=1), LATER).memories) == set(ids[2:4])


def test_old_memories_below_the_configured_confidence_are_removed(log):
    doubtful = store(log, "The scheduler may be racy", confidence=0.2)
    store(log, "The scheduler has a lock", confidence=0.9)
    policy = PruneConfig(age_days=30, confidence=0.5)
    assert pruned(log, policy, datetime(2026, 1, 20, tzinfo=UTC)).memories == ()
    assert pruned(log, policy).memories == (doubtful,)


def test_a_dry_run_says_what_would_leave_and_changes_nothing(log, layout):
    identity = store(log, "Nobody needs this")
    change(log, "archive", target=identity)
    reconcile(log)
    before = layout.main.read_bytes()
    planned = prune(log, OLD, LATER, dry_run=True)
    assert planned.memories == (identity,)
    assert layout.main.read_bytes() == before
    assert not layout.archive.exists()
    assert prune(log, OLD, LATER) == planned


def test_the_archived_file_brings_everything_back(log, layout):
    identity = store(log, "Nobody needs this")
    change(log, "archive", target=identity)
    reconcile(log)
    state, before = log.state, layout.main.read_bytes()
    archive = layout.root / prune(log, OLD, LATER).archive
    archive.rename(layout.sessions / archive.name)
    log.refresh()
    assert log.state == state
    reconcile(log)
    assert layout.main.read_bytes() == before


def test_undo_takes_a_pruning_back(log, layout):
    change(log, "archive", target=store(log, "Nobody needs this"))
    reconcile(log)
    before = layout.main.read_bytes()
    prune(log, OLD, LATER)
    undo(layout)
    assert layout.main.read_bytes() == before
    assert list(layout.archive.iterdir()) == []


def test_a_change_of_another_branch_to_what_was_pruned_waits(log, layout):
    identity = store(log, "Nobody needs this")
    change(log, "archive", target=identity)
    pruned(log)
    line = {"id": "c", "ts": "2026-05-01T10:00:00Z", "type": "restore", "target": identity}
    (layout.sessions / "from-a-branch.jsonl").write_text(json.dumps(line) + "\n")
    log.refresh()
    assert [record.id for record in log.state.unresolved] == ["c"]
    assert reconcile(log).consolidated == 0
    assert [record.id for record in log.state.unresolved] == ["c"]


def test_malformed_lines_stay_in_main(log, layout):
    change(log, "archive", target=store(log, "Nobody needs this"))
    reconcile(log)
    with layout.main.open("ab") as main:
        main.write(b"<<<<<<< HEAD\n")
    prune(log, OLD, LATER)
    assert layout.main.read_bytes() == b"<<<<<<< HEAD\n"
