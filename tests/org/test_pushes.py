"""Pushes: what is shared, what moves, what goes away, and what survives an interruption."""

from __future__ import annotations

import json
import random
import threading
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from repositories import git

from muninn_core.errors import BadParams, NotFoundError, PreconditionError
from muninn_core.git import GitError
from muninn_core.index.vectors.vector_index import KIND_BITS
from muninn_core.index.words.term_counts import LIST_BITS
from muninn_core.org.ingestion import pushes, storage
from muninn_core.org.ingestion.pushes import Target, push, remove_branch, remove_repository
from muninn_core.org.ingestion.redaction import purge, redact
from muninn_core.org.ingestion.storage import read_chunk
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.reader import PostgresReader

FRUIT = "def peel(banana):\n    return banana.inner\n"
GRAIN = "def mill(wheat):\n    return wheat.ground\n"


def commit(root: Path, files: dict[str, str | None]) -> Path:
    """Commit files to a repository, which is made if needed. None deletes a file."""
    root.mkdir(exist_ok=True)
    if not (root / ".git").exists():
        git(root, "init", "-q", "-b", "main")
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).unlink() if text is None else (root / path).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "Change")
    return root


def remembered(*records: dict[str, object]) -> dict[str, str]:
    """Return the file of a memory log."""
    stamp = {"v": 1, "ts": "2026-10-01T00:00:00.000Z"}
    return {".muninn/memory/main.jsonl": "".join(json.dumps({**stamp, **each}) + "\n" for each in records)}


def rows(home, table: str) -> int:
    """Return the number of rows of a table."""
    with home.as_admin() as connection:
        return connection.execute(f"SELECT count(*) FROM muninn.{table}".encode()).fetchone()[0]


def dumped(home) -> str:
    """Return the whole database as text."""
    done = home.server.run_program("pg_dump", "--data-only", "--schema=muninn", home.admin)
    assert done.returncode == 0, done.stderr
    return done.stdout


def listed(home, name: str) -> dict[str, set[tuple[str, int]]]:
    """Return {word: paths and lines of its documents} from the inverted lists of a repository, line 0 for a file."""
    with home.as_admin() as connection:
        of_branch = (
            "SELECT {} FROM muninn.{} JOIN muninn.branch b ON b.id = branch JOIN muninn.repository r "
            "ON r.id = b.repository WHERE r.name = %s"
        )
        lists = connection.execute(
            f"{of_branch} GROUP BY word".format(
                "word, string_agg(f.chunks, ''), string_agg(files, '')", "frequency f"
            ).encode(),
            (name,),
        ).fetchall()
        files = dict(
            connection.execute(
                of_branch.format("f.id, path", "place p JOIN muninn.file f ON f.id = p.file").encode(), (name,)
            ).fetchall()
        )
        pieces = connection.execute("SELECT id, file, data FROM muninn.chunk").fetchall()
    chunks = {number: (files[file], read_chunk(data)[0].start) for number, file, data in pieces if file in files}
    return {
        word: {chunks[entry >> LIST_BITS] for entry in np.frombuffer(of_chunks, "<i8").tolist()}
        | {(files[(entry >> LIST_BITS) & (1 << KIND_BITS) - 1], 0) for entry in np.frombuffer(of_files, "<i8").tolist()}
        for word, of_chunks, of_files in lists
    }


def contents(home, name: str, *, ref: str | None = None) -> dict[str, int]:
    """Return {path: number of chunks} of a repository, and check its statistics against its documents."""
    reader_of = home.principal("reader", name)
    with home.database.transaction("muninn_reader", snapshot=True) as connection:
        branches = enter(connection, home.tenant, reader_of, [name], ref)
        reader = PostgresReader(connection, home.tenant, branches)
        found = {path: len(reader.chunks_of(path)) for path in reader.files()}
        assert reader.statistics.chunks == sum(found.values()) + len(reader.ids_of_memories(list(reader.memories)))
        assert reader.documents == reader.statistics.chunks + len(found)
        return found


@pytest.fixture
def fresh(make_home):
    """A database of its own for a test that counts rows."""
    return make_home()


