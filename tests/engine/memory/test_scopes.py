"""Scopes: a session's notes, the project's memory, and the user's own in every project; and what time does to each."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from repositories import PATIENCE, git

from muninn_core.errors import BadParams, BusyError, StorageError
from muninn_core.launch.lock import FileLock
from muninn_core.launch.runtime import data_directory
from muninn_core.model.memory import Memory
from muninn_core.retrieval.decay import importance_and_recency
from muninn_core.store.global_log import GlobalLog

pytest_plugins = ["engines"]

_NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def shared(tmp_path):
    return tmp_path / "data" / "global"


@pytest.fixture
def two(tmp_path, plain_repo, start, shared):
    """Two repositories of one user, with engines of their own."""
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    git(other, "commit", "-q", "--allow-empty", "-m", "Begin")
    pair = []
    for root in (plain_repo, other):
        one = start(root, global_memory=shared)
        one.clock.forward(seconds=len(pair))  # ids are made of time and chance, and chance is the same in both
        one.call("init")
        pair.append(one)
    return pair


def scoped(muninn, query, **params):
    return [(hit.scope, hit.text) for hit in muninn.call("recall", query=query, kind="memory", **params).hits]


def everything_in_git(root):
    git(root, "add", "-A")
    return git(root, "diff", "--cached", "HEAD")


# --- global ---


def test_a_global_memory_is_recalled_in_every_project_with_its_scope(two):
    here, there = two
    here.call("remember", text="Prefer tabs over spaces.", type="preference", scope="global")
    assert scoped(there, "tabs or spaces") == [("global", "Prefer tabs over spaces.")]
    assert scoped(here, "tabs or spaces") == [("global", "Prefer tabs over spaces.")]
    assert there.call("recall", query="tabs").saw.shared == 1
    assert "Prefer tabs" in there.call("brief").text
    assert there.call("status").shared.memories == 1
    (memory,) = there.call("memories", scope="global").memories
    assert (memory.details, memory.branch, memory.commit) == ({"project": "repo"}, None, None)


def test_a_global_memory_never_gets_into_git(two, shared):
    here, _ = two
    here.call("remember", text="Prefer tabs over spaces.", scope="global")
    here.call("seal")
    assert "tabs" not in everything_in_git(here.root)
    assert "Prefer tabs" in "".join(path.read_text() for path in (shared / "spool").iterdir())
    assert stat.S_IMODE(shared.stat().st_mode) == 0o700


def test_a_global_memory_accepts_no_files_of_the_repository(two):
    for fields in ({"files": ["src/users.py"]}, {"task": "T-1"}, {"cites": [{"path": "src/users.py"}]}):
        with pytest.raises(BadParams, match="names no files, citations or task"):
            two[0].call("remember", text="x", scope="global", **fields)
    assert two[0].call("memories", scope="global").total == 0


def test_the_configuration_leaves_the_global_scope_out(two):
    here, there = two
    here.call("remember", text="Prefer tabs over spaces.", scope="global")
    assert scoped(there, "tabs") != []
    (there.root / ".muninn" / "config.yaml").write_text("memory:\n  global_scope: false\n")
    there.touch(".muninn/config.yaml")
    assert scoped(there, "tabs", scope="global") == []
    assert there.call("status").shared.path == ""
    with pytest.raises(BadParams, match="the configuration excludes the global memory"):
        there.call("remember", text="Tabs.", scope="global")


def test_an_engine_without_a_place_for_it_has_no_global_memory(muninn):
    with pytest.raises(BadParams, match="there is no global memory here"):
        muninn.call("remember", text="Tabs.", scope="global")
    assert muninn.call("recall", query="tabs", scope="global", kind="memory").hits == ()


def test_a_global_memory_is_forgotten_restored_and_told_from_any_project(two):
    here, there = two
    (identity,) = here.call("remember", text="Prefer tabs over spaces.", scope="global").ids
    assert there.call("forget", id=identity, reason="Spaces it is.").memory.archived
    assert scoped(here, "tabs") == []
    assert [event.type for event in here.call("history", id=identity).events] == ["insight", "archive"]
    assert not here.call("restore", id=identity).memory.archived
    assert scoped(there, "tabs") == [("global", "Prefer tabs over spaces.")]


def test_redacting_a_global_memory_blanks_the_files_of_every_project(two, shared):
    here, there = two
    (identity,) = here.call("remember", text="The wifi is called Heron.", scope="global").ids
    there.call("remember", text="Another thing.", scope="global")
    assert there.call("redact", id=identity).memory.redacted
    assert "Heron" not in "".join(path.read_text() for path in (shared / "spool").iterdir())
    assert scoped(here, "another thing, the heron") == [("global", "Another thing.")]
    here.call("remember", text="Written after it.", scope="global")
    assert there.call("memories", scope="global").total == 2


def test_the_same_key_is_stored_once(two):
    here, _ = two
    first = here.call("remember", text="Tabs.", scope="global", key="k").ids
    assert here.call("remember", text="Tabs.", scope="global", key="k").ids == first


def test_a_batch_may_hold_every_scope(two):
    here, there = two
    drafts = [{"text": f"A note for the {scope}.", "scope": scope} for scope in ("global", "project", "session")]
    ids = here.call("remember", batch=drafts).ids
    scopes = {memory.id: memory.scope for memory in here.call("memories").memories}
    assert [scopes[identity] for identity in ids] == ["global", "project", "session"]
    assert [memory.text for memory in there.call("memories").memories] == ["A note for the global."]


def test_the_global_scope_leaves_in_a_bundle_only_when_it_is_asked_for(two):
    here, _ = two
    here.call("remember", text="Mine everywhere.", scope="global")
    here.call("remember", text="The project's.")
    here.call("remember", text="The session's.", scope="session")
    told = {
        scope: [record["text"] for record in here.call("export", **params).records]
        for scope, params in {"": {}, "global": {"scope": "global"}, "session": {"scope": "session"}}.items()
    }
    assert told == {"": ["The project's."], "global": ["Mine everywhere."], "session": ["The session's."]}


def test_a_bundle_of_global_memory_becomes_the_projects_where_it_is_imported(two, tmp_path):
    here, there = two
    here.call("remember", text="Prefer tabs over spaces.", scope="global")
    exported = here.call("export", scope="global")
    (tmp_path / "mine.json").write_text(json.dumps({"version": exported.version, "records": list(exported.records)}))
    here.call("forget", id=exported.records[0]["id"])
    there.call("import", path=str(tmp_path / "mine.json"))
    (memory,) = there.call("memories", scope="project").memories
    assert (memory.text, memory.trust) == ("Prefer tabs over spaces.", "outside")
    assert scoped(there, "tabs") == [("project", "Prefer tabs over spaces.")]
    assert there.call("forget", id=memory.id).memory.scope == "project"


WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from muninn_core.store.global_log import GlobalLog
name, folder = sys.argv[1:]
ids = iter(f"{name}-{number:04}" for number in range(1000))
log = GlobalLog(Path(folder), name=name, clock=lambda: datetime(2026, 3, 1, tzinfo=UTC), ids=lambda: next(ids))
for number in range(50):
    log.append([{"type": "insight", "text": f"{name} {number}"}], "s")
"""


