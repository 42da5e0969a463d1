import os
import random
import sqlite3
import threading

import numpy as np
import pytest
from fakes import FakeEmbedder
from repositories import PATIENCE
from states import answers, content, sync, write

from muninn_core.errors import BusyError, Cancelled, StorageError
from muninn_core.index import index as index_module
from muninn_core.index.extraction import jobs
from muninn_core.index.index import BULK
from muninn_core.index.manifest.memory_text import MemoryText
from muninn_core.index.opening import open_index
from muninn_core.index.read_only_index import index_facts
from muninn_core.index.writer import Writer

WORDS = [
    "session",
    "cache",
    "token",
    "retry",
    "queue",
    "parser",
    "socket",
    "widget",
    "ledger",
    "cursor",
    "index",
    "merge",
    "branch",
    "commit",
    "reader",
    "writer",
]
QUERIES = ["session cache", "getParserToken", "the ledger of commits", "retry"]


def source(random, size=40):
    lines = []
    for n in range(random.randrange(1, size)):
        a, b, c = (random.choice(WORDS) for _ in range(3))
        lines.append(f"def {a}_{b}_{n}({c}):\n    return {b}.{c}({a})\n\n")
    return "".join(lines)


def test_a_file_is_found_by_word_by_meaning_and_as_a_whole(opened, root, embedder):
    write(root, {"a.py": "def load_session(key):\n    return store[key]\n", "docs/b.md": "# Retries\n\nTry again.\n"})
    index = opened()
    changes = sync(index, root)
    snapshot = index.snapshot()
    (number, _), *_ = snapshot.lexical(["session"], 5)
    assert snapshot.chunks([number])[number].path == "a.py"
    (nearest, _), *_ = snapshot.dense(embedder.embed_query("session store"), 5)
    assert nearest == number
    assert [path for path, _ in snapshot.whole_files(["retry"], 5)] == ["docs/b.md"]
    assert snapshot.counts() == {"files": 2, "chunks": 2, "code": 1, "knowledge": 1, "memory": 0, "unembedded": 0}
    assert (changes.indexed, changes.removed) == (2, 0)


@pytest.fixture
def small_batches(monkeypatch):
    """Have a long run written in batches of a few chunks."""
    monkeypatch.setattr(index_module, "_FIRST_CHUNKS", 5)
    monkeypatch.setattr(index_module, "_MAX_CHUNKS", 5)
    monkeypatch.setattr(jobs, "_JOB_FILES", 5)


def test_a_run_says_that_it_is_done_when_all_is_written(opened, root, small_batches):
    write(root, {f"f{number}.py": f"cursor_{number} = {number}\n" for number in range(BULK + 30)})
    index = opened()
    told = []
    sync(index, root, progress=lambda done, total: told.append((done, total, index.snapshot().counts()["files"])))
    assert told[-1] == (BULK + 30, BULK + 30, BULK + 30)
    assert all(written <= done for done, _, written in told)
    assert len({written for _, _, written in told}) > 3  # what is written can be found while the rest is read


def test_a_write_error_during_reading_ends_the_run(opened, root, small_batches, monkeypatch):
    write(root, {f"f{number}.py": f"cursor_{number} = {number}\n" for number in range(BULK + 30)})
    index = opened()
    write_batch = Writer.write

    def failing(writer, batch):
        if any(one.path == "f3.py" for one in batch):
            raise StorageError("the disk is full")
        return write_batch(writer, batch)

    monkeypatch.setattr(Writer, "write", failing)
    with pytest.raises(StorageError, match="the disk is full"):
        sync(index, root)
    monkeypatch.undo()
    sync(index, root)
    assert index.snapshot().counts()["files"] == BULK + 30


