"""Reconcile with a session, undo, pruning, and conflicts with their code, as verbs on a real work tree."""

import threading

import pytest

from muninn_core.errors import Cancelled, NotFoundError, RefusedError, UsageError
from muninn_core.launch.repository_location import locate
from muninn_core.model.memory import SHORT_ID
from muninn_core.protocol.families.reconciliation import ReconcileParams
from muninn_core.worktree.call_context import CallContext

pytest_plugins = ["engines"]


def two_decisions(muninn, **fields):
    muninn.call("remember", text="The page size is 50.", type="decision", session="s1", **fields)
    muninn.clock.forward(hours=1)
    muninn.call("remember", text="The page size is 100.", type="decision", session="s2", actor="assistant")


def memory_files(muninn):
    folder = muninn.root / ".muninn" / "memory"
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_one_session_is_reconciled_and_the_others_are_left_alone(muninn):
    two_decisions(muninn)
    result = muninn.call("reconcile", session="s1")
    assert (result.consolidated, result.conflicts, len(result.segments)) == (1, 0, 1)
    assert muninn.call("status").log.unsealed == 1
    muninn.call("seal")
    assert len(muninn.call("reconcile", session="s2", dry_run=True).segments) == 1
    assert muninn.call("reconcile").conflicts == 1
    with pytest.raises(NotFoundError, match="no memory belongs to session 's3'"):
        muninn.call("reconcile", session="s3")


def test_a_reconcile_tells_how_far_it_is_and_who_cancels_it_finds_every_file_as_it_was(muninn):
    two_decisions(muninn)
    muninn.call("seal")
    before, cancelled, heard = memory_files(muninn), threading.Event(), []

    def report(progress):
        heard.append(progress.percentage)
        if progress.percentage == 20:  # the next step would write
            cancelled.set()

    call = CallContext(location=locate(str(muninn.root)), cancelled=cancelled, report=report)
    with pytest.raises(Cancelled):
        muninn.engine.call("reconcile", ReconcileParams(), call)
    assert memory_files(muninn) == before
    assert heard == [0, 5, 20]
    assert muninn.call("reconcile").consolidated == 2


def test_undo_gives_the_files_back_and_recall_follows(muninn):
    two_decisions(muninn)
    muninn.call("seal")
    before = memory_files(muninn)
    done = muninn.call("reconcile")
    undone = muninn.call("undo")
    assert (undone.kind, undone.summary) == ("reconcile", done.summary)
    assert ".muninn/memory/main.jsonl" in undone.files
    assert memory_files(muninn) == before
    assert muninn.call("status").log.conflicts == 0
    assert len(muninn.texts("what is the page size", kind="memory")) == 2


def test_answers_mark_what_contradicts_until_a_person_decides(muninn):
    about = {"type": "decision", "files": ["README.md"]}
    ids = [muninn.call("remember", text=f"Jobs are{word} stored in Redis.", **about).ids[0] for word in ("", " not")]
    muninn.call("reconcile")

    def read():
        page = {"uri": f"muninn:/memory/{ids[0]}.md"}
        plain, *rich = (muninn.call("document", **page, form=form).text for form in ("plain", "card", "page"))
        return plain, [*rich, muninn.call("about", file="README.md").text]

    def marks():
        hits = muninn.call("recall", query="where are jobs stored", kind="memory").hits
        items = muninn.call("context", query="where are jobs stored").items
        return [{each.id: each.status for each in found if each.kind == "memory"} for found in (hits, items)]

    short = [identity[-SHORT_ID:] for identity in ids]
    expected = {ids[0]: f"contradicts {short[1]}, undecided", ids[1]: f"contradicts {short[0]}, undecided"}
    assert marks() == [expected, expected]
    assert f"; contradicts {short[1]}, undecided)" in muninn.call("context", query="where are jobs stored").text
    plain, rich = read()
    assert all("⚠ in conflict with: " in text for text in rich)
    assert all("in force" not in text for text in (plain, *rich))
    (conflict,) = muninn.call("conflicts").conflicts
    muninn.call("resolve", id=conflict.id, keep="both")
    assert marks() == [dict.fromkeys(ids, "")] * 2
    plain, rich = read()
    assert all("in conflict" not in text and "in force" in text for text in (plain, *rich))


def test_a_conflict_shows_the_lines_that_each_side_cites(muninn):
    cites = [{"path": "src/users.py", "start": 6, "end": 8}, {"path": "src/users.py", "start": 12, "end": 13}]
    two_decisions(muninn, cites=cites)
    muninn.call("reconcile")
    file = muninn.root / "src" / "users.py"
    lines = file.read_text().splitlines()[:10]
    file.write_text("\n".join(lines) + "\n")
    (conflict,) = muninn.call("conflicts").conflicts
    span, beyond = conflict.code
    assert (span.side, span.path, span.start, span.end) == ("left", "src/users.py", 6, 8)
    assert span.text == "\n".join(lines[5:8])
    assert (beyond.text, beyond.problem) == ("", f"the file has {len(lines)} lines")