def test_several_processes_write_at_once_and_lose_nothing(shared, tmp_path):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, name, str(shared)]) for name in ("one", "one", "two", "three")
    ]
    assert [writer.wait(PATIENCE) for writer in writers] == [0, 0, 0, 0]
    log = GlobalLog(shared, name="reader", clock=None, ids=None)
    log.refresh()
    assert {memory.text for memory in log.memories.values()} == {
        f"{name} {number}" for name in ("one", "two", "three") for number in range(50)
    }
    assert log.problems == ()


def test_a_torn_line_loses_no_other_memory(two, shared):
    here, there = two
    here.call("remember", text="Before the crash.", scope="global")
    (spool,) = (shared / "spool").glob("*.jsonl")
    with spool.open("ab") as file:
        file.write(b'{"v":1,"id":"half')
    here.call("remember", text="After the crash.", scope="global")
    assert {text for _, text in scoped(there, "crash")} == {"Before the crash.", "After the crash."}


def test_a_locked_folder_is_an_error_and_not_a_hang(shared, tmp_path):
    waited = []
    ids = iter(("m1", "m2"))
    log = GlobalLog(shared, name="one", clock=lambda: _NOON, ids=lambda: next(ids), pause=waited.append)
    log.append([{"type": "insight", "text": "First."}], "s")
    other = FileLock(str(shared / "lock"))
    assert other.acquire()
    with pytest.raises(BusyError, match="another process holds"):
        log.append([{"type": "insight", "text": "Second."}], "s")
    other.release()
    assert sum(waited) == pytest.approx(5.0)
    assert [memory.text for memory in log.memories.values()] == ["First."]


