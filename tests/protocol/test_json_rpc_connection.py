"""JSON-RPC over a real connection: answers, errors, cancellation, and misbehaving clients."""

from __future__ import annotations

import json
import socket

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from repositories import PATIENCE

from muninn_core import __version__, client
from muninn_core.client import ConnectionLost
from muninn_core.errors import BadParams, MuninnError, Stopping, UnknownVerb
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import Address
from muninn_core.protocol import wire
from muninn_core.protocol.catalogue import METHODS


class Raw:
    """A client that writes arbitrary bytes."""

    def __init__(self, repo, environ):
        location = locate(str(repo))
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(Address(environ["MUNINN_RUNTIME_DIR"], location.identity).socket)
        self.stream = self.sock.makefile("rb")
        self.hello = {"version": __version__, "root": location.root, "identity": location.identity}

    def greet(self, **changes):
        """Say hello and return the answer."""
        return self.ask(wire.request(0, wire.HELLO, {**self.hello, **changes}))

    def ask(self, data):
        """Send bytes and return the next message, None at the end."""
        self.sock.sendall(data)
        return self.next()

    def next(self):
        return wire.read(self.stream.readline, self.stream.read)

    def close(self):
        self.stream.close()
        self.sock.close()


@pytest.fixture
def repo(work_tree):
    """A work tree of the repository that the tests here share."""
    return work_tree.repo


@pytest.fixture
def environ(served):
    """The environment of the shared repository's clients."""
    return served.environ


@pytest.fixture
def raw(repo, environ):
    """A function that connects without saying hello; all connections are closed in the end."""
    made = []

    def connect():
        made.append(Raw(repo, environ))
        return made[-1]

    yield connect
    for each in made:
        each.close()


def test_unknown_verbs_and_parameters_are_answered_with_the_nearest(repo, environ):
    with client.connect(str(repo), environ) as muninn:
        with pytest.raises(UnknownVerb) as unknown:
            muninn.call("recal", {"query": "x"})
        assert (unknown.value.code, unknown.value.hint) == (-32601, "Did you mean 'recall'?")
        with pytest.raises(UnknownVerb) as unknown:
            muninn.request("munin/recall", {})
        assert unknown.value.hint == "Did you mean 'muninn/recall'?"
        with pytest.raises(BadParams) as bad:
            muninn.call("recall", {"qeury": "x"})
        assert (bad.value.code, bad.value.hint) == (-32602, "Did you mean 'query'?")
        assert muninn.call("memories")["memories"] == [], "the connection is as good as before"


def test_a_client_without_hello_is_refused_and_disconnected(raw):
    for first in (
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        wire.request(1, "muninn/status", {}),
        wire.request(1, wire.HELLO, {}),
        wire.request(1, wire.HELLO, {"version": 1, "root": "/", "identity": "/"}),
        wire.frame({"method": wire.HELLO, "params": {}}),
    ):
        other = raw()
        assert other.ask(first)["error"]["message"]
        assert other.next() is None


def test_a_first_message_that_is_not_json_is_a_parse_error(raw):
    for body in (b"hello", b"[" * 100_000):
        assert raw().ask(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))["error"]["code"] == -32700


def test_a_client_of_another_repository_is_refused(raw, tmp_path):
    answer = raw().greet(root=str(tmp_path))
    assert "this daemon serves" in answer["error"]["message"]
    answer = raw().greet(root=str(tmp_path / "none"))
    assert answer["error"]["data"]["kind"] == "not_a_repository"


def test_an_invalid_request_is_answered_with_an_error_and_the_next_one_is_served(raw):
    one = raw()
    one.greet()
    for message in ([], "text", 5, None, {}, {"id": 3}, {"id": 3, "method": 5}):
        assert one.ask(wire.frame(message))["error"]["code"] == -32600
    for number in ([1], {"a": 1}, None):
        assert one.ask(wire.request(number, "muninn/status", {}))["error"]["code"] == -32600
        one.sock.sendall(wire.frame({"method": "$/cancelRequest", "params": {"id": number}}))
    assert one.ask(wire.request("x", "muninn/memories", {}))["id"] == "x"


