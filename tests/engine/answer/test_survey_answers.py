"""During the first indexing of a large tree, files are found by their words, and answers contain a note about it."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from repositories import PATIENCE

from muninn_core.engine.answer import search_context
from muninn_core.index import index as index_module
from muninn_core.index.extraction.workers import WorkerPool
from muninn_core.index.index import BULK
from muninn_core.protocol.families.repository import IndexParams
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.indexing.index_updater import FIRST_SCAN

pytest_plugins = ["engines"]

FILES = BULK + 20


@pytest.fixture
def gate(monkeypatch):
    """Have a small tree surveyed, and no file cut until the gate is open."""
    opened = threading.Event()
    extract = WorkerPool.extract

    def waiting(crew, jobs):
        assert opened.wait(2 * PATIENCE)
        yield from extract(crew, jobs)

    monkeypatch.setattr(WorkerPool, "extract", waiting)
    monkeypatch.setattr(index_module, "SURVEYED", BULK + 1)
    monkeypatch.setattr(search_context, "FIRST_SECONDS", PATIENCE)  # the words of all files are soon there
    yield opened
    opened.set()


@pytest.fixture
def muninn(plain_repo, start, gate):
    for number in range(FILES):
        (plain_repo / f"sail_{number}.py").write_text(f"def hoist_{number}(mast):\n    return mast.rope({number})\n")
    (plain_repo / "crew.md").write_text("# Crew\n\nThe bosun keeps the rope locker.\n")
    one = start(plain_repo)
    one.call("init")
    return one


def test_the_first_question_is_answered_from_files_that_wait(muninn):
    found = muninn.call("recall", query="hoist_7")
    assert (found.hits[0].path, found.hits[0].start_line, found.hits[0].symbol) == ("sail_7.py", 1, "hoist_7")
    assert "hoist_7" in found.hits[0].snippet[0].text
    assert found.saw.index.lag >= FILES
    assert found.saw.index.surveyed == found.saw.index.lag
    status = muninn.call("status").index
    assert (status.state, status.files, status.surveyed) == ("building", 0, status.lag)


def test_kinds_and_filters_hold_for_files_that_wait(muninn):
    assert [hit.path for hit in muninn.call("recall", query="rope locker", kind="knowledge").hits] == ["crew.md"]
    assert muninn.call("recall", query="hoist_7", kind="memory").hits == ()
    assert [hit.path for hit in muninn.call("recall", query="hoist_7 path:sail_[67].py").hits] == [
        "sail_7.py",
        "sail_6.py",
    ]
    assert [hit.path for hit in muninn.call("recall", query="rope lang:markdown").hits] == ["crew.md"]
    assert [hit.path for hit in muninn.call("recall", query='"rope locker"').hits] == ["crew.md"]
    assert {hit.path for hit in muninn.call("recall", query="rope -path:crew.md").hits}.isdisjoint({"crew.md"})
    assert [hit.path for hit in muninn.call("recall", query="path:crew.md").hits] == ["crew.md"]
    nothing = muninn.call("recall", query="hoist_7 path:sails_7.py")
    assert nothing.hits == ()
    assert "did you mean path:sail_7.py" in nothing.notes[0]


def test_a_context_is_made_of_files_that_wait(muninn):
    pack = muninn.call("context", query="hoist_7", budget=2000)
    assert "sail_7.py" in pack.text
    assert pack.saw.index.surveyed == pack.saw.index.lag > FILES


def test_memories_and_files_that_wait_are_in_one_answer(muninn):
    muninn.call("remember", text="Never use hoist_7 in a storm.")
    kinds = {hit.kind for hit in muninn.call("recall", query="hoist_7").hits}
    assert kinds == {"code", "memory"}


def test_a_cache_that_is_deleted_under_a_first_index_is_made_anew_by_itself(muninn, gate):
    assert muninn.call("recall", query="hoist_7").saw.index.surveyed
    shutil.rmtree(muninn.root / ".muninn" / "cache")
    gate.set()
    by_itself = FIRST_SCAN + 1  # nobody asks for another look here
    assert muninn.engine.open(muninn.location).updater.wait_files(by_itself, 60)
    assert muninn.call("recall", query="hoist_7", kind="code").hits[0].path == "sail_7.py"
    assert muninn.call("status").problems == ()


def test_waiting_for_the_index_says_what_is_found_and_ends_with_all_of_it(muninn, gate):
    told: list[str] = []
    call = CallContext(location=muninn.location, client="test", report=lambda progress: told.append(progress.message))
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(muninn.engine.call, "index", IndexParams(wait=True), call)
        while not any("found by their words" in message for message in told):
            assert not waiting.done()
        gate.set()
        saw = waiting.result().saw.index
    assert (saw.lag, saw.surveyed) == (0, 0)
    first = next(message for message in told if "to go" in message)
    assert int(first.split()[0].replace(",", "")) >= FILES  # no number while it is unknown
    assert muninn.call("recall", query="hoist_7", kind="code").saw.index.surveyed == 0
