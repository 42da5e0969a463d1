"""JSON-RPC: errors with the nearest name, cancellation, progress, many requests on one connection."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from repositories import PATIENCE, git
from work_tree_fixtures import shared_environ, shared_repo  # noqa: F401 - fixtures

from muninn_core import client
from muninn_core.errors import BadParams, MuninnError, NotInitialised, UnknownVerb, UsageError
from muninn_core.protocol import wire
from muninn_core.protocol.catalogue import METHODS
from muninn_core.protocol.families.memory import MAX_TEXT_CHARS


@pytest.fixture
def muninn(repo: Path, environ: dict[str, str]) -> Iterator[client.Client]:
    with client.connect(str(repo), environ) as connection:
        yield connection


def test_a_request_that_is_too_long_is_refused_before_it_is_sent(
    muninn: client.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "MAX_REQUEST", 100_000)
    with pytest.raises(UsageError, match="is too long"):
        muninn.call("recall", {"query": "x" * 100_000})
    assert muninn.call("status")["pid"] == muninn.daemon["pid"]


def test_an_unknown_verb_is_method_not_found_and_names_the_nearest(muninn: client.Client) -> None:
    with pytest.raises(UnknownVerb) as caught:
        muninn.call("recal", {"query": "x"})
    assert caught.value.code == -32601
    assert caught.value.data["nearest"] == "recall"
    with pytest.raises(UnknownVerb) as caught:
        muninn.request("munin/recall", {"query": "x"})
    assert caught.value.code == -32601


def test_an_unknown_parameter_is_invalid_params_and_names_the_nearest(muninn: client.Client) -> None:
    with pytest.raises(BadParams, match="has no parameter 'qurey'") as caught:
        muninn.call("recall", {"qurey": "x"})
    assert caught.value.code == -32602
    assert caught.value.data["nearest"] == "query"
    with pytest.raises(BadParams, match="limit"):
        muninn.call("recall", {"query": "x", "limit": 0})


def test_every_answer_says_what_it_saw(muninn: client.Client, repo: Path) -> None:
    branch = git(repo, "branch", "--show-current").strip()
    for verb, params in (
        ("status", {}),
        ("recall", {"query": "user"}),
        ("context", {"query": "user"}),
        ("memories", {}),
        ("index", {}),
        ("seal", {}),
        ("conflicts", {}),
        ("brief", {}),
    ):
        saw = muninn.call(verb, params)["saw"]
        assert len(saw["commit"]) == 40, verb
        assert saw["branch"] == branch, verb
        assert saw["index"].keys() == {"generation", "lag", "surveyed", "unembedded", "unencoded", "failure"}, verb


def test_a_folder_without_muninn_answers_status_and_asks_for_init(plain_repo: Path, environ: dict[str, str]) -> None:
    with client.connect(str(plain_repo), environ) as muninn:
        assert muninn.call("status")["mode"] == "uninitialised"
        with pytest.raises(NotInitialised) as caught:
            muninn.call("recall", {"query": "x"})
        assert "muninn init" in caught.value.hint
        muninn.call("shutdown")


def test_the_catalogue_says_which_verbs_work_without_muninn(plain_repo: Path, environ: dict[str, str]) -> None:
    asked = [each for each in METHODS.values() if each.verb not in ("init", "shutdown")]
    needing, failed = set(), set()
    with client.connect(str(plain_repo), environ) as muninn:
        for method in asked:
            try:
                muninn.call(method.verb, method.example)
            except NotInitialised:
                needing.add(method.verb)
            except MuninnError:  # of the example's values
                failed.add(method.verb)
        assert failed <= {each.verb for each in asked if each.without_memory}
        assert needing == {each.verb for each in asked if not each.without_memory}
        muninn.call("shutdown")


def test_a_daemon_without_memory_leaves_soon_after_its_last_client(plain_repo: Path, environ: dict[str, str]) -> None:
    with client.connect(str(plain_repo), environ) as muninn:
        process = psutil.Process(muninn.call("status")["pid"])
    process.wait(PATIENCE)


def test_progress_of_indexing_reaches_the_client_that_asked(muninn: client.Client, repo: Path) -> None:
    for number in range(120):
        (repo / f"module_{number}.py").write_text(f"def function_{number}():\n    return {number}\n")
    seen: list[dict[str, Any]] = []
    result = muninn.call("index", {"rebuild": True}, progress=seen.append)
    assert result["files"] >= 121
    assert [seen[0]["kind"], seen[-1]["kind"]] == ["begin", "end"]


def test_a_cancelled_request_is_answered_as_cancelled(muninn: client.Client, repo: Path) -> None:
    for number in range(400):
        (repo / f"many_{number}.py").write_text("\n".join(f"def f_{number}_{i}(): pass" for i in range(60)))
    sock, stream = muninn.detach()
    sock.sendall(wire.request(900, "muninn/index", {"rebuild": True}))
    sock.sendall(wire.frame({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 900}}))
    answer = wire.read(stream.readline, stream.read)
    assert answer is not None
    assert answer["id"] == 900
    assert answer["error"]["code"] == -32800
    sock.sendall(wire.request(901, "muninn/status", {}))
    answer = wire.read(stream.readline, stream.read)
    assert answer is not None
    assert answer["result"]["mode"] == "read-write"


def test_requests_on_one_connection_are_answered_as_they_finish(muninn: client.Client) -> None:
    sock, stream = muninn.detach()
    wanted = set(range(100, 150))
    sock.sendall(b"".join(wire.request(number, "muninn/recall", {"query": f"user {number}"}) for number in wanted))
    answered = set()
    for _ in wanted:
        message = wire.read(stream.readline, stream.read)
        assert message is not None
        assert "result" in message
        answered.add(message["id"])
    assert answered == wanted


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"Content-Length: 9\r\n\r\nnot json!", -32700),
        (b"Content-Length: abc\r\n\r\n", -32700),
        (b"Content-Length: 999999999999\r\n\r\n", -32700),
        (wire.frame({"jsonrpc": "2.0", "id": 5}), -32600),
    ],
)
def test_an_invalid_request_gets_an_error_and_other_clients_are_served(
    muninn: client.Client, repo: Path, environ: dict[str, str], sent: bytes, code: int
) -> None:
    sock, stream = muninn.detach()
    sock.sendall(sent)
    answer = wire.read(stream.readline, stream.read)
    assert answer is not None
    assert answer["error"]["code"] == code
    with client.connect(str(repo), environ) as other:
        assert other.call("status")["mode"] == "read-write"


def test_a_message_that_comes_byte_by_byte_is_understood(muninn: client.Client) -> None:
    sock, stream = muninn.detach()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    for byte in wire.request(7, "muninn/memories", {"limit": 1}):
        sock.send(bytes([byte]))
    answer = wire.read(stream.readline, stream.read)
    assert answer is not None
    assert answer["result"]["memories"] == []


def test_the_longest_memory_makes_the_round_trip(muninn: client.Client) -> None:
    text = "word " * (MAX_TEXT_CHARS // 5)
    stored = muninn.call("remember", {"text": text})
    assert muninn.call("memories", {"id": stored["ids"][0]})["memories"][0]["text"] == text.strip()


def test_an_internal_error_is_answered_and_logged(muninn: client.Client, repo: Path, environ: dict[str, str]) -> None:
    (repo / ".muninn" / "memory").mkdir(parents=True, exist_ok=True)
    with pytest.raises(MuninnError) as caught:
        muninn.call("capture", {"source": "transcript", "transcript": "/no/such/file.jsonl"})
    assert caught.value.kind == "not_found"
    assert json.dumps(caught.value.to_plain())


@pytest.mark.parametrize("number", [b"NaN", b"true", b"-Infinity", b"1e999", b"[1]", b'"' + b"x" * 2000 + b'"'])
def test_an_id_is_a_string_or_a_finite_number(muninn: client.Client, number: bytes) -> None:
    body = b'{"jsonrpc":"2.0","id":%b,"method":"muninn/status"}' % number
    sock, stream = muninn.detach()
    sock.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    answer = wire.read(stream.readline, stream.read)
    assert answer is not None
    assert answer["id"] is None
    assert answer["error"]["code"] in (-32600, -32700)


def _object(method: str, params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (_object("muninn/" + "x" * 5_000_000, {}), "there is no verb"),
        (_object("x" * 5_000_000, {}), "there is no method"),
        (_object("muninn/recall", {"q" * 5_000_000: 1}), "has no parameter"),
        (_object("muninn/recall", {f"p{number}": 1 for number in range(1000)}), "at most 100 parameters, not 1,000"),
        (_object("muninn/recall", {"path": ["p"] * 2000}), "at most 1,000 items"),
        (_object("muninn/remember", {"text": "a" * 300_000}), "at most 200,000 characters"),
        (b"[" + b"[]," * 500_001 + b"0]", "more than 1,000,000 values"),
        (b" " * (wire.MAX_REQUEST + 1), "the limit is 16,777,216"),
    ],
    ids=["verb", "method", "parameter", "parameters", "items", "text", "values", "bytes"],
)
def test_a_request_beyond_a_limit_gets_a_short_answer_that_names_it(
    muninn: client.Client, body: bytes, said: str
) -> None:
    sock, stream = muninn.detach()
    sock.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    answer = wire.read(stream.readline, stream.read)
    assert answer is not None
    assert said in answer["error"]["message"]
    assert len(json.dumps(answer)) < 6000