def test_the_folder_of_a_users_data_follows_the_environment():
    assert data_directory({"XDG_DATA_HOME": "/data"}) == "/data/muninn"
    if sys.platform == "linux":
        assert data_directory({"HOME": "/home/ada"}) == "/home/ada/.local/share/muninn"
        assert data_directory({"HOME": "/home/ada", "XDG_DATA_HOME": "not/absolute"}).startswith("/home/ada/")


# --- session ---


def test_a_sessions_note_is_for_that_session_only(muninn):
    muninn.call("remember", text="The vans are in the yard.", scope="session", session="one")
    assert scoped(muninn, "vans", session="one") == [("session", "The vans are in the yard.")]
    assert scoped(muninn, "vans", session="two") == []
    assert scoped(muninn, "vans") == []
    assert muninn.call("memories", session="one").total == 1
    assert muninn.call("memories").total == 0
    assert "vans" in muninn.call("brief", session="one").text
    assert "vans" not in muninn.call("brief", session="two").text


def test_listing_all_memory_labels_notes_of_other_sessions(muninn):
    muninn.call("remember", text="The vans are in the yard.", scope="session", session="one")
    assert scoped(muninn, "vans", scope="global") == [("session", "The vans are in the yard.")]
    assert [m.scope for m in muninn.call("memories", scope="session").memories] == ["session"]


def test_a_sessions_note_is_never_sealed(muninn):
    muninn.call("remember", text="The vans are in the yard.", scope="session", session="one")
    assert muninn.call("seal").records == 0
    assert "vans" not in everything_in_git(muninn.root)


def test_a_question_says_how_far_it_looks(two):
    here, _ = two
    here.call("remember", text="Mail for the session.", scope="session", session="one")
    here.call("remember", text="Mail for the project.", session="one")
    here.call("remember", text="Mail for everywhere.", scope="global")
    here.call("remember", text="Mail for another session.", scope="session", session="two")
    found = {
        scope: sorted(text for _, text in scoped(here, "mail", session="one", **({"scope": scope} if scope else {})))
        for scope in ("", "session", "project", "global")
    }
    assert found == {
        "": ["Mail for everywhere.", "Mail for the project.", "Mail for the session."],
        "session": ["Mail for the session."],
        "project": ["Mail for everywhere.", "Mail for the project."],
        "global": [
            "Mail for another session.",
            "Mail for everywhere.",
            "Mail for the project.",
            "Mail for the session.",
        ],
    }
    assert [hit.kind for hit in here.call("recall", query="users", scope="session", session="one").hits] == ["memory"]


def test_the_narrow_scope_comes_first_among_equals(two):
    here, _ = two
    for scope in ("global", "project", "session"):
        here.call("remember", text="Mail goes out at noon.", scope=scope, session="one", key=scope)
    hits = here.call("recall", query="when does mail go out", kind="memory", session="one").hits
    assert [hit.scope for hit in hits] == ["session", "project", "global"]
    assert [reason.note for reason in hits[2].why if reason.signal == "scope"] == ["global"]


def test_other_sessions_notes_do_not_hide_what_is_the_projects(muninn):
    drafts = [{"text": f"Mail mail mail, note {n}.", "scope": "session", "session": "one"} for n in range(150)]
    muninn.call("remember", batch=drafts)
    muninn.call("remember", text="The project has one word on how letters and mail leave the house.")
    assert scoped(muninn, "mail", session="two") == [
        ("project", "The project has one word on how letters and mail leave the house.")
    ]


def test_another_scope_does_not_bypass_approval(two):
    here, _ = two
    (here.root / ".muninn" / "config.yaml").write_text("review:\n  pending: [assistant]\n")
    here.touch(".muninn/config.yaml")
    with pytest.raises(BadParams, match="wait for an approval here"):
        here.call("remember", text="Agents know best.", actor="assistant", scope="global")
    here.call("remember", text="A note to myself.", actor="assistant", scope="session", session="one")
    (waiting,) = here.call("remember", text="For everybody.", actor="assistant", session="one").ids
    assert scoped(here, "note for everybody", session="one") == [("session", "A note to myself.")]
    with pytest.raises(BadParams, match="only an active memory"):
        here.call("promote", id=waiting, scope="global")


# --- promote ---


