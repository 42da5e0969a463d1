import json
import random
import shutil
import subprocess
import time

import pytest

from muninn_core.errors import BusyError, Cancelled, ReadOnlyError, StorageError
from muninn_core.reconcile.planning.apply import apply, reconcile, summary_of
from muninn_core.reconcile.planning.plan import REPEATED, SAME, Task, plan
from muninn_core.reconcile.planning.plan_process import plan_in_other_process
from muninn_core.store.files.layout import layout_of

pytest_plugins = ["logs"]


def store(log, *texts, session="s1", **fields):
    records = [{"type": "insight", "actor": "user", "text": text, **fields} for text in texts]
    return [record.id for record in log.append(records, session)]


def ids_of(content):
    return [json.loads(line)["id"] for line in content.splitlines()]


def active(log):
    return [memory.text for memory in log.state.memories.values() if memory.active]


def test_a_text_that_differs_only_in_its_marks_is_the_same_text(log):
    (kept,) = store(log, "Options are read once.", session="s1")
    (gone,) = store(log, "options are read once", session="s2")
    log.seal()
    assert [(merge.kept, merge.merged, merge.reason) for merge in reconcile(log).merges] == [(kept, (gone,), REPEATED)]


def test_segments_are_consolidated_into_main_sorted_by_id_and_go(log, layout):
    store(log, "The cache is small", session="s1")
    log.seal()
    store(log, "Workers restart nightly", session="s2")
    log.seal()
    before = log.state
    outcome = reconcile(log)
    assert outcome.summary == "2 memories consolidated, 0 duplicates removed, 0 conflicts"
    assert len(outcome.segments) == 2
    assert list(layout.sessions.iterdir()) == []
    assert ids_of(layout.main.read_bytes()) == sorted(before.memories)
    assert log.state == before
    content = layout.main.read_bytes()
    assert reconcile(log).summary == "0 memories consolidated, 0 duplicates removed, 0 conflicts"
    assert layout.main.read_bytes() == content


def test_the_same_insight_of_two_sessions_becomes_one_with_more_confidence(log):
    (kept,) = store(log, "API uses FastAPI dependency injection", session="s1", confidence=0.8, files=["a.py"])
    (gone,) = store(log, "The API relies on FastAPI's dependency injection", session="s2", confidence=0.5)
    log.seal()
    outcome = reconcile(log)
    assert outcome.summary == "2 memories consolidated, 1 duplicate removed, 0 conflicts"
    assert [(merge.kept, merge.merged, merge.reason) for merge in outcome.merges] == [(kept, (gone,), SAME)]
    memory = log.state.memories[kept]
    assert (memory.confidence, memory.sessions, memory.sources) == (0.9, ("s1", "s2"), (gone,))
    assert memory.text == "The API relies on FastAPI's dependency injection"
    assert memory.aliases == ("API uses FastAPI dependency injection",)
    assert log.state.memories[gone].merged_into == kept


def test_a_users_words_are_kept_although_an_agents_came_first(log):
    (by_agent,) = store(log, "Tests run in random order", actor="assistant")
    (by_user,) = store(log, "The tests run in random order")
    log.seal()
    reconcile(log)
    assert log.state.memories[by_agent].merged_into == by_user
    assert log.state.memories[by_user].trust == "user"


def test_contradictions_wait_for_a_person_and_are_asked_once(log):
    (left,) = store(log, "The upload limit is 10 MB", session="s1")
    (right,) = store(log, "The upload limit is 20 MB", session="s2", actor="assistant")
    log.seal()
    outcome = reconcile(log)
    assert outcome.summary == "2 memories consolidated, 0 duplicates removed, 1 conflict"
    (conflict,) = log.state.conflicts
    assert (conflict.left, conflict.right, conflict.reason) == (left, right, "one says '10 MB', the other '20 MB'")
    assert reconcile(log).conflicts == 0
    log.append([{"type": "resolve", "conflict": conflict.id, "keep": "right", "actor": "user"}], "s3")
    log.seal()
    assert reconcile(log).conflicts == 0
    assert active(log) == ["The upload limit is 20 MB"]
    assert log.state.conflicts == ()


