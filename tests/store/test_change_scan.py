"""The cost and the result of checking memory's files for changes."""

import os

import pytest

from muninn_core.store.files.change_scan import FULL_SCAN_SECONDS, SETTLED_SECONDS, ChangeScan

pytest_plugins = ["logs"]


class Seconds:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def seconds():
    return Seconds()


@pytest.fixture
def look(layout, seconds):
    layout.sessions.mkdir(parents=True)
    layout.main.write_text("main\n")
    for number in range(3):
        (layout.sessions / f"s{number}.jsonl").write_text("one\n")
    return ChangeScan(layout, with_spools=False, monotonic=seconds)


def settle(look, seconds):
    """Look until the files have been still for long enough to be trusted."""
    assert look.scan(brief=True) is not None
    seconds.now += SETTLED_SECONDS + 1
    assert look.scan(brief=True) is None


def test_a_brief_look_at_files_that_are_still_reads_no_folder(look, seconds, monkeypatch):
    settle(look, seconds)
    monkeypatch.setattr(os, "scandir", lambda _: pytest.fail("every file was looked at"))
    assert look.scan(brief=True) is None


def test_a_brief_look_sees_files_that_come_go_or_are_replaced(look, seconds, layout):
    segment = layout.sessions / "s0.jsonl"
    fresh = layout.sessions / "fresh"
    fresh.write_text("two\n")
    for change in (
        lambda: (layout.sessions / "s9.jsonl").write_text("came\n"),
        lambda: (layout.sessions / "s1.jsonl").unlink(),
        lambda: fresh.replace(segment),
        lambda: layout.main.write_text("main, longer\n"),
    ):
        settle(look, seconds)
        change()
        assert look.scan(brief=True) is not None
        look.reset()


def test_a_change_within_the_same_timestamp_is_seen(look, seconds, layout):
    settle(look, seconds)
    (layout.sessions / "s8.jsonl").write_text("came\n")
    assert len(look.scan(brief=True)) == 5
    told = os.stat(layout.sessions)
    (layout.sessions / "s9.jsonl").write_text("came as well\n")
    os.utime(layout.sessions, ns=(told.st_atime_ns, told.st_mtime_ns))
    assert len(look.scan(brief=True)) == 6


def test_an_edit_within_a_segment_is_seen_by_a_whole_look_at_once_and_by_a_brief_one_in_the_end(look, seconds, layout):
    for brief, wait in ((False, 0), (True, FULL_SCAN_SECONDS)):
        settle(look, seconds)
        with (layout.sessions / "s0.jsonl").open("a") as file:
            file.write("more\n")
        assert look.scan(brief=True) is None
        seconds.now += wait
        assert look.scan(brief=brief) is not None
        look.reset()


def test_a_reader_sees_what_others_append_to_their_spools(layout, seconds):
    layout.spool.mkdir(parents=True)
    spool = layout.spool / "s1.jsonl"
    spool.write_text("one\n")
    look = ChangeScan(layout, with_spools=True, monotonic=seconds)
    settle(look, seconds)
    with spool.open("a") as file:
        file.write("two\n")
    assert str(spool) in look.scan(brief=True)
