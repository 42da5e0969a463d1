"""A client's calls on the daemon's threads: waiting calls do not delay its exit, and events share transactions."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from repositories import PATIENCE, copy_plain_repo

from muninn_core.engine.metrics import exposition
from muninn_core.errors import Cancelled, PreconditionError, Stopping, UnknownVerb
from muninn_core.launch.repository_location import locate
from muninn_core.model.value import to_plain
from muninn_core.protocol.catalogue import decode_params, lookup
from muninn_core.worktree.call_context import CallContext
from muninn_server import event_appends
from muninn_server import session as session_module
from muninn_server.event_appends import MAX_BATCH_BYTES, MAX_BYTES, Appends, Waiting
from muninn_server.session import Pools, Session

pytest_plugins = ["engines"]


@pytest.fixture
def stuck(plain_repo, start, bundled):
    """A session on an engine whose first index waits for its model, and the event that ends the wait."""
    go_on = threading.Event()

    def load(name, cache):
        go_on.wait(2 * PATIENCE)  # longer than the test waits for the shutdown
        return bundled

    muninn = start(plain_repo, load=load)
    muninn.call("init")
    pools, stopped = Pools(), []
    session = Session(muninn.engine, pools, locate(str(plain_repo)), client="test", stop=lambda: stopped.append(True))
    yield session, pools, stopped
    go_on.set()
    pools.close()


async def test_the_daemon_can_be_stopped_while_many_wait_for_the_index(stuck):
    session, pools, stopped = stuck
    waiting = [asyncio.create_task(session.call("index", {}, to_plain)) for _ in range(12)]
    while len(pools.waiting) < 12:
        await asyncio.sleep(0)
    answer = await asyncio.wait_for(session.call("shutdown", {}, to_plain), PATIENCE)
    assert (answer["pid"] > 0, stopped) == (True, [True])
    await asyncio.wait_for(asyncio.get_running_loop().run_in_executor(None, pools.close), PATIENCE)
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(each) for each in ended] == [Stopping] * 12
    assert not pools.waiting
    with pytest.raises(Stopping):
        await session.call("memories", {}, to_plain)


async def test_a_call_that_waits_for_a_thread_can_be_cancelled(stuck):
    session, pools, _ = stuck
    cancelled = threading.Event()
    waiting = await queued_call(session, pools, cancelled)
    assert (await session.call("memories", {}, to_plain))["total"] == 0, "others are served meanwhile"
    cancelled.set()
    with pytest.raises(Cancelled):
        await asyncio.wait_for(waiting, PATIENCE)


async def test_a_call_whose_client_has_gone_ends(stuck):
    session, pools, _ = stuck
    cancelled = threading.Event()
    waiting = await queued_call(session, pools, cancelled)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert cancelled.is_set()


async def test_invalid_parameters_start_no_thread(stuck):
    session, pools, _ = stuck
    with pytest.raises(UnknownVerb):
        await session.call("indx", {}, to_plain)
    assert not pools.waiting


class Recorder:
    """A session that records events, and a hold on their journal."""

    def __init__(self, muninn) -> None:
        self.engine, self.location = muninn.engine, muninn.location
        self.journal = muninn.engine.journals.open(muninn.location).journal
        self.commits: list[int] = []
        self.journal.on_commit(self.commits.append)
        self.pools = Pools()
        self.pools.append.shutdown()
        self.pools.append = ThreadPoolExecutor(1)
        self.pools.events = Appends(self.pools.append)
        self.session = Session(muninn.engine, self.pools, muninn.location, client="test", stop=lambda: None)

    def append(self, **more) -> asyncio.Task[Any]:
        given = {"event_type": "step", "payload": {}, **more}
        return asyncio.create_task(self.session.call("event.append", given, to_plain))

    def append_long(self, **more) -> asyncio.Task[Any]:
        return self.append(payload={"text": "x" * 2 * MAX_BYTES}, **more)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let the transactions behind this one wait."""
        began, go_on = threading.Event(), threading.Event()

        def hold(_transaction):
            began.set()
            go_on.wait(2 * PATIENCE)

        thread = threading.Thread(target=self.journal.writer.run, args=(hold,))
        thread.start()
        assert began.wait(PATIENCE)
        try:
            yield
        finally:
            go_on.set()
            thread.join()

    def waiting(self, muninn) -> Waiting:
        """A call that waits, which no pool has."""
        params = decode_params(lookup("event.append"), {"event_type": "step", "payload": {"text": "x" * 8_000}})
        done = asyncio.get_running_loop().create_future()
        return Waiting(
            muninn.engine, params, CallContext(location=muninn.location), lambda: None, to_plain, done, time.monotonic()
        )


@pytest.fixture
def recorder(muninn):
    one = Recorder(muninn)
    yield one
    one.pools.close()


