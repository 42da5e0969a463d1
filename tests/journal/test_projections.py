"""The projections follow the journal, continue after an interruption, and are built again to the same content."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from journals import draft, open_journal
from repositories import PATIENCE

from muninn_core.errors import BadParams, MuninnError, StorageError
from muninn_core.index.embedding.embed import load_bundled
from muninn_core.journal import projections as module
from muninn_core.journal.projections import Projections
from muninn_core.journal.projectors import field_key
from muninn_core.journal.sealing import drop_sealed, seal_months
from muninn_core.journal.search import Filter, Search
from muninn_core.journal.vector_packing import pack, unpack


@pytest.fixture(scope="module")
def embedder():
    return load_bundled()


@pytest.fixture
def projections(journal, embedder):
    one = Projections(journal, embedder)
    yield one
    one.close()


def rows(projections, table, columns="*"):
    projections.catch_up()
    return projections.rows(f"SELECT {columns} FROM {table}")


def test_facts_have_confidence_and_provenance(journal, projections):
    event = journal.append(draft({"text": "The port is 5432.", "confidence": 0.9}, event_type="fact")).event
    journal.append(draft({"text": ""}, event_type="fact"))
    assert rows(projections, "memory_facts", "text, confidence, event_id, session_id") == [
        ("The port is 5432.", 0.9, event.event_id, "s1")
    ]


def test_decisions_have_lineage_and_artifacts_and_do_not_change(journal, projections):
    journal.append(draft({"decision_id": "d1", "title": "Use files"}, event_type="decision"))
    journal.append(
        draft(
            {
                "decision_id": "d2",
                "title": "Use a database",
                "rationale": "Files were slow.",
                "supersedes": "d1",
                "edges": [{"to": "d0", "relation": "extends"}],
                "artifacts": {
                    "commit": ["abc"],
                    "file_path": ["a.py"],
                    "pr": ["7"],
                    "note": "see the wiki",
                    "other": ["x"],
                },
            },
            event_type="decision",
        )
    )
    journal.append(draft({"decision_id": "d2", "title": "Another text"}, event_type="decision"))
    assert rows(projections, "decisions", "decision_id, title, status") == [
        ("d1", "Use files", "superseded"),
        ("d2", "Use a database", "accepted"),
    ]
    assert rows(projections, "decision_edges", "from_decision_id, to_decision_id, relation") == [
        ("d2", "d0", "extends"),
        ("d2", "d1", "supersedes"),
    ]
    assert sorted(rows(projections, "artifact_links", "kind, value")) == [
        ("commit", "abc"), ("file_path", "a.py"), ("note", "see the wiki"), ("pr", "7"),
    ]  # fmt: skip


def test_patterns_follow_their_rules(journal, projections, clock):
    for status in (1, 0, 2):
        journal.append(draft({"command": "make  test", "exit_status": status}, event_type="tool"))
        clock.forward(hours=1)
    assert rows(projections, "patterns") == []
    journal.append(draft({"command": "make test", "exit_status": 1}, event_type="tool"))
    journal.append(draft({"text": "Use tabs"}, event_type="correction"))
    journal.append(draft({"text": "use  TABS"}, event_type="correction"))
    journal.append(draft({"type": "habit", "description": "Commits late", "confidence": 0.4}, event_type="pattern"))
    columns = "type, description, first_seen, last_seen, occurrence_count, confidence"
    assert sorted(rows(projections, "patterns", columns)) == [
        ("failing_command", "make test", "2026-03-01T12:00:00.000Z", "2026-03-01T15:00:00.000Z", 3, 0.75),
        ("habit", "Commits late", "2026-03-01T15:00:00.000Z", "2026-03-01T15:00:00.000Z", 1, 0.4),
        ("repeated_correction", "use tabs", "2026-03-01T15:00:00.000Z", "2026-03-01T15:00:00.000Z", 2, 0.75),
    ]


def fill(journal, number):
    for each in range(number):
        kind = ("fact", "decision", "pattern", "correction", "tool")[each % 5]
        payload = {
            "text": f"Text {each % 7} of a thing",
            "title": f"Title {each}",
            "command": f"run {each % 3}",
            "exit": each % 2,
        }
        payload |= {"description": f"pattern {each % 2}", "decision_id": f"d{each % 8}", "supersedes": f"d{each % 3}"}
        journal.append(draft(payload, event_type=kind, session_id=f"s{each % 4}"))


def test_projections_continue_after_an_interruption_and_rebuild_to_the_same_content(
    journal, folder, clock, embedder, monkeypatch
):
    monkeypatch.setattr(module, "_BATCH", 7)
    fill(journal, 40)
    target = next(row.event_id for row in journal.rows() if row.event_type == "decision")
    first = Projections(journal, embedder)
    first._step(journal.position)
    assert {one.offset for one in first.status()} >= {7}
    first.close()
    journal.redact(target)
    journal.tombstone(journal.event(next(r.event_id for r in journal.rows(20) if r.event_type == "tool")).event_id)
    fill(journal, 11)
    again = Projections(journal, embedder)
    again.catch_up()
    assert {one.lag for one in again.status()} == {0}
    assert again.lag == 0
    rebuilt = again.rebuild()
    assert all(one.same for one in rebuilt), rebuilt
    assert [one.name for one in again.rebuild(["patterns"])] == ["patterns"]
    with pytest.raises(BadParams, match="no projection 'x'"):
        again.rebuild(["x"])
    again.close()


def test_a_batch_that_fails_changes_nothing_and_runs_again(journal, projections, monkeypatch):
    fill(journal, 10)
    projections.catch_up()
    fill(journal, 10)

    def fail(*_arguments):
        raise sqlite3.OperationalError("disk I/O error")

    projector = projections._projectors[3]
    with monkeypatch.context() as patched:
        patched.setattr(projector, "apply", fail)
        with pytest.raises(MuninnError):
            projections.catch_up()
    projections.catch_up()
    assert all(one.same for one in projections.rebuild())


def test_a_damaged_file_is_built_again(journal, projections, embedder, folder):
    fill(journal, 10)
    projections.catch_up()
    projections.close()
    for suffix in ("-wal", "-shm"):
        (folder / f"projections.db{suffix}").unlink(missing_ok=True)
    (folder / "projections.db").write_bytes(b"no database at all" * 1000)
    again = Projections(journal, embedder)
    try:
        again.catch_up()
    except MuninnError:
        again.catch_up()
    assert {one.lag for one in again.status()} == {0}
    again.close()


def test_a_damaged_page_that_only_queries_read_is_built_again(journal, projections, embedder, folder):
    fill(journal, 10)
    expected = rows(projections, "memory_facts")
    projections.close()
    path = folder / "projections.db"
    connection = sqlite3.connect(path)
    ((page,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'memory_facts'").fetchall()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    again = Projections(journal, embedder)
    with pytest.raises(StorageError, match="is damaged"):
        rows(again, "memory_facts")
    assert rows(again, "memory_facts") == expected
    again.close()


def test_a_file_of_another_version_is_made_anew(journal, embedder, folder):
    connection = sqlite3.connect(folder / "projections.db")
    connection.executescript(
        "CREATE TABLE postings(key); CREATE TABLE projection_offsets(name); PRAGMA user_version = 1"
    )
    connection.close()
    fill(journal, 5)
    one = Projections(journal, embedder)
    assert len(rows(one, "memory_facts")) == 1
    assert one.rows("SELECT name FROM sqlite_master WHERE name = 'postings'") == []
    one.close()


def test_fields_of_a_redacted_payload_leave_the_index_and_its_columns_stay(journal, projections):
    events = [journal.append(draft({"door": f"d{number}"}, trace_id=f"t{number}")).event for number in range(3)]
    find = Search(journal, projections)
    kept, gone = field_key("payload.door", "d0"), field_key("payload.door", "d1")
    words = "SELECT term FROM fields_vocabulary WHERE term IN (?, ?)"
    projections.catch_up()
    assert len(projections.rows(words, (kept, gone))) == 2
    journal.redact(events[1].event_id)
    journal.tombstone(events[2].event_id)
    projections.catch_up()
    assert projections.rows(words, (kept, gone)) == [(kept,)]
    assert [event.position for event in find.recent(Filter(where={"trace_id": "t1"}), 5)] == [2]
    assert find.recent(Filter(where={"payload.door": "d2"}), 5) == []
    assert all(one.same for one in projections.rebuild())


def test_an_event_that_passes_a_filter_is_found_by_words_however_many_others_match_better(journal, projections):
    wanted = journal.append(draft({"text": "pump " + "filler " * 200}, session_id="mine")).event
    others = [journal.prepare(draft({"text": "pump"}, session_id="others")) for _ in range(2_100)]
    journal.writer.run(lambda transaction: [journal.add(transaction, one) for one in others])
    (hit,) = Search(journal, projections).find("pump", Filter(where={"session_id": "mine"}), 5)
    assert (hit.event.event_id, hit.words) == (wanted.event_id, 1)


def test_packed_vectors_keep_directions(embedder):
    vectors = embedder.embed(["where sessions are stored", "sessions live in Redis", "a banana cake", ""])
    rows = unpack(pack(vectors), embedder.dim)
    assert (rows.dtype, rows.shape) == (np.int8, (4, embedder.dim))
    assert not rows[3].any()
    lengths = np.linalg.norm(rows[:3].astype(float), axis=1)
    cosines = (rows[:3].astype(float) * vectors[:3]).sum(axis=1) / lengths
    assert (cosines > 0.97).all(), cosines


def test_a_process_that_does_not_write_the_journal_reads_what_is_there(journal, projections, embedder, folder, clock):
    fill(journal, 5)
    projections.catch_up()
    other = open_journal(folder, clock)
    reading = Projections(other, embedder)
    try:
        assert reading.catch_up() == 5
        assert len(reading.rows("SELECT * FROM memory_facts")) == 1
        with pytest.raises(MuninnError, match="another process"):
            reading.rebuild()
    finally:
        reading.close()
        other.close()


def test_a_close_while_the_thread_wakes_ends_it(journal, embedder, monkeypatch):
    one = Projections(journal, embedder)
    clear = one._wake.clear

    def clear_after_a_close():
        one._closing.set()
        one._wake.set()
        clear()

    monkeypatch.setattr(one._wake, "clear", clear_after_a_close)
    one._wake.set()
    one._thread.join(PATIENCE)
    assert not one.alive
    one.close()


@pytest.mark.parametrize("remove", ["tombstone", "redact"])
def test_the_tables_are_built_again_after_retention_removed_what_a_later_event_deletes(
    journal, clock, projections, remove
):
    event = journal.append(draft({"text": "The port is 5432."}, event_type="fact")).event
    clock.forward(days=40)
    getattr(journal, remove)(event.event_id)
    journal.append(draft({"text": "The host is db."}, event_type="fact"))
    seal_months(journal, "2026-04")
    assert len(drop_sealed(journal, "2026-04-01")) == 1
    projections.rebuild()
    assert rows(projections, "memory_facts", "text") == [("The host is db.",)]
    assert projections.failure == ""
