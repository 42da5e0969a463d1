"""Logs after a crash, on a full disk or without permission, on real disks where possible."""

import errno
import os
import subprocess

import pytest

from muninn_core.errors import ReadOnlyError, StorageError
from muninn_core.store.files.layout import DRAFTS, initialise, layout_of
from muninn_core.store.files.spool import segment_path
from muninn_core.worktree.local.session_state import SessionState

pytest_plugins = ["logs"]


def insight(text):
    return {"type": "insight", "text": text, "actor": "user"}


def texts(log):
    return [memory.text for memory in log.state.memories.values()]


def test_a_torn_last_line_is_set_aside_and_reported_until_it_is_deleted(log, layout, opened):
    log.append([insight("one"), insight("two")], "s1")
    spool = layout.spool / "s1.jsonl"
    spool.write_bytes(spool.read_bytes()[:-20])
    again = opened()
    assert texts(again) == ["one"]
    (torn,) = layout.spool.iterdir()
    assert torn.name.startswith("torn-s1-")
    assert torn.read_bytes().startswith(b'{"v":1,')
    assert [(one.path, one.line) for one in again.malformed] == [(f".muninn/local/spool/{torn.name}", 0)]
    assert opened().malformed == again.malformed
    torn.unlink()
    assert opened().malformed == ()


def test_a_whole_record_without_its_line_end_is_kept(log, layout, opened):
    log.append([insight("one"), insight("two")], "s1")
    spool = layout.spool / "s1.jsonl"
    whole = spool.read_bytes()
    spool.write_bytes(whole[:-1])
    again = opened()
    assert texts(again) == ["one", "two"]
    assert again.malformed == ()
    assert segment_path(layout, "s1", whole).read_bytes() == whole


def test_a_reader_reports_a_torn_line_and_leaves_it(log, layout, opened):
    log.append([insight("one"), insight("two")], "s1")
    spool = layout.spool / "s1.jsonl"
    torn = spool.read_bytes()[:-20]
    spool.write_bytes(torn)
    reader = opened(writable=False)
    assert texts(reader) == ["one"]
    assert [one.line for one in reader.malformed] == [2]
    assert spool.read_bytes() == torn


@pytest.mark.parametrize("moment", ["before the rename", "after the rename"])
def test_a_crash_while_sealing_is_healed_by_sealing_again(log, layout, opened, moment):
    log.append([insight("one"), insight("two")], "s1")
    content = (layout.spool / "s1.jsonl").read_bytes()
    segment = segment_path(layout, "s1", content)
    layout.sessions.mkdir(parents=True)
    if moment == "before the rename":
        segment.with_name(f"{segment.name}.tmp").write_bytes(content[:30])
    else:
        segment.write_bytes(content)
    again = opened()
    assert [path.name for path in layout.sessions.iterdir()] == [segment.name]
    assert segment.read_bytes() == content
    assert texts(again) == ["one", "two"]
    assert list(layout.spool.iterdir()) == []


def test_the_bytes_are_flushed_before_the_answer(log, monkeypatch):
    flushed = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: flushed.append(os.fstat(handle).st_size) or real(handle))
    log.append([insight("one")], "s1")
    length = (log.layout.spool / "s1.jsonl").stat().st_size
    assert length in flushed
    flushed.clear()
    log.append([insight("two"), insight("three")], "s1")
    assert flushed == [(log.layout.spool / "s1.jsonl").stat().st_size]


