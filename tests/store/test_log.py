import json
import os
import shutil
import tempfile
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from muninn_core.errors import BadParams, NotInitialised, ReadOnlyError, StorageError
from muninn_core.store.files.layout import layout_of

pytest_plugins = ["logs"]

UNPRIVILEGED = 65_534
"""The number of a user without rights."""


def insight(text, **fields):
    return {"type": "insight", "text": text, "actor": "user", **fields}


def texts(log):
    return [memory.text for memory in log.state.memories.values()]


def test_an_appended_record_is_on_disk_and_in_the_state_with_a_complete_envelope(log, layout):
    (record,) = log.append([insight("one")], "s1")
    line = json.loads((layout.spool / "s1.jsonl").read_text())
    assert line == record.data
    assert (line["v"], line["session"], line["ts"], len(line["id"])) == (1, "s1", record.ts, 26)
    memory = log.state.memories[record.id]
    assert (memory.text, memory.session, memory.sealed) == ("one", "s1", False)
    assert (log.position, log.unsealed, log.segments) == (1, 1, 0)


def test_an_appended_record_equals_the_one_parsed_from_its_line(log, layout):
    (plain, change) = log.append([insight("one", id="m1"), {"type": "pin", "target": "m1"}], "s1")
    lines = (layout.spool / "s1.jsonl").read_bytes().splitlines()
    held = log.records
    assert [held[each.id].line for each in (plain, change)] == lines
    assert held["m1"].plain
    assert held["m1"].decoded is None
    assert log.state.memories["m1"].pinned


def test_a_state_is_a_snapshot(log):
    before = log.state
    log.append([insight("one")], "s1")
    assert before.memories == {}
    with pytest.raises(TypeError):
        log.state.memories["x"] = None


def test_sealing_makes_a_segment_and_the_session_goes_on(log, layout, opened):
    log.append([insight("one"), insight("two")], "s1")
    sealed = log.seal("s1")
    assert sealed.records == 2
    (segment,) = layout.sessions.iterdir()
    assert sealed.segments == (f".muninn/memory/sessions/{segment.name}",)
    assert not (layout.spool / "s1.jsonl").exists()
    assert all(memory.sealed for memory in log.state.memories.values())
    log.append([insight("three")], "s1")
    log.append([insight("four")], "s2")
    assert len(log.seal().segments) == 2
    assert log.seal() == log.seal("s1") == log.seal("unknown")
    assert log.seal().segments == ()
    assert texts(log) == ["one", "two", "three", "four"]
    assert opened().state == log.state
    assert not log.refresh()


def test_a_key_is_stored_once_in_this_process_and_the_next(log, opened):
    (first,) = log.append([insight("one", key="k")], "s1")
    assert log.append([insight("again", key="k"), insight("new")], "s2")[0] == first
    assert log.append([insight("x", key="j"), insight("y", key="j")], "s1")[1].data["text"] == "x"
    later = opened()
    assert later.append([insight("once more", key="k")], "s3") == (first,)
    assert texts(later) == ["one", "new", "x"]


def test_an_update_counts_even_when_the_clock_stepped_back(log, clock):
    (record,) = log.append([insight("old")], "s1")
    clock.now -= timedelta(days=1)
    log.append([{"type": "update", "target": record.id, "set": {"text": "new"}}], "s1")
    clock.now -= timedelta(days=1)
    log.append([{"type": "update", "target": record.id, "set": {"text": "newest"}}], "s1")
    assert texts(log) == ["newest"]


@pytest.mark.parametrize("session", ["", "../x", ".hidden", "a/b", "x" * 101, "a b"])
def test_a_session_can_not_name_another_path(log, session):
    with pytest.raises(BadParams, match="not a valid session name"):
        log.append([insight("x")], session)
    with pytest.raises(BadParams):
        log.seal(session)


def test_a_batch_is_stored_whole_or_not_at_all(log, layout):
    with pytest.raises(BadParams, match="'archive' lacks 'target'"):
        log.append([insight("fine"), {"type": "archive"}], "s1")
    with pytest.raises(BadParams, match="can't be written"):
        log.append([insight("fine"), insight("\ud800")], "s1")
    with pytest.raises(BadParams, match="'type' is missing"):
        log.append([{"text": "x"}], "s1")
    with pytest.raises(BadParams, match="another record has the id"):
        log.append([insight("one", id="i"), insight("two", id="i")], "s1")
    assert log.position == 0
    assert not layout.spool.exists()


@pytest.mark.parametrize("fields", [{}, {"private": True}])
def test_a_folder_that_can_not_be_read_for_a_while_costs_no_record(log, layout, opened, fields):
    log.append([insight("one", **fields)], "s1")
    folder = layout.private if fields else layout.spool
    folder.rename(layout.local / "away")
    folder.write_text("not a folder")
    with pytest.raises(StorageError):
        log.append([insight("lost", **fields)], "s1")
    folder.unlink()
    (layout.local / "away").rename(folder)
    log.append([insight("two", **fields)], "s1")
    assert texts(opened(layout, writable=False)) == ["one", "two"]