def test_a_form_feed_in_a_cited_file_is_no_end_of_a_line(muninn):
    file = muninn.root / "src" / "users.py"
    file.write_text("FIRST = 1\n\f\nCITED = 3\n\nLAST = 5\n")
    muninn.touch("src/users.py")
    two_decisions(muninn, cites=[{"path": "src/users.py", "start": 3, "end": 3}])
    muninn.call("reconcile")
    (conflict,) = muninn.call("conflicts").conflicts
    assert [(span.text, span.problem) for span in conflict.code] == [("CITED = 3", "")]


def test_pruning_follows_the_policy_of_the_config_and_recall_follows_it(muninn):
    (identity,) = muninn.call("remember", text="The old queue is in the shed.", actor="assistant").ids
    muninn.call("forget", id=identity)
    muninn.call("reconcile")
    with pytest.raises(UsageError, match="no policy"):
        muninn.call("prune", dry_run=True)
    config = muninn.root / ".muninn" / "config.yaml"
    config.write_text("prune:\n  age_days: 30\n")
    muninn.touch(".muninn/config.yaml")
    assert muninn.call("prune").memories == ()
    muninn.clock.forward(days=31)
    planned = muninn.call("prune", dry_run=True)
    assert (planned.memories, planned.dry_run) == ((identity,), True)
    assert muninn.call("memories", archived=True).total == 1
    done = muninn.call("prune")
    assert (done.memories, done.archive) == (planned.memories, planned.archive)
    assert (muninn.root / done.archive).is_file()
    assert muninn.call("memories", archived=True).total == 0
    muninn.call("undo")
    assert muninn.call("memories", archived=True).total == 1


def test_a_new_wording_of_the_kept_side_gets_its_own_title(muninn):
    two_decisions(muninn)
    muninn.call("reconcile")
    (conflict,) = muninn.call("conflicts").conflicts
    kept = muninn.call("resolve", id=conflict.id, keep="right", text="The page size is 100 rows.").right
    assert (kept.text, kept.title) == ("The page size is 100 rows.", "The page size is 100 rows")


def open_conflicts(muninn):
    found = muninn.call("conflicts").conflicts
    assert muninn.call("status").log.conflicts == len(found)
    return found


def test_a_decision_outlives_undo_and_is_not_counted_as_a_conflict_again(muninn):
    two_decisions(muninn)
    assert muninn.call("reconcile").conflicts == 1
    muninn.call("resolve", id=open_conflicts(muninn)[0].id, keep="right")
    muninn.call("undo")
    again = muninn.call("reconcile")
    assert (again.conflicts, again.summary) == (0, "2 memories consolidated, 0 duplicates removed, 0 conflicts")
    assert open_conflicts(muninn) == ()


def test_a_decision_is_reconsidered_and_both_decisions_are_recorded(muninn):
    two_decisions(muninn)
    muninn.call("reconcile")
    (conflict,) = muninn.call("conflicts").conflicts
    first = muninn.call("resolve", id=conflict.id, keep="left")
    assert (first.before, first.changed, first.right.superseded_by) == ("", True, first.left.id)
    assert not muninn.call("resolve", id=conflict.id, keep="left").changed
    muninn.clock.forward(hours=1)
    second = muninn.call("resolve", id=conflict.id, keep="right")
    assert (second.before, second.left.superseded_by, second.right.superseded_by) == ("left", second.right.id, None)
    events = muninn.call("history", id=conflict.right.id).events
    assert [event.summary for event in events if event.type == "resolve"] == [
        "decided a conflict: keep left",
        "decided a conflict: keep right",
    ]
    (listed,) = muninn.call("conflicts", decided=True).conflicts
    assert (listed.id, listed.keep) == (conflict.id, "right")


def test_the_memory_that_lost_a_conflict_is_restored_by_a_person_alone(muninn):
    two_decisions(muninn)
    muninn.call("reconcile")
    (conflict,) = muninn.call("conflicts").conflicts
    lost = muninn.call("resolve", id=conflict.id, keep="right").left
    with pytest.raises(RefusedError, match="a person decided against"):
        muninn.call("restore", actor="assistant", id=lost.id)
    muninn.clock.forward(hours=1)
    restored = muninn.call("restore", id=lost.id)
    assert (restored.changed, restored.memory.active) == (True, True)
    assert "no longer superseded" in [event.summary for event in muninn.call("history", id=lost.id).events]
    assert open_conflicts(muninn) == (), "both were stored knowingly"
    assert not muninn.call("restore", id=lost.id).changed
    muninn.clock.forward(hours=1)
    assert muninn.call("resolve", id=conflict.id, keep="right").left.superseded_by == conflict.right.id


def test_links_and_show_name_the_memory_that_superseded_another_by_a_decision(muninn):
    two_decisions(muninn)
    muninn.call("reconcile")
    (conflict,) = muninn.call("conflicts").conflicts
    muninn.call("resolve", id=conflict.id, keep="right")
    expected = [(conflict.right.id, "supersedes", conflict.left.id)]
    for verb, start in [("links", conflict.left), ("links", conflict.right), ("show", conflict.left)]:
        found = muninn.call(verb, id=start.id).links
        assert [(link.source, link.relation, link.target) for link in found] == expected