def test_a_request_with_the_id_of_one_that_is_not_answered_is_refused(raw):
    one = raw()
    one.greet()
    waiting = wire.request(1, "muninn/event.wait", {"wait": 60})
    assert one.ask(waiting + waiting)["error"]["code"] == -32600
    one.sock.sendall(wire.frame({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}}))
    assert one.next()["error"]["data"]["kind"] == "cancelled"
    assert one.ask(wire.request(1, "muninn/memories", {}))["result"]["memories"] == []


def test_an_invalid_message_is_reported_and_ends_the_connection(raw):
    for body in (b"hello", b"[" * 100_000):
        one = raw()
        one.greet()
        assert one.ask(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))["error"]["code"] == -32700
        assert one.next() is None


def test_a_client_says_why_its_request_could_not_be_read(tmp_path):
    ours, theirs = socket.socketpair()
    refusal = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "not a message: too deep"}}
    theirs.sendall(wire.frame({"jsonrpc": "2.0", "id": 1, "result": {}}) + wire.frame(refusal))
    with theirs, client.Client(ours, locate(str(tmp_path)), {}) as muninn:
        with pytest.raises(MuninnError, match="too deep") as error:
            muninn.call("status")
        assert error.value.code == -32700


def test_unknown_notifications_are_passed_over(raw):
    one = raw()
    one.greet()
    data = wire.frame({"jsonrpc": "2.0", "method": "somebody/said", "params": {}})
    assert one.ask(data + wire.request(5, "muninn/memories", {}))["id"] == 5


def test_a_frame_in_pieces_is_answered(raw):
    one = raw()
    one.greet()
    data = wire.request(9, "muninn/memories", {"text": "größe"})
    for byte in data[:-1]:
        one.sock.sendall(bytes([byte]))
    assert one.ask(data[-1:])["id"] == 9


def test_a_client_that_disconnects_during_a_request_does_not_affect_others(raw, repo, environ):
    for cut in (5, 30, None):
        one = raw()
        one.greet()
        one.sock.sendall(wire.request(1, "muninn/index", {})[:cut])
        one.close()
    with client.connect(str(repo), environ) as muninn:
        assert muninn.call("index")["files"] > 0


@given(text=st.text(min_size=1, max_size=200))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_can_be_asked_for(raw, text):
    one = raw()
    one.greet()
    answer = one.ask(wire.request(1, "muninn/recall", {"query": text}))
    assert "result" in answer or answer["error"]["code"] == -32602, json.dumps(answer)
    one.close()


def test_a_call_that_stopping_daemons_refuse_is_sent_until_one_answers(repo, environ, monkeypatch):
    refusals = iter(range(client.MAX_TRIES - 1))
    call = client.Client.call

    def refuse(self, verb, params=None, **more):
        if next(refusals, None) is not None:
            raise Stopping("the daemon is leaving")
        return call(self, verb, params, **more)

    monkeypatch.setattr(client.Client, "call", refuse)
    assert client.call(str(repo), environ, "memories", {})["memories"] == []
    refusals = iter(range(client.MAX_TRIES))
    with pytest.raises(Stopping):
        client.call(str(repo), environ, "memories", {})


def test_a_call_is_repeated_only_where_that_can_store_nothing_twice(repo, environ, monkeypatch):
    tries = []

    def lose(self, verb, params=None, **_more):
        tries.append(verb)
        raise ConnectionLost("gone")

    monkeypatch.setattr(client.Client, "call", lose)
    for verb, params, expected in (
        ("recall", {"query": "x"}, 2),
        ("remember", {"text": "x", "key": "k"}, 2),
        ("remember", {"text": "x"}, 1),
        ("forget", {"id": "x"}, 1),
        ("index", {}, 2),
    ):
        tries.clear()
        with pytest.raises(ConnectionLost):
            client.call(str(repo), environ, verb, params, repeatable=METHODS[verb].repeatable)
        assert len(tries) == expected, verb
