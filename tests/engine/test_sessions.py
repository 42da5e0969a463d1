"""A client's calls on the daemon's threads: waiting calls do not delay its exit, and events share transactions."""

from __future__ import annotations

import asyncio
import threading

import pytest
from repositories import PATIENCE

from muninn_core.errors import Cancelled, PreconditionError, Stopping, UnknownVerb
from muninn_core.launch.place import locate
from muninn_core.model.value import to_plain
from muninn_server.appends import MOST_BYTES
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
    assert all(isinstance(each, (Stopping, asyncio.CancelledError)) for each in ended)
    assert not pools.waiting
    with pytest.raises(Stopping):
        await session.call("memories", {}, to_plain)


async def test_one_who_waits_can_change_their_mind(stuck):
    session, pools, _ = stuck
    cancelled = threading.Event()
    waiting = asyncio.create_task(session.call("index", {}, to_plain, cancelled=cancelled))
    while not pools.waiting:
        await asyncio.sleep(0)
    assert (await session.call("memories", {}, to_plain))["total"] == 0, "others are served meanwhile"
    cancelled.set()
    with pytest.raises(Cancelled):
        await asyncio.wait_for(waiting, PATIENCE)


async def test_what_is_asked_wrongly_never_reaches_a_thread(stuck):
    session, pools, _ = stuck
    with pytest.raises(UnknownVerb):
        await session.call("indx", {}, to_plain)
    assert not pools.waiting


async def test_events_of_many_clients_share_transactions_and_each_gets_its_own_outcome(muninn):
    pools = Pools()
    session = Session(muninn.engine, pools, muninn.place, client="test", stop=lambda: None)
    journal = muninn.engine.journals.open(muninn.place).journal
    commits: list[int] = []
    journal.on_commit(commits.append)

    def append(**more):
        given = {"event_type": "step", **more}
        return asyncio.create_task(session.call("event.append", given, to_plain))

    gone = threading.Event()
    gone.set()
    many = [append(payload={"number": number}) for number in range(50)]
    refused = append(payload={}, turn_id="t", ack_token="x")
    cancelled = asyncio.create_task(session.call("event.append", {"event_type": "late"}, to_plain, cancelled=gone))
    long = append(payload={"text": "x" * 2 * MOST_BYTES})
    done = await asyncio.gather(*many, refused, cancelled, long, return_exceptions=True)
    assert [type(each) for each in done[50:52]] == [PreconditionError, Cancelled]
    events = [each["event"] for each in [*done[:50], done[52]]]
    assert sorted(each["position"] for each in events) == list(range(1, 52))
    assert [each["payload"]["number"] for each in events[:50]] == list(range(50))
    assert len(commits) < 50
    await asyncio.get_running_loop().run_in_executor(None, pools.close)
    with pytest.raises(Stopping):
        await append(payload={})