def test_a_conflict_that_was_decided_as_both_is_not_asked_again(log):
    store(log, "Jobs are stored in Redis")
    store(log, "Jobs are stored in Postgres", actor="assistant")
    log.seal()
    reconcile(log)
    (conflict,) = log.state.conflicts
    log.append([{"type": "resolve", "conflict": conflict.id, "keep": "both"}], "s3")
    store(log, "The jobs are kept in Redis", session="s4")
    log.seal()
    outcome = reconcile(log)
    assert (outcome.duplicates, outcome.conflicts) == (1, 0)
    assert log.state.conflicts == ()


def test_a_resolution_holds_for_a_sides_later_representative(log):
    store(log, "Jobs are stored in Redis", actor="assistant", agent="one")
    store(log, "Jobs are stored in Postgres", actor="assistant", agent="two")
    log.seal()
    reconcile(log)
    log.append([{"type": "resolve", "conflict": log.state.conflicts[0].id, "keep": "both"}], "s3")
    (by_user,) = store(log, "The jobs are kept in Redis", session="s4")
    log.seal()
    outcome = reconcile(log)
    assert outcome.merges[0].kept == by_user
    assert outcome.conflicts == 0
    assert log.state.conflicts == ()


def test_a_link_that_says_contradicts_makes_a_conflict(log):
    (old,) = store(log, "Deploys happen on Fridays")
    store(log, "Nobody ships before a weekend", links=[{"relation": "contradicts", "target": old, "reason": "policy"}])
    log.seal()
    assert reconcile(log).conflicts == 1
    assert log.state.conflicts[0].reason == "policy"


def test_the_older_one_that_is_superseded_is_neither_merged_nor_in_conflict(log):
    (old,) = store(log, "The upload limit is 10 MB")
    store(log, "The upload limit is 20 MB", links=[{"relation": "supersedes", "target": old}])
    log.seal()
    outcome = reconcile(log)
    assert (outcome.duplicates, outcome.conflicts) == (0, 0)
    assert active(log) == ["The upload limit is 20 MB"]


def test_a_merge_that_a_person_took_back_is_not_made_again(log):
    store(log, "Tests run in random order", session="s1")
    (second,) = store(log, "The tests run in random order", session="s2")
    log.seal()
    reconcile(log)
    log.append([{"type": "restore", "target": second}], "s3")
    log.seal()
    assert reconcile(log).duplicates == 0
    assert len(active(log)) == 2
    store(log, "Order matters", links=[{"relation": "contradicts", "target": second}], session="s4")
    log.seal()
    assert reconcile(log).conflicts == 1


def test_a_memory_that_was_archived_and_restored_can_still_be_merged(log):
    (first,) = store(log, "Tests run in random order", session="s1")
    (second,) = store(log, "The tests run in random order", session="s2")
    log.append([{"type": "archive", "target": second}, {"type": "restore", "target": second}], "s2")
    log.seal()
    assert reconcile(log).duplicates == 1
    assert log.state.memories[second].merged_into == first


def test_two_clones_write_the_same_bytes(log, layout, opened, tmp_path):
    for number in range(3):
        store(log, f"Module m{number} owns its tables", "Logs are kept 30 days", session=f"s{number}")
        log.seal()
    store(log, "Logs are kept 60 days", "Never log request bodies", session="s8", type="constraint")
    store(log, "Request bodies are logged", session="s9", type="decision")
    log.seal()
    clone = layout_of(tmp_path / "clone")
    shutil.copytree(layout.root, clone.root)
    other = opened(clone)
    assert reconcile(log).summary == reconcile(other).summary
    assert layout.main.read_bytes() == clone.main.read_bytes()
    assert (log.state.conflicts, log.position) == (other.state.conflicts, other.position)
    assert len(log.state.conflicts) == 1


