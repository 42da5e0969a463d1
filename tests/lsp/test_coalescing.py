"""Requests about one document run in turn. Fast typing gets the last answer and blocks no other document."""

from __future__ import annotations

import asyncio

import pytest

from muninn_server.lsp.coalescing import Coalescer


class Work:
    """Work that the test ends; `begun` counts its starts."""

    def __init__(self) -> None:
        self.begun = 0
        self.cancelled = 0
        self.go = asyncio.Event()

    async def __call__(self) -> int:
        self.begun += 1
        number = self.begun
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return number


async def taken(coalescer: Coalescer[int], document: str, work: Work) -> asyncio.Task[int]:
    task = asyncio.ensure_future(coalescer.run(document, work))
    for _ in range(3):
        await asyncio.sleep(0)
    return task


async def test_calls_during_a_run_share_the_next_run() -> None:
    coalescer: Coalescer[int] = Coalescer()
    work = Work()
    asked = [await taken(coalescer, "a", work) for _ in range(10)]
    assert work.begun == 1
    work.go.set()
    assert await asyncio.gather(*asked) == [1, *[2] * 9]
    assert await coalescer.run("a", work) == 3


async def test_documents_do_not_wait_for_each_other() -> None:
    coalescer: Coalescer[int] = Coalescer()
    slow, quick = Work(), Work()
    waiting = await taken(coalescer, "a", slow)
    quick.go.set()
    assert await coalescer.run("b", quick) == 1
    assert not waiting.done()
    waiting.cancel()


async def test_a_run_without_waiters_is_stopped() -> None:
    coalescer: Coalescer[int] = Coalescer()
    work = Work()
    first, second = await taken(coalescer, "a", work), await taken(coalescer, "a", work)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    work.go.set()
    assert await second == 2
    assert work.cancelled == 1


async def test_a_cancelled_waiter_does_not_cancel_the_other() -> None:
    coalescer: Coalescer[int] = Coalescer()
    work = Work()
    first = await taken(coalescer, "a", work)
    second, third = await taken(coalescer, "a", work), await taken(coalescer, "a", work)
    second.cancel()
    work.go.set()
    assert await asyncio.gather(first, third) == [1, 2]


async def test_an_error_reaches_whoever_waits_and_ends_with_its_turn() -> None:
    coalescer: Coalescer[int] = Coalescer()

    async def fails() -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await coalescer.run("a", fails)
    work = Work()
    work.go.set()
    assert await coalescer.run("a", work) == 1
