"""What people, other programs and broken clocks put where memory is: each has a sensible outcome and loses nothing."""

from __future__ import annotations

import json
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from repositories import git

from muninn_core.errors import BadParams, StorageError
from muninn_core.reconcile.planning.apply import reconcile
from muninn_core.store.files.layout import layout_of
from muninn_core.store.files.lines import MAX_FILE_BYTES

pytest_plugins = ["logs"]


def insight(text, **fields):
    return {"type": "insight", "text": text, "actor": "user", **fields}


def texts(log):
    return {memory.text for memory in log.state.memories.values()}


def line(text, identity="", ts="2026-01-07T10:00:00Z"):
    named = f'"id":"{identity}",' if identity else ""
    return f'{{"v":1,{named}"ts":"{ts}","type":"insight","text":"{text}"}}\n'


def test_merge_markers_are_reported_line_by_line_and_both_sides_are_read(layout, opened):
    layout.main.parent.mkdir(parents=True, exist_ok=True)
    layout.main.write_text(f"<<<<<<< HEAD\n{line('ours')}=======\n{line('theirs')}>>>>>>> feature\n{line('after')}")
    log = opened()
    assert texts(log) == {"ours", "theirs", "after"}
    assert [one.line for one in log.malformed] == [1, 3, 5]
    assert {one.reason for one in log.malformed} == {"a merge marker of git"}
    reconcile(log)
    assert opened().state.memories.keys() == log.state.memories.keys()
    assert b"<<<<<<<" not in layout.main.read_bytes()


def test_every_machine_takes_the_same_of_two_records_with_one_id(layout, opened):
    layout.sessions.mkdir(parents=True)
    older, newer = line("older", "x"), line("newer", "x", "2026-01-07T11:00:00Z")
    same_time = line("after by its bytes", "x", "2026-01-07T11:00:00Z")
    found = set()
    for number, content in enumerate([older + newer + same_time, same_time + older + newer, newer + same_time + older]):
        for path in layout.sessions.iterdir():
            path.unlink()
        for part, one in enumerate(content.splitlines()):
            (layout.sessions / f"s{number}-{part}.jsonl").write_text(one + "\n")
        found.add(frozenset(texts(opened())))
    assert found == {frozenset({"newer"})}


@pytest.mark.parametrize("years", [-30, -1, 40])
def test_a_clock_that_is_years_off_hides_no_memory(log, clock, years):
    (first,) = log.append([insight("old")], "s1")
    now = clock.now
    clock.now += timedelta(days=365 * years)
    log.append([{"type": "update", "target": first.id, "set": {"text": "new"}}], "s1")
    clock.now = now
    log.append([{"type": "update", "target": first.id, "set": {"text": "newest"}}], "s2")
    assert texts(log) == {"newest"}


def test_a_file_of_a_gigabyte_is_reported_and_not_read_and_reconciling_refuses(log, layout, opened):
    log.append([insight("one")], "s1")
    log.seal()
    huge = layout.sessions / "huge.jsonl"
    with huge.open("wb") as file:
        file.truncate(1024**3)
    later = opened()
    assert texts(later) == {"one"}
    ((problem,)) = [one for one in later.problems if one.path.endswith("huge.jsonl")]
    assert "it has 1,073,741,824 bytes" in problem.message
    assert huge.stat().st_size > MAX_FILE_BYTES
    with pytest.raises(StorageError, match=r"huge\.jsonl"):
        reconcile(later)
    assert huge.exists()
    assert texts(opened()) == {"one"}


def test_no_file_grows_beyond_what_is_read_again(log, opened, layout, monkeypatch):
    monkeypatch.setattr("muninn_core.store.files.appends.MAX_FILE_BYTES", 600)
    monkeypatch.setattr("muninn_core.reconcile.planning.apply.MAX_FILE_BYTES", 600)
    log.append([insight("one" * 60)], "s1")
    for private in (False, True):
        with pytest.raises(StorageError, match="exceed 600 bytes") as refused:
            log.append([insight("two" * 60, private=private), insight("three" * 90, private=private)], "s1")
    assert "nothing was stored" in refused.value.message
    assert texts(opened()) == {"one" * 60}
    log.seal()
    log.append([insight("two" * 60)], "s1")
    with pytest.raises(StorageError, match=r"main\.jsonl would have"):
        reconcile(log)
    assert texts(opened()) == {"one" * 60, "two" * 60}


