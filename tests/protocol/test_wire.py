"""Frames, as they come over a stream that cuts and lies as it likes."""

from __future__ import annotations

import asyncio
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn_core.protocol import wire
from muninn_server.rpc import read_message

MESSAGES = [
    {"jsonrpc": "2.0", "id": 1, "method": "muninn/recall", "params": {"query": "größer 🚢"}},
    {"jsonrpc": "2.0", "id": "two", "result": {"jsonrpc": "nested"}},
    {},
]


def read_all(data):
    stream = io.BufferedReader(io.BytesIO(data))
    found = []
    while (message := wire.read(stream.readline, stream.read)) is not None:
        found.append(message)
    return found


async def read_in_pieces(data, size):
    """Read one message of a stream whose bytes arrive in pieces; every other task runs between two of them."""
    reader = asyncio.StreamReader()

    async def feed():
        for start in range(0, len(data), size):
            reader.feed_data(data[start : start + size])
            await asyncio.sleep(0)
        reader.feed_eof()

    feeding = asyncio.create_task(feed())
    try:
        return await read_message(reader)
    finally:
        await feeding


def test_a_framed_message_is_read_back():
    assert read_all(b"".join(map(wire.frame, MESSAGES))) == MESSAGES


@pytest.mark.parametrize("size", [1, 2, 7, 10_000])
async def test_a_frame_may_arrive_in_pieces(size):
    assert await read_in_pieces(wire.frame(MESSAGES[0]), size) == MESSAGES[0]


def test_other_headers_and_any_case_are_taken():
    body = b'{"id":1}'
    head = b"content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:  8\r\n\r\n"
    assert read_all(head + body) == [{"id": 1}]


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: many\r\n\r\n",
        b"Content-Length: 999999999999\r\n\r\n",
        b"Content-Length: 5\r\n\r\nhello",
        b"Content-Length: 2\r\n\r\n\xff\xff",
        b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000,
        b"\r\n\r\n",
    ],
)
async def test_an_invalid_message_is_refused_by_reader_and_writer(data):
    with pytest.raises(ValueError):
        read_all(data)
    with pytest.raises(ValueError):
        await read_in_pieces(data, 1000)


def test_a_header_that_does_not_end_is_refused():
    with pytest.raises(ValueError, match="8 KiB"):
        read_all(b"X-Long: aaaaaaa\r\n" * 1000)
    with pytest.raises(ValueError, match="not an object"):
        read_all(b"Content-Length: 2\r\n\r\n[]")


async def test_a_header_that_does_not_end_is_refused_by_the_daemon():
    with pytest.raises(ValueError, match="64 KiB"):
        await read_in_pieces(b"a" * 200_000, 50_000)


@pytest.mark.parametrize("cut", [1, 10, 21, 30])
async def test_a_stream_that_ends_inside_a_message_is_told_from_its_end(cut):
    data = wire.frame(MESSAGES[0])[:cut]
    with pytest.raises(ValueError, match="ended inside"):
        read_all(data)
    with pytest.raises(EOFError):
        await read_in_pieces(data, 5)
    assert read_all(b"") == []


@given(st.text())
def test_any_text_survives_even_a_lone_surrogate(text):
    assert read_all(wire.frame({"text": text})) == [{"text": text}]


@given(st.binary(max_size=300))
def test_garbage_never_does_worse_than_a_refusal(data):
    try:
        read_all(data)
    except ValueError:
        pass
    try:
        length = wire.content_length(data)
    except ValueError:
        return
    assert 0 <= length <= wire.MAX_FRAME


def test_a_request_carries_its_number_and_method():
    (message,) = read_all(wire.request(7, "muninn/status", {}))
    assert message == {"jsonrpc": "2.0", "id": 7, "method": "muninn/status", "params": {}}
