"""Sealing, conflicts and captures: memory meets git."""

from __future__ import annotations

import json
import shutil

import pytest
from repositories import git

from muninn_core.errors import BadParams, NotFoundError
from muninn_core.model.memory import SHORT_ID

pytest_plugins = ["engines"]


def test_sealing_makes_new_files_only(muninn):
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Add memory")
    muninn.call("remember", text="Sessions live in Redis.", session="s1")
    assert git(muninn.root, "status", "--porcelain", "-uall") == ""
    sealed = muninn.call("seal")
    assert sealed.records == 1
    status = git(muninn.root, "status", "--porcelain", "-uall").splitlines()
    assert status == [f"?? {segment}" for segment in sealed.segments]
    assert muninn.call("seal").segments == ()
    assert muninn.call("memories").memories[0].sealed


def test_one_session_can_be_sealed_alone(muninn):
    muninn.call("remember", text="One.", session="s1")
    muninn.call("remember", text="Two.", session="s2")
    assert muninn.call("seal", session="s1").records == 1
    assert muninn.call("status").log.unsealed == 1


def test_memory_that_a_branch_brings_is_recalled_after_the_switch(muninn):
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Add memory")
    git(muninn.root, "checkout", "-q", "-b", "feature")
    muninn.call("remember", text="The feature needs Kafka.")
    muninn.call("seal")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Remember")
    segment = git(muninn.root, "ls-files", ".muninn/memory").strip()
    git(muninn.root, "checkout", "-q", "main")
    muninn.touch(segment, ".git/HEAD")
    assert muninn.texts("what does the feature need", kind="memory") == []
    assert muninn.call("memories").total == 0
    git(muninn.root, "checkout", "-q", "feature")
    muninn.touch(segment, ".git/HEAD")
    assert muninn.texts("what does the feature need", kind="memory") == ["The feature needs Kafka."]


def test_a_malformed_line_is_shown_with_file_and_line_and_the_rest_holds(muninn):
    (identity,) = muninn.call("remember", text="Good.").ids
    segment = muninn.root / muninn.call("seal").segments[0]
    segment.write_text(segment.read_text() + "{broken\n")
    muninn.touch(str(segment.relative_to(muninn.root)))
    status = muninn.call("status")
    assert status.log.malformed == 1
    assert [(problem.path, problem.line) for problem in status.problems] == [(str(segment.relative_to(muninn.root)), 2)]
    assert muninn.call("memories", id=identity).memories[0].text == "Good."


@pytest.fixture
def contradiction(muninn):
    """Two decisions that can't both hold, put side by side by reconciling."""
    muninn.call("remember", text="Sessions must be stored in Redis.", type="decision", title="Session store")
    muninn.clock.forward(hours=1)
    muninn.call("remember", text="Sessions must not be stored in Redis.", type="decision", title="Session store")
    muninn.call("seal")
    muninn.call("reconcile")
    (conflict,) = muninn.call("conflicts").conflicts
    return muninn, conflict


def test_a_person_decides_a_contradiction_and_may_reconsider(contradiction):
    muninn, conflict = contradiction
    assert muninn.call("status").log.conflicts == 1
    text = muninn.call("brief").text
    assert f"- {conflict.id[-SHORT_ID:]}: “Sessions must be stored" in text
    assert (text.count("`muninn conflicts`"), "1 contradiction" in text) == (1, False)
    assert "1 contradiction in memory waits" in muninn.call("brief", max_chars=260).text, "the section has no room"
    assert muninn.call("conflicts", id=conflict.id[-SHORT_ID:]).conflicts == (conflict,)
    right = conflict.right
    decided = muninn.call("resolve", id=conflict.id[:20], keep="right")
    assert (decided.right.id, decided.right.active, decided.left.active) == (right.id, True, False)
    assert muninn.call("conflicts").conflicts == ()
    assert muninn.texts("where are sessions stored", kind="memory") == [right.text]
    with pytest.raises(NotFoundError):
        muninn.call("resolve", id="0" * 20, keep="left")
    again = muninn.call("resolve", id=conflict.id, keep="left")
    assert (again.left.active, again.right.active) == (True, False)
    assert muninn.texts("where are sessions stored", kind="memory") == [again.left.text]


def test_a_new_wording_goes_to_the_side_that_is_kept(contradiction):
    muninn, conflict = contradiction
    decided = muninn.call("resolve", id=conflict.id, keep="left", text="Sessions are stored in Redis, but for tests.")
    assert decided.left.text == "Sessions are stored in Redis, but for tests."


def test_a_dry_run_changes_no_file(muninn):
    muninn.call("remember", text="Sessions live in Redis.")
    muninn.call("seal")
    before = {path: path.read_bytes() for path in (muninn.root / ".muninn" / "memory").rglob("*") if path.is_file()}
    result = muninn.call("reconcile", dry_run=True)
    assert (result.dry_run, result.consolidated) == (True, 1)
    after = {path: path.read_bytes() for path in (muninn.root / ".muninn" / "memory").rglob("*") if path.is_file()}
    assert after == before