def test_a_note_that_is_promoted_becomes_the_projects_and_goes_into_git(muninn):
    note = muninn.call(
        "remember", text="`src/users.py` is slow.", files=["src/users.py"], scope="session", session="one"
    )
    promoted = muninn.call("promote", id=note.ids[0])
    assert (promoted.source, promoted.memory.scope, promoted.memory.files) == (
        note.ids[0],
        "project",
        ("src/users.py",),
    )
    assert scoped(muninn, "slow", session="one") == [("project", "`src/users.py` is slow.")]
    muninn.call("seal")
    assert "is slow" in everything_in_git(muninn.root)
    (old,) = muninn.call("memories", id=note.ids[0]).memories
    assert old.archived


def test_a_memory_that_is_promoted_to_all_projects_is_not_said_twice_at_home(two):
    here, there = two
    (identity,) = here.call("remember", text="Mail goes out at noon.", files=["src/users.py"]).ids
    promoted = here.call("promote", id=identity, scope="global").memory
    assert (promoted.files, promoted.details["promoted_from"]) == ((), identity)
    assert scoped(here, "mail at noon") == [("project", "Mail goes out at noon.")]
    assert scoped(there, "mail at noon") == [("global", "Mail goes out at noon.")]
    here.call("forget", id=identity)
    assert scoped(here, "mail at noon") == [("global", "Mail goes out at noon.")]


def test_promoting_never_raises_the_trust(two):
    here, there = two
    (identity,) = here.call("remember", text="An agent thinks so.", actor="assistant").ids
    here.call("promote", id=identity, scope="global")
    assert there.call("memories").memories[0].trust == "agent"


def test_a_refused_promotion_gives_its_reason(two):
    here, _ = two
    (own,) = here.call("remember", text="The project's.").ids
    (everywhere,) = here.call("remember", text="Mine.", scope="global").ids
    with pytest.raises(BadParams, match="is the project's already"):
        here.call("promote", id=own)
    with pytest.raises(BadParams, match="every project already"):
        here.call("promote", id=everywhere, scope="global")
    here.call("forget", id=own)
    with pytest.raises(BadParams, match="only an active memory"):
        here.call("promote", id=own, scope="global")


# --- time ---


def aged(**fields):
    return Memory(id="m", type=fields.pop("type", "insight"), text="x", ts="2026-01-01T00:00:00.000Z", **fields)


def test_importance_fades_by_halves_but_not_that_of_pins_and_of_what_holds(muninn):
    old, updated = aged(importance=8), aged(importance=8, updated="2026-03-01T12:00:00.000Z")
    faded = [left for left, _ in importance_and_recency([old, updated], _NOON, 59.5)]
    assert faded == [pytest.approx(0.4), pytest.approx(0.8)]
    assert importance_and_recency([old], _NOON, 0)[0][0] == 0.8
    lasting = [
        aged(importance=8, pinned=True),
        aged(importance=8, type="decision"),
        aged(importance=8, type="constraint"),
    ]
    assert [left for left, _ in importance_and_recency(lasting, _NOON, 1)] == [0.8] * 3


def test_an_old_memory_ranks_below_a_new_one_and_nothing_is_written_of_it(muninn):
    muninn.call("remember", text="Mail goes out at noon on weekdays.", importance=8, key="a")
    before = {path: path.read_bytes() for path in (muninn.root / ".muninn" / "local" / "spool").iterdir()}
    muninn.clock.forward(days=400)
    (hit,) = muninn.call("recall", query="mail at noon", kind="memory").hits
    assert next(reason.note for reason in hit.why if reason.signal == "importance").startswith("8 of 10, faded to 1.7")
    assert {path: path.read_bytes() for path in (muninn.root / ".muninn" / "local" / "spool").iterdir()} == before
    (muninn.root / ".muninn" / "config.yaml").write_text("memory:\n  half_life_days: 0\n")
    muninn.touch(".muninn/config.yaml")
    (hit,) = muninn.call("recall", query="mail at noon", kind="memory").hits
    assert next(reason for reason in hit.why if reason.signal == "importance").note == ""


@pytest.mark.parametrize(
    ("said", "until"),
    [
        ("30d", "2026-03-31T12:00:00.000Z"),
        ("2w", "2026-03-15T12:00:00.000Z"),
        ("12h", "2026-03-02T00:00:00.000Z"),
        ("2026-03-05", "2026-03-05T23:59:59.999Z"),
        ("2026-03-05T01:00:00+01:00", "2026-03-05T00:00:00.000Z"),
    ],
)
def test_a_memory_expires_when_its_author_says(muninn, said, until):
    assert muninn.call("remember", text="The yard is closed.", expires=said).memory.expires == until