def test_two_people_who_reconcile_different_sessions_merge_cleanly_to_one_state(log, layout, opened, tmp_path):
    def git(where, *arguments):
        identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
        done = subprocess.run(["git", *identity, *arguments], cwd=where.root, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    git(layout, "init", "-q", "-b", "main")
    store(log, "Logs are kept 30 days", session="s0")
    log.seal()
    git(layout, "add", "-A")
    git(layout, "commit", "-qm", "start")
    mate = layout_of(tmp_path / "mate")
    git(layout, "clone", "-q", str(layout.root), str(mate.root))
    theirs = opened(mate)
    for where, one, session in ((layout, log, "s1"), (mate, theirs, "s2")):
        store(one, "The logs are kept for 30 days", session=session)
        one.seal()
        assert reconcile(one).duplicates == 1
        git(where, "add", "-A")
        git(where, "commit", "-qm", "reconcile")
    git(layout, "pull", "-q", "--no-rebase", "--no-edit", str(mate.root), "main")
    log.refresh()
    (kept,) = (memory for memory in log.state.memories.values() if memory.active)
    assert len(kept.sources) == 2
    assert kept.confidence == round(1 - 0.2**3, 4)
    reconcile(log)
    assert ids_of(layout.main.read_bytes()) == sorted(ids_of(layout.main.read_bytes()))


@pytest.mark.parametrize("archive", [False, True])
def test_an_interruption_between_the_steps_is_healed_by_running_again(log, layout, archive, opened, monkeypatch):
    store(log, "Logs are kept 30 days", session="s1")
    log.seal()
    store(log, "The logs are kept for 30 days", session="s2")
    log.seal()
    whole = plan(log.layout).content

    def crash(*_):
        raise StorageError("the power went")

    with monkeypatch.context() as patch:
        patch.setattr("muninn_core.store.files.undo_journal.remove_all", crash)
        with pytest.raises(StorageError):
            reconcile(log, archive=archive)
    assert layout.main.read_bytes() == whole
    assert len(list(layout.sessions.iterdir())) == 2
    layout.main.with_name("main.jsonl.tmp").write_bytes(whole[:50])
    again = opened()
    reconcile(again, archive=archive)
    assert layout.main.read_bytes() == whole
    assert list(layout.sessions.iterdir()) == []
    assert sorted(path.name for path in layout.memory.iterdir() if path.is_file()) == ["main.jsonl"]
    assert len(list(layout.archive.glob("*"))) == (2 if archive else 0)


def test_a_dry_run_changes_nothing(log, layout):
    store(log, "Logs are kept 30 days", "The logs are kept for 30 days")
    log.seal()
    outcome = reconcile(log, dry_run=True)
    assert (outcome.dry_run, outcome.duplicates) == (True, 1)
    assert not layout.main.exists()
    assert len(list(layout.sessions.iterdir())) == 1


def test_malformed_lines_and_unknown_records_survive(log, layout):
    layout.sessions.mkdir(parents=True)
    later = b'{"v":9,"ts":"2026-01-07T10:00:00Z","type":"insight","text":"of tomorrow"}'
    unknown = b'{"ts":"2026-01-07T10:00:00Z","type":"ratify","target":"x","quorum":3,"id":"u"}'
    layout.main.write_bytes(b"<<<<<<< HEAD\n" + unknown + b"\n")
    (layout.sessions / "by-hand.jsonl").write_bytes(b"\xff\xfe\n" + later + b"\n<<<<<<< HEAD\n")
    log.refresh()
    assert len(log.malformed) == 4
    reconcile(log)
    lines = layout.main.read_bytes().splitlines()
    assert json.loads(lines[0])["quorum"] == 3
    assert lines[1:] == [later, b"\xff\xfe"]
    assert [one.path for one in log.malformed] == [".muninn/memory/main.jsonl"] * 2
    content = layout.main.read_bytes()
    reconcile(log)
    assert layout.main.read_bytes() == content


def test_open_sessions_are_sealed_first_and_a_dry_run_only_counts_them(log, layout):
    store(log, "Sealed")
    log.seal()
    store(log, "Open", session="s2")
    assert reconcile(log, dry_run=True).consolidated == 2
    assert log.unsealed == 1
    assert reconcile(log).consolidated == 2
    assert log.unsealed == 0
    assert active(log) == ["Sealed", "Open"]


def test_another_process_plans_the_same_bytes_and_ends_when_the_run_is_cancelled(log, layout):
    store(log, "Logs are kept 30 days", "The logs are kept for 30 days", "The logs are kept for 60 days")
    log.seal()
    task = Task(layout=layout, with_spool=False, session=None)
    assert plan_in_other_process(task, lambda: None) == plan(layout)

    def cancel():
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        plan_in_other_process(task, cancel)


def test_a_large_memory_is_planned_by_another_process_and_by_this_one_when_that_fails(log, layout, monkeypatch):
    store(log, "One thing", "Another matter")
    log.seal()
    asked = []
    monkeypatch.setattr("muninn_core.reconcile.planning.apply.MANY", 2)
    monkeypatch.setattr(
        "muninn_core.reconcile.planning.apply.plan_in_other_process", lambda task, _check: asked.append(task)
    )
    assert reconcile(log).consolidated == 2
    assert [task.layout for task in asked] == [layout]


def test_a_main_file_that_changed_meanwhile_is_not_overwritten(log, layout):
    store(log, "One thing")
    log.seal()
    planned = plan(log.layout)
    layout.main.write_text('{"ts":"2026-01-07T10:00:00Z","type":"insight","text":"pulled"}\n')
    with pytest.raises(BusyError, match="has changed meanwhile"):
        apply(planned)
    assert "pulled" in layout.main.read_text()
    assert reconcile(log).consolidated == 1


def test_an_archived_segment_does_not_take_the_place_of_another(log, layout):
    for text in ("One thing", "Another matter"):
        layout.sessions.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"ts": "2026-01-07T10:00:00Z", "type": "insight", "text": text})
        (layout.sessions / "session_abc.jsonl").write_text(f"{line}\n")
        log.refresh()
        reconcile(log, archive=True)
    assert len(list(layout.archive.iterdir())) == 2
    assert log.segments == 0


