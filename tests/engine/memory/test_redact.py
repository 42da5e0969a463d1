"""Redacting leaves a memory's place in the graph and nothing of its content, in any file of the work tree."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from private_text import WORD, holders
from repositories import git

from muninn_core.errors import NotFoundError, StorageError
from muninn_core.store.files import redact as blanking
from muninn_core.worktree.local import pending_redaction

pytest_plugins = ["engines"]


def commit(root, message="Work"):
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)


def files_with_word(folder):
    return [path for path in folder.rglob("*") if path.is_file() and WORD.encode() in path.read_bytes()]


def remember(muninn, **more):
    return muninn.call(
        "remember",
        text=f"The {WORD} account has a shared login.",
        title=f"About the {WORD}",
        tags=[WORD],
        entities=[WORD],
        questions=[f"who uses the {WORD} account?"],
        files=[f"src/{WORD}.py"],
        cites=[{"path": f"src/{WORD}.py", "symbol": WORD}],
        details={WORD: {"deep": WORD}},
        session="s1",
        **more,
    ).ids[0]


def test_the_hashes_of_the_text_are_deleted(muninn):
    identity = remember(muninn)
    muninn.call("reconcile")
    kept = muninn.root / ".muninn/cache/comparisons"
    before = kept.read_bytes()
    muninn.call("redact", id=identity)
    assert not kept.exists()
    muninn.call("reconcile")
    assert len(kept.read_bytes()) < len(before)


def test_the_text_is_in_no_file_afterwards_whatever_held_it(muninn):
    other = muninn.call("remember", text="Logins are per person.", session="s1").ids[0]
    identity = remember(muninn, links=[{"relation": "extends", "target": other, "reason": WORD}])
    muninn.call("index")
    assert muninn.texts(f"{WORD} login", kind="memory")
    muninn.call("reconcile", archive=True)
    muninn.call("forget", id=identity, reason=f"{WORD} has left", session="s2")
    muninn.call("seal")
    muninn.call("forget", id=identity, restore=True, reason=WORD, session="s3")
    muninn.call("draft", type="decision", supersedes=identity)
    kept = muninn.call("draft", type="decision").path
    before = holders(muninn.root)
    tracked = {path.split("/")[2] for path in before if "/memory/" in path}
    assert tracked == {"main.jsonl", "sessions", "archive"}
    assert any("/spool/" in path for path in before)
    assert any("/cache/" in path for path in before)
    assert any("/drafts/" in path for path in before)
    shown = muninn.call("redact", id=identity, dry_run=True)
    assert (holders(muninn.root), WORD in shown.memory.text) == (before, True)
    result = muninn.call("redact", id=identity)
    assert holders(muninn.root) == []
    assert os.path.exists(kept)
    assert set(result.files) >= {path for path in before if "/memory/" in path}
    assert (shown.ids, shown.files, shown.events) == (result.ids, result.files, result.events)
    memory = muninn.call("memories", id=identity).memories[0]
    assert (memory.redacted, memory.text, memory.title) == (True, "", "[redacted]")
    assert (memory.session, memory.branch, memory.actor) == ("s1", "main", "user")
    assert [(link.relation, link.target) for link in memory.links] == [("extends", other)]
    assert muninn.texts("shared login", kind="memory") == ["Logins are per person."]


def test_a_damaged_line_holds_the_text_no_more_whose_quotes_and_line_ends_it_escapes(muninn):
    text = f'The {WORD} account has the login "staff".\nIt is shared.'
    identity = muninn.call("remember", text=text, session="s1").ids[0]
    damaged = muninn.root / ".muninn/memory/sessions/damaged-0.jsonl"
    damaged.parent.mkdir(parents=True, exist_ok=True)
    damaged.write_text(json.dumps({"v": 1, "text": text}) + "\n", "utf-8")
    muninn.call("redact", id=identity)
    assert holders(muninn.root) == []


def test_other_work_trees_open_or_closed_hold_the_text_no_more(muninn, tmp_path, start):
    identity = remember(muninn)
    muninn.call("seal")
    commit(muninn.root)
    sides = [tmp_path / name for name in ("opened", "closed")]
    for side in sides:
        git(muninn.root, "worktree", "add", "-q", "-b", side.name, str(side))
        muninn.call("index", at=side)
        muninn.call("context", at=side, query=f"{WORD} login")
    muninn.engine.close()
    places = [muninn.root / ".muninn", *sides, *(muninn.root / ".git/muninn" / side.name for side in sides)]
    assert all(files_with_word(place) for place in places)
    again = start(muninn.root, clock=muninn.clock)
    again.call("status", at=sides[0])
    shown = again.call("redact", id=identity, dry_run=True)
    result = again.call("redact", id=identity)
    assert sorted(shown.files) == sorted(result.files)
    assert [files_with_word(place) for place in places] == [[]] * len(places)
    assert {path.split("/")[1] for path in result.files if path.startswith("../")} == {"opened", "closed"}
    assert again.call("memories", at=sides[1], id=identity).memories[0].redacted


def test_the_main_work_tree_of_a_submodule_holds_the_text_no_more_nor_do_those_beside_an_odd_path(
    plain_repo, tmp_path, start
):
    git(tmp_path, "init", "-q", "above")
    git(tmp_path / "above", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(plain_repo), "sub")
    muninn = start(tmp_path / "above/sub")
    muninn.call("init")
    identity = remember(muninn)
    muninn.call("seal")
    commit(muninn.root)
    odd, *sides = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")), tmp_path / "one", tmp_path / "other"
    for branch, each in enumerate((odd, *sides)):
        git(muninn.root, "worktree", "add", "-q", "-b", f"b{branch}", str(each))
    muninn.engine.close()
    muninn.clock.forward(hours=1)
    places = [muninn.root / ".muninn", *sides]
    assert all(files_with_word(place) for place in places)
    start(sides[0], clock=muninn.clock).call("redact", id=identity)
    assert [files_with_word(place) for place in places] == [[]] * len(places)


def test_events_with_the_whole_text_are_erased_and_the_chain_verifies(muninn):
    identity = remember(muninn)
    text = muninn.call("memories", id=identity).memories[0].text
    muninn.call("update", id=identity, text="Logins are shared no more.")
    for payload in ({"text": f"Please note: {text}"}, {"input": json.dumps({"text": text})}, {"text": "Login works."}):
        muninn.call("event.append", event_type="prompt", payload=payload)
    muninn.call("projections.status")
    assert [muninn.call("redact", id=identity, dry_run=dry).events for dry in (True, False)] == [2, 2]
    payloads = [json.loads(line)["payload"] for line in muninn.call("audit.replay").lines]
    assert payloads[:3] == [None, None, {"text": "Login works."}]
    assert muninn.call("audit.verify").ok
    muninn.engine.close()
    assert files_with_word(muninn.root / ".git/muninn-journal") == []


def test_events_with_a_question_of_the_memory_are_erased(muninn):
    identity = remember(muninn)
    for text in (f"Tell me: who uses the {WORD} account?", f"Is {WORD} one person?", "Who uses the account?"):
        muninn.call("event.append", event_type="prompt", payload={"text": text})
    muninn.call("update", id=identity, questions=[f"Is {WORD} one person?"])
    assert muninn.call("redact", id=identity).events == 2, "the first question was replaced"
    payloads = [json.loads(line)["payload"] for line in muninn.call("audit.replay").lines]
    assert payloads[:3] == [None, None, {"text": "Who uses the account?"}]


def test_events_with_the_wording_of_a_decision_are_erased_after_a_further_one(muninn):
    one = muninn.call("remember", text="Sessions must be stored in Redis.", type="decision").ids[0]
    muninn.clock.forward(hours=1)
    muninn.call("remember", text="Sessions must not be stored in Redis.", type="decision")
    muninn.call("seal")
    muninn.call("reconcile")
    (conflict,) = muninn.call("conflicts").conflicts
    muninn.call("resolve", id=conflict.id, keep="left", text=f"Sessions are stored by {WORD}.")
    muninn.clock.forward(hours=1)
    muninn.call("update", id=one, text="Sessions are stored by someone.")
    muninn.call("event.append", event_type="prompt", payload={"text": f"Sessions are stored by {WORD}. Why?"})
    assert muninn.call("redact", id=one).events == 1


def test_a_short_text_erases_no_event(muninn):
    identity = muninn.call("remember", text="Use tabs.").ids[0]
    muninn.call("event.append", event_type="prompt", payload={"text": "Use tabs. And run the tests."})
    assert muninn.call("redact", id=identity).events == 0


def test_redacting_twice_changes_nothing_more(muninn):
    identity = remember(muninn)
    muninn.call("seal")
    muninn.call("redact", id=identity)
    muninn.call("seal")
    files = {path: path.read_bytes() for path in (muninn.root / ".muninn/memory").rglob("*.jsonl")}
    assert muninn.call("redact", id=identity).files == ()
    assert {path: path.read_bytes() for path in (muninn.root / ".muninn/memory").rglob("*.jsonl")} == files


def test_a_redaction_holds_after_a_restart_and_a_reconcile(muninn, start):
    identity = remember(muninn)
    muninn.call("seal")
    muninn.call("redact", id=identity)
    muninn.engine.close()
    later = start(muninn.root)
    later.call("reconcile")
    assert later.call("memories", id=identity).memories[0].redacted
    assert holders(muninn.root) == []


def test_memories_that_were_merged_with_it_go_with_it(muninn):
    first = muninn.call("remember", text=f"We use {WORD} for queues.", session="s1").ids[0]
    second = muninn.call("remember", text=f"We use {WORD} for the queues.", session="s2").ids[0]
    assert muninn.call("reconcile").merges
    result = muninn.call("redact", id=second)
    assert set(result.ids) == {first, second}
    assert holders(muninn.root) == []


def test_a_private_memory_can_be_redacted(muninn):
    identity = muninn.call("remember", text=f"My {WORD}.", private=True).ids[0]
    muninn.call("redact", id=identity)
    assert holders(muninn.root) == []
    assert muninn.call("seal").records == 0


def test_a_broken_line_that_holds_the_text_goes_and_another_stays(muninn):
    identity = remember(muninn)
    muninn.call("seal")
    (segment,) = (muninn.root / ".muninn/memory/sessions").glob("*.jsonl")
    broken = segment.read_bytes()[: segment.stat().st_size // 2]
    segment.write_bytes(segment.read_bytes() + b"<<<<<<< HEAD\n" + broken + b"\n")
    muninn.call("redact", id=identity)
    assert holders(muninn.root) == []
    assert b"<<<<<<< HEAD\n" in segment.read_bytes()


def test_another_memory_keeps_its_bytes(muninn):
    identity = remember(muninn)
    muninn.call("remember", text="Users have names.", session="s1")
    muninn.call("seal")
    (segment,) = (muninn.root / ".muninn/memory/sessions").glob("*.jsonl")
    other = segment.read_bytes().splitlines()[1]
    muninn.call("redact", id=identity)
    assert segment.read_bytes().splitlines()[1] == other


def test_the_next_call_completes_an_interrupted_redaction(muninn, monkeypatch):
    identity = remember(muninn)
    muninn.call("reconcile", archive=True)
    whole, done = blanking.write_atomic, []

    def fails_at_the_second(path, content, **how):
        if done:
            raise StorageError("the disk is full")
        done.append(path)
        whole(path, content, **how)

    with monkeypatch.context() as patch:
        patch.setattr(blanking, "write_atomic", fails_at_the_second)
        with pytest.raises(StorageError):
            muninn.call("redact", id=identity)
    assert muninn.call("memories", id=identity).memories[0].redacted
    muninn.call("redact", id=identity)
    assert holders(muninn.root) == []


def test_a_redaction_that_could_not_begin_is_not_completed_by_a_later_start(muninn, monkeypatch):
    identity = remember(muninn)

    def renamed_but_not_flushed(path, content, **how):
        path.write_bytes(content)
        raise StorageError("the folder can't be flushed")

    with monkeypatch.context() as patch:
        patch.setattr(pending_redaction, "write_atomic", renamed_but_not_flushed)
        with pytest.raises(StorageError):
            muninn.call("redact", id=identity)
    assert not (muninn.root / ".muninn/local" / pending_redaction.NAME).exists()


def test_a_redaction_that_failed_says_that_the_next_start_completes_it(muninn, monkeypatch):
    identity = remember(muninn)

    def full(*_args, **_how):
        raise StorageError("the disk is full", hint="Make room on the disk; nothing was stored.")

    with monkeypatch.context() as patch:
        patch.setattr(blanking, "write_atomic", full)
        with pytest.raises(StorageError) as caught:
            muninn.call("redact", id=identity)
    assert "completes the redaction" in caught.value.hint
    assert (muninn.root / ".muninn/local" / pending_redaction.NAME).exists()

    with monkeypatch.context() as patch:
        patch.setattr(pending_redaction, "write_atomic", full)
        with pytest.raises(StorageError) as caught:
            muninn.call("redact", id=identity)
    assert "completes the redaction" in caught.value.hint
    assert (muninn.root / ".muninn/local" / pending_redaction.NAME).exists()


def test_a_merge_can_bring_the_text_back_and_it_stays_redacted(muninn):
    identity = remember(muninn)
    muninn.call("reconcile")
    commit(muninn.root)
    main = muninn.root / ".muninn/memory/main.jsonl"
    old = main.read_bytes()
    muninn.call("redact", id=identity)
    main.write_bytes(old + main.read_bytes())
    assert muninn.call("memories", id=identity).memories[0].redacted
    muninn.call("reconcile")
    assert WORD.encode() not in main.read_bytes()


def test_purge_names_the_commits_and_branches_that_hold_the_text(muninn):
    identity = remember(muninn)
    muninn.call("seal")
    commit(muninn.root, "Add a memory")
    git(muninn.root, "branch", "old")
    muninn.call("reconcile")
    commit(muninn.root, "Reconcile")
    muninn.call("redact", id=identity)
    commit(muninn.root, "Redact")
    result = muninn.call("purge", id=identity, show_commits=True)
    assert result.redacted
    assert {(each.subject, each.effect) for each in result.commits} == {
        ("Add a memory", "holds"),
        ("Reconcile", "holds"),
        ("Redact", "removes"),
    }
    assert result.refs == ("refs/heads/old",)
    for blob in result.blobs:
        assert WORD in git(muninn.root, "cat-file", "-p", blob)
    assert result.total == 3
    assert muninn.call("purge", id=identity).commits == ()


def test_purge_of_what_was_never_committed_finds_nothing(muninn):
    identity = remember(muninn)
    assert muninn.call("purge", id=identity).total == 0
    with pytest.raises(NotFoundError):
        muninn.call("purge", id="01zzzzzzzzzzzzzzzzzzzzzzzz")


def test_purge_finds_a_memory_that_only_another_branch_has(muninn):
    commit(muninn.root, "Begin memory")
    git(muninn.root, "checkout", "-q", "-b", "other")
    identity = remember(muninn)
    muninn.call("seal")
    commit(muninn.root, "Elsewhere")
    git(muninn.root, "checkout", "-q", "main")
    result = muninn.call("purge", id=identity, show_commits=True)
    assert [each.subject for each in result.commits] == ["Elsewhere"]
    assert result.refs == ("refs/heads/other",)


def test_no_record_of_the_blanked_file_is_malformed(muninn):
    identity = remember(muninn)
    muninn.call("reconcile")
    muninn.call("redact", id=identity)
    assert muninn.call("status").problems == ()
    lines = (muninn.root / ".muninn/memory/main.jsonl").read_text().splitlines()
    assert [json.loads(line)["redacted"] for line in lines if json.loads(line)["id"] == identity] == [True]