def commit_a_decision(root):
    (root / "src" / "store.py").write_text("class SessionStore:\n    pass\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "feat!: move sessions to Postgres\n\nBREAKING CHANGE: Redis is no longer used.")


def test_a_significant_commit_is_remembered_once(muninn):
    muninn.call("brief", session="s1")
    commit_a_decision(muninn.root)
    captured = muninn.call("capture", source="commit", session="s1")
    assert len(captured.ids) == 1
    assert "sessions to Postgres" in captured.note
    memory = muninn.call("memories", id=captured.ids[0]).memories[0]
    assert memory.trust == "commit"
    assert "src/store.py" in memory.files
    again = muninn.call("capture", source="commit", session="s1")
    assert (again.ids, again.note) == ((), "")
    assert set(muninn.call("capture", source="commit", session="other").ids) <= set(captured.ids)
    assert muninn.call("memories").total == 1


def test_a_commit_that_a_backfill_stored_with_other_details_stops_no_capture(muninn):
    muninn.call("brief", session="s1")
    git(muninn.root, "commit", "-q", "--allow-empty", "-m", "Migrate the sessions to Redis")
    (stored,) = muninn.call("backfill", source="git", apply=True).ids
    assert muninn.call("capture", source="commit", session="s1").ids == (stored,)
    git(muninn.root, "commit", "-q", "--allow-empty", "-m", "Migrate the queue to Redis")
    (later,) = muninn.call("capture", source="commit", session="s1").ids
    assert muninn.call("memories", id=later).memories[0].title == "Migrate the queue to Redis"


def test_a_commit_that_is_amended_supersedes_its_earlier_form_and_one_of_another_branch_does_not(muninn):
    muninn.call("brief", session="s1")
    commit_a_decision(muninn.root)
    (first,) = muninn.call("capture", source="commit", session="s1").ids
    (muninn.root / "src" / "store.py").write_text("class SessionStore: ...\n")
    git(muninn.root, "commit", "-q", "-a", "--amend", "--no-edit")
    (second,) = muninn.call("capture", source="commit", session="s1").ids
    assert muninn.call("show", id=first).memory.superseded_by == second
    assert [(link.relation, link.target) for link in muninn.call("show", id=second).memory.links] == [
        ("supersedes", first)
    ]
    git(muninn.root, "checkout", "-q", "-b", "other", "HEAD~1")
    git(muninn.root, "cherry-pick", "--no-commit", "main")
    git(muninn.root, "commit", "-q", "--reuse-message=main", "--date=2020-01-01T00:00:00Z")
    (third,) = muninn.call("capture", source="commit", session="s1").ids
    assert {memory.id for memory in muninn.call("memories").memories} == {second, third}


def test_the_memory_of_a_commit_counts_again_when_its_amendment_is_taken_back(muninn):
    muninn.call("brief", session="s1")
    commit_a_decision(muninn.root)
    earlier = git(muninn.root, "rev-parse", "HEAD").strip()
    (first,) = muninn.call("capture", source="commit", session="s1").ids
    (muninn.root / "src" / "store.py").write_text("class SessionStore: ...\n")
    git(muninn.root, "commit", "-q", "-a", "--amend", "--no-edit")
    amended = git(muninn.root, "rev-parse", "HEAD").strip()
    (second,) = muninn.call("capture", source="commit", session="s1").ids

    def counts():
        return [memory.id for memory in muninn.call("memories").memories]

    assert counts() == [second]
    git(muninn.root, "branch", "kept")
    git(muninn.root, "reset", "-q", "--hard", earlier)
    muninn.call("capture", source="commit", session="s1")
    assert counts() == [second], "a branch has the amended commit"
    git(muninn.root, "branch", "-q", "-D", "kept")
    assert first in muninn.call("brief", session="s2").ids
    assert counts() == [first]
    assert muninn.call("show", id=second).memory.superseded_by == first
    assert muninn.texts("where are sessions stored", kind="memory") == [muninn.call("show", id=first).memory.text]
    git(muninn.root, "reset", "-q", "--hard", amended)
    muninn.call("brief", session="s3")
    assert counts() == [second]


def test_a_commit_of_another_author_is_not_superseded_when_no_branch_has_it(muninn):
    muninn.call("brief", session="s1")
    commit_a_decision(muninn.root)
    (first,) = muninn.call("capture", source="commit", session="s1").ids
    git(muninn.root, "config", "user.name", "Another")
    (muninn.root / "src" / "store.py").write_text("class SessionStore: ...\n")
    git(muninn.root, "commit", "-q", "-a", "--amend", "--no-edit")
    (second,) = muninn.call("capture", source="commit", session="s1").ids
    assert {memory.id for memory in muninn.call("memories").memories} == {first, second}


MESSAGES = (
    "fix(export): write the last row\n\nIt was lost because the buffer was dropped at exit.",
    "fix(export): write the header",
    "Discover the factory deterministically\n\nAs sets have no order, projects with two factories got either of them.",
    "Extract a helper",
    "Deprecate the v1 endpoints",
    "shop 1.2.0 (#12)",
)


def test_a_session_remembers_the_commits_that_a_backfill_would(muninn, start, tmp_path):
    muninn.call("brief", session="s1")
    for number, message in enumerate(MESSAGES):
        (muninn.root / "src" / f"part{number}.py").write_text(f"PART = {number}\n")
        git(muninn.root, "add", "-A", "src")
        git(muninn.root, "commit", "-q", "-m", message)
    git(muninn.root, "-c", "user.name=renovate[bot]", "commit", "-q", "--allow-empty", "-m", "Migrate to v2")

    def parts(recollections):
        return {each.text: (each.type, each.title, each.files, each.importance) for each in recollections}

    found = parts(each for each in muninn.call("backfill", source="git").found)
    captured = muninn.call("capture", source="commit", session="s1")
    assert parts(muninn.call("memories").memories) == found
    assert len(captured.ids) == len(found) == 3
    assert muninn.call("backfill", source="git", apply=True).ids == ()


def test_a_revert_takes_the_memory_of_its_commit_back_until_it_is_reverted_itself(muninn):
    muninn.call("brief", session="s1")
    commit_a_decision(muninn.root)
    (decision,) = muninn.call("capture", source="commit", session="s1").ids
    git(muninn.root, "revert", "--no-edit", "HEAD")
    (attempt,) = muninn.call("capture", source="commit", session="s1").ids
    (memory,) = muninn.call("memories").memories
    assert (memory.id, memory.type) == (attempt, "attempt")
    assert muninn.call("show", id=decision).memory.superseded_by == attempt
    git(muninn.root, "revert", "--no-edit", "HEAD")
    muninn.call("capture", source="commit", session="s1")
    assert [each.id for each in muninn.call("memories").memories] == [decision]
    assert muninn.call("show", id=attempt).memory.superseded_by == decision


def test_a_revert_that_is_reset_takes_nothing_back(muninn):
    muninn.call("brief", session="s1")
    commit_a_decision(muninn.root)
    (decision,) = muninn.call("capture", source="commit", session="s1").ids
    git(muninn.root, "revert", "--no-edit", "HEAD")
    muninn.call("capture", source="commit", session="s1")
    git(muninn.root, "reset", "-q", "--hard", "HEAD~1")
    muninn.call("brief", session="s2")
    assert [each.id for each in muninn.call("memories").memories] == [decision]


def test_a_commit_and_its_revert_of_one_session_are_one_attempt(muninn):
    muninn.call("brief", session="s1")
    commit_a_decision(muninn.root)
    git(muninn.root, "revert", "--no-edit", "HEAD")
    muninn.call("capture", source="commit", session="s1")
    (memory,) = muninn.call("memories").memories
    assert memory.type == "attempt"


def test_commits_from_before_the_session_are_not_its_own(muninn):
    commit_a_decision(muninn.root)
    muninn.call("brief", session="s1")
    assert muninn.call("capture", source="commit", session="s1").ids == ()


def test_before_the_first_commit_there_is_nothing_to_capture(tmp_path, start):
    (tmp_path / "new").mkdir()
    git(tmp_path / "new", "init", "-q", "-b", "main")
    muninn = start(tmp_path / "new")
    muninn.call("init")
    assert muninn.call("capture", source="commit").ids == ()
    assert muninn.call("status").saw.branch == "main"


def say(path, *texts):
    with path.open("a") as file:
        for text in texts:
            message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
            file.write(json.dumps({"type": "assistant", "message": message}) + "\n")


def test_marked_decisions_of_a_transcript_come_back_first_after_the_compaction(muninn, tmp_path):
    muninn.call("remember", text="An older and very important rule.", importance=10)
    say(tmp_path / "t.jsonl", "Decision: we keep sessions in Postgres because Redis lost them twice.", "Fine.")
    call = {"source": "transcript", "session": "s1", "transcript": str(tmp_path / "t.jsonl")}
    captured = muninn.call("capture", **call)
    assert len(captured.ids) == 1
    assert muninn.call("capture", **call).ids == ()
    brief = muninn.call("brief", session="s1", source="compact")
    assert brief.ids[0] == captured.ids[0]
    assert brief.text.index("sessions in Postgres") < brief.text.index("very important rule")


def test_a_transcript_that_is_not_there_is_an_error(muninn, tmp_path):
    with pytest.raises(NotFoundError, match="can't be read"):
        muninn.call("capture", source="transcript", transcript=str(tmp_path / "none.jsonl"))
    with pytest.raises(NotFoundError, match="can't be read"):
        muninn.call("capture", source="transcript", transcript=str(tmp_path))
    with pytest.raises(BadParams, match="needs 'transcript'"):
        muninn.call("capture", source="transcript")


def test_a_folder_muninn_that_is_deleted_under_us_is_shown(muninn):
    muninn.call("index")
    shutil.rmtree(muninn.root / ".muninn")
    assert "gone" in {problem.kind for problem in muninn.call("status").problems}
