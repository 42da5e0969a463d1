"""What was acknowledged is there after a kill and after a full disk, once, and the chain verifies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from journals import open_journal

WRITERS = """
import itertools, os, sys, threading
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from datetime import UTC, datetime
from journals import draft
from muninn_core.journal.journal import Journal
from muninn_core.store.records.ids import UlidGenerator

clock = lambda: datetime.now(UTC)
journal = Journal(Path(sys.argv[1]), clock=clock, new_id=UlidGenerator(clock, os.urandom))
def write(name):
    for number in itertools.count():
        done = journal.append(draft({"n": number}, stream_id=name, idempotency_key=f"{os.getpid()}-{name}-{number}"))
        os.write(1, f"{done.event.event_id}\\n".encode())
threads = [threading.Thread(target=write, args=(f"w{n}",)) for n in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""

FULL_DISK = """
import os, resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from journals import draft, open_journal
from muninn_core.errors import StorageError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
for _ in range(2):  # a journal that could not be created is no journal of another process
    try:
        open_journal(Path(sys.argv[1]))
    except StorageError as error:
        assert "another process" not in str(error), error
    else:
        raise AssertionError("a journal without room was opened")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
journal = open_journal(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, resource.RLIM_INFINITY))
stored, refused = [], 0
for number in range(400):
    try:
        stored.append(journal.append(draft({"n": number, "text": os.urandom(100).hex()})).event.event_id)
    except StorageError as error:
        refused += 1
        assert error.hint, error
        if refused == 5:
            break
assert refused == 5 and len(stored) > 20, (refused, len(stored))
assert journal.event(stored[0]).payload["n"] == 0
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
stored.append(journal.append(draft({"n": -1})).event.event_id)
assert journal.verify().broken is None, journal.verify()
assert [row.event_id for row in journal.rows()] == stored
journal.close()
print("held")
"""

HERE = str(Path(__file__).parent)


def test_acknowledged_events_survive_kills_of_eight_writers(tmp_path):
    folder = tmp_path / "journal"
    acknowledged: list[str] = []
    for _ in range(5):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITERS, str(folder), HERE], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
        )
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(60)]
        killer = threading.Thread(target=os.kill, args=(child.pid, signal.SIGKILL))
        killer.start()
        rest = child.stdout.read()
        killer.join()
        assert child.wait() == -signal.SIGKILL
        child.stdout.close()
        whole = b"".join(lines) + rest[: rest.rfind(b"\n") + 1]
        acknowledged += whole.decode().split()
    journal = open_journal(folder)
    try:
        rows = list(journal.rows())
        assert len(acknowledged) >= 300
        assert len({row.event_id for row in rows}) == len(rows)
        assert set(acknowledged) <= {row.event_id for row in rows}
        assert len({row.idempotency_key for row in rows}) == len(rows)
        assert journal.verify().broken is None
    finally:
        journal.close()


def test_a_full_disk_refuses_events_and_loses_none(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path / "journal"), HERE],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "held\n"), done.stderr
