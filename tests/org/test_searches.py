"""The searches of words and vectors against all stored chunks, and the vectors that readers share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repositories import git

from muninn_core.index.embedding.embed import load_bundled
from muninn_core.index.words.term_counts import Term, scores
from muninn_core.org.access import principals
from muninn_core.org.ingestion.pushes import push
from muninn_core.org.reading import lexical, vectors
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.lexical import CHUNK_WEIGHTS
from muninn_core.org.reading.reader import PostgresReader
from muninn_core.org.reading.vectors import TenantVectors, VectorCache

WORDS = ("peel", "banana", "skin", "wheat", "mill")


def source(*names: str) -> str:
    """Return code with a function for each name, which has words of its own and common ones."""
    return "\n\n\n".join(
        f"def {name}_banana(skin):\n    '''Peel the skin of a {name}.'''\n    return skin.peel({name!r})\n" * 3
        for name in names
    )


def commit(root: Path, files: dict[str, str | None]) -> Path:
    """Commit files to a repository, which is made if needed. None deletes a file."""
    root.mkdir(exist_ok=True)
    if not (root / ".git").exists():
        git(root, "init", "-q", "-b", "main")
    for path, text in files.items():
        (root / path).unlink() if text is None else (root / path).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Change")
    return root


@pytest.fixture(scope="module")
def filled(home, tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Ann reads `one`, its fork and `two`; Ben reads `two`."""
    folder = tmp_path_factory.mktemp("searches")
    one = commit(folder / "one", {f"{name}.py": source(name, "wheat") for name in ("red", "green", "blue")})
    two = commit(folder / "two", {"mill.py": source("mill", "wheat"), "notes.md": "# Peel\n\nThe skin of a banana.\n"})
    for name, root in (("one", one), ("fork", one), ("two", two)):
        push(home.database, home.repository(name), root, "HEAD", workers=1)
    return {"ann": home.principal("ann", "one", "fork", "two"), "ben": home.principal("ben", "two")}


def asked(home, principal: int, question: Callable[[PostgresReader], Any], shared: TenantVectors | None = None) -> Any:
    """Return the answer of a reader for a principal."""
    with home.database.transaction("muninn_reader", snapshot=True) as connection:
        return question(PostgresReader(connection, home.tenant, enter(connection, home.tenant, principal), shared))


def stored(home, names: tuple[str, ...]) -> dict[int, tuple[bytes, bytes]]:
    """Return {id: counts, vector} of the chunks of some repositories."""
    with home.as_admin() as connection:
        rows = connection.execute(
            "SELECT DISTINCT c.id, c.counts, c.vector FROM muninn.chunk c JOIN muninn.place p USING (tenant, file) "
            "JOIN muninn.branch b ON b.id = p.branch JOIN muninn.repository r ON r.id = b.repository "
            "WHERE r.name = ANY(%s)",
            (list(names),),
        ).fetchall()
    return {number: (counts, vector) for number, counts, vector in rows}


@pytest.mark.parametrize("sparse", [0, 8])
@pytest.mark.parametrize(("who", "names"), [("ann", ("one", "fork", "two")), ("ben", ("two",))])
def test_words_score_every_chunk_of_the_caller(home, filled, monkeypatch, who: str, names, sparse: int) -> None:
    monkeypatch.setattr(lexical, "_SPARSE", sparse)
    rows = stored(home, names)

    def compared(reader: PostgresReader) -> None:
        terms = [
            Term(field, word, weight * reader.statistics.rarity(word, field))
            for word in WORDS
            for field, weight in CHUNK_WEIGHTS.items()
            if reader.statistics.frequency(word, field)
        ]
        every = scores(terms, [counts for counts, _ in rows.values()], reader.statistics.totals)
        expected = {number: score for number, score in zip(rows, every.tolist(), strict=True) if score}
        assert dict(reader.lexical(WORDS, 1_000)) == expected != {}
        best = sorted(expected.items(), key=lambda hit: (-hit[1], hit[0]))
        some = [number for number, _ in best[::2]]
        assert reader.lexical(WORDS, 1_000, only=some) == [hit for hit in best if hit[0] in some]
        both = {number for number, _ in reader.lexical(["mill"], 1_000)} & {
            number for number, _ in reader.lexical(["skin"], 1_000)
        }
        assert {number for number, _ in reader.lexical(WORDS, 1_000, every=["mill", "skin"])} == both != set()
        prose = {number for number, _ in reader.lexical(WORDS, 1_000, "knowledge")}
        assert prose == {number for number in expected if number >> 40 == 1} != set()

    asked(home, filled[who], compared)