@pytest.mark.parametrize("said", ["soon", "30", "-3d", "2026-13-01", "99999y"])
def test_a_time_that_is_none_is_refused(muninn, said):
    with pytest.raises(BadParams, match="'expires' is not a time"):
        muninn.call("remember", text="The yard is closed.", expires=said)


def test_an_expired_memory_is_listed_only_with_all_and_labelled(muninn):
    muninn.call("remember", text="The yard is closed.", expires="30d")
    muninn.clock.forward(days=31)
    assert muninn.call("memories").total == 0
    (memory,) = muninn.call("memories", archived=True).memories
    assert memory.expired
    assert muninn.call("brief").text == ""


def test_restore_returns_archived_memories(muninn):
    (identity,) = muninn.call("remember", text="The yard is closed.").ids
    muninn.call("forget", id=identity)
    assert muninn.texts("yard", kind="memory") == []
    assert not muninn.call("restore", id=identity, reason="It is, after all.").memory.archived
    assert muninn.texts("yard", kind="memory") == ["The yard is closed."]


# --- use ---


def test_how_often_a_memory_was_recalled_is_shown_and_changes_no_answer(muninn):
    ids = [muninn.call("remember", text=f"Mail van {n} is yellow.", key=str(n)).ids[0] for n in range(3)]
    first = muninn.call("recall", query="mail van", kind="memory").hits
    for _ in range(20):
        muninn.call("recall", query="mail van 1", kind="memory", limit=1)
    assert muninn.call("recall", query="mail van", kind="memory").hits == first
    counts = [muninn.call("memories", id=identity).access.count for identity in ids]
    assert sorted(counts) == [2, 2, 22]
    assert muninn.call("memories").access is None


def test_uses_are_counted_without_the_disk_and_kept_when_the_engine_closes(muninn, start):
    (identity,) = muninn.call("remember", text="Mail vans are yellow.").ids
    muninn.call("recall", query="mail vans")
    file = muninn.root / ".muninn" / "local" / "accesses.json"
    assert not file.exists()
    muninn.engine.release_memory()
    assert file.exists()
    muninn.call("recall", query="mail vans")
    muninn.engine.close()
    again = start(muninn.root)
    assert again.call("memories", id=identity).access.count == 2
    assert "accesses" not in everything_in_git(muninn.root)


def test_counts_that_can_not_be_read_are_begun_anew(muninn, start):
    (identity,) = muninn.call("remember", text="Mail vans are yellow.").ids
    muninn.engine.close()
    (muninn.root / ".muninn" / "local" / "accesses.json").write_text('{"accesses": [1]}')
    assert start(muninn.root).call("memories", id=identity).access.count == 0


def test_a_promotion_that_can_not_archive_its_note_stores_nothing(muninn, monkeypatch):
    note = muninn.call("remember", text="A note of this session.", scope="session")
    real = os.fsync

    def fail(handle):
        if "/private/" in os.readlink(f"/proc/self/fd/{handle}"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(handle)

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StorageError):
        muninn.call("promote", id=note.ids[0])
    monkeypatch.undo()
    log = muninn.engine.open(muninn.location).memory.log
    assert [(one.id, one.archived) for one in log.state.memories.values()] == [(note.ids[0], False)]


def test_a_line_of_the_global_memory_that_a_crash_cut_off_is_repaired_by_the_next_start(tmp_path, muninn):
    def shared() -> GlobalLog:
        ids = iter(f"01{number:024}" for number in range(9))
        return GlobalLog(tmp_path / "global", name="one", clock=muninn.clock, ids=lambda: next(ids))

    (kept,) = shared().append([{"type": "insight", "text": "Whole.", "actor": "user"}], "s1")
    with (tmp_path / "global" / "spool" / "one.jsonl").open("ab") as file:
        file.write(b'{"v":1,"id":"01half')
    again = shared()
    again.refresh()
    assert list(again.memories) == [kept.id]
    assert ["torn-" in problem.path for problem in again.problems] == [True]


def test_verify_leaves_out_global_memories(two):
    here, _ = two
    here.call("remember", text="Prefer tabs over spaces.", scope="global")
    here.call("remember", text="Names are unique.", cites=[{"path": "src/users.py", "start": 1, "end": 2}])
    assert here.call("verify").memories == 1
