"""The chain shows the first event that was changed, dropped or moved; redaction and sealing keep it provable."""

from __future__ import annotations

import gzip
import json
import os
import threading

import pytest
from journals import draft, open_journal, tamper

from muninn_core.errors import BadParams, StorageError, UsageError
from muninn_core.journal import sealing
from muninn_core.journal.payload import INLINE_BYTES
from muninn_core.journal.row import row_of
from muninn_core.journal.sealed import read_sealed
from muninn_core.journal.sealing import drop_sealed, month_before, seal_months

SWAP = (
    "UPDATE raw_events SET position = -3 WHERE position = 3",
    "UPDATE raw_events SET position = 3 WHERE position = 4",
    "UPDATE raw_events SET position = 4 WHERE position = -3",
)


@pytest.mark.parametrize(
    ("statements", "kind", "position"),
    [
        (['UPDATE raw_events SET payload_json = \'{"text":"y"}\' WHERE position = 3'], "changed", 3),
        (["UPDATE raw_events SET actor = 'other' WHERE position = 4"], "changed", 4),
        (["UPDATE raw_events SET hash = zeroblob(32) WHERE position = 6"], "changed", 6),
        (["DELETE FROM raw_events WHERE position = 2"], "dropped", 2),
        (["DELETE FROM raw_events WHERE position > 4"], "truncated", 5),
        (["UPDATE raw_events SET payload_json = '', stored = 'redacted' WHERE position = 5"], "blanked", 5),
        (SWAP, "moved", 3),
    ],
)
def test_verification_names_the_first_broken_place(journal, folder, statements, kind, position):
    for number in range(6):
        journal.append(draft({"text": "x", "n": number}))
    assert journal.verify().broken is None
    journal.close()
    tamper(folder, *statements)
    again = open_journal(folder)
    broken = again.verify().broken
    again.close()
    assert (broken.kind, broken.position) == (kind, position)


