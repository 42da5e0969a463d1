"""An event is recorded once, in order, as it was given, and never changes."""

from __future__ import annotations

import sqlite3
import stat
import threading

import pytest
from journals import Clock, draft, open_journal

from muninn_core.errors import BadParams, BusyError, NotFoundError, StorageError, UsageError
from muninn_core.journal.payload import INLINE_BYTES, MAX_BYTES, MAX_DEPTH, canonical


def test_an_event_has_the_fields_that_its_author_gave_and_the_sequence_of_its_stream(journal):
    first = journal.append(draft({"b": 1, "a": [True, None, 2.5, "é"]}, turn_id="t1", trace_id="trace")).event
    second = journal.append(draft(turn_id="t1")).event
    other = journal.append(draft(stream_id="build")).event
    assert (first.position, second.position, other.position) == (1, 2, 3)
    assert [(e.stream_id, e.stream_seq) for e in (first, second, other)] == [
        ("turn:s1/t1", 1), ("turn:s1/t1", 2), ("build", 1),
    ]  # fmt: skip
    assert first.payload == {"a": [True, None, 2.5, "é"], "b": 1}
    assert (first.trace_id, first.idempotency_key, first.occurred_at) == ("trace", None, "2026-03-01T12:00:00.000Z")
    assert journal.event(first.event_id) == first


def test_projects_have_streams_and_keys_of_their_own(journal):
    mine = journal.append(draft(stream_id="main", idempotency_key="k")).event
    yours = journal.append(draft({"text": "y"}, stream_id="main", idempotency_key="k", project_id="q")).event
    assert (mine.stream_seq, yours.stream_seq) == (1, 1)


def test_the_same_key_and_payload_give_the_first_answer(journal):
    first = journal.append(draft({"n": 1, "m": 2}, idempotency_key="k"))
    again = journal.append(draft({"m": 2, "n": 1}, idempotency_key="k"))
    assert (first.duplicate, again.duplicate, again.event) == (False, True, first.event)
    assert journal.position == 1


def test_the_same_key_and_another_payload_is_an_error_that_names_both(journal):
    first = journal.append(draft({"n": 1}, idempotency_key="k")).event
    with pytest.raises(UsageError, match=f"'k' was used for event {first.event_id}") as error:
        journal.append(draft({"n": 2}, idempotency_key="k"))
    assert error.value.data["recorded"] == first.payload_hash != error.value.data["given"]
    assert journal.position == 1


def test_an_event_out_of_order_is_refused_with_the_next_sequence(journal):
    journal.append(draft(stream_id="main", stream_seq=1))
    for given in (1, 3):
        with pytest.raises(UsageError, match=f"has sequence 2, not {given}"):
            journal.append(draft(stream_id="main", stream_seq=given))
    assert journal.append(draft(stream_id="main", stream_seq=2)).event.stream_seq == 2


def test_the_journal_clock_does_not_go_back(journal, clock):
    journal.append(draft())
    clock.forward(days=-3)
    event = journal.append(draft()).event
    assert event.occurred_at == "2026-02-26T12:00:00.000Z"
    assert event.recorded_at == "2026-03-01T12:00:00.000Z"
    assert journal.verify().broken is None


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ({"a": [1.0, float("nan")]}, r"payload\.a\[1\] is nan"),
        ({"a": float("-inf")}, "is -inf"),
        ({"a": {"b": "x\ud800"}}, r"payload\.a\.b has a lone surrogate"),
        ({"\udc00": 1}, "a key of payload has a lone surrogate"),
        ({"a": {1: 2}}, r"payload\.a has the key 1"),
        ({"a": b"bytes"}, r"payload\.a is a bytes"),
    ],
)
def test_values_that_json_cannot_hold_are_refused_with_their_path(journal, payload, said):
    with pytest.raises(BadParams, match=said):
        journal.append(draft(payload))
    assert journal.position == 0


def test_a_payload_that_is_nested_too_deeply_is_refused(journal):
    payload = "x"
    for _ in range(MAX_DEPTH):
        payload = [payload]
    journal.append(draft(payload))
    for depth in (1, 5000):
        for _ in range(depth):
            payload = [payload]
        with pytest.raises(BadParams, match=f"deeper than the limit of {MAX_DEPTH}"):
            journal.append(draft(payload))


