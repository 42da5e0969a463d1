"""The cache may hold anything when an index is opened: it is healed, and answers like a new one."""

import errno
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fakes import FakeEmbedder
from states import answers, content, sync, write

from muninn_core.errors import StorageError
from muninn_core.index.integrity import is_at_limit, is_exhausted
from muninn_core.index.manifest.manifest import Manifest
from muninn_core.index.manifest.memory_text import MemoryText
from muninn_core.index.opening import open_index
from muninn_core.index.words.writer import Lexical

FILES = {
    "a.py": "def session_retry():\n    return 1\n",
    "b.py": "ledger = session = 2\n",
    "notes.md": "# Sessions\n\nThe ledger retries.\n",
}
MEMORIES = [MemoryText(f"m{n}", f"the session of ledger {n}", title="T") for n in range(6)]
QUERIES = ["session", "ledger", "retry"]
SEEDS = range(8)

KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_damage import fill
fill(Path(sys.argv[1]), Path(sys.argv[2]))
os.kill(os.getpid(), signal.SIGKILL)
"""


LIMITS = [
    ValueError("An IO error occurred: 'Resource temporarily unavailable (os error 11)'"),
    ValueError("An IO error occurred: 'Cannot allocate memory (os error 12)'"),
    ValueError("Failed to spawn segment updater thread"),
    OSError(errno.EMFILE, "Too many open files"),
    MemoryError(),
]


def fill(root, cache):
    """Index the files and memories, with several segments and deletions."""
    index = open_index(cache, FakeEmbedder())
    index.put_memories([MemoryText("gone", "a session that is gone"), MEMORIES[0]])
    sync(index, root)
    for memory in MEMORIES[1:]:
        index.put_memories([memory])
    index.drop_memories(["gone"])
    return index


@pytest.fixture(scope="module")
def caches(tmp_path_factory):
    """A tree, and three caches of it: after an orderly end, after a pause, and after a kill in the midst of work."""
    folder = tmp_path_factory.mktemp("caches")
    write(folder / "tree", FILES)
    fill(folder / "tree", folder / "closed").close()
    resting = fill(folder / "tree", folder / "resting-live")
    resting.release_memory()
    shutil.copytree(folder / "resting-live", folder / "resting")
    resting.close()
    code = KILLED.format(tests=str(Path(__file__).parent))
    subprocess.run([sys.executable, "-c", code, str(folder / "tree"), str(folder / "killed")], check=False)
    fresh = fill(folder / "tree", folder / "fresh")
    fresh.compact()
    yield folder, (content(fresh), answers(fresh, FakeEmbedder(), QUERIES))
    fresh.close()


def healed(caches, cache):
    """Open a cache as a daemon does, and compare it with a new index."""
    folder, wanted = caches
    index = open_index(cache, FakeEmbedder())
    try:
        index.sync_memories(MEMORIES)
        sync(index, folder / "tree")
        index.compact()
        assert (content(index), answers(index, FakeEmbedder(), QUERIES)) == wanted
    finally:
        index.close()
    open_index(cache, FakeEmbedder()).close()


def files_of(cache):
    return sorted(path for path in cache.rglob("*") if path.is_file())


def _damage(path, chance, _others):
    size = path.stat().st_size
    with path.open("r+b") as file:
        for _ in range(max(1, size // 2_000)):
            file.seek(chance.randrange(size or 1))
            file.write(chance.randbytes(8))


def _truncate(path, chance, _others):
    os.truncate(path, chance.randrange(path.stat().st_size or 1))


def _empty(path, _chance, _others):
    os.truncate(path, 0)


def _delete(path, _chance, _others):
    path.unlink()


def _duplicate(path, _chance, _others):
    for name in (f"{path.name}.copy", f"{'0' * 32}{path.suffix}"):
        shutil.copy(path, path.with_name(name))


def _swap(path, chance, others):
    other = chance.choice([one for one in others if one != path])
    between = path.with_name("between")
    path.rename(between)
    other.rename(path)
    between.rename(other)


def _become_folder(path, _chance, _others):
    path.unlink()
    (path / "inside").mkdir(parents=True)
    (path / "inside" / "file").write_text("x")


def _become_link(path, _chance, _others):
    path.unlink()
    path.symlink_to("/dev/full")


def _forbid(path, _chance, _others):
    path.chmod(0)


def _grow(path, chance, _others):
    with path.open("ab") as file:
        file.write(chance.randbytes(5_000))


HARMS = [_damage, _truncate, _empty, _delete, _duplicate, _swap, _become_folder, _become_link, _forbid, _grow]


CASES = [*(("closed", harm) for harm in HARMS), ("resting", _damage), ("resting", _swap)]
CASES += [("killed", harm) for harm in (_damage, _truncate, _delete, _become_folder)]


@pytest.mark.parametrize(("state", "harm"), CASES, ids=lambda case: getattr(case, "__name__", case).strip("_"))
def test_each_harmed_file_of_the_cache_is_healed_by_opening(caches, tmp_path, state, harm):
    source = caches[0] / state
    for number, original in enumerate({path.suffix or path.name: path for path in files_of(source)}.values()):
        cache = tmp_path / str(number)
        if state == "killed" and harm is _damage and original.name == "state.sqlite":
            continue  # while a change is being written, SQLite's structure is checked and texts are not
        shutil.copytree(source, cache)
        harm(cache / original.relative_to(source), random.Random(number), files_of(cache))
        try:
            healed(caches, cache)
        except BaseException as error:
            error.add_note(f"harmed: {original.relative_to(source)}")
            raise
        shutil.rmtree(cache)


@pytest.mark.parametrize("seed", SEEDS)
def test_opening_repairs_any_combination_of_damage(caches, tmp_path, seed):
    chance = random.Random(seed)
    shutil.copytree(caches[0] / chance.choice(["closed", "resting"]), tmp_path / "cache")
    for _ in range(chance.randint(2, 6)):
        there = files_of(tmp_path / "cache")
        if len(there) > 1:
            chance.choice(HARMS)(chance.choice(there), chance, there)
    healed(caches, tmp_path / "cache")


@pytest.mark.parametrize("name", ["", "tantivy", "survey"])
def test_a_file_in_the_place_of_a_folder_is_replaced(caches, tmp_path, name):
    shutil.copytree(caches[0] / "closed", tmp_path / "cache")
    path = tmp_path / "cache" / name
    if path.exists():
        shutil.rmtree(path)
    path.write_text("not a folder")
    healed(caches, tmp_path / "cache")


def test_leftover_deletions_of_a_killed_writer_do_not_stop_the_word_index(caches, tmp_path):
    shutil.copytree(caches[0] / "closed", tmp_path / "cache")
    _leave_deletions(tmp_path / "cache" / "tantivy")
    index = open_index(tmp_path / "cache", FakeEmbedder())
    index.drop_memories(["m1"])
    index.put_memories(MEMORIES)
    index.close()
    healed(caches, tmp_path / "cache")


def test_a_commit_that_meets_leftovers_is_repeated_on_a_new_word_index(caches, tmp_path):
    shutil.copytree(caches[0] / "closed", tmp_path / "cache")
    index = open_index(tmp_path / "cache", FakeEmbedder())
    _leave_deletions(tmp_path / "cache" / "tantivy")
    index.drop_memories(["m1"])
    assert "m1" not in index.snapshot().memories()
    index.put_memories(MEMORIES)
    index.close()
    healed(caches, tmp_path / "cache")


def _leave_deletions(folder):
    meta = json.loads((folder / "meta.json").read_text())
    for segment in meta["segments"]:
        for number in range(meta["opstamp"], meta["opstamp"] + 60):
            (folder / f"{segment['segment_id'].replace('-', '')}.{number}.del").touch()


def test_a_word_index_that_could_not_be_written_anew_is_written_by_the_next_change(caches, tmp_path, monkeypatch):
    shutil.copytree(caches[0] / "closed", tmp_path / "cache")
    index = open_index(tmp_path / "cache", FakeEmbedder())
    with monkeypatch.context() as patched:
        patched.setattr(Lexical, "add", _refuse)
        with pytest.raises(StorageError, match="refused"):
            index.put_memories([MemoryText("m1", "another session")])
    index.put_memories(MEMORIES)
    index.close()
    healed(caches, tmp_path / "cache")


def _refuse(*_args):
    raise StorageError("refused")


def test_a_manifest_that_breaks_while_it_is_open_is_reported_as_damage(caches, tmp_path):
    shutil.copytree(caches[0] / "closed", tmp_path / "cache")
    index = open_index(tmp_path / "cache", FakeEmbedder())
    manifest = index._writer._manifest
    manifest.connection.execute("DROP TABLE chunks")
    with pytest.raises(StorageError, match="damaged"):
        index.put_memories(MEMORIES[:1])
    assert isinstance(manifest, Manifest)
    index.close()


@pytest.mark.parametrize("error", LIMITS)
def test_a_limit_of_the_process_damages_no_index(error):
    failed = StorageError("the word index can't be written")
    failed.__cause__ = error
    assert is_at_limit(failed)
    assert is_exhausted(failed)


def test_a_full_disk_is_no_limit_of_the_process():
    full = ValueError("An IO error occurred: 'No space left on device (os error 28)'")
    assert is_exhausted(full)
    assert not is_at_limit(full)
