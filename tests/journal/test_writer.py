"""The writer runs operations in the order of their arrival, and an error concerns its own operation only."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

import pytest
from journals import Clock, draft, open_journal

from muninn_core.errors import Stopping, StorageError, UsageError
from muninn_core.journal.database import WAL_PAGES, reserve_log
from muninn_core.journal.writer import MAX_CACHED_ROWS, Refused


class Held:
    """An operation that stays in its transaction until it is released, and the threads that wait behind it."""

    def __init__(self, journal) -> None:
        self.journal = journal
        self.began, self.go = threading.Event(), threading.Event()
        self.outcomes: dict[str, object] = {}
        self.threads: list[threading.Thread] = []
        self.start("held", self._hold)
        assert self.began.wait(300)

    def _hold(self, _transaction) -> str:
        self.began.set()
        assert self.go.wait(300)
        return "first"

    def start(self, name, operation, outside=False) -> None:
        run = self.journal.writer.run_outside if outside else self.journal.writer.run

        def call() -> None:
            try:
                self.outcomes[name] = run(operation)
            except Exception as error:
                self.outcomes[name] = error

        thread = threading.Thread(target=call)
        thread.start()
        self.threads.append(thread)
        while len(self.journal.writer._waiting) < len(self.threads):
            time.sleep(0)  # until it waits: the first operation is held, so none ends

    def release(self) -> dict[str, object]:
        self.go.set()
        for thread in self.threads:
            thread.join(300)
        return self.outcomes


def test_operations_that_wait_share_a_transaction_and_each_gets_its_own_outcome(journal):
    held = Held(journal)

    def refused(_transaction):
        raise UsageError("no", hint="Nothing was recorded.")

    prepared = [journal.prepare(draft({"n": number})) for number in range(3)]
    held.start("a", lambda transaction: journal.add(transaction, prepared[0])[0].position)
    held.start("b", refused)
    held.start("c", lambda transaction: journal.add(transaction, prepared[1])[0].position)
    held.start("d", lambda connection: connection.in_transaction, outside=True)
    held.start("e", lambda transaction: journal.add(transaction, prepared[2])[0].position)
    outcomes = held.release()
    assert isinstance(outcomes.pop("b"), UsageError)
    assert outcomes == {"held": "first", "a": 1, "c": 2, "d": False, "e": 3}


def test_a_listener_that_fails_holds_up_neither_operations_nor_other_listeners(journal):
    seen: list[int] = []

    def broken(_position):
        raise OSError("broken")

    journal.on_commit(broken)
    journal.on_commit(seen.append)
    held = Held(journal)
    prepared = [journal.prepare(draft({"n": number})) for number in range(2)]
    add = [lambda transaction, one=one: journal.add(transaction, one)[0].position for one in prepared]
    held.start("a", add[0])
    held.start("outside", lambda connection: connection.in_transaction, outside=True)
    held.start("b", add[1])
    assert held.release() == {"held": "first", "a": 1, "outside": False, "b": 2}
    assert seen == [1, 2]


def test_an_unexpected_error_rolls_back_its_own_operation_only(journal):
    held = Held(journal)
    prepared = [journal.prepare(draft({"n": number})) for number in range(2)]

    def broken(transaction):
        journal.add(transaction, prepared[0])
        raise sqlite3.OperationalError("broken")

    held.start("bad", broken)
    held.start("good", lambda transaction: journal.add(transaction, prepared[1])[0].position)
    outcomes = held.release()
    assert isinstance(outcomes["bad"], StorageError)
    assert outcomes["good"] == 1
    assert [row.payload_json for row in journal.rows()] == ['{"n":1}']
    assert journal.verify().broken is None


def test_a_refused_operation_is_rolled_back(journal):
    held = Held(journal)
    prepared = [journal.prepare(draft({"n": number})) for number in range(3)]

    def half(transaction):
        journal.add(transaction, prepared[0])
        raise UsageError("no", hint="Nothing was recorded.")

    held.start("before", lambda transaction: journal.add(transaction, prepared[1])[0].position)
    held.start("half", half)
    held.start("after", lambda transaction: journal.add(transaction, prepared[2])[0].position)
    outcomes = held.release()
    assert isinstance(outcomes.pop("half"), UsageError)
    assert outcomes == {"held": "first", "before": 1, "after": 2}
    assert [row.payload_json for row in journal.rows()] == ['{"n":1}', '{"n":2}']
    assert journal.verify().broken is None


def test_operations_that_are_given_together_share_a_transaction(journal):
    held = Held(journal)
    commits: list[int] = []
    journal.on_commit(commits.append)
    prepared = [journal.prepare(draft({"n": number})) for number in range(4)]

    def adding(number):
        return lambda transaction: journal.add(transaction, prepared[number])[0].position

    def half(transaction):
        journal.add(transaction, prepared[3])
        raise UsageError("no", hint="Nothing was recorded.")

    def refused(_transaction):
        return Refused(UsageError("refused", hint="Nothing was recorded."))

    outcomes: list[object] = []
    given = [adding(0), refused, adding(1)]
    together = threading.Thread(target=lambda: outcomes.extend(journal.writer.run_all(given)))
    together.start()
    held.threads.append(together)
    while len(journal.writer._waiting) < 1 + len(given):
        time.sleep(0)
    assert held.release() == {"held": "first"}
    assert (outcomes[0], outcomes[2]) == (1, 2)
    assert isinstance(outcomes[1], UsageError)
    assert commits == [2]
    found = journal.writer.run_all([adding(2), half])
    assert (found[0], type(found[1])) == (3, UsageError)
    assert journal.verify().broken is None


def test_the_newest_events_come_from_memory_until_one_is_redacted_or_deleted(journal):
    def add(number):
        return journal.append(draft({"n": number})).event

    events = [add(number) for number in range(3)]
    assert journal.newest(1, 3) == list(journal.rows(1, 3)) == journal.following(1, 9, 3)
    assert journal.newest(1, 4) is None
    journal.redact(events[1].event_id)
    assert journal.newest(1, 1) is None
    assert [row.stored for row in journal.following(1, 3, 9)] == ["inline", "redacted", "inline"]
    journal.tombstone(add(4).event_id)
    assert journal.newest(5, 5) is None
    last = add(5).position
    assert journal.newest(last, last) == list(journal.rows(last, last))
    for number in range(MAX_CACHED_ROWS):
        add(number)
    assert journal.newest(last, last) is None
    assert len(journal.newest(last + 1, last + MAX_CACHED_ROWS)) == MAX_CACHED_ROWS


def test_closing_waits_for_the_operations_that_were_accepted(journal):
    held = Held(journal)
    prepared = journal.prepare(draft())
    held.start("late", lambda transaction: journal.add(transaction, prepared)[0].position)
    writer = journal.writer
    closing = threading.Thread(target=journal.close)
    closing.start()
    assert held.release() == {"held": "first", "late": 1}
    closing.join(300)
    with pytest.raises(Stopping):
        writer.run(lambda _transaction: None)


def test_the_log_is_reserved_and_zeros_behind_its_frames_are_no_events(folder: Path):
    journal = open_journal(folder)
    log = folder / "events.db-wal"
    assert log.stat().st_size > WAL_PAGES * 4096
    for number in range(20):
        journal.append(draft({"n": number}))
    copy = folder.with_name("copy")
    copy.mkdir()
    for name in ("events.db", "events.db-wal"):  # what a crash leaves
        (copy / name).write_bytes((folder / name).read_bytes())
    journal.close()
    reserve_log(copy / "events.db")
    later = Clock()
    later.forward(days=1)
    again = open_journal(copy, later)
    assert [row.position for row in again.rows()] == list(range(1, 21))
    assert again.append(draft()).event.position == 21
    again.close()
