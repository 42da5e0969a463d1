"""Taking a reconcile back byte for byte; and stopping anywhere in reconcile, prune or undo without losing a byte."""

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from muninn_core.config import PruneConfig
from muninn_core.errors import NotFoundError, StorageError, UsageError
from muninn_core.reconcile.planning.apply import reconcile
from muninn_core.reconcile.planning.prune import prune
from muninn_core.store.files.layout import layout_of
from muninn_core.store.files.undo_journal import MAX_JOURNALS, FileRewrite, rewrite, undo

pytest_plugins = ["logs"]

POLICY = PruneConfig(age_days=30)
LATER = datetime(2026, 6, 1, tzinfo=UTC)


def store(log, *texts, session="s1", **fields):
    records = [{"type": "insight", "actor": "assistant", "text": text, **fields} for text in texts]
    return [record.id for record in log.append(records, session)]


def files(layout):
    """Every file for git, with its bytes."""
    return {
        path.relative_to(layout.memory).as_posix(): path.read_bytes()
        for path in sorted(layout.memory.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def filled(log):
    """A log with a main file and three segments, a duplicate and a contradiction among them."""
    store(log, "Logs are kept for 30 days", session="s0")
    log.seal()
    reconcile(log)
    store(log, "The logs are kept for 30 days", "The port is 80", session="s1")
    store(log, "The port is 81", session="s2")
    log.seal()
    return log


@pytest.mark.parametrize("archive", [False, True])
def test_undo_puts_main_and_the_segments_back_byte_for_byte(filled, layout, archive):
    before, state = files(layout), filled.state
    summary = reconcile(filled, archive=archive).summary
    assert files(layout) != before
    undone = undo(layout)
    filled.refresh()
    assert (undone.kind, undone.summary) == ("reconcile", summary)
    assert files(layout) == before
    assert filled.state == state
    assert reconcile(filled, archive=archive).summary == summary


def test_the_first_reconcile_is_undone_by_taking_main_away(log, layout):
    store(log, "One thing")
    log.seal()
    before = files(layout)
    reconcile(log)
    undo(layout)
    assert files(layout) == before
    with pytest.raises(NotFoundError, match="nothing to undo"):
        undo(layout)


def test_undo_goes_back_step_by_step(filled, layout):
    before = files(layout)
    reconcile(filled, session="s2")
    between = files(layout)
    reconcile(filled)
    undo(layout)
    assert files(layout) == between
    undo(layout)
    assert files(layout) == before


def test_a_reconcile_that_changes_nothing_leaves_nothing_to_undo(filled, layout):
    before = files(layout)
    reconcile(filled)
    reconcile(filled)
    undo(layout)
    assert files(layout) == before


def test_undo_refuses_when_a_file_has_changed_since_and_touches_none(filled, layout):
    reconcile(filled)
    with layout.main.open("a") as main:
        main.write('{"ts":"2026-01-07T10:00:00Z","type":"insight","text":"pulled"}\n')
    after = files(layout)
    with pytest.raises(
        UsageError, match=r"can't undo: \.muninn/memory/main\.jsonl changed since the last reconcile"
    ) as e:
        undo(layout)
    assert e.value.data == {"changed": ["main.jsonl"]}
    assert files(layout) == after


def test_undo_brings_no_memory_of_another_branch(filled, layout, opened, tmp_path):
    other = copied(layout, tmp_path / "other")
    reconcile(filled)
    shutil.copytree(layout.undo, other.undo, dirs_exist_ok=True)
    next(other.sessions.glob("s1-*.jsonl")).unlink()  # a branch that never had this session
    before = files(other)
    with pytest.raises(UsageError, match=r"or is another branch's"):
        undo(other)
    assert files(other) == before
    undo(layout)
    with pytest.raises(UsageError):
        undo(other)


def test_memories_stored_after_a_reconcile_survive_its_undo(filled, layout):
    reconcile(filled)
    (fresh,) = store(filled, "Stored afterwards", session="s9")
    filled.seal()
    undo(layout)
    filled.refresh()
    assert filled.state.memories[fresh].active
    assert filled.state.conflicts == ()


def test_a_damaged_journal_is_an_error_and_nothing_changes(filled, layout):
    reconcile(filled)
    after = files(layout)
    journal = max(layout.undo.iterdir())
    journal.write_bytes(journal.read_bytes()[:-3])
    with pytest.raises(StorageError, match="damaged"):
        undo(layout)
    assert files(layout) == after


def test_a_journal_that_names_a_file_elsewhere_is_refused(filled, layout):
    reconcile(filled)
    journal = max(layout.undo.iterdir())
    journal.write_bytes(journal.read_bytes().replace(b'"main.jsonl"', b'"../main.js"'))
    with pytest.raises(StorageError, match="damaged"):
        undo(layout)


def test_only_the_last_few_journals_are_kept(layout):
    for number in range(MAX_JOURNALS + 3):
        before = None if number == 0 else b"%d" % (number - 1)
        rewrite(layout, "reconcile", "", [FileRewrite(path=layout.main, before=before, after=b"%d" % number)])
    assert len(list(layout.undo.iterdir())) == MAX_JOURNALS
    for _ in range(MAX_JOURNALS):
        undo(layout)
    assert layout.main.read_bytes() == b"2"


class Killed(BaseException):
    """The process is gone: no `except OSError` may run."""


class Power:
    """Counts file operations, and fails from the chosen one on."""

    def __init__(self, patch, last=None):
        self.done = 0
        self._last = last
        for owner, name in ((Path, "replace"), (Path, "unlink"), (os, "fsync")):
            patch.setattr(owner, name, self._counted(getattr(owner, name)))

    def _counted(self, operation):
        def counted(*arguments, **options):
            if self._last is not None and self.done >= self._last:
                raise Killed
            self.done += 1
            return operation(*arguments, **options)

        return counted


def operations(monkeypatch, action):
    with monkeypatch.context() as patch:
        power = Power(patch)
        action()
        return power.done


def kill_at(monkeypatch, number, action):
    with monkeypatch.context() as patch:
        Power(patch, last=number)
        with pytest.raises(Killed):
            action()


def copied(layout, folder):
    there = layout_of(folder)
    shutil.copytree(layout.root, there.root)
    return there


def texts(content):
    return {json.loads(line).get("text") for name in content for line in content[name].splitlines()}


@pytest.mark.parametrize("kind", ["reconcile", "archive", "prune"])
def test_killed_at_any_operation_a_rewrite_ends_the_same_when_run_again_and_can_be_undone(
    filled, layout, opened, tmp_path, monkeypatch, kind
):
    def run(log):
        if kind == "prune":
            return prune(log, POLICY, LATER)
        return reconcile(log, archive=kind == "archive")

    if kind == "prune":
        (old,) = store(filled, "Nobody needs this", session="s4")
        filled.append([{"type": "archive", "target": old}], "s4")
        reconcile(filled)
    before, journals = files(layout), len(list(layout.undo.iterdir()))
    whole = copied(layout, tmp_path / "whole")
    log = opened(whole)
    count = operations(monkeypatch, lambda: run(log))
    after = files(whole)
    assert after != before
    assert count > 8
    for number in range(count):
        there = copied(layout, tmp_path / f"at{number}")
        log = opened(there)
        kill_at(monkeypatch, number, lambda log=log: run(log))
        assert texts(files(there)) >= texts(before)
        back = copied(there, tmp_path / f"back{number}")
        again = opened(there)
        run(again)
        assert files(there) == after
        undo(there)
        assert files(there) == before
        if len([path for path in back.undo.iterdir() if path.suffix != ".tmp"]) > journals:
            opened(back)
            undo(back)
            assert files(back) == before


def test_killed_at_any_operation_an_undo_ends_the_same_when_run_again(filled, layout, opened, tmp_path, monkeypatch):
    before = files(layout)
    reconcile(filled, archive=True)
    whole = copied(layout, tmp_path / "whole")
    count = operations(monkeypatch, lambda: undo(whole))
    assert files(whole) == before
    for number in range(count):
        there = copied(layout, tmp_path / f"at{number}")
        kill_at(monkeypatch, number, lambda there=there: undo(there))
        assert texts(files(there)) >= texts(before)
        log = opened(there)
        if list(there.undo.glob("*2.*")):
            undo(there)
        assert files(there) == before
        reconcile(log)
        assert log.segments == 0


def test_two_clones_that_undo_and_reconcile_again_have_the_same_bytes(filled, layout, opened, tmp_path):
    clone = copied(layout, tmp_path / "clone")
    other = opened(clone)
    reconcile(filled)
    undo(layout)
    filled.refresh()
    reconcile(filled)
    reconcile(other)
    assert files(layout) == files(clone)