def test_a_write_that_fails_half_way_leaves_no_trace(log, layout, monkeypatch, opened):
    log.append([insight("one")], "s1")
    before = (layout.spool / "s1.jsonl").read_bytes()
    real = os.write

    def half(handle, data):
        if len(data) < 10:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(handle, bytes(data)[: len(data) // 2])

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(StorageError, match="No space left") as caught:
        log.append([insight("two")], "s1")
    assert caught.value.hint
    assert (layout.spool / "s1.jsonl").read_bytes() == before
    assert texts(log) == ["one"]
    monkeypatch.undo()
    log.append([insight("three")], "s1")
    assert texts(opened()) == ["one", "three"]


def test_when_even_cutting_back_fails_the_next_write_does_it(log, layout, monkeypatch, opened):
    log.append([insight("one")], "s1")
    spool = layout.spool / "s1.jsonl"
    before = len(spool.read_bytes())

    def fail(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fail)
    monkeypatch.setattr(os, "ftruncate", fail)
    with pytest.raises(StorageError):
        log.append([insight("two")], "s1")
    assert len(spool.read_bytes()) > before
    monkeypatch.undo()
    log.append([insight("three")], "s1")
    assert texts(opened()) == texts(log) == ["one", "three"]


def test_a_rest_that_another_call_can_not_cut_off_is_cut_off_before_the_next_write(log, layout, monkeypatch, opened):
    (kept,) = log.append([insight("a text to be redacted")], "s1")
    log.append([insight("one")], "s2")
    with monkeypatch.context() as patch:
        failing(patch, "fsync", lambda *_: True)
        failing(patch, "ftruncate", lambda *_: True)
        with pytest.raises(StorageError):
            log.append([insight("two")], "s2")
    whole = (layout.spool / "s2.jsonl").read_bytes()
    (layout.spool / "s2.jsonl").write_bytes(whole[:-5])  # a part of the record was written
    with monkeypatch.context() as patch:
        patch.setattr("muninn_core.store.files.appends.truncate", refuse)
        with pytest.raises(StorageError):
            log.redact([kept.id], texts=(), actor="user", session="s1")
    log.append([insight("three")], "s2")
    assert {"one", "three"} <= set(texts(opened()))


def refuse(path, _length):
    raise StorageError(f"can't write {path}: Input/output error")


@pytest.fixture
def tiny_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_loses_nothing_that_was_acknowledged(tiny_disk, opened):
    layout = layout_of(tiny_disk)
    initialise(layout, "# defaults\n")
    log = opened(layout)

    def fill():
        for number in range(1000):
            log.append([insight(f"{number} " + "x" * 500)], "s1")

    with pytest.raises(StorageError) as caught:
        fill()
    assert "Make room" in caught.value.hint
    stored = log.position
    assert 0 < stored < 1000
    with pytest.raises(StorageError):
        log.seal()
    again = opened(layout)
    assert again.position == stored
    assert again.unsealed == stored
    assert [problem.kind for problem in again.problems] == ["unsealed"]
    assert opened(layout, writable=False).position == stored


@pytest.fixture
def read_only(layout):
    mounted = subprocess.run(["mount", "--bind", layout.root, layout.root], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting a folder for reading only needs root")
    subprocess.run(["mount", "-o", "remount,bind,ro", layout.root], check=True)
    yield layout
    subprocess.run(["umount", layout.root], check=True)


def test_a_read_only_disk_is_reported(log, opened, read_only):
    with pytest.raises(ReadOnlyError, match="Read-only file system"):
        log.append([insight("one")], "s1")
    assert log.position == 0


def test_a_session_that_can_not_be_sealed_at_the_start_stays_readable_and_is_reported(log, layout, opened):
    log.append([insight("one")], "s1")
    layout.memory.write_text("a file where the folder should be")
    again = opened()
    assert texts(again) == ["one"]
    assert [problem.kind for problem in again.problems] == ["malformed", "unsealed"]
    layout.memory.unlink()
    assert again.seal().records == 1
    assert again.problems == ()


def test_a_file_in_the_spool_that_is_no_session_is_reported_and_left(layout, opened):
    layout.spool.mkdir(parents=True)
    stranger = layout.spool / "my notes.jsonl"
    stranger.write_text("{}\n")
    log = opened()
    assert [problem.path for problem in log.problems] == [".muninn/local/spool/my notes.jsonl"]
    assert stranger.exists()
    assert log.seal().segments == ()


def failing(monkeypatch, name, condition):
    """Make a function of `os` fail with an I/O error where the condition holds for its arguments."""
    real = getattr(os, name)

    def maybe(*arguments):
        if condition(*arguments):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(*arguments)

    monkeypatch.setattr(os, name, maybe)


def path_of(handle):
    return os.readlink(f"/proc/self/fd/{handle}")


def test_a_new_spool_whose_folder_can_not_be_flushed_holds_nothing(log, layout, monkeypatch, opened):
    layout.spool.mkdir(parents=True, exist_ok=True)
    with monkeypatch.context() as patch:
        failing(patch, "fsync", lambda handle: path_of(handle) == str(layout.spool))
        with pytest.raises(StorageError):
            log.append([insight("refused")], "s1")
    assert texts(log) == texts(opened()) == []


@pytest.mark.parametrize("cut", [True, False])
def test_a_call_whose_private_records_can_not_be_written_stores_none(cut, log, layout, monkeypatch, opened):
    log.append([insight("shared"), {**insight("kept"), "private": True}], "s1")
    with monkeypatch.context() as patch:
        failing(patch, "fsync", lambda handle: "/private/" in path_of(handle))
        if not cut:
            failing(patch, "ftruncate", lambda *_: True)
            failing(patch, "truncate", lambda *_: True)
        with pytest.raises(StorageError):
            log.append([insight("one"), {**insight("two"), "private": True}], "s1")
    assert sorted(texts(log)) == ["kept", "shared"]
    log.append([insight("later"), {**insight("hidden"), "private": True}], "s1")
    assert sorted(texts(opened())) == sorted(texts(log)) == ["hidden", "kept", "later", "shared"]


def test_temporary_files_of_every_folder_that_is_written_are_deleted_at_the_start(log, layout, opened):
    folders = [layout.muninn, layout.memory, layout.sessions, layout.archive, layout.knowledge, layout.context_files]
    folders += [layout.local, layout.local / DRAFTS, layout.contexts, layout.spool, layout.private, layout.undo]
    left = [folder / "half.json.7-8.tmp" for folder in folders]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{")
    opened()
    assert [path for path in left if path.exists()] == []


def test_session_notes_that_can_not_be_written_leave_no_temporary_file(tmp_path, monkeypatch):
    notes = SessionState(tmp_path / "notes.json", writable=True)
    notes.put("s1", "at", 1)

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(StorageError, match="No space left"):
        notes.put("s1", "at", 2)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.json"]


def test_session_notes_are_read_while_another_one_is_written(tmp_path):
    notes = SessionState(tmp_path / "notes.json", writable=False)
    seen = []

    class Reader:
        """A value that is compared while a note is written, and reads then as another thread may."""

        def __eq__(self, _other):
            seen.append(notes.get("s1", "at"))
            return False

        __hash__ = None

    notes.put("s1", "at", 1)
    notes.put("s1", "head", Reader())
    assert seen == [1]