def test_unreadable_or_unwritable_files_are_an_error_and_nothing_is_removed(log, layout, monkeypatch):
    store(log, "One thing")
    log.seal()

    def refuse(*_, **__):
        raise ReadOnlyError("no")

    with monkeypatch.context() as patch:
        patch.setattr("muninn_core.store.files.undo_journal.write_atomic", refuse)
        with pytest.raises(ReadOnlyError):
            reconcile(log)
    (layout.sessions / "a-folder.jsonl").mkdir()
    with pytest.raises(StorageError, match="can't read"):
        reconcile(log)
    assert len([path for path in layout.sessions.iterdir() if path.is_file()]) == 1
    assert active(log) == ["One thing"]


@pytest.mark.parametrize(
    ("counts", "summary"),
    [
        ((5, 2, 1), "5 memories consolidated, 2 duplicates removed, 1 conflict"),
        ((1, 1, 0), "1 memory consolidated, 1 duplicate removed, 0 conflicts"),
        ((0, 0, 2), "0 memories consolidated, 0 duplicates removed, 2 conflicts"),
    ],
)
def test_the_summary_counts_in_english(counts, summary):
    assert summary_of(*counts) == summary


def test_the_time_it_takes_does_not_grow_with_the_square(log):
    firsts, lasts = ("alpha", "beta", "gamma", "delta", "kappa", "omega"), ("ic", "al", "us", "en")
    words = [first + last for first in firsts for last in lasts]
    chance = random.Random(3)
    store(log, *(" ".join(chance.sample(words, 8)) for _ in range(3000)))
    store(log, *(f"Service number {number} listens on port {number + 8000}" for number in range(1000)), session="s2")
    log.seal()
    begun = time.process_time()
    outcome = reconcile(log)
    assert outcome.consolidated == 4000
    assert time.process_time() - begun < 30
