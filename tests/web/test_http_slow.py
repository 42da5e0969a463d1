"""Clients of the HTTP port that send their requests slowly, or too much, or nothing."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator
from email.utils import parsedate_to_datetime

import pytest
from repositories import PATIENCE

from muninn_server import http_listener
from muninn_server.http_listener import MAX_HEADER
from muninn_server.rpc import Hello

HEAD = b"POST /rpc HTTP/1.1\r\nHost: localhost\r\n"


@contextlib.asynccontextmanager
async def serving(answered: asyncio.Event) -> AsyncIterator[int]:
    """Run an application that reads the body and answers when `answered` is set; yield its port."""

    async def application(scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        await answered.wait()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    with socket.create_server(("127.0.0.1", 0)) as sock:
        async with http_listener.serving(application, sock):
            yield sock.getsockname()[1]


@pytest.mark.parametrize(
    "sent", [b"", HEAD, HEAD + b"Content-Length: 100\r\n\r\n", HEAD + b"Content-Length: 100\r\n\r\nhalf"]
)
async def test_a_connection_with_an_incomplete_request_is_closed(monkeypatch, sent):
    monkeypatch.setattr(http_listener, "HEADER_SECONDS", 0.05)
    monkeypatch.setattr(http_listener, "BODY_SECONDS", 0.05)
    async with serving(asyncio.Event()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        assert await reader.read() == b""  # it ends without an answer
        writer.close()


async def test_bytes_of_the_same_header_win_no_time(monkeypatch):
    monkeypatch.setattr(http_listener, "HEADER_SECONDS", 0.2)
    async with serving(asyncio.Event()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD + b"X-Slow: ")
        with contextlib.suppress(ConnectionError):
            while not reader.at_eof():
                writer.write(b"a")
                await writer.drain()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(reader.read(1), 0.01)
        writer.close()


async def test_a_complete_request_is_answered_however_long_that_takes(monkeypatch):
    monkeypatch.setattr(http_listener, "HEADER_SECONDS", 0.5)
    answered = asyncio.Event()
    async with serving(answered) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD + b"Content-Length: 2\r\n\r\n{}")
        asyncio.get_running_loop().call_later(0.8, answered.set)
        assert (await reader.readline()).startswith(b"HTTP/1.1 204")
        writer.close()


async def test_a_header_that_is_too_long_is_refused():
    async with serving(asyncio.Event()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD + b"X-Long: " + b"a" * 2 * MAX_HEADER)
        assert (await reader.readline()).startswith(b"HTTP/1.1 400")
        writer.close()


async def test_connections_send_without_waiting_for_acknowledgements():
    hello = Hello(version="1", root="/", identity="/", secret="s" * 64)
    accepted: asyncio.Future[asyncio.StreamWriter] = asyncio.get_running_loop().create_future()
    with http_listener.listen(hello, "muninn http") as sock:
        server = await asyncio.start_server(lambda _reader, writer: accepted.set_result(writer), sock=sock)
        _, client = await asyncio.open_connection(*sock.getsockname())
        writer = await accepted
        assert writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        for each in (writer, client, server):
            each.close()


async def test_a_port_without_requests_sets_no_timer(monkeypatch):
    loop = asyncio.get_running_loop()
    timers: list[asyncio.TimerHandle] = []
    call_at = loop.call_at

    def noted(*given, **more):
        timers.append(call_at(*given, **more))
        return timers[-1]

    monkeypatch.setattr(loop, "call_at", noted)
    answered = asyncio.Event()
    answered.set()
    async with serving(answered) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD + b"Content-Length: 0\r\nConnection: close\r\n\r\n")
        answer = (await reader.read()).decode()
        writer.close()
        (date,) = [line for line in answer.splitlines() if line.startswith("date: ")]
        assert abs(parsedate_to_datetime(date[6:]).timestamp() - time.time()) < PATIENCE
        await writer.wait_closed()
        assert [each for each in timers if not each.cancelled() and each.when() > loop.time()] == []