@pytest.mark.parametrize("block", [2, 1 << 16])
def test_vectors_compare_every_chunk_and_readers_share_them(home, filled, monkeypatch, block: int) -> None:
    monkeypatch.setattr(vectors, "_BLOCK", block)
    monkeypatch.setattr(vectors, "_READ", 1)
    query = load_bundled().embed_query("mill the wheat")
    shared = TenantVectors()
    for who, names in (("ben", ("two",)), ("ann", ("one", "fork", "two")), ("ben", ("two",))):
        rows = stored(home, names)
        known = {number: np.frombuffer(row, np.int8) @ query for number, (_, row) in rows.items() if row is not None}
        for kind in (None, "code", "knowledge"):
            found = asked(home, filled[who], lambda reader, kind=kind: reader.dense(query, 1_000, kind), shared)
            near = {number for number in known if kind is None or number >> 40 == ("code", "knowledge").index(kind)}
            assert {number for number, _ in found} == near != set()
            assert len(found) == len(near)  # a chunk that a fork holds, too, is found once
            cosines = [cosine for _, cosine in found]
            assert cosines == sorted(cosines, reverse=True)
            assert cosines == pytest.approx([known[number] / 254 for number, _ in found], abs=0.01)
            few = asked(home, filled[who], lambda reader, kind=kind: reader.dense(query, 1, kind), shared)
            assert few[0] == found[0]


def test_a_push_changes_the_shared_vectors_and_old_ones_are_dropped(home, filled, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(vectors, "_BLOCK", 1)
    query = load_bundled().embed_query("peel a banana")
    target = home.repository("moving")
    eve = home.principal("eve", "moving")
    root = commit(tmp_path / "moving", {"a.py": source("a")})
    shared = TenantVectors()
    for name in ("b", "c", "d", "e", "f"):
        push(home.database, target, root, "HEAD", workers=1)
        for most in (shared, None):
            found = asked(
                home,
                eve,
                lambda reader: [each.path for each in reader.chunks([i for i, _ in reader.dense(query, 99)]).values()],
                most,
            )
            assert len(found) == len(stored(home, ("moving",))) > 0
        assert len(shared.of_table) <= 3 * len(stored(home, ("moving",))) + 1
        commit(root, {f"{name}.py": source(name), f"{chr(ord(name) - 1)}.py": None})


def test_a_revoked_right_ends_at_once_in_shared_vectors_and_lists(home, filled) -> None:
    query, shared = load_bundled().embed_query("peel a banana"), TenantVectors()

    def found(reader: PostgresReader) -> tuple[Any, ...]:
        return reader.dense(query, 9), reader.lexical(["peel"], 9), reader.documents, reader.encoded

    def reads(name: str) -> tuple[Any, ...]:
        return asked(home, filled[name], found, shared)

    ben, ann = reads("ben"), reads("ann")
    with home.database.transaction("muninn_writer") as connection:
        two = principals.find_repository(connection, home.tenant, "two")
        principals.revoke(connection, home.tenant, two, "user", "ben")
    assert reads("ben") == ([], [], 0, True)
    assert reads("ann") == ann
    home.principal("ben", "two")
    assert reads("ben") == ben
    assert ben[0]
    assert ben[1]


def test_the_vectors_of_tenants_that_asked_longest_ago_are_dropped(home, filled, monkeypatch) -> None:
    query = load_bundled().embed_query("mill the wheat")
    cache = VectorCache()
    first = cache.of(1)
    asked(home, filled["ann"], lambda reader: reader.dense(query, 9), first)
    monkeypatch.setattr(vectors, "MAX_VECTORS_TOTAL", len(first))
    second = cache.of(2)
    assert cache.of(1) is first
    asked(home, filled["ben"], lambda reader: reader.dense(query, 9), second)
    assert cache.of(2) is second  # more than `MOST_OF_ALL` are kept, and tenant 1 asked before
    assert cache.of(1) is not first
    assert len(cache.of(2)) == len(second) > 0


def test_whole_files_of_each_kind_are_found(home, filled) -> None:
    def found(kind: Any) -> Callable[[PostgresReader], list[str]]:
        return lambda reader: [path for path, _ in reader.whole_files(["peel", "banana"], 10, kind)]

    ben = filled["ben"]
    assert asked(home, ben, found("code")) == ["mill.py"]
    assert asked(home, ben, found("knowledge")) == ["notes.md"]
    assert sorted(asked(home, ben, found(None))) == ["mill.py", "notes.md"]


def test_two_threads_of_a_question_read_a_word_once_and_both_know_it(home, filled) -> None:
    def at_once(reader: PostgresReader) -> list[list[tuple[Any, float]]]:
        execute, met = reader.statistics._connection.execute, threading.Barrier(2, timeout=60)

        class Slow:
            def execute(self, *given: Any, **named: Any) -> Any:
                time.sleep(0.05)  # the other thread asks for the same words meanwhile
                return execute(*given, **named)

        def search(table: Any) -> list[tuple[Any, float]]:
            met.wait()
            return list(reader._lexical.search(table, ["peel"], 10, lexical.Conditions()))

        reader.statistics._connection = Slow()  # type: ignore[assignment]
        with ThreadPoolExecutor(2) as threads:
            return list(threads.map(search, ("chunk", "file")))

    assert all(asked(home, filled["ben"], at_once))