def test_a_kind_filters_words_and_meaning(opened, root, embedder):
    write(root, {"a.py": "retry = 1\n", "b.md": "# Retry\n\nretry policy\n"})
    index = opened()
    sync(index, root)
    index.put_memories([MemoryText("m1", "we retry three times", extra="policy.py")])
    snapshot = index.snapshot()
    for kind, path in (("code", "a.py"), ("knowledge", "b.md"), ("memory", "m1")):
        for hits in (snapshot.lexical(["retry"], 9, kind), snapshot.dense(embedder.embed_query("retry"), 9, kind)):
            rows = snapshot.chunks([number for number, _ in hits])
            assert {(row.kind, row.path) for row in rows.values()} == {(kind, path)}
    assert len(snapshot.lexical(["retry"], 9)) == 3
    assert len(snapshot.dense(embedder.embed_query("retry"), 9)) == 3


def test_after_random_edits_the_index_equals_a_fresh_one(opened, root, embedder):
    chance = random.Random(7)
    index = opened()
    memories = {}
    for step in range(25):
        for _ in range(chance.randrange(1, 4)):
            path = root / f"{chance.choice('abc')}/{chance.randrange(6)}.{chance.choice(['py', 'md', 'go'])}"
            path.parent.mkdir(exist_ok=True)
            action = chance.random()
            if action < 0.25:
                path.unlink(missing_ok=True)
            elif action < 0.35:
                path.write_text("")
            else:
                path.write_text(source(chance))
                os.utime(path, ns=(step, step))
        key = f"m{chance.randrange(8)}"
        if chance.random() < 0.3:
            memories.pop(key, None)
        else:
            memories[key] = MemoryText(key, source(chance, 3), title=chance.choice(WORDS), extra=chance.choice(WORDS))
        sync(index, root)
        index.sync_memories(memories.values())
    fresh = opened("fresh")
    sync(fresh, root)
    fresh.sync_memories(memories.values())
    assert content(index) == content(fresh)
    # Deleted chunks count in the words' statistics until the index is compacted; the hits are the same before.
    grown, built = answers(index, embedder, QUERIES), answers(fresh, embedder, QUERIES)
    for key, (lexical, dense, _) in grown.items():
        assert sorted(hit[1:] for hit in lexical) == sorted(hit[1:] for hit in built[key][0])
        assert dense == built[key][1]
    index.compact()
    assert answers(index, embedder, QUERIES) == answers(fresh, embedder, QUERIES)


def test_reopening_changes_no_answer(opened, root, embedder):
    write(root, {f"{n}.py": source(random.Random(n)) for n in range(8)})
    index = opened()
    sync(index, root)
    index.put_memories([MemoryText("m1", "session retry", title="T", extra="cache.py")])
    before = content(index), answers(index, embedder, QUERIES), index.snapshot().generation
    index.close()
    again = opened()
    assert (content(again), answers(again, embedder, QUERIES), again.snapshot().generation) == before


