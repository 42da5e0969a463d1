"""Backfill: a dry run first, then all of it at once, and never twice."""

from __future__ import annotations

import subprocess
import threading
import time

import pytest
from repositories import git
from transcripts import Transcript

from muninn_core.capture.statements.transcript import read_transcript
from muninn_core.errors import BadParams, Cancelled, NotFoundError, ReadOnlyError
from muninn_core.git import GitError
from muninn_core.launch.repository_location import locate
from muninn_core.model.value import replace
from muninn_core.protocol.catalogue import decode_params, lookup
from muninn_core.store.records.record import encode_line
from muninn_core.worktree.call_context import CallContext

pytest_plugins = ["engines"]

RULE = "Never log the e-mail addresses of customers."
ASKED = "Where do we keep the sessions, Redis or cookies?"


def commit(root, message, day, **files):
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path = path.with_name(path.name.replace("_py", ".py"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(root, "add", "-A", ":!.muninn")
    date = f"2025-05-{day:02}T10:00:00Z"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", date)
        patch.setenv("GIT_AUTHOR_DATE", date)
        git(root, "commit", "-q", "-m", message)
    return git(root, "rev-parse", "HEAD").strip()


@pytest.fixture
def told(muninn):
    """A repository with a past: its commits by name."""
    root = muninn.root
    shas = {
        "move": commit(root, "Migrate sessions to Postgres\n\nRedis lost them on restart.", 1, src__pg_py="1"),
        "fix": commit(
            root,
            "Fix the export\n\nThe cause was a missing flush of the buffer.",
            2,
            src__out_py="def write(rows):\n    return rows\n",
        ),
        "lock": commit(root, "Introduce one lock for all shards", 3, src__lock_py="1"),
        "noise": commit(root, "Bump version to 1.2", 5, src__version_py="2"),
    }
    git(root, "revert", "--no-edit", shas["lock"])
    git(root, "commit", "-q", "--amend", "-m", git(root, "log", "-1", "--format=%B") + "\nIt deadlocked under load.")
    shas["undo"] = git(root, "rev-parse", "HEAD").strip()
    return muninn, shas


def backfill(muninn, source="git", scope=None, **params):
    scope = scope or CallContext(location=locate(str(muninn.root)), client="test")
    return muninn.engine.call("backfill", decode_params(lookup("backfill"), {"source": source, **params}), scope)


def kinds(result):
    return {found.title: found.type for found in result.found}


def test_a_dry_run_says_what_would_be_remembered_and_stores_nothing(told):
    muninn, shas = told
    result = backfill(muninn)
    assert kinds(result) == {
        "Migrate sessions to Postgres": "decision",
        "Fix the export": "bug_fix",
        "Taken back: Introduce one lock for all shards": "attempt",
    }
    assert [found.commit for found in result.found] == [shas["move"], shas["fix"], shas["undo"]]
    assert (result.looked, result.skipped) == (6, {"not significant": 1, "routine": 1, "taken back later": 1})
    assert (result.applied, result.ids) == (False, ())
    assert muninn.call("memories").total == 0


def test_applied_memories_have_time_commit_and_trust_of_their_source(told):
    muninn, shas = told
    result = backfill(muninn, apply=True)
    memories = {memory.title: memory for memory in muninn.call("memories").memories}
    move = memories["Migrate sessions to Postgres"]
    assert (move.ts, move.commit, move.actor, move.trust) == (
        "2025-05-01T10:00:00.000Z",
        shas["move"],
        "import",
        "commit",
    )
    assert (move.files, move.origin, move.session) == (("src/pg.py",), "backfill from git", "backfill-git")
    assert {memory.id for memory in memories.values()} == set(result.ids)
    hit = muninn.call("recall", query="sessions in Postgres", kind="memory").hits[0]
    assert (hit.id, hit.origin) == (move.id, "backfill from git")
    assert [event.actor for event in muninn.call("history", id=move.id).events] == ["import"]


def test_a_second_run_adds_nothing_nor_does_one_after_seal_reconcile_and_restart(told, start):
    muninn, _ = told
    assert len(backfill(muninn, apply=True).ids) == 3
    again = backfill(muninn, apply=True)
    assert (again.ids, [found.known for found in again.found]) == ((), [True] * 3)
    muninn.call("reconcile")
    assert backfill(muninn, apply=True).ids == ()
    muninn.engine.close()
    assert backfill(start(muninn.root), apply=True).ids == ()


def test_commits_remembered_by_a_hook_are_skipped(told):
    muninn, _ = told
    muninn.call("brief", session="s1")
    commit(muninn.root, "Replace the parser with a hand-written one\n\nIt was slow.", 9, src__parser_py="1")
    assert muninn.call("capture", source="commit", session="s1").ids
    result = backfill(muninn, apply=True)
    assert [found.title for found in result.found if found.known] == ["Replace the parser with a hand-written one"]
    assert len(result.ids) == 3


def test_every_clone_writes_the_same_records(told, start, tmp_path):
    muninn, _ = told
    git(tmp_path, "clone", "-q", str(muninn.root), "clone")
    other = start(tmp_path / "clone")
    other.clock.forward(days=3)
    other.call("init")
    lines = []
    for one in (muninn, other):
        backfill(one, apply=True)
        workspace = one.engine.open(locate(str(one.root)))
        lines.append(b"".join(map(encode_line, workspace.memory.log.records.values())))
        (segment,) = one.call("seal").segments
        lines.append(segment)
    assert lines[:2] == lines[2:]


def test_redacted_and_archived_memories_do_not_return(told):
    muninn, _ = told
    ids = backfill(muninn, apply=True).ids
    assert muninn.call("redact", id=ids[0]).memory.trust == "commit"
    muninn.call("forget", id=ids[1])
    assert backfill(muninn, apply=True).ids == ()
    muninn.call("seal")
    assert (muninn.call("memories", id=ids[0]).memories[0].trust, backfill(muninn, apply=True).ids) == ("commit", ())


def test_commits_are_chosen_by_dates_revisions_and_number(told):
    muninn, shas = told
    assert [found.commit for found in backfill(muninn, until="2025-05-02").found] == [shas["move"]]
    assert [found.commit for found in backfill(muninn, since=shas["move"], until=shas["fix"]).found] == [shas["fix"]]
    assert backfill(muninn, limit=2).looked == 2
    assert shas["fix"] not in {found.commit for found in backfill(muninn, since="2025-05-02T11:00:00Z").found}


def test_a_backfill_follows_the_approval_setting_of_imports(told):
    muninn, _ = told
    (muninn.root / ".muninn" / "config.yaml").write_text("review: {pending: [import]}\n")
    muninn.touch(".muninn/config.yaml")
    ids = backfill(muninn, apply=True).ids
    assert (muninn.call("memories").total, muninn.call("memories", pending=True).total) == (0, 3)
    assert backfill(muninn, apply=True).ids == ()
    muninn.call("approve", ids=list(ids), actor="user")
    assert muninn.call("memories").total == 3


def test_a_commits_memory_is_stale_when_all_of_its_files_are_gone(muninn):
    commit(muninn.root, "Replace the buffer: a ring instead of a list", 1, src__out_py="1", src__ring_py="2")
    backfill(muninn, apply=True)

    def told():
        (hit,) = muninn.call("recall", query="ring instead of a list as the buffer", kind="memory").hits
        return [(cite.path, cite.state) for cite in hit.cites]

    assert told() == []
    (muninn.root / "src" / "out.py").unlink()
    muninn.touch("src/out.py")
    assert told() == []
    (muninn.root / "src" / "ring.py").unlink()
    muninn.touch("src/ring.py")
    assert told() == [("src/out.py", "gone"), ("src/ring.py", "gone")]


def test_secrets_are_masked_and_private_spans_left_out(muninn):
    key = "AKIA" + "QYLPMN5HHHFPZAM2"
    commit(muninn.root, f"Migrate to S3\n\nThe key is {key}. <private>Ask Acme.</private>", 1, src__s3_py="1")
    dry = backfill(muninn)
    assert (dry.masked, "Acme" in str(dry), key in str(dry)) == (1, False, False)
    backfill(muninn, apply=True)
    muninn.call("seal")
    written = b"".join(path.read_bytes() for path in (muninn.root / ".muninn" / "memory").rglob("*.jsonl"))
    assert b"Migrate to S3" in written
    assert key.encode() not in written
    assert b"Acme" not in written


def test_a_long_run_reports_and_can_be_cancelled_before_it_stores_anything(told):
    muninn, _ = told
    reports = []
    cancelled = threading.Event()

    def report(progress):
        reports.append(progress.kind)
        if "storing" in progress.message:
            cancelled.set()

    call = CallContext(location=locate(str(muninn.root)), client="test", cancelled=cancelled, report=report)
    with pytest.raises(Cancelled):
        backfill(muninn, scope=call, apply=True)
    assert (reports[0], set(reports)) == ("begin", {"begin", "report"})
    assert muninn.call("memories").total == 0


@pytest.mark.parametrize(
    ("params", "error", "told_by"),
    [
        ({"source": "git", "since": "2025-13-45"}, BadParams, "not a time"),
        ({"source": "git", "since": "nosuch"}, NotFoundError, "nosuch"),
        ({"source": "git", "until": "a..b"}, BadParams, "is not a revision"),
        ({"source": "git", "paths": ["x.jsonl"]}, BadParams, "no paths"),
        ({"source": "transcripts"}, BadParams, "needs paths"),
        ({"source": "transcripts", "paths": ["x"], "since": "2025-01-01"}, BadParams, "to git only"),
        ({"source": "transcripts", "paths": ["nowhere.jsonl"]}, NotFoundError, "can't be read"),
        ({"source": "transcripts", "paths": ["src"]}, NotFoundError, "no transcript in"),
        ({"source": "transcripts", "paths": ["README.md"]}, BadParams, "not a transcript of Claude Code"),
        ({"source": "svn"}, BadParams, "source"),
    ],
)
def test_an_impossible_backfill_is_an_error_with_a_hint(muninn, params, error, told_by):
    with pytest.raises(error, match=told_by) as raised:
        backfill(muninn, **params)
    assert raised.value.hint


def test_a_folder_without_git_and_one_without_a_commit_say_so(tmp_path, start):
    for name in ("plain", "empty"):
        (tmp_path / name).mkdir()
        one = start(tmp_path / name)
        if name == "empty":
            git(tmp_path / name, "init", "-q")
        one.call("init")
        with pytest.raises(GitError if name == "plain" else NotFoundError) as raised:
            backfill(one)
        assert raised.value.hint
        assert raised.value.kind == ("not_a_repository" if name == "plain" else "not_found")


def test_nothing_is_stored_where_another_process_writes_but_the_dry_run_answers(told, start):
    muninn, _ = told
    other = start(muninn.root)
    assert len(backfill(other).found) == 3
    with pytest.raises(ReadOnlyError):
        backfill(other, apply=True)


@pytest.mark.slow
def test_ten_thousand_commits_take_seconds_and_one_process(muninn):
    stream = ["commit refs/heads/main\ncommitter T <t@x.example> 1700000000 +0000\ndata 5\nBegin\n"]
    for number in range(10_000):
        message = f"Replace part {number}\n\nIt was slow." if number % 10 == 0 else f"Change part {number}"
        file = f"M 644 inline src/part{number % 50}.py\ndata {len(str(number))}\n{number}\n"
        head = f"commit refs/heads/main\ncommitter T <t@x.example> {1700000001 + number} +0000\n"
        stream.append(f"{head}data {len(message)}\n{message}\n{file}")
    given = "".join(stream).encode()
    subprocess.run(["git", "fast-import", "--quiet", "--force"], input=given, cwd=muninn.root, check=True)
    begun = time.process_time()
    result = backfill(muninn, apply=True)
    assert time.process_time() - begun < 60
    assert (result.looked, len(result.ids)) == (10_000, 1_000)


# --- transcripts ---


@pytest.fixture
def session(muninn):
    """A transcript of a session in the repository."""
    said = Transcript(muninn.root).said("user", RULE).said("assistant", "I see.")
    said.ran("make wind", "error: no wind", 2).edited("src/users.py").ran("make wind")
    return said.said("user", "<private>Never mention the customer Acme to anybody.</private> Thanks.")


def test_a_transcript_gives_what_was_stated_what_failed_and_what_was_done(muninn, session, tmp_path):
    path = session.save(tmp_path / "t" / "5e55-1.jsonl")
    before = path.read_bytes()
    result = backfill(muninn, "transcripts", paths=[str(path)], apply=True)
    assert [found.type for found in result.found] == ["constraint", "attempt", "session_summary"]
    memories = muninn.call("memories", session="5e55-1").memories
    assert {memory.trust for memory in memories} == {"agent"}
    assert {memory.origin for memory in memories} == {"backfill from transcripts"}
    rule = next(memory for memory in memories if memory.type == "constraint")
    assert (rule.text, rule.ts, rule.details["said_by"]) == (RULE, "2026-02-03T10:00:00.000Z", "user")
    assert "Acme" not in str(memories)
    assert path.read_bytes() == before
    assert not any(path.name in found.name for found in (muninn.root / ".muninn").rglob("*"))


def test_a_folder_of_transcripts_is_read_once_however_often(muninn, session, tmp_path):
    session.save(tmp_path / "t" / "5e55-1.jsonl")
    Transcript(muninn.root, "5e55-2").said("user", "Hello.").save(tmp_path / "t" / "5e55-2.jsonl")
    (tmp_path / "t" / "other.jsonl").write_text('{"text": "not ours"}\n')
    first = backfill(muninn, "transcripts", paths=[str(tmp_path / "t")], apply=True)
    assert (first.looked, len(first.ids)) == (3, 3)
    assert first.skipped == {"no transcripts": 1, "without anything to keep": 1}
    paths = [str(tmp_path / "t"), str(tmp_path / "t" / "5e55-1.jsonl")]
    again = backfill(muninn, "transcripts", paths=paths, apply=True)
    assert (again.ids, [found.known for found in again.found]) == ((), [True] * 3)


def test_sessions_captured_by_a_hook_are_skipped(muninn, session, tmp_path):
    path = session.save(tmp_path / "5e55-1.jsonl")
    muninn.call("capture", source="transcript", transcript=str(path), session="5e55-1")
    found = backfill(muninn, "transcripts", paths=[str(path)]).found
    assert {one.type: one.known for one in found} == {"constraint": True, "attempt": False, "session_summary": False}


def test_a_statement_has_its_question_unless_an_earlier_version_stored_it(muninn, tmp_path):
    answer = "We decided on Redis, because cookies overflowed with many roles."
    paths = []
    for number in (1, 2):
        talk = Transcript(muninn.root, f"5e55-{number}").said("assistant", ASKED).said("user", answer)
        paths.append(talk.save(tmp_path / f"5e55-{number}.jsonl"))
    (draft,) = read_transcript(paths[0].read_bytes().splitlines(keepends=True), session="5e55-1").drafts
    assert draft.questions == (ASKED,)
    (earlier,) = muninn.call("remember", batch=(replace(draft, questions=()),)).ids
    assert muninn.call("capture", source="transcript", transcript=str(paths[0]), session="5e55-1").ids == ()
    result = backfill(muninn, "transcripts", paths=[str(path) for path in paths], apply=True)
    assert [found.known for found in result.found] == [True, False]
    stored = {memory.id: memory.questions for memory in muninn.call("memories").memories}
    assert stored == {earlier: (), result.ids[0]: (ASKED,)}


def test_malformed_lines_are_passed_over_and_named(muninn, session, tmp_path):
    path = session.raw(b'{"type":"user","message"\n').raw(b"nothing\n").raw(b'{"half').save(tmp_path / "5e55-1.jsonl")
    result = backfill(muninn, "transcripts", paths=[str(path)])
    number = len(session.lines)
    assert result.malformed == (f"{path}:{number - 2}", f"{path}:{number - 1}")
    assert len(result.found) == 3


def test_sessions_of_other_folders_stay_out_unless_they_are_wanted(muninn, tmp_path):
    (tmp_path / "other").mkdir()
    path = Transcript(tmp_path / "other").said("user", RULE).save(tmp_path / "5e55-1.jsonl")
    result = backfill(muninn, "transcripts", paths=[str(path)])
    assert (result.found, result.skipped) == ((), {"of other folders": 1})
    assert len(backfill(muninn, "transcripts", paths=[str(path)], elsewhere=True).found) == 1
    git(muninn.root, "worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Transcript(tmp_path / "linked", "5e55-2").said("user", RULE).save(tmp_path / "5e55-2.jsonl")
    assert len(backfill(muninn, "transcripts", paths=[str(linked)]).found) == 1


def test_a_session_without_a_usable_id_or_time_is_kept_all_the_same(muninn, tmp_path):
    said = Transcript(muninn.root, "../../odd id").said("user", RULE)
    said.lines[0] = said.lines[0].replace(b'"2026-02-03T10:00:00.000Z"', b'"yesterday"')
    path = said.save(tmp_path / "a b.jsonl")
    (found,) = backfill(muninn, "transcripts", paths=[str(path)], apply=True).found
    assert found.session.startswith("transcript-")
    assert backfill(muninn, "transcripts", paths=[str(path)], apply=True).ids == ()


def test_init_counts_the_commits_that_a_backfill_would_remember(tmp_path, start):
    root = tmp_path / "old"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    commit(root, "Begin", 1, src__a_py="1")
    commit(root, "Migrate sessions to Postgres\n\nRedis lost them on restart.", 2, src__pg_py="1")
    muninn = start(root)
    first = muninn.call("init")
    assert first.looked == 2
    assert first.memorable == len(muninn.call("backfill", source="git").found) > 0
    again = muninn.call("init")
    assert (again.created, again.looked, again.memorable) == ((), 0, 0)