@pytest.fixture
def closed(opened):
    """A log with a sealed record in a folder that this process may not read, also if it is root's."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:  # the folders of pytest are closed to other users
        layout = layout_of(Path(name))
        layout.muninn.mkdir()
        log = opened(layout)
        log.append([insight("one")], "s1")
        log.seal()
        for folder in (layout.root, *(path for path in layout.root.rglob("*") if path.is_dir())):
            folder.chmod(0o755)
        layout.sessions.chmod(0)
        user = os.geteuid()
        os.seteuid(UNPRIVILEGED if user == 0 else user)
        yield log
        os.seteuid(user)
        layout.sessions.chmod(0o755)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_a_folder_of_segments_that_may_not_be_read_is_a_problem_and_not_empty(closed):
    assert closed.refresh()
    (problem,) = closed.problems
    assert (problem.path, problem.line) == (".muninn/memory/sessions", 0)
    assert "can't be read" in problem.message


def test_a_log_for_reading_sees_the_spool_and_changes_nothing(log, layout, opened):
    log.append([insight("one")], "s1")
    reader = opened(writable=False)
    assert texts(reader) == ["one"]
    assert reader.unsealed == 1
    log.append([insight("two")], "s1")
    assert reader.refresh()
    assert texts(reader) == ["one", "two"]
    with pytest.raises(ReadOnlyError):
        reader.append([insight("x")], "s1")
    with pytest.raises(ReadOnlyError):
        reader.seal()
    assert [path.name for path in layout.spool.iterdir()] == ["s1.jsonl"]


def test_without_a_folder_there_is_no_log(tmp_path, opened):
    with pytest.raises(NotInitialised):
        opened(layout_of(tmp_path / "nothing"))


def test_malformed_lines_are_reported_with_their_place(layout, opened):
    layout.sessions.mkdir(parents=True)
    good = '{"ts":"2026-01-07T10:00:00Z","type":"insight","text":"good"}'
    layout.main.write_text(f"{good}\n\nnot json\n")
    (layout.sessions / "s.jsonl").write_text(f'{{"v":9,"ts":"2026-01-07T10:00:00Z","type":"insight"}}\n{good}')
    log = opened()
    assert [(one.path, one.line) for one in log.malformed] == [
        (".muninn/memory/main.jsonl", 3),
        (".muninn/memory/sessions/s.jsonl", 1),
    ]
    assert "later version" in log.malformed[1].reason
    first = log.problems[0]
    assert (first.kind, first.path, first.line) == ("malformed", ".muninn/memory/main.jsonl", 3)
    assert texts(log) == ["good"]


def test_files_that_come_change_and_go_are_followed(log, layout, tmp_path):
    log.append([insight("one")], "s1")
    log.seal()
    log.append([insight("in the spool")], "s2")
    (segment,) = layout.sessions.iterdir()
    away = tmp_path / "away"
    shutil.move(segment, away)
    assert log.refresh()
    assert texts(log) == ["in the spool"]
    shutil.move(away, segment)
    kept = log.state.memories
    assert log.refresh()
    assert texts(log) == ["one", "in the spool"]
    assert all(log.state.memories[identity] is memory for identity, memory in kept.items())
    segment.write_text(segment.read_text().replace('"text":"one"', '"text":"1"'))
    assert log.refresh()
    assert texts(log) == ["1", "in the spool"]


def test_segments_that_come_and_go_in_a_long_log_leave_the_state_of_the_files(log, layout, opened, tmp_path):
    for number in range(12):
        (record,) = log.append([insight(f"fact {number}", key=f"k{number}")], f"s{number}")
        log.append([{"type": "link", "target": record.id, "relation": "supersedes", "to": record.id[:-1]}], "s0")
        log.seal()
    segments = sorted(layout.sessions.glob("s1*.jsonl"))
    away = tmp_path / "away"
    away.mkdir()
    for moved, back in ((segments[:1], []), (segments[1:2], segments[:1]), ([], segments[1:2])):
        for path in moved:
            shutil.move(path, away / path.name)
        for path in back:
            shutil.move(away / path.name, path)
        assert log.refresh()
        assert log.state == opened(writable=False).state
    text = segments[0].read_text()
    for other in ("zzz", "aaa"):
        segments[0].write_text(text.replace('"text":"fact', f'"text":"{other}'))
        assert log.refresh()
        assert log.state == opened(writable=False).state
    segments[0].unlink()
    assert log.refresh()
    assert log.append([insight("again", key="k1")], "s9")[0].data["text"] == "again"


def test_records_in_a_segment_are_not_sealed_again(log, layout, opened):
    log.append([insight("one"), insight("two")], "s1")
    content = (layout.spool / "s1.jsonl").read_bytes()
    first = content.split(b"\n")[0] + b"\n"
    layout.sessions.mkdir(parents=True)
    (layout.sessions / "elsewhere.jsonl").write_bytes(first)
    log = opened()
    (segment,) = (path for path in layout.sessions.iterdir() if path.name != "elsewhere.jsonl")
    assert segment.read_bytes() == content[len(first) :]


def test_many_threads_append_and_nothing_is_lost(log, opened):
    def work(name):
        for number in range(25):
            log.append([insight(f"{name} {number}")], f"s{name % 3}")

    threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert log.position == len(set(texts(log))) == 150
    assert opened().position == 150
