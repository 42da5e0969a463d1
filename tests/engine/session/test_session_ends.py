"""Memories of session ends: failures, summaries, open points, and events of sessions that ended abruptly."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from repositories import git

from muninn_core.errors import BadParams
from muninn_hooks import inbox

pytest_plugins = ["engines"]

TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "F6a7B8"


def spoken(role, content, **more):
    return {
        "type": role,
        "message": {"role": role, "content": content},
        "sessionId": "s1",
        "version": "2.1.330",
        **more,
    }


class Transcript:
    """A transcript of Claude Code that grows."""

    def __init__(self, path, root):
        self.path = path
        self.root = root
        self.number = 0

    def add(self, *entries):
        with self.path.open("a") as file:
            for each in entries:
                file.write(json.dumps({"cwd": str(self.root), "timestamp": "2026-03-01T12:00:00Z", **each}) + "\n")

    def use(self, tool, given, output="", failed=False):
        if tool in ("Write", "Edit"):  # git is asked whether the edit is still there
            with Path(given["file_path"]).open("a") as file:
                file.write("# edited\n")
        self.number += 1
        name = f"toolu_{self.number}"
        result = {"type": "tool_result", "tool_use_id": name, "content": output, "is_error": failed}
        self.add(
            spoken("assistant", [{"type": "tool_use", "id": name, "name": tool, "input": given}]),
            spoken("user", [result]),
        )

    def say(self, text):
        self.add(spoken("assistant", [{"type": "text", "text": text}]))


@pytest.fixture
def transcript(muninn, tmp_path):
    return Transcript(tmp_path / "s1.jsonl", muninn.root)


def end(muninn, transcript, session="s1"):
    return muninn.call(
        "capture", source="session", session=session, transcript=str(transcript.path), agent="claude-code"
    )


def of(muninn, kind, **more):
    return [memory for memory in muninn.call("memories", session="s1", **more).memories if memory.type == kind]


def fail(muninn, command="sh check.sh", error="Exit code 3\nerror: no bucket", session="s1"):
    return muninn.call("capture", source="failure", command=command, error=error, session=session)


def test_a_failed_command_is_a_candidate_of_its_session_once(muninn):
    assert fail(muninn).ids == fail(muninn).ids
    (candidate,) = of(muninn, "attempt")
    assert (candidate.scope, candidate.private, candidate.tags) == ("session", True, ("session", "candidate"))
    assert candidate.details == {"command": "sh check.sh", "exit_status": 3, "error": "error: no bucket"}
    assert muninn.call("recall", query="check bucket", session="s2", kind="memory").hits == ()


@pytest.mark.parametrize("command", ["ls missing", "cat x && false", "grep -r word .", "git status"])
def test_a_command_that_only_looks_is_no_attempt(muninn, command):
    assert fail(muninn, command).ids == ()


def test_a_failure_without_a_command_is_an_error(muninn):
    with pytest.raises(BadParams, match="needs 'command'"):
        fail(muninn, command=" ")


def test_failures_before_a_change_of_files_become_an_attempt_in_the_next_brief(muninn, transcript):
    muninn.call("brief", session="s1")
    fail(muninn)
    fail(muninn, "make lint", "error: line too long")
    transcript.use("Bash", {"command": "sh check.sh"}, "Exit code 3\nerror: no bucket", failed=True)
    transcript.use("Bash", {"command": "make lint"}, "error: line too long", failed=True)
    transcript.use("Edit", {"file_path": str(muninn.root / "src/users.py")})
    transcript.use("Bash", {"command": "sh check.sh"})
    end(muninn, transcript)
    shared = [memory for memory in of(muninn, "attempt") if memory.scope == "project"]
    assert [memory.text for memory in shared] == [
        "`sh check.sh` failed: error: no bucket\nIt passed once src/users.py had been changed."
    ]
    assert [memory.details["command"] for memory in of(muninn, "attempt") if memory.scope == "session"] == ["make lint"]
    told = fail(muninn, session="s2")
    assert told.note.startswith("Muninn remembers that this failed before (2026-03-01): `sh check.sh` failed")
    assert fail(muninn, session="s2").note == ""
    (summary,) = of(muninn, "session_summary")
    assert summary.text == "Session of 2026-03-01. Changed src/users.py. Failed to the end: `make lint`."
    assert summary.sealed


MISSING = "Exit code 2\nE   ModuleNotFoundError: No module named 'click'\nERROR tests/test_a.py\n1 error in 0.12s"


@pytest.mark.parametrize(
    ("command", "error", "told"),
    [
        ("pytest tests/a.py", MISSING, True),
        ("cd src && pytest -q tests/a.py | tail -5", "Exit code 1\nanother error altogether", False),
        ("python -m mypackage", MISSING.replace("tests/test_a.py", "x"), True),
        ("python -m mypackage", "Exit code 1\nModuleNotFoundError: No module named 'yaml'", False),
        ("make docs", "Exit code 1\n1 error in 3.00s", False),
    ],
)
def test_a_failure_is_known_by_its_command_or_its_error_and_brings_the_cure(muninn, transcript, command, error, told):
    transcript.use("Bash", {"command": "pytest tests/a.py"}, MISSING, failed=True)
    transcript.use("Bash", {"command": "PYTHONPATH=src pytest tests/a.py"}, "1 passed in 0.10s")
    end(muninn, transcript)
    note = fail(muninn, command=command, error=error, session="s2").note
    assert ("It passed as `PYTHONPATH=src pytest tests/a.py`." in note) == told
    first = muninn.call("recall", query="ModuleNotFoundError: No module named 'click'", kind="memory").hits[0]
    assert "It passed as `PYTHONPATH=src" in first.text


@pytest.mark.parametrize(
    ("kind", "told"), [("configuration", True), ("bug_fix", True), ("session_summary", False), ("preference", False)]
)
def test_an_error_brings_the_memory_of_its_cause_and_not_of_another_one(muninn, kind, told):
    cause = "The tests raise ModuleNotFoundError: No module named 'fjord_bindings' until `make bindings` has run."
    muninn.call("remember", text=cause, type=kind)
    muninn.call("remember", batch=[{"text": f"Module number {number} draws maps of coasts."} for number in range(20)])
    muninn.call("recall", query="coasts")  # waits until everything stored is searchable
    other = fail(muninn, "pytest", "E   ModuleNotFoundError: No module named 'dune_bindings'", session="s2").note
    assert cause not in other
    told_by = fail(muninn, "pytest", "E   ModuleNotFoundError: No module named 'fjord_bindings'", session="s2").note
    assert (cause in told_by) == told
    assert fail(muninn, "pytest", "E   ModuleNotFoundError: No module named 'fjord_bindings'", session="s2").note == ""


def test_a_session_that_goes_on_is_summed_up_anew_and_the_same_end_twice_is_one(muninn, transcript):
    transcript.use("Write", {"file_path": str(muninn.root / "src/a.py")})
    end(muninn, transcript)
    end(muninn, transcript)
    (first,) = of(muninn, "session_summary", archived=True)
    muninn.call("update", id=first.id, text="A file was written.")
    end(muninn, transcript)
    assert [memory.text for memory in of(muninn, "session_summary")] == ["A file was written."]
    transcript.use("Write", {"file_path": str(muninn.root / "src/b.py")})
    end(muninn, transcript)
    assert [memory.files for memory in of(muninn, "session_summary")] == [("src/a.py", "src/b.py")]
    old = next(memory for memory in of(muninn, "session_summary", archived=True) if memory.id == first.id)
    assert old.superseded_by


def test_a_resumed_session_stores_new_failures_and_repeats_none(muninn, transcript):
    for error, file in [("no bucket", "src/users.py"), (f"{TOKEN} was refused", "src/other.py")]:
        transcript.use("Bash", {"command": "sh check.sh"}, f"Exit code 3\nerror: {error}", failed=True)
        transcript.use("Edit", {"file_path": str(muninn.root / file)})
        transcript.use("Bash", {"command": "sh check.sh"})
        end(muninn, transcript)
        end(muninn, transcript)
    assert sorted(memory.text for memory in of(muninn, "attempt")) == [
        "`sh check.sh` failed: error: [masked:github-token] was refused\nIt passed once src/other.py had been changed.",
        "`sh check.sh` failed: error: no bucket\nIt passed once src/users.py had been changed.",
    ]
    (summary,) = of(muninn, "session_summary")
    muninn.call("forget", id=summary.id)
    transcript.use("Write", {"file_path": str(muninn.root / "src/b.py")})
    end(muninn, transcript)
    assert [memory.files[-1] for memory in of(muninn, "session_summary")] == ["src/b.py"]


def test_a_failure_with_another_status_is_the_candidate_that_is_there(muninn):
    assert fail(muninn, error="Exit code 4\nerror: no bucket").ids == fail(muninn).ids


def test_quiet_commits_are_in_the_summary_and_what_was_decided_is_kept(muninn, transcript):
    muninn.call("brief", session="s1")
    (muninn.root / "src/users.py").write_text("USERS = None\n")
    git(muninn.root, "commit", "-qam", "Fix typo")
    muninn.call("capture", source="commit", session="s1")
    git(muninn.root, "commit", "-q", "--amend", "--no-edit", "--date=2020-01-01T00:00:00Z")
    transcript.say("We decided to keep `users.py` small because every request reads it.")
    end(muninn, transcript)
    (summary,) = of(muninn, "session_summary")
    assert summary.text.endswith(f". Committed {git(muninn.root, 'rev-parse', 'HEAD')[:7]} Fix typo.")
    (decision,) = of(muninn, "decision")
    assert (decision.importance, decision.actor) == (7, "assistant")


@pytest.mark.parametrize(("day", "own"), [("2000-01-01", True), ("2999-01-01", False)])
def test_without_a_recorded_start_the_time_assigns_a_commit_to_its_session(muninn, transcript, day, own):
    transcript.use("Write", {"file_path": str(muninn.root / "src/a.py")})
    transcript.path.write_text(transcript.path.read_text().replace("2026-03-01", day))
    end(muninn, transcript)
    (summary,) = of(muninn, "session_summary")
    assert summary.text.endswith("Begin.") is own


def test_a_transcript_of_another_folder_is_not_summed_up(muninn, transcript, tmp_path):
    transcript.root = tmp_path / "elsewhere"
    transcript.use("Write", {"file_path": str(muninn.root / "src/a.py")})
    end(muninn, transcript)
    assert of(muninn, "session_summary") == []


def test_open_work_is_stored_before_compaction_returned_and_removed_when_done(muninn, transcript):
    todos = [{"content": "Add the bucket", "status": "completed"}, {"content": "Tell the tenants", "status": "pending"}]
    transcript.use("TodoWrite", {"todos": todos})
    transcript.say(
        "Never let a tenant wait for the quota of another one, because they pay for it.\nNext steps: write the docs"
    )
    kept = muninn.call("capture", source="transcript", session="s1", transcript=str(transcript.path))
    assert "- Left open: write the docs; Tell the tenants." in kept.note
    (left,) = [memory for memory in of(muninn, "insight") if "open" in memory.tags]
    assert (left.importance, left.private) == (8, True)
    assert "Left open: write the docs; Tell the tenants." in muninn.call("brief", session="s1", source="compact").text
    other = muninn.call("brief", session="s2").text
    assert other.count("Tell the tenants") == 1
    assert "## Left open by earlier sessions" in other
    transcript.use("TodoWrite", {"todos": [{**one, "status": "completed"} for one in todos]})
    transcript.path.write_text(transcript.path.read_text().replace("Next steps", "And then"))
    end(muninn, transcript)
    assert [memory for memory in of(muninn, "insight") if "open" in memory.tags] == []


def test_messages_that_a_hook_could_not_deliver_are_read_with_the_next_brief(muninn, transcript):
    transcript.use("Write", {"file_path": str(muninn.root / "src/a.py")})
    params = {"source": "session", "session": "s1", "transcript": str(transcript.path)}
    inbox.put(str(muninn.root), "capture", params)
    inbox.put(str(muninn.root), "shutdown", {})
    folder = muninn.root / ".muninn" / "local" / "inbox"
    foreign = folder / "1-foreign.json"
    foreign.write_text(json.dumps({"v": 1, "verb": "capture", "params": {**params, "session": "s9"}}))
    foreign.chmod(0o644)
    muninn.call("brief", session="s2")
    assert len(of(muninn, "session_summary")) == 1
    assert muninn.call("memories", session="s9").memories == ()
    assert os.listdir(folder) == [foreign.name]


def test_messages_that_can_not_be_stored_wait_until_the_disk_takes_writes(muninn, transcript, monkeypatch):
    transcript.use("Write", {"file_path": str(muninn.root / "src/a.py")})
    params = {"source": "session", "session": "s1", "transcript": str(transcript.path)}
    inbox.put(str(muninn.root), "capture", params)
    (message,) = (muninn.root / ".muninn" / "local" / "inbox").iterdir()

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        muninn.call("brief", session="s2")
    assert message.exists()
    muninn.call("brief", session="s2")
    assert len(of(muninn, "session_summary")) == 1
    assert not message.exists()


def test_a_session_ends_with_its_statements_also_where_git_refuses_the_repository(muninn, transcript, monkeypatch):
    transcript.say("We decided to keep sessions in Postgres because Redis lost them on restart.")
    transcript.use("Write", {"file_path": str(muninn.root / "src/a.py")})
    git(muninn.root, "commit", "-q", "--allow-empty", "-m", "Migrate sessions to Postgres instead of Redis")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    end(muninn, transcript)
    assert len(of(muninn, "session_summary")) == 1
    assert any("Postgres" in memory.text for memory in of(muninn, "decision"))


def test_a_session_without_an_end_is_summarised_after_half_a_day(muninn, transcript):
    transcript.use("Write", {"file_path": str(muninn.root / "src/a.py")})
    os.utime(transcript.path, (muninn.clock.now.timestamp(),) * 2)
    muninn.call("capture", source="turn", session="s1", transcript=str(transcript.path))
    muninn.clock.forward(hours=11)
    muninn.call("brief", session="s2")
    assert of(muninn, "session_summary") == []
    muninn.clock.forward(hours=2)
    muninn.call("brief", session="s3")
    assert len(of(muninn, "session_summary")) == 1


def test_a_commit_is_linked_with_what_it_has_to_do_with(muninn):
    muninn.call("remember", batch=[{"text": f"Valve {n} of pump {n % 7} opens to the left."} for n in range(80)])
    decision = muninn.call("remember", text="Quotas are a token bucket, not a counter.", type="decision").ids[0]
    about = muninn.call("remember", text="Ids are strings.", type="constraint", files=["src/users.py"]).ids[0]
    muninn.call("remember", text="Ports are closed in winter.", type="constraint")
    muninn.call("recall", query="quotas")  # it waits until what was stored is searchable
    muninn.call("brief", session="s1")
    (muninn.root / "src/users.py").write_text("USERS = None\n")
    git(muninn.root, "commit", "-qam", "Implement quotas as a token bucket\n\nUsers must see them.")
    (stored,) = muninn.call("capture", source="commit", session="s1").ids
    memory = muninn.call("memories", id=stored).memories[0]
    assert {(link.target, link.relation, link.by) for link in memory.links} == {
        (decision, "implements", "hook"),
        (about, "references", "hook"),
    }


def test_a_brief_begins_with_what_happened_and_what_is_known_of_the_files_in_work(muninn):
    ours = muninn.call(
        "remember", text="Ids are strings.", type="constraint", files=["src/users.py"], importance=2
    ).ids[0]
    muninn.call("brief", session="s1")
    muninn.clock.forward(hours=1)
    git(muninn.root, "commit", "-q", "--allow-empty", "-m", "A colleague's change")
    muninn.call("remember", text="Ports are closed in winter.", session="s9")
    (muninn.root / "src/users.py").write_text("USERS = None\n")
    text = muninn.call("brief", session="s2").text
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings[:2] == ["## Since the previous session", "## About the files that you are changing"]
    assert "A colleague's change" in text
    assert "1 memory stored since 2026-03-01 12:00 UTC" in text
    assert text.index("Ids are strings.") < text.index("Ports are closed")
    assert ours in muninn.call("brief", session="s3").ids
    assert len(muninn.call("brief", session="s4", max_chars=400).text) <= 400


def test_a_brief_tells_another_branch_from_a_branch_that_was_moved_back(muninn):
    def since(session: str) -> str:
        text = muninn.call("brief", session=session).text
        return text.partition("## Since the previous session\n\n")[2].partition("\n\n")[0]

    muninn.call("remember", text="Ids are strings.")
    git(muninn.root, "checkout", "-q", "-b", "quotas")
    git(muninn.root, "commit", "-q", "--allow-empty", "-m", "Implement quotas")
    muninn.call("brief", session="s1")
    git(muninn.root, "checkout", "-q", "main")
    git(muninn.root, "commit", "-q", "--allow-empty", "-m", "A colleague's change")
    assert since("s2") == "- the session before ended on quotas; main is checked out now"
    git(muninn.root, "reset", "-q", "--hard", "HEAD~1")
    assert since("s3") == "- HEAD was moved back: commits of the session before are not on this branch"
    git(muninn.root, "merge", "-q", "quotas")
    assert since("s4").endswith("Implement quotas")


def test_contradictions_and_stale_memories_stand_in_the_brief(muninn):
    (muninn.root / "limits.py").write_text("LIMIT = 8\n")
    git(muninn.root, "add", "limits.py")
    git(muninn.root, "commit", "-qm", "Introduce limits instead of quotas\n\nWe decided so because quotas were unfair.")
    (imported,) = muninn.call("backfill", source="git", apply=True).ids
    git(muninn.root, "rm", "-q", "limits.py")
    muninn.call("remember", text="Users are deleted for good.", files=["src/users.py#delete_user"], importance=3)
    muninn.call("remember", text="The worker pool has 8 threads.", type="configuration", session="s1")
    muninn.call("remember", text="The worker pool has 16 threads.", type="configuration", session="s2")
    muninn.call("seal")
    muninn.call("reconcile")
    (muninn.root / "src/users.py").write_text("USERS = None\n")
    git(muninn.root, "commit", "-qam", "Delete deletion")
    for number in range(25):
        muninn.call("remember", text=f"Valve {number} opens to the left.", importance=2)
    assert imported in {memory.id for memory in muninn.call("verify").found}  # it takes its time, a brief may not
    text = muninn.call("brief", session="s3").text
    assert "## Contradictions that wait for a person" in text
    assert "“The worker pool has 8 threads.” against “The worker pool has 16 threads.”" in text
    stale = text[text.index("## Stale: confirm, update or forget") :]
    assert "Users are deleted for good." in stale.split("## ")[1]
    assert "Introduce limits" not in stale.split("## ")[1]


def compact(muninn, transcript):
    return muninn.call("capture", source="transcript", session="s1", transcript=str(transcript.path))


def test_a_statement_that_is_taken_back_after_a_compaction_is_archived(muninn, transcript):
    transcript.add(spoken("user", "The cache must always use sled, because it is pure Rust and needs no server."))
    compact(muninn, transcript)
    (before,) = of(muninn, "constraint")
    transcript.say("Fine, I add sled to the cache crate.")
    transcript.add(
        spoken("user", "no wait, the cache must never use sled, because its format changes under our users.")
    )
    compact(muninn, transcript)
    (after,) = of(muninn, "constraint")
    assert before.id != after.id
    assert after.text.startswith("the cache must never use sled")


def test_a_statement_that_is_repeated_in_another_place_is_stored_once(muninn, transcript):
    rule = "yes, and it must never be retried, because they bill for every call and do not dedupe."
    transcript.say("The charge call goes to the payment provider. Should I set five attempts?")
    transcript.add(spoken("user", rule))
    (first,) = compact(muninn, transcript).ids
    transcript.say("Understood, a single attempt. I also looked at the refunds, they go through the same client.")
    transcript.add(spoken("user", rule))
    assert compact(muninn, transcript).ids == ()
    (kept,) = of(muninn, "constraint")
    assert kept.id == first
    assert "payment provider" in kept.text
    assert "a plain statement in so many words +" in kept.details["kept_because"]


def test_a_command_that_passed_is_not_reported_as_failed_after_a_compaction(muninn, transcript):
    muninn.call("brief", session="s1")
    fail(muninn, "pytest -q tests/a.py", "Exit code 1\nerror: no bucket")
    transcript.use("Bash", {"command": "pytest -q tests/a.py"}, "Exit code 1\nerror: no bucket", failed=True)
    compact(muninn, transcript)
    assert "no bucket" in muninn.call("brief", session="s1", source="compact").text
    transcript.use("Bash", {"command": "pytest -q 2>&1 | tail -3"}, "12 passed in 0.3s")
    compact(muninn, transcript)
    assert "no bucket" not in muninn.call("brief", session="s1", source="compact").text


def test_open_work_stated_by_the_model_has_the_models_trust(muninn, transcript):
    transcript.say("Next steps: 1) rotate the key, 2) drop the old table, 3) ask for more memory.")
    compact(muninn, transcript)
    (left,) = of(muninn, "insight")
    assert left.text == "Left open: rotate the key; drop the old table; ask for more memory."
    assert left.trust == "agent"


def test_a_commit_of_memory_alone_becomes_no_memory(muninn):
    muninn.call("brief", session="s1")
    muninn.call("remember", text="The store is append-only, because readers hold snapshots of it.", session="s1")
    muninn.call("seal", session="s1")
    git(muninn.root, "add", ".muninn")
    git(muninn.root, "commit", "-qm", "Record the decision to redesign the store and migrate all sessions")
    assert muninn.call("capture", source="commit", session="s1").ids == ()


def test_files_that_the_shell_changed_are_part_of_the_summary_and_earlier_changes_are_not(muninn, transcript):
    (muninn.root / "before.txt").write_text("mine\n")
    muninn.call("brief", session="s1")
    transcript.use("Bash", {"command": "sed -i s/a/b/ src/users.py && ./generate.sh"})
    (muninn.root / "src/users.py").write_text("USERS = {'a': 1}\n")
    (muninn.root / "made.txt").write_text("new\n")
    end(muninn, transcript)
    (summary,) = of(muninn, "session_summary")
    assert "Changed made.txt, src/users.py." in summary.text
    assert "before.txt" not in summary.text


def test_changes_beside_a_session_that_only_reads_are_not_its_own(muninn, transcript):
    muninn.call("brief", session="s1")
    transcript.use("Bash", {"command": "git status"})
    (muninn.root / "made.txt").write_text("new\n")
    end(muninn, transcript)
    assert of(muninn, "session_summary") == []


def test_the_folders_of_a_path_are_no_names_of_definitions(muninn, transcript):
    (muninn.root / "shop").mkdir()
    (muninn.root / "shop/cart.py").write_text("ITEMS = []\n")
    (muninn.root / "tool.py").write_text("def shop():\n    return 1\n")
    muninn.call("index", wait=True)
    rule = "Never import `shop/cart.py` in a worker, because the cart reads the session of a request."
    transcript.add(spoken("user", rule))
    end(muninn, transcript)
    (stored,) = of(muninn, "constraint")
    assert (stored.files, stored.entities) == (("shop/cart.py",), ())


def test_a_statement_cites_the_code_that_it_names_and_says_when_that_is_gone(muninn, transcript):
    rule = "Never call `get_user_name` in a loop, users.py reads the database each time."
    transcript.add(spoken("user", rule), spoken("user", "Always run the whole suite before a release, never a part."))
    muninn.call("index", wait=True)
    end(muninn, transcript)
    by_text = {memory.text: memory for memory in of(muninn, "constraint")}
    named = by_text[rule]
    assert (named.files, named.entities) == (("src/users.py",), ("get_user_name",))
    assert [(cite.path, cite.symbol) for cite in named.cites] == [("src/users.py", "get_user_name")]
    assert all(memory.files == () for text, memory in by_text.items() if text != rule)
    (muninn.root / "src" / "users.py").write_text("USERS = {}\n")
    (line,) = (each for each in muninn.call("brief", session="s2").text.splitlines() if "[code gone: src/users" in each)
    assert line.count("src/users.py") == 1