def test_a_payload_of_50_mb_is_refused_with_the_limit_named(journal, folder):
    with pytest.raises(BadParams, match=f"the limit of {MAX_BYTES:,} bytes") as error:
        journal.append(draft({"text": "x" * 50_000_000}))
    assert error.value.data == {"limit": MAX_BYTES, "bytes": 50_000_011}
    assert not (folder / "payloads").exists()


def test_a_long_payload_has_a_file_that_its_content_names(journal, folder):
    payload = {"text": "y" * INLINE_BYTES}
    first = journal.append(draft(payload)).event
    journal.append(draft(payload))
    (file,) = [path for path in (folder / "payloads").rglob("*") if path.is_file()]
    assert (file.name, file.read_bytes()) == (first.payload_hash, canonical(payload))
    assert journal.event(first.event_id).payload == payload
    assert journal.verify().broken is None
    for damaged in (b"", file.read_bytes()[:-1], b"\xff"):
        file.write_bytes(damaged)
        with pytest.raises(StorageError, match=f"{first.event_id} is damaged in {file}"):
            journal.event(first.event_id)
    file.unlink()
    with pytest.raises(StorageError, match="can't be read"):
        journal.event(first.event_id)
    assert journal.verify().broken.kind == "unreadable"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"event_type": "a b"}, "'a b' is not a type"),
        ({"event_type": "../../secrets"}, "is not a type"),
        ({"event_type": "muninn.redacted"}, "reserved"),
        ({"session_id": "a\nb"}, "'session_id' has"),
        ({"trace_id": "x" * 201}, "'trace_id' has more"),
        ({"event_version": 0}, "'event_version' can't be 0"),
        ({"occurred_at": "yesterday"}, "'occurred_at'"),
    ],
)
def test_a_bad_field_is_named(journal, fields, said):
    with pytest.raises(BadParams, match=said):
        journal.append(draft(**fields))
    assert journal.position == 0


def test_secrets_are_masked_before_anything_is_written(journal, folder):
    token = "gh" + "p_" + "A1b2" * 9
    done = journal.append(
        draft({"cmd": f"curl -H {token}", "long": "z" * INLINE_BYTES + " " + token, "own": "acme-77"}), ["acme-[0-9]+"]
    )
    assert done.masked == 3
    assert token not in str(done.event.payload)
    assert all(token.encode() not in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_files_are_private(journal, folder):
    journal.append(draft({"text": "x" * INLINE_BYTES}))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}
    assert set(modes.values()) == {0o600}, modes


def test_the_database_refuses_to_change_or_delete_an_event(journal, folder):
    event = journal.append(draft()).event
    connection = sqlite3.connect(folder / "events.db")
    for statement in (
        "UPDATE raw_events SET payload_json = '{}'",
        "UPDATE raw_events SET actor = 'other'",
        "UPDATE raw_events SET payload_json = '', stored = 'redacted'",
        "DELETE FROM raw_events",
        "INSERT OR REPLACE INTO raw_events SELECT * FROM raw_events",
    ):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)
    connection.close()
    assert journal.event(event.event_id) == event


def test_a_second_process_reads_and_does_not_write(journal, folder):
    event = journal.append(draft()).event
    later = Clock()
    later.forward(days=1)
    other = open_journal(folder, later)
    try:
        assert other.event(event.event_id) == event
        with pytest.raises(BusyError, match="another process"):
            other.append(draft())
        journal.close()
        assert other.append(draft()).event.position == 2
    finally:
        other.close()


def test_many_writers_lose_nothing_and_streams_have_no_gap(journal):
    def write(name):
        for number in range(20):
            journal.append(draft({"n": number}, stream_id=name, session_id=name))

    threads = [threading.Thread(target=write, args=(f"s{n % 4}",)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = list(journal.rows())
    assert [row.position for row in rows] == list(range(1, 241))
    for name in ("s0", "s1", "s2", "s3"):
        assert [row.stream_seq for row in rows if row.stream_id == name] == list(range(1, 61))
    assert journal.verify().events == 240


def test_an_unknown_event_is_an_error(journal):
    with pytest.raises(NotFoundError, match="no event 'x'"):
        journal.event("x")


def test_a_newer_journal_is_refused_and_unchanged(journal, folder):
    journal.close()
    connection = sqlite3.connect(folder / "events.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StorageError, match="format 99"):
        open_journal(folder)