def test_redaction_blanks_the_payload_everywhere_and_verification_passes_and_reports_it(journal, folder):
    kept = journal.append(draft({"text": "plain"})).event
    event = journal.append(draft({"text": "confidential-word"}, idempotency_key="k")).event
    journal.append(draft())
    journal.redact(event.event_id, "asked to")
    after = journal.event(event.event_id)
    assert (after.payload, after.stored) == (None, "redacted")
    assert (after.event_id, after.stream_seq, after.payload_hash, after.hash, after.idempotency_key) == (
        event.event_id, event.stream_seq, event.payload_hash, event.hash, "k",
    )  # fmt: skip
    verification = journal.verify()
    assert (verification.broken, verification.redacted, verification.events) == (None, (event.event_id,), 4)
    assert all(b"confidential-word" not in path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert journal.event(kept.event_id) == kept
    assert journal.append(draft({"text": "confidential-word"}, idempotency_key="k")).duplicate
    with pytest.raises(UsageError, match="redacted already"):
        journal.redact(event.event_id)


def test_redaction_removes_the_file_of_a_long_payload_that_no_other_event_has(journal, folder):
    first, second = (journal.append(draft({"text": "w" * INLINE_BYTES})).event for _ in range(2))
    journal.redact(first.event_id)
    assert journal.event(second.event_id).payload == second.payload
    journal.redact(second.event_id)
    assert not [path for path in (folder / "payloads").rglob("*") if path.is_file()]
    assert journal.verify().broken is None


def test_a_long_payload_that_is_redacted_stays_erased_when_it_is_sent_again(journal, folder):
    again = draft({"text": "w" * INLINE_BYTES}, idempotency_key="k")
    journal.redact(journal.append(again).event.event_id)
    assert journal.append(again).duplicate
    assert not [path for path in (folder / "payloads").rglob("*") if path.is_file()]


def test_a_replay_gives_the_same_bytes_each_time(journal, clock):
    for number in range(4):
        journal.append(draft({"n": number}, stream_id=f"stream-{number % 2}"))
        clock.forward(hours=1)
    whole = [line for _, line in journal.replay()]
    assert [line for _, line in journal.replay()] == whole
    assert len(whole) == 4
    assert [p for p, _ in journal.replay(stream="stream-1")] == [2, 4]
    assert [p for p, _ in journal.replay(since="2026-03-01T13:00:00Z", until="2026-03-01T15:00:00Z")] == [2, 3]
    assert [p for p, _ in journal.replay(after=2)] == [3, 4]
    with pytest.raises(BadParams, match="'since'"):
        list(journal.replay(since="soon"))


@pytest.fixture
def sealed(journal, clock):
    """A journal with three months, two of them sealed, and its replay before that."""
    for number in range(9):
        journal.append(
            draft(
                {"n": number, "long": "v" * (INLINE_BYTES if number == 1 else 1)},
                stream_id="main",
                idempotency_key=f"k{number}",
            )
        )
        clock.forward(days=10)
    before = [line for _, line in journal.replay()]
    assert [(one.first, one.last) for one in seal_months(journal, "2026-05")] == [(1, 4), (5, 7)]
    return journal, before


def test_sealed_months_are_read_like_live_ones(sealed, folder):
    journal, before = sealed
    assert sorted(path.name for path in (folder / "sealed").iterdir()) == [
        "events-2026-03.jsonl.gz",
        "events-2026-04.jsonl.gz",
    ]
    assert [line for _, line in journal.replay()] == before
    assert [line for _, line in journal.replay(stream="main")] == before
    assert [row.position for row in journal.rows_newest_first()] == list(range(9, 0, -1))
    assert journal.event(journal.events([2])[0].event_id).payload["n"] == 1
    assert journal.append(draft({"n": 0, "long": "v"}, stream_id="main", idempotency_key="k0")).duplicate
    assert journal.append(draft(stream_id="main")).event.stream_seq == 10
    assert journal.verify().broken is None
    assert seal_months(journal, "2026-05") == []


def test_a_stream_continues_after_all_its_events_are_sealed(sealed, clock):
    journal, _ = sealed
    seal_months(journal, "2027-01")
    assert journal.append(draft(stream_id="main")).event.stream_seq == 10
    assert journal.verify().broken is None


def _delete(journal, count):
    """Remove the first events of the database, as an interrupted sealing does."""
    statement = "DELETE FROM raw_events WHERE position <= ?"
    if count:
        journal.writer.run(lambda transaction: transaction.connection.execute(statement, (count,)) and None)
        raise StopIteration


def test_a_crash_between_sealing_and_deletion_doubles_no_event(journal, clock, monkeypatch):
    for number in range(5):
        journal.append(draft({"n": number}, idempotency_key=f"k{number}"))
    clock.forward(days=40)
    last = journal.append(draft({"n": 5})).event
    before = list(journal.replay()), list(journal.replay(stream="session:s1"))
    slices = iter((0, 2))  # none at the start, then two events, then the crash
    with monkeypatch.context() as patched:
        patched.setattr(sealing, "_delete_sealed", lambda one: _delete(one, next(slices)))
        with pytest.raises(StopIteration):
            seal_months(journal, "2026-04")
    assert (list(journal.replay()), list(journal.replay(stream="session:s1"))) == before
    assert journal.append(draft({"n": 2}, idempotency_key="k2")).duplicate
    assert journal.verify().broken is None
    assert seal_months(journal, "2026-04") == []
    with journal.connections.one() as connection:
        assert connection.execute("SELECT position FROM raw_events").fetchall() == [(last.position,)]
    assert (list(journal.replay()), list(journal.replay(stream="session:s1"))) == before


def test_months_are_counted_back_over_years(clock):
    assert [month_before(clock(), months) for months in (0, 2, 3, 15)] == ["2026-03", "2026-01", "2025-12", "2024-12"]


def test_an_event_of_a_sealed_month_can_be_redacted(sealed, folder):
    journal, _ = sealed
    event = journal.events([3])[0]
    journal.redact(event.event_id)
    assert journal.event(event.event_id).payload is None
    assert journal.verify().redacted == (event.event_id,)
    assert b'"n":2' not in gzip.decompress((folder / "sealed/events-2026-03.jsonl.gz").read_bytes())


def test_an_event_that_is_redacted_while_its_month_is_sealed_is_in_no_file(journal, clock, folder, monkeypatch):
    event = journal.append(draft({"text": "confidential-word"})).event
    clock.forward(days=40)
    redaction = threading.Thread(target=journal.redact, args=(event.event_id,))

    def read_in_between(path):
        if redaction.ident is None:
            redaction.start()
            redaction.join(0.5)
        return read_sealed(path)

    monkeypatch.setattr(sealing, "read_sealed", read_in_between)
    seal_months(journal, "2026-04")
    redaction.join()
    assert journal.event(event.event_id).stored == "redacted"
    assert b"confidential" not in gzip.decompress((folder / "sealed/events-2026-03.jsonl.gz").read_bytes())
    assert journal.verify().broken is None


def test_no_file_of_an_interrupted_seal_or_removal_keeps_a_payload(journal, clock, folder, monkeypatch):
    event = journal.append(draft({"text": "confidential-word"})).event
    clock.forward(days=40)
    with monkeypatch.context() as patched:
        patched.setattr(sealing, "_record", lambda *_: 1 / 0)  # as a crash: the file is not recorded
        with pytest.raises(ZeroDivisionError):
            seal_months(journal, "2026-04")
    seal_months(journal, "2026-04")
    journal.redact(event.event_id)
    (path,) = (folder / "sealed").iterdir()
    assert b"confidential" not in gzip.decompress(path.read_bytes())
    before = path.read_bytes()
    assert drop_sealed(journal, "2026-05-01") == ["sealed/events-2026-03.jsonl.gz"]
    path.write_bytes(before)  # as a crash: recorded as removed, and still there
    assert drop_sealed(journal, "2026-05-01") == []
    assert list((folder / "sealed").iterdir()) == []
    assert journal.verify().broken is None


def test_retention_removes_sealed_months_and_the_chain_stays_provable(sealed):
    journal, before = sealed
    assert drop_sealed(journal, "2026-04-01") == ["sealed/events-2026-03.jsonl.gz"]
    verification = journal.verify()
    assert (verification.broken, verification.removed, verification.events) == (None, 4, 5)
    assert [line for _, line in journal.replay()] == before[4:]


def test_a_changed_or_lost_sealed_file_is_found(sealed, folder):
    journal, _ = sealed
    path = folder / "sealed/events-2026-04.jsonl.gz"
    content = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(content.replace(b'"n":5', b'"n":6')))
    assert (journal.verify().broken.kind, journal.verify().broken.position) == ("changed", 6)
    path.write_bytes(gzip.compress(content)[:-20])
    assert journal.verify().broken.kind == "unreadable"
    path.unlink()
    assert journal.verify().broken.kind == "unreadable"


