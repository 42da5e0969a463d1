"""Events over JSON-RPC notifications: order, filters, resuming, slow readers. A Neovim follows them in its own test."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from repositories import PATIENCE, Home

from muninn_core import client
from muninn_core.errors import MuninnError
from muninn_core.protocol import wire


class Follower:
    """A connection that reads notifications one by one."""

    def __init__(self, home: Home, **params: Any) -> None:
        self._client = client.connect(str(home.repo), home.environ)
        self._client._sock.settimeout(PATIENCE)
        self.begun = self._client.request("muninn/subscribe", params)
        self.sock, self._stream = self._client.detach()

    def next(self) -> dict[str, Any]:
        """Return the parameters of the next notification."""
        message = wire.read(self._stream.readline, self._stream.read)
        assert message is not None
        assert message["method"] == "muninn/event"
        found: dict[str, Any] = message["params"]
        return found

    def close(self) -> None:
        self._client.close()


@pytest.fixture
def muninn(served: Home) -> Iterator[client.Client]:
    with client.connect(str(served.repo), served.environ) as connected:
        yield connected


def append(muninn: client.Client, kind: str, **payload: Any) -> dict[str, Any]:
    event: dict[str, Any] = muninn.call("event.append", {"event_type": kind, "payload": payload})["event"]
    return event


def test_events_come_as_notifications_in_their_order(served: Home, muninn: client.Client) -> None:
    follower = Follower(served, topic="journal")
    assert follower.begun["state"]["root"] == str(served.repo)
    sent = [append(muninn, "deploy", number=number) for number in range(5)]
    got = [follower.next() for _ in range(5)]
    assert [each["data"]["event"] for each in got] == sent
    assert {each["subscription"] for each in got} == {follower.begun["subscription"]}
    follower.close()


def test_a_follower_continues_after_the_last_event_that_it_read(served: Home, muninn: client.Client) -> None:
    first = Follower(served, topic="journal")
    append(muninn, "step", number=0)
    last = first.next()["id"]
    first.close()
    missed = [append(muninn, "step", number=number) for number in range(1, 4)]
    again = Follower(served, topic=["journal"], last=last)
    assert again.begun["state"]["resumed"] is True
    assert [again.next()["data"]["event"] for _ in missed] == missed
    again.close()


def test_filters_are_those_of_the_event_stream(served: Home, muninn: client.Client) -> None:
    follower = Follower(served, topic="journal", event_type=["red", "green"], **{"payload.size": 2})
    append(muninn, "red", size=1)
    append(muninn, "blue", size=2)
    wanted = append(muninn, "green", size=2)
    assert follower.next()["data"]["event"] == wanted
    follower.close()


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"topic": "jurnal"}, "there is no topic"),
        ({"evnt_type": "a"}, "events have no field"),
        ({"last": 7}, "'last' is the id"),
        ({"last": "x:1:"}, "malformed"),
    ],
)
def test_wrong_parameters_are_told(muninn: client.Client, params: dict[str, Any], said: str) -> None:
    with pytest.raises(MuninnError, match=said):
        muninn.request("muninn/subscribe", params)


def test_an_ended_subscription_sends_nothing(muninn: client.Client) -> None:
    number = muninn.request("muninn/subscribe", {})["subscription"]
    assert muninn.request("muninn/unsubscribe", {"subscription": number}) == {}
    with pytest.raises(MuninnError, match="there is no subscription"):
        muninn.request("muninn/unsubscribe", {"subscription": number})
    append(muninn, "step")
    muninn._sock.setblocking(False)
    with pytest.raises(BlockingIOError):
        muninn._sock.recv(1, socket.MSG_PEEK)
    muninn._sock.setblocking(True)


def test_a_subscription_that_is_ended_before_it_began_is_answered(served: Home) -> None:
    with client.connect(str(served.repo), served.environ) as connected:
        sock, stream = connected.detach()
        sock.settimeout(PATIENCE)
        requests = [
            {"jsonrpc": "2.0", "id": 1, "method": "muninn/subscribe", "params": {}},
            {"jsonrpc": "2.0", "id": 2, "method": "muninn/unsubscribe", "params": {"subscription": 1}},
        ]
        sock.sendall(b"".join(map(wire.frame, requests)))  # at once: the second one is read before the first one is run
        answers = [wire.read(stream.readline, stream.read) for _ in requests]
        found = {answer["id"]: answer for answer in answers if answer is not None}
        assert found[2]["result"] == {}
        assert "ended before it began" in found[1]["error"]["message"]


def test_a_slow_reader_is_ended_with_a_notice_and_holds_up_nothing(served: Home, muninn: client.Client) -> None:
    slow, quick = Follower(served, topic="journal"), Follower(served, topic="journal")
    for _ in range(16):
        append(muninn, "big", text="x" * 1_000_000)
        assert quick.next()["kind"] == "journal"
    read = 0
    while (message := slow.next())["kind"] == "journal":
        read += 1
        last = message["id"]
    assert (message["kind"], 0 < read < 16) == ("dropped", True)
    again = Follower(served, topic="journal", last=last)
    assert [again.next()["kind"] for _ in range(16 - read)] == ["journal"] * (16 - read)
    for each in (slow, quick, again):
        each.close()