def test_a_repeated_push_changes_nothing_and_forks_share_their_chunks(fresh, tmp_path: Path) -> None:
    root = commit(tmp_path / "one", {"fruit.py": FRUIT, "grain.py": GRAIN})
    target = fresh.repository("one")
    first = push(fresh.database, target, root, "HEAD", workers=1)
    assert (first.cut, first.added, first.unchanged) == (2, 2, False)
    assert push(fresh.database, target, root, "HEAD", workers=1).unchanged
    count = rows(fresh, "chunk")
    fork = push(fresh.database, fresh.repository("fork"), root, "HEAD", workers=1)
    branch = push(fresh.database, target._replace(ref="release"), root, "HEAD", workers=1)
    assert (fork.cut, fork.added, branch.cut, branch.added) == (0, 2, 0, 2)
    assert rows(fresh, "chunk") == count
    assert contents(fresh, "fork") == contents(fresh, "one") == contents(fresh, "one", ref="release")


def test_changes_renames_and_deletions_leave_what_a_first_push_makes(fresh, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(storage, "_PART", (1, 1))  # lists of several parts become longer and shorter
    root = commit(tmp_path / "one", {"fruit.py": FRUIT, "grain.py": GRAIN, "docs/a.md": "# A\n\nText.\n"})
    target = fresh.repository("one")
    push(fresh.database, target, root, "HEAD", workers=1)
    commit(
        root, {"fruit.py": FRUIT + "\n\ndef slice(banana):\n    return banana\n", "grain.py": None, "flour.py": GRAIN}
    )
    changed = push(fresh.database, target, root, "HEAD", workers=1)
    assert (changed.cut, changed.added, changed.removed) == (2, 2, 2)
    push(fresh.database, fresh.repository("two"), root, "HEAD", workers=1)
    with fresh.as_admin() as connection:
        both = [
            connection.execute(
                "SELECT word, part, body, symbol, title, path, whole, length(f.chunks), length(files) "
                "FROM muninn.frequency f JOIN muninn.branch b ON b.id = f.branch "
                "JOIN muninn.repository r ON r.id = b.repository WHERE r.name = %s ORDER BY 1, 2",
                (name,),
            ).fetchall()
            for name in ("one", "two")
        ]
        totals = connection.execute("SELECT DISTINCT chunks, documents, lengths FROM muninn.branch").fetchall()
    assert both[0] == both[1]
    assert max(row[1] for row in both[0]) > 1
    assert len(totals) == 1
    assert listed(fresh, "one") == listed(fresh, "two") != {}
    assert rows(fresh, "file") == 3


def test_an_older_commit_is_refused_and_a_reset_branch_is_forced(fresh, tmp_path: Path) -> None:
    root = commit(tmp_path / "one", {"fruit.py": FRUIT})
    commit(root, {"grain.py": GRAIN})
    target = fresh.repository("one")
    push(fresh.database, target, root, "HEAD", workers=1)
    with pytest.raises(PreconditionError, match="newer"):
        push(fresh.database, target, root, "HEAD~1", workers=1)
    assert set(contents(fresh, "one")) == {"fruit.py", "grain.py"}
    push(fresh.database, target, root, "HEAD~1", force=True, workers=1)
    assert set(contents(fresh, "one")) == {"fruit.py"}
    git(root, "commit", "-q", "--amend", "--allow-empty", "-m", "Another history")
    assert push(fresh.database, target, root, "HEAD", workers=1).cut == 1


def test_an_interrupted_push_shows_nothing_and_is_continued(fresh, tmp_path: Path, monkeypatch) -> None:
    root = commit(tmp_path / "one", {f"fruit{number}.py": f"{FRUIT}\nNUMBER = {number}\n" for number in range(5)})
    target = fresh.repository("one")
    monkeypatch.setattr(pushes, "_BATCH", 2)
    steps = ("store_files", "put_places", "add_statistics", "put_memories", "finish_branch", "collect")
    for step in steps:
        with monkeypatch.context() as broken:
            broken.setattr(pushes, step, interrupted)
            with pytest.raises(Interrupted):
                push(fresh.database, target, root, "HEAD", workers=1)
        assert rows(fresh, "place") == 0, step
    assert pushes.sweep(fresh.database, fresh.tenant) == 0
    done = push(fresh.database, target, root, "HEAD", workers=1)
    assert (done.cut, done.added) == (0, 5)
    commit(root, {"extra.py": FRUIT})
    monkeypatch.setattr(pushes, "put_places", interrupted)
    with pytest.raises(Interrupted):
        push(fresh.database, target, root, "HEAD", workers=1)
    assert pushes.sweep(fresh.database, fresh.tenant, timedelta(0)) == 1
    assert len(contents(fresh, "one")) == 5


class Interrupted(Exception):
    """The end of a worker."""


def interrupted(*_values: object) -> None:
    """End the worker at this step."""
    raise Interrupted


def test_a_file_that_another_push_collects_meanwhile_is_stored_again(fresh, tmp_path: Path, monkeypatch) -> None:
    one = commit(tmp_path / "one", {"fruit.py": FRUIT})
    two = commit(tmp_path / "two", {"fruit.py": FRUIT, "grain.py": GRAIN})
    push(fresh.database, fresh.repository("one"), one, "HEAD", workers=1)
    store_missing = pushes._store_missing

    def after_which_the_file_goes(*values):
        found = store_missing(*values)
        monkeypatch.setattr(pushes, "_store_missing", store_missing)
        remove_repository(fresh.database, fresh.tenant, "one")
        return found

    target = fresh.repository("two")
    monkeypatch.setattr(pushes, "_store_missing", after_which_the_file_goes)
    push(fresh.database, target, two, "HEAD", workers=1)
    assert set(contents(fresh, "two")) == {"fruit.py", "grain.py"}


def test_two_pushes_at_once_end_in_one_of_both(fresh, tmp_path: Path) -> None:
    root = commit(tmp_path / "one", {"fruit.py": FRUIT})
    git(root, "branch", "other")
    commit(root, {"grain.py": GRAIN})
    target = fresh.repository("one")
    problems: list[Exception] = []

    def run(rev: str) -> None:
        try:
            push(fresh.database, target, root, rev, force=True, workers=1)
        except PreconditionError as error:
            problems.append(error)

    threads = [threading.Thread(target=run, args=(rev,)) for rev in ("main", "other", "main")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not problems
    assert set(contents(fresh, "one")) in ({"fruit.py"}, {"fruit.py", "grain.py"})


def test_deleted_branches_and_repositories_leave_no_row(fresh, tmp_path: Path) -> None:
    root = commit(tmp_path / "one", {"fruit.py": FRUIT, **remembered({"id": "M1", "type": "insight", "text": "Ripe."})})
    target = fresh.repository("one")
    push(fresh.database, target, root, "HEAD", workers=1)
    push(fresh.database, target._replace(ref="other"), root, "HEAD", workers=1)
    assert remove_branch(fresh.database, target._replace(ref="other"))
    assert not remove_branch(fresh.database, target._replace(ref="other"))
    assert contents(fresh, "one") == {"fruit.py": 1}
    remove_repository(fresh.database, fresh.tenant, "one")
    for table in ("file", "chunk", "symbol", "place", "memory", "frequency", "branch", "repository", "access"):
        assert rows(fresh, table) == 0, table
    with pytest.raises(NotFoundError):
        remove_repository(fresh.database, fresh.tenant, "one")


def test_a_redacted_memory_is_nowhere_in_the_database(fresh, tmp_path: Path) -> None:
    secret = {"id": "M1", "type": "insight", "text": "The vault opens with quetzalcoatl.", "actor": "user"}
    other = {"id": "M2", "type": "insight", "text": "The vault is grey.", "actor": "user"}
    root = commit(tmp_path / "one", {"fruit.py": FRUIT, **remembered(secret, other)})
    target = fresh.repository("one")
    push(fresh.database, target, root, "HEAD", workers=1)
    assert b"quetzalcoatl".hex() in dumped(fresh)
    redaction = {"id": "R1", "type": "redact", "targets": ["M1"], "actor": "user"}
    commit(root, remembered({**secret, "text": "", "redacted": True}, other, redaction))
    push(fresh.database, target, root, "HEAD", workers=1)
    after = dumped(fresh)
    assert "quetzalcoatl" not in after
    assert b"quetzalcoatl".hex() not in after
    assert b"grey".hex() in after


def test_a_redaction_reaches_all_branches_and_no_later_push_brings_the_text_back(fresh, tmp_path: Path) -> None:
    secret = {"id": "M1", "type": "insight", "text": "The vault opens with quetzalcoatl.", "actor": "user",
              "title": "Quetzalcoatl", "tags": ["quetzalcoatl"]}  # fmt: skip
    root = commit(tmp_path / "one", {"fruit.py": FRUIT, **remembered(secret)})
    target, release = fresh.repository("one"), fresh.repository("one")._replace(ref="release")
    git(root, "branch", "release")
    git(root, "branch", "old")
    push(fresh.database, target, root, "HEAD", workers=1)
    push(fresh.database, release, root, "release", workers=1)
    redaction = {"id": "R1", "type": "redact", "targets": ["M1"], "actor": "user"}
    commit(root, remembered({**secret, "text": "", "title": "", "tags": [], "redacted": True}, redaction))
    push(fresh.database, target, root, "main", workers=1)
    assert_gone(fresh, "quetzalcoatl")
    assert set(contents(fresh, "one", ref="release")) == {"fruit.py"}
    push(fresh.database, release._replace(ref="old"), root, "old", workers=1)
    assert_gone(fresh, "quetzalcoatl")
    other = commit(tmp_path / "two", {"fruit.py": FRUIT, **remembered(secret)})
    push(fresh.database, fresh.repository("two"), other, "HEAD", workers=1)  # it decides about its own memories
    with pytest.raises(AssertionError):
        assert_gone(fresh, "quetzalcoatl")
    assert redact(fresh.database, fresh.tenant, "two", "M1") == 1
    assert redact(fresh.database, fresh.tenant, "two", "M1") == 0
    with pytest.raises(NotFoundError, match="no branch of the repository 'two' has the memory M"):
        redact(fresh.database, fresh.tenant, "two", "M")
    with pytest.raises(BadParams):
        redact(fresh.database, fresh.tenant, "two", "M1\0")
    assert_gone(fresh, "quetzalcoatl")
    assert set(contents(fresh, "two")) == {"fruit.py"}


def test_a_memory_is_redacted_before_its_first_push(fresh, tmp_path: Path) -> None:
    target = fresh.repository("one")
    with pytest.raises(NotFoundError, match="has the memory M1"):
        redact(fresh.database, fresh.tenant, "one", "M1")
    secret = {"id": "M1", "type": "decision", "text": "The password is quetzalcoatl"}
    push(fresh.database, target, commit(tmp_path / "one", remembered(secret)), "HEAD", workers=1)
    assert_gone(fresh, "quetzalcoatl")


def test_a_purged_content_is_nowhere_and_is_never_stored_again(fresh, tmp_path: Path) -> None:
    root = commit(tmp_path / "one", {"fruit.py": FRUIT, "key.py": "def opens():\n    return 'quetzalcoatl'\n"})
    target, fork = fresh.repository("one"), fresh.repository("fork")
    push(fresh.database, target, root, "HEAD", workers=1)
    push(fresh.database, fork, root, "HEAD", workers=1)
    oid = git(root, "rev-parse", "HEAD:key.py").strip()
    assert purge(fresh.database, fresh.tenant, oid) == 1
    assert_gone(fresh, "quetzalcoatl")
    assert set(contents(fresh, "one")) == set(contents(fresh, "fork")) == {"fruit.py"}
    commit(root, {"grain.py": GRAIN, "copy.py": (root / "key.py").read_text()})
    push(fresh.database, target, root, "HEAD", workers=1)
    assert_gone(fresh, "quetzalcoatl")
    assert set(contents(fresh, "one")) == {"fruit.py", "grain.py"}
    with pytest.raises(NotFoundError):
        purge(fresh.database, fresh.tenant, "0" * 40)
    for wrong in ("", "xyz", "' OR true", oid[:12]):
        with pytest.raises(BadParams):
            purge(fresh.database, fresh.tenant, wrong)


def before_the_branch_moves(monkeypatch: pytest.MonkeyPatch, action) -> None:
    """Let `action` happen once, when a push has asked what is missing and has stored nothing yet."""
    real, waiting = pushes.chunk_files, [action]

    def chunk_files(*values, **more):
        if waiting:
            waiting.pop()()
        return real(*values, **more)

    monkeypatch.setattr(pushes, "chunk_files", chunk_files)


def test_a_content_that_is_purged_during_a_push_is_not_stored(fresh, tmp_path: Path, monkeypatch) -> None:
    root = commit(tmp_path / "one", {"fruit.py": FRUIT, "key.py": "def opens():\n    return 'quetzalcoatl'\n"})
    oid = git(root, "rev-parse", "HEAD:key.py").strip()

    def purging() -> None:
        with pytest.raises(NotFoundError, match="no file has the content"):
            purge(fresh.database, fresh.tenant, oid)

    before_the_branch_moves(monkeypatch, purging)
    push(fresh.database, fresh.repository("one"), root, "HEAD", workers=1)
    assert set(contents(fresh, "one")) == {"fruit.py"}
    assert_gone(fresh, "quetzalcoatl")


def test_a_repository_that_is_deleted_or_made_anew_during_a_push(fresh, tmp_path: Path, monkeypatch) -> None:
    root = commit(tmp_path / "one", {"fruit.py": FRUIT})
    target = fresh.repository("one")
    before_the_branch_moves(monkeypatch, lambda: remove_repository(fresh.database, fresh.tenant, "one"))
    with pytest.raises(NotFoundError, match="there is no repository 'one'"):
        push(fresh.database, target, root, "HEAD", workers=1)
    fresh.repository("one")

    def anew() -> None:
        remove_repository(fresh.database, fresh.tenant, "one")
        fresh.repository("one")

    commit(root, {"grain.py": GRAIN})
    before_the_branch_moves(monkeypatch, anew)
    push(fresh.database, target, root, "HEAD", workers=1)
    assert set(contents(fresh, "one")) == {"fruit.py", "grain.py"}


def assert_gone(home, text: str) -> None:
    """Check that a text is nowhere in the database, also not in binary columns and as words of an index."""
    dump = dumped(home).lower()
    assert text not in dump
    assert text.encode().hex() not in dump
    assert text.title().encode().hex() not in dump


def test_paths_names_and_ids_that_no_index_of_the_database_takes(fresh, tmp_path: Path, caplog) -> None:
    def long(size: int) -> str:
        return random.Random(size).randbytes(size // 2).hex()  # it can't be compressed

    name, path = f"f{long(6_000)}", "/".join([*map(long, range(230, 250)), "deep.py"])
    code = f"def {name}():\n    return 1\n\ndef known():\n    return {name}()\n"
    ids = ("01K00000000000000000000001", long(6_000), "M\0")
    memories = remembered(*({"id": each, "type": "fact", "text": f"Note {n}"} for n, each in enumerate(ids)))
    root = commit(tmp_path / "one", {"names.py": code, "words.md": f"# {name}\n\nUse `{name}`.\n", **memories})
    oid = git(root, "rev-parse", "HEAD:names.py").strip()
    git(root, "update-index", "--add", "--cacheinfo", f"100644,{oid},{path}")
    git(root, "commit", "-q", "-m", "Deep")
    done = push(fresh.database, fresh.repository("one"), root, "HEAD", workers=1)
    assert (done.memories, set(contents(fresh, "one"))) == (1, {"names.py", "words.md"})
    assert rows(fresh, "symbol") == 1  # `known`
    assert "3 paths or ids are too long or have a NUL" in caplog.text


def test_hostile_contents_and_names(fresh, tmp_path: Path) -> None:
    root = commit(
        tmp_path / "one",
        {
            "late nul.py": "x = 1\n" * 2_000 + "y = '\0'\n",
            "o'brien\\n.py": 'def it_s():\n    return "\' OR 1=1; --"\n',
            "naïve/größe.md": "# Größe\n\n\\x00 \\. it's\n",
            "empty.py": "",
            "long.py": f"import {'語' * 600}\nimport {'a.' * 900}b\n",
            "package.json": json.dumps({"name": "x" * 9_000, "dependencies": {"y" * 9_000: "1"}}),
            "big.txt": "word " * 300_000,
        },
    )
    (root / "raw.py").write_bytes(b"def broken():\n    return '\xff\xfe'\n")
    (root / "link.py").symlink_to("/etc/passwd")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Odd")
    push(fresh.database, fresh.repository("one"), root, "HEAD", workers=1)
    found = contents(fresh, "one")
    assert {"late nul.py", "o'brien\\n.py", "naïve/größe.md", "raw.py", "long.py", "package.json"} <= set(found)
    assert not {"big.txt", "link.py"} & set(found)


def test_a_bare_repository_is_pushed_and_a_folder_is_not(fresh, tmp_path: Path) -> None:
    root = commit(tmp_path / "one", {"fruit.py": FRUIT})
    git(tmp_path, "clone", "-q", "--bare", str(root), "bare.git")
    target = fresh.repository("one")
    assert push(fresh.database, target, tmp_path / "bare.git", "main", workers=1).added == 1
    (tmp_path / "plain").mkdir()
    with pytest.raises(GitError):
        push(fresh.database, target, tmp_path / "plain", "HEAD", workers=1)
    with pytest.raises(NotFoundError):
        push(fresh.database, target, root, "nosuch", workers=1)
    with pytest.raises(NotFoundError):
        push(fresh.database, Target(fresh.tenant, "unknown", "main"), root, "HEAD", workers=1)