def test_a_record_of_almost_a_megabyte_is_a_record(log, opened, layout):
    text = "x" * 990_000
    log.append([insight(text), insight("small")], "s1")
    log.seal()
    assert texts(opened()) == {text, "small"}
    reconcile(log)
    assert texts(opened()) == {text, "small"}


@pytest.mark.parametrize("big", [insight("x" * 1_000_000), insight("x", files=[f"{n}.py" for n in range(1_001)])])
def test_a_larger_record_is_refused_and_one_in_a_file_is_set_aside_reported_and_kept(log, opened, layout, big):
    with pytest.raises(BadParams, match="the limit is 1,0"):
        log.append([big], "s1")
    log.append([insight("small")], "s1")
    log.seal()
    pulled = layout.sessions / "pulled-0123456789ab.jsonl"
    line = json.dumps({"v": 1, "id": "big", "ts": "2026-01-07T10:00:00.000Z", **big}).encode() + b"\n"
    pulled.write_bytes(line)
    later = opened()
    assert texts(later) == {"small"}
    ((problem,)) = [one for one in later.problems if one.path.endswith(pulled.name)]
    assert "the limit is 1,0" in problem.message
    reconcile(later)
    assert any(line.strip() in path.read_bytes() for path in layout.memory.rglob("*.jsonl"))


def test_a_segment_that_was_renamed_by_hand_is_the_same_segment(log, layout, opened):
    log.append([insight("one"), insight("two")], "s1")
    log.seal()
    state = log.state
    (segment,) = layout.sessions.glob("*.jsonl")
    segment.rename(layout.sessions / "my notes (old).jsonl")
    log.refresh()
    assert log.state == state == opened().state
    reconcile(log)
    assert log.state.memories.keys() == state.memories.keys()
    assert list(layout.sessions.glob("*.jsonl")) == []


def test_a_pointer_of_lfs_is_reported_and_kept(layout, opened):
    layout.main.parent.mkdir(parents=True, exist_ok=True)
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12345\n"
    layout.main.write_text(pointer)
    log = opened()
    assert [one.line for one in log.malformed] == [1, 2, 3]
    log.append([insight("one")], "s1")
    log.seal()
    reconcile(log)
    content = layout.main.read_text()
    assert all(one in content for one in pointer.splitlines())
    assert texts(opened()) == {"one"}


def test_a_folder_that_was_deleted_under_the_log_is_made_again_by_the_next_record(log, layout, opened):
    log.append([insight("one")], "s1")
    log.seal()
    subprocess.run(["rm", "-r", str(layout.muninn)], check=True)
    log.refresh()
    log.append([insight("two")], "s2")
    assert "two" in texts(opened())


def commit_memory(root: Path, opened, text: str) -> None:
    log = opened(layout_of(root))
    log.append([insight(text)], "s1")
    log.seal()
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", text)


def test_a_shallow_clone_has_the_whole_memory(layout, opened, tmp_path):
    git(layout.root, "init", "-q", "-b", "main")
    for text in ("one", "two", "three"):
        commit_memory(layout.root, opened, text)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{layout.root}", "shallow")
    assert git(tmp_path / "shallow", "rev-list", "--count", "HEAD").strip() == "1"
    assert texts(opened(layout_of(tmp_path / "shallow"))) == {"one", "two", "three"}


def test_a_submodule_keeps_a_memory_of_its_own(layout, opened, tmp_path):
    from muninn_core.launch.repository_location import locate

    git(layout.root, "init", "-q", "-b", "main")
    commit_memory(layout.root, opened, "of the library")
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(layout.root), "library")
    inner = locate(str(outer / "library"))
    assert (inner.root, inner.linked) == (str(outer / "library"), False)
    assert inner.identity == str(outer / ".git" / "modules" / "library")
    commit_memory(outer / "library", opened, "of the copy")
    assert texts(opened(layout_of(outer / "library"))) == {"of the library", "of the copy"}
    assert git(outer, "status", "--porcelain", "-uall", "--ignore-submodules").split() == [
        "A",
        ".gitmodules",
        "A",
        "library",
    ]


def test_a_bare_repository_has_no_memory(tmp_path):
    from muninn_core.errors import NotARepository
    from muninn_core.launch.repository_location import locate

    git(tmp_path, "init", "-q", "--bare", "bare.git")
    with pytest.raises(NotARepository):
        locate(str(tmp_path / "bare.git"))