def test_a_whole_index_is_opened_without_being_made_anew(opened, root, monkeypatch):
    write(root, {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    index = opened()
    sync(index, root)
    index.put_memories([MemoryText("m1", "one")])
    (root / "b.py").unlink()
    sync(index, root)
    index.compact()
    index.close()
    rebuilt = []
    monkeypatch.setattr(Writer, "_renew_words", lambda self: rebuilt.append(self))
    opened().close()
    opened()
    assert rebuilt == []


def test_a_touched_file_is_not_cut_again(opened, root, embedder):
    write(root, {"a.py": "x = 1\n"})
    index = opened()
    sync(index, root)
    generation, embedded = index.snapshot().generation, embedder.embedded
    os.utime(root / "a.py", ns=(1, 1))
    changes = sync(index, root)
    assert (changes.indexed, changes.same) == (0, 1)
    assert (index.snapshot().generation, embedder.embedded) == (generation, embedded)
    assert sync(index, root).same == 0  # its new time is known now


def test_a_file_that_became_unreadable_leaves_the_index(opened, root):
    write(root, {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    index = opened()
    sync(index, root)
    (root / "a.py").write_bytes(b"\0\0")
    changes = index.apply(root, ["a.py", "never.py"], [])
    assert changes.unread == {"binary": 1, "vanished": 1}
    assert changes.removed == 1
    assert list(index.snapshot().files()) == ["b.py"]
    assert index.snapshot().whole_files(["x"], 5) == []


def test_a_file_counts_as_generated_while_its_header_says_so(opened, root):
    made = "// Code generated by stringer. DO NOT EDIT.\npackage session\n"
    write(root, {"made.go": made, "own.go": "package session\n", "made.md": "<!-- @generated -->\n# Sessions\n"})
    index = opened()
    sync(index, root)
    before = index.snapshot()
    assert before.generated == {"made.go"}
    write(root, {"made.go": "package session\n", "own.go": made})
    sync(index, root)
    assert (before.generated, index.snapshot().generated) == ({"made.go"}, {"own.go"})
    (root / "own.go").unlink()
    sync(index, root)
    assert index.snapshot().generated == set()


def test_a_snapshot_stays_as_it_is(opened, root, embedder):
    write(root, {"a.py": "session = 1\n"})
    index = opened()
    sync(index, root)
    old = index.snapshot()
    before = old.lexical(["session"], 5), old.dense(embedder.embed_query("session"), 5), old.files()
    number = before[0][0][0]
    text = old.chunks([number])[number].text
    write(root, {"a.py": "cursor = 123\n"})
    sync(index, root)
    assert (old.lexical(["session"], 5), old.dense(embedder.embed_query("session"), 5), old.files()) == before
    assert old.chunks([number])[number].text == text
    new = index.snapshot()
    assert new.lexical(["session"], 5) == []
    assert new.chunks([number]) == {}
    assert new.generation > old.generation


def test_readers_never_see_a_torn_state_while_the_writer_writes(opened, root, embedder):
    index = opened()
    query = embedder.embed_query("session cache")
    torn = []
    done = threading.Event()

    def read():
        while not done.is_set():
            snapshot = index.snapshot()
            lexical = {number for number, _ in snapshot.lexical(["session"], 500)}
            dense = {number for number, _ in snapshot.dense(query, 500)}
            rows = snapshot.chunks(sorted(lexical | dense))
            if lexical != dense or set(rows) != dense or len(rows) != snapshot.counts()["chunks"]:
                torn.append((len(lexical), len(dense), len(rows)))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        for step in range(15):
            write(root, {f"{n}.py": f"session = cache({step}, {n})\n" for n in range(step % 5 + 1)})
            index.apply(root, [f"{n}.py" for n in range(step % 5 + 1)], [f"{n}.py" for n in range(step % 5 + 1, 5)])
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert torn == []


def test_many_files_go_to_workers_and_come_out_the_same(opened, root, embedder):
    write(root, {f"pkg{n % 7}/{n}.py": source(random.Random(n)) for n in range(BULK + 30)})
    write(root, {"latin.py": "x"})
    (root / "latin.py").write_bytes(b"name = 'M\xfcller'\n")
    bulk, single = opened("bulk"), opened("single")
    seen = []
    sync(bulk, root, workers=2, progress=lambda done, total: seen.append((done, total)))
    paths = sorted(bulk.snapshot().files())
    single.apply(root, paths[:BULK], [])
    single.apply(root, paths[BULK:], [])
    assert content(bulk) == content(single)
    assert answers(bulk, embedder, QUERIES) == answers(single, embedder, QUERIES)
    assert seen[-1] == (BULK + 31, BULK + 31)
    assert bulk.snapshot().counts()["unembedded"] == 0


def test_cancelling_a_long_run_leaves_whole_files_and_the_next_run_ends_it(opened, root, tmp_path):
    write(root, {f"{n}.py": f"value = {n}\n" for n in range(3 * BULK)})
    index = opened()

    def cancel():
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        sync(index, root, workers=1, check_cancel=cancel)
    assert len(index.snapshot().files()) < 3 * BULK
    assert index_facts(tmp_path / "cache").unfinished
    sync(index, root, workers=1)
    assert not index_facts(tmp_path / "cache").unfinished
    fresh = opened("fresh")
    paths = sorted(index.snapshot().files())
    for at in range(0, len(paths), BULK):
        fresh.apply(root, paths[at : at + BULK], [])
    assert content(index) == content(fresh)
    assert len(index.snapshot().files()) == 3 * BULK


def test_a_memory_is_taken_in_while_a_long_run_goes_on(opened, root):
    write(root, {f"{n}.py": "value = 1\n" for n in range(BULK + 10)})
    index = opened()
    found = []

    def remember(done, total):
        # From another thread, as the daemon does it: the run must not hold what this needs.
        thread = threading.Thread(target=index.put_memories, args=([MemoryText("m1", "an early memory")],))
        thread.start()
        thread.join(timeout=PATIENCE)
        found.append([number for number, _ in index.snapshot().lexical(["memory"], 5, "memory")])

    sync(index, root, workers=1, progress=remember)
    assert len(found[0]) == 1


def test_another_model_embeds_everything_anew(opened, root, embedder):
    write(root, {"a.py": "session = 1\n"})
    index = opened()
    sync(index, root)
    index.put_memories([MemoryText("m1", "session memory", extra="tag")])
    index.close()
    other = FakeEmbedder("fake/48", 48)
    again = opened(using=other)
    assert again.snapshot().counts()["unembedded"] == 2
    assert len(again.snapshot().lexical(["session"], 5)) == 2
    assert again.embed_missing() == 2
    fresh = opened("fresh", using=other)
    sync(fresh, root)
    fresh.put_memories([MemoryText("m1", "session memory", extra="tag")])
    assert answers(again, other, ["session"]) == answers(fresh, other, ["session"])


def test_a_text_without_a_known_word_has_no_vector(opened, root, embedder):
    write(root, {"a.py": "???\n"})
    embedder.embed = lambda texts: np.zeros((len(texts), embedder.dim), np.float32)
    index = opened()
    sync(index, root)
    assert index.snapshot().counts()["unembedded"] == 0
    assert index.snapshot().dense(np.ones(embedder.dim, np.float32), 5) == []


def test_first_chunks_are_found_beside_more_than_are_cached(opened, root, monkeypatch):
    monkeypatch.setattr("muninn_core.index.snapshot.FIRST", 2)
    paths = [f"{name}.py" for name in "abc"]
    for path in paths:
        (root / path).write_text(f"text of {path}\n", "utf-8")
    index = opened()
    sync(index, root)
    snapshot = index.snapshot()
    for asked in paths[:2], paths, paths[::-1]:
        assert list(snapshot.first_chunks([*asked, "none.py"])) == asked


def test_a_memory_is_replaced_and_dropped(opened):
    index = opened()
    index.put_memories([MemoryText("m1", "old words"), MemoryText("m2", "other")])
    index.put_memories([MemoryText("m1", "new phrase", title="Title", extra="alpha.py")])
    snapshot = index.snapshot()
    assert snapshot.lexical(["old"], 5) == []
    (number, _), *_ = snapshot.lexical(["alpha"], 5)
    chunk = snapshot.chunks([number])[number]
    assert (chunk.path, chunk.text, chunk.title, chunk.kind) == ("m1", "new phrase", "Title", "memory")
    assert index.sync_memories([MemoryText("m2", "other"), MemoryText("m3", "third")]) == (1, 1)
    assert sorted(index.snapshot().memories()) == ["m2", "m3"]


def test_a_file_can_be_named_like_a_memory(opened, root):
    write(root, {"m1": "file words\n"})
    index = opened()
    sync(index, root)
    index.put_memories([MemoryText("m1", "memory words")])
    index.drop_memories(["m1"])
    assert list(index.snapshot().files()) == ["m1"]
    assert len(index.snapshot().lexical(["word"], 5)) == 1


def test_a_blank_file_is_known_and_has_no_chunk(opened, root):
    write(root, {"__init__.py": "\n\n"})
    index = opened()
    assert sync(index, root).indexed == 1
    assert sync(index, root).indexed == 0
    assert index.snapshot().counts()["chunks"] == 0


def test_ties_at_the_limit_are_not_cut(opened, root):
    write(root, {f"{n}.md": "common words\n" for n in range(6)})
    index = opened()
    sync(index, root)
    assert len(index.snapshot().lexical(["common"], 2, weights={"body": 1.0})) == 6


def test_many_deletions_compact_the_words_by_themselves(opened, root, embedder):
    write(root, {"a.md": "".join(f"# H{n}\n\n{'text ' * 60}\n\n" for n in range(600)), "b.py": "session = 1\n"})
    index = opened()
    sync(index, root)
    (root / "a.md").unlink()
    sync(index, root)
    fresh = opened("fresh")
    sync(fresh, root)
    assert answers(index, embedder, ["session"]) == answers(fresh, embedder, ["session"])


def test_a_second_writer_is_refused(opened, tmp_path, embedder):
    opened()
    with pytest.raises(BusyError):
        open_index(tmp_path / "cache", embedder)


@pytest.mark.parametrize("damage", ["garbage", "truncated", "other version", "missing"])
def test_a_damaged_manifest_is_replaced(opened, root, tmp_path, embedder, damage):
    write(root, {"a.py": "session = 1\n"})
    index = opened()
    sync(index, root)
    index.close()
    state = tmp_path / "cache" / "state.sqlite"
    if damage == "garbage":
        state.write_bytes(b"garbage" * 1000)
    elif damage == "truncated":
        state.write_bytes(state.read_bytes()[:5000])
    elif damage == "missing":
        state.unlink()
    else:
        with sqlite3.connect(state) as connection:
            connection.execute("UPDATE meta SET value = '0.0' WHERE key = 'version'")
        connection.close()
    again = opened()
    assert again.snapshot().lexical(["session"], 5) == []
    sync(again, root)
    assert len(again.snapshot().lexical(["session"], 5)) == 1


@pytest.mark.parametrize("damage", ["garbage", "missing", "segment"])
def test_a_damaged_word_index_is_made_anew_from_the_manifest(opened, root, tmp_path, embedder, damage):
    write(root, {"a.py": "session = 1\n"})
    index = opened()
    sync(index, root)
    index.put_memories([MemoryText("m1", "session notes", extra="tag")])
    before = answers(index, embedder, ["session", "tag"])
    index.close()
    folder = tmp_path / "cache" / "tantivy"
    if damage == "garbage":
        (folder / "meta.json").write_text("{")
    elif damage == "missing":
        for file in folder.iterdir():
            file.unlink()
    else:
        for file in folder.glob("*.term"):
            file.unlink()
    again = opened()
    assert answers(again, embedder, ["session", "tag"]) == before


def test_a_folder_that_takes_no_writes_is_an_error_with_a_reason(tmp_path, embedder):
    (tmp_path / "parent").write_text("a file is in the way")
    with pytest.raises(StorageError, match="can't be"):
        open_index(tmp_path / "parent" / "cache", embedder)


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="only Linux tells what is mapped")
def test_at_rest_no_file_is_mapped_and_the_next_answer_is_the_same(opened, root, embedder):
    write(root, {f"{word}.py": f"def {word}(a):\n    return a\n" * 40 for word in WORDS})
    first = opened()
    sync(first, root)
    first.release_memory()  # its snapshot lives on
    first.close()  # then all is in the database, and nothing in its log
    index = opened()

    def mapped():
        with open("/proc/self/maps") as maps:
            return [line for line in maps if line.endswith(f"{root.parent}/cache/state.sqlite\n")]

    before = answers(index, embedder, QUERIES)
    assert mapped()
    index.release_memory()
    assert not mapped()
    assert answers(index, embedder, QUERIES) == before
    assert mapped()


def test_many_memories_are_taken_in_a_batch_after_the_other(opened, embedder, monkeypatch):
    monkeypatch.setattr(index_module, "_MEMORY_BATCH", 3)
    taken = []
    embed = embedder.embed
    monkeypatch.setattr(embedder, "embed", lambda texts: taken.append(len(texts)) or embed(texts))
    index = opened()
    index.put_memories([MemoryText(f"m{number}", f"session number{number}") for number in range(8)])
    assert taken == [3, 3, 2]
    assert index.snapshot().counts()["memory"] == 8
    assert len(index.snapshot().lexical(["session"], 20, "memory")) == 8


def test_an_index_that_was_closed_for_a_new_one_has_scrubbed_nothing(opened, root):
    write(root, {"a.py": "session = 1\n"})
    index = opened()
    sync(index, root)
    index.close()
    assert index.scrub() is False