def test_a_month_that_is_none_is_refused(journal):
    with pytest.raises(BadParams, match="'2026-13' is not a month"):
        seal_months(journal, "2026-13")


def test_a_scan_during_a_seal_misses_nothing(journal, clock):
    for number in range(4):
        journal.append(draft({"n": number}))
        clock.forward(days=20)
    missed, over = [], threading.Event()

    def read():
        while not over.is_set():
            forward, back = ([row.position for row in rows] for rows in (journal.rows(), journal.rows_newest_first()))
            if forward != list(range(1, len(forward) + 1)) or back != forward[::-1][-len(back) :]:
                missed.append((forward, back))
            missed.extend(number for number in (1, 2) if [e.position for e in journal.events([number])] != [number])

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for month in ("2026-04", "2026-05", "2026-06"):
        seal_months(journal, month)
    over.set()
    for thread in threads:
        thread.join()
    assert missed == []


@pytest.mark.parametrize("line", [b"1", b'"text"', b"[]", b"null", b"{}"])
def test_a_line_that_is_no_event_is_a_damaged_file_and_no_bug(line, tmp_path):
    path = tmp_path / "events-2026-01.jsonl.gz"
    head = b'{"format": 1, "previous": "' + b"0" * 64 + b'"}\n'
    for content in (head + line + b"\n", line + b"\n"):
        path.write_bytes(gzip.compress(content))
        with pytest.raises(StorageError, match="can't be read"):
            list(read_sealed(path))


@pytest.mark.parametrize("broken", [b"[" * 5_000 + b"]" * 5_000, None])
def test_a_file_that_is_nested_too_deeply_or_has_wrong_bytes_is_damaged(broken, tmp_path):
    path = tmp_path / "events-2026-01.jsonl.gz"
    packed = bytearray(gzip.compress(broken or os.urandom(5_000)))
    if broken is None:
        packed[10:40] = b"\xff" * 30
    path.write_bytes(packed)
    with pytest.raises(StorageError, match="can't be read"):
        list(read_sealed(path))


def test_a_value_of_another_type_is_no_event(journal):
    journal.append(draft(1))
    line = json.loads(next(iter(journal.replay()))[1])
    assert row_of(json.dumps(line).encode()).position == 1
    for name, wrong in (("position", "1"), ("stream_seq", 1.0), ("event_id", None), ("trace_id", 3)):
        with pytest.raises(ValueError, match="not an event"):
            row_of(json.dumps({**line, name: wrong}).encode())


def test_a_key_is_used_again_after_its_month_was_removed(sealed, clock):
    journal, _ = sealed
    drop_sealed(journal, "2026-05-01")
    again = journal.append(draft({"n": 100}, stream_id="main", idempotency_key="k0"))
    assert not again.duplicate
    clock.forward(days=40)
    assert len(seal_months(journal, "2026-07")) > 0
    assert (
        journal.append(draft({"n": 100}, stream_id="main", idempotency_key="k0")).event.event_id == again.event.event_id
    )
    assert journal.verify().broken is None


def test_a_long_payload_that_is_redacted_while_it_is_recorded_again_is_kept_for_the_new_event(journal):
    payload = {"text": "x" * 100_000}
    first = journal.append(draft(payload)).event
    prepared = journal.prepare(draft(payload))
    journal.redact(first.event_id)
    row, _ = journal.writer.run(lambda transaction: journal.add(transaction, prepared))
    assert journal.event(row.event_id).payload == payload
    assert journal.event(first.event_id).payload is None
