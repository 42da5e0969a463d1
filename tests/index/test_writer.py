import sqlite3

import pytest
from states import answers, content, sync, write

from muninn_core.errors import StorageError
from muninn_core.index import writer
from muninn_core.index.extraction.extract import CHANGED, Job
from muninn_core.index.extraction.worker import receive
from muninn_core.index.extraction.workers import WorkerPool
from muninn_core.index.manifest.memory_text import MemoryText
from muninn_core.index.words.writer import Lexical


def test_a_full_disk_fails_one_change_and_the_next_one_makes_up_for_it(opened, root, embedder, monkeypatch):
    write(root, {"a.py": "session = 1\n"})
    index = opened()
    sync(index, root)
    before = answers(index, embedder, ["session", "ledger"])
    commit = Lexical.commit

    def full(self):
        raise StorageError("the word index can't be written: no space left")

    monkeypatch.setattr(Lexical, "commit", full)
    write(root, {"a.py": "ledger = 22\n"})
    with pytest.raises(StorageError, match="no space"):
        sync(index, root)
    assert answers(index, embedder, ["session", "ledger"]) == before
    monkeypatch.setattr(Lexical, "commit", commit)
    index.put_memories([MemoryText("m1", "unrelated")])
    snapshot = index.snapshot()
    assert snapshot.lexical(["session"], 5) == []
    assert len(snapshot.lexical(["ledger"], 5)) == 1
    assert len(snapshot.dense(embedder.embed_query("ledger"), 5, "code")) == 1
    index.compact()
    fresh = opened("fresh")
    sync(fresh, root)
    fresh.put_memories([MemoryText("m1", "unrelated")])
    assert content(index) == content(fresh)
    assert answers(index, embedder, ["session", "ledger"]) == answers(fresh, embedder, ["session", "ledger"])


class Failing:
    """A connection to a disk that fails at each checkpoint."""

    def __init__(self, connection):
        self._connection = connection

    def __getattr__(self, name):
        return getattr(self._connection, name)

    def execute(self, sql, *parameters):
        if "wal_checkpoint" in sql:
            raise sqlite3.OperationalError("disk I/O error")
        return self._connection.execute(sql, *parameters)


def test_a_disk_that_fails_at_a_checkpoint_is_a_failure_of_the_index(opened, root, monkeypatch):
    index = opened()
    sync(index, root)
    manifest = index._writer._manifest
    monkeypatch.setattr(manifest, "connection", Failing(manifest.connection))
    with pytest.raises(StorageError, match="disk I/O error"):
        index.scrub()
    with pytest.raises(StorageError, match="disk I/O error"):
        manifest.empty_log()


def test_the_write_ahead_log_starts_over_though_there_is_always_a_reader(opened, root, tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "_WAL_PAGES", 50)
    index = opened()
    log = tmp_path / "cache" / "state.sqlite-wal"
    sizes = []
    for step in range(40):
        write(root, {"a.md": f"# Step {step}\n\n" + "text of it " * 1_500})
        index.apply(root, ["a.md"], [])
        sizes.append(log.stat().st_size)
    # The file keeps the size of its largest use; what counts is that it stops growing.
    assert sizes[-1] == sizes[20]
    assert sizes[-1] < 2_000_000


def test_a_worker_that_dies_costs_no_file(tmp_path, embedder):
    write(tmp_path, {f"{n}.py": f"value = {n}\n" for n in range(4)})
    jobs = [Job(str(tmp_path), 1000, ((f"{n}.py", None),)) for n in range(4)]
    found = []
    with WorkerPool(1, embedder) as crew:
        for part in crew.extract(jobs):
            found += part
            crew._workers[-1].kill()
    assert [(one.path, one.outcome) for one in found] == [(f"{n}.py", CHANGED) for n in range(4)]
    assert all(one.syntax.definitions for one in found)


def test_no_worker_is_left_when_the_crew_leaves(tmp_path, embedder):
    write(tmp_path, {"a.py": "x = 1\n"})
    with WorkerPool(2, embedder) as crew:
        list(crew.extract([Job(str(tmp_path), 1000, (("a.py", None),))] * 4))
        workers = list(crew._workers)
    assert workers
    assert all(worker.returncode == 0 for worker in workers)


def test_a_message_that_was_cut_off_is_the_end(tmp_path):
    (tmp_path / "stream").write_bytes((100).to_bytes(8, "little") + b"half")
    with (tmp_path / "stream").open("rb") as stream:
        assert receive(stream) is None