async def test_events_of_many_clients_share_transactions_and_each_gets_its_own_outcome(recorder):
    gone = threading.Event()
    gone.set()
    late = {"event_type": "late"}
    with recorder.held():
        many = [recorder.append(payload={"number": number}) for number in range(50)]
        refused = recorder.append(turn_id="t", ack_token="x")
        cancelled = asyncio.create_task(recorder.session.call("event.append", late, to_plain, cancelled=gone))
        long = recorder.append_long()
        await asyncio.sleep(0)  # all are queued
    done = await asyncio.gather(*many, refused, cancelled, long, return_exceptions=True)
    assert [type(each) for each in done[50:52]] == [PreconditionError, Cancelled]
    events = [each["event"] for each in [*done[:50], done[52]]]
    assert sorted(each["position"] for each in events) == list(range(1, 52))
    assert [each["payload"]["number"] for each in events[:50]] == list(range(50))
    assert len(recorder.commits) <= 3  # those that came first, the others, and the long one
    await asyncio.get_running_loop().run_in_executor(None, recorder.pools.close)
    with pytest.raises(Stopping):
        await recorder.append()


async def test_the_bytes_of_a_transaction_have_a_limit(recorder, muninn):
    calls = [recorder.waiting(muninn) for _ in range(100)]
    parts = list(recorder.pools.events._parted(calls))
    assert [one for part in parts for one in part] == calls
    assert len(parts) > 2
    assert all(8_000 * len(part) <= MAX_BATCH_BYTES for part in parts)


async def test_a_long_event_for_which_no_thread_starts_is_not_recorded_later(recorder, monkeypatch):
    def none_left():
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(recorder.pools.append, "_adjust_thread_count", none_left)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            await recorder.append_long()
    assert (await recorder.append_long())["event"]["position"] == 1
    assert recorder.journal.position == 1


async def test_an_unexpected_error_is_an_outcome_and_later_events_are_recorded(recorder, monkeypatch, caplog):
    with monkeypatch.context() as patch:
        patch.setattr(recorder.engine, "append", lambda _calls: [])
        with pytest.raises(ValueError, match="shorter"):
            await recorder.append()
        patch.setattr(event_appends, "_record", lambda calls: calls[-1].absent)
        with pytest.raises(AttributeError, match="absent"):
            await recorder.append()
    assert "events could not be recorded" in caplog.text
    assert (await recorder.append())["event"]["position"] == 1


def test_clients_whose_loop_is_closed_get_nothing(muninn, caplog):
    caplog.set_level("INFO")

    async def wait() -> Waiting:
        return Recorder.waiting(None, muninn)

    event_appends._record([asyncio.run(wait())])
    assert "for clients that have gone" in caplog.text
    assert muninn.engine.journals.open(muninn.location).journal.position == 1


async def test_long_events_that_are_queued_when_the_daemon_stops_may_be_repeated(recorder):
    with recorder.held():
        begun, queued = recorder.append_long(), recorder.append_long()
        while recorder.pools.append._work_queue.qsize() != 1:
            await asyncio.sleep(0)
        closing = asyncio.get_running_loop().run_in_executor(None, recorder.pools.close)
        with pytest.raises(Stopping):
            await asyncio.wait_for(queued, PATIENCE)
    assert (await begun)["event"]["position"] == 1
    await closing
    assert recorder.journal.position == 1


async def test_an_event_is_measured_from_its_arrival_and_a_slow_one_is_logged(recorder, muninn, monkeypatch, caplog):
    caplog.set_level("INFO")
    monkeypatch.setattr(session_module, "SLOW_SECONDS", -1)
    await recorder.append()
    assert "event.append took" in caplog.text
    hour_ago = recorder.waiting(muninn)._replace(since=time.monotonic() - 3600)
    event_appends._record([hour_ago])
    assert (await hour_ago.done)["event"]["position"] == 2
    lines = exposition(muninn.engine.meter.metrics()).splitlines()
    (total,) = [
        line.split()[-1] for line in lines if line.startswith("muninn_") and line.count('_sum{verb="event.append"}')
    ]
    assert float(total) >= 3600


def test_an_event_is_recorded_although_its_work_tree_can_not_be_read(muninn, tmp_path):
    """And the clients of other work trees get what they would get without it."""
    other = copy_plain_repo(tmp_path / "other")
    muninn.call("init", at=other)
    git_dir = Path(muninn.location.git_dir)
    (git_dir / "HEAD").write_bytes(b"ref: refs/heads/a\0b\n")
    params = decode_params(lookup("event.append"), {"event_type": "step", "payload": {}})
    calls = [
        (params, CallContext(location=location), time.monotonic()) for location in (muninn.location, locate(str(other)))
    ]
    broken, sound = muninn.engine.append(calls)
    assert [each.event.position for each in (broken, sound)] == [1, 1]
    assert "can't be read" in broken.saw.note
    assert not sound.saw.note


async def queued_call(session, pools, cancelled):
    """Return the task of a call that waits for a thread."""
    task = asyncio.create_task(session.call("index", {}, to_plain, cancelled=cancelled))
    while not pools.waiting:
        await asyncio.sleep(0)
    return task
