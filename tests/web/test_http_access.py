"""Who reaches the HTTP API: the token, hosts, origins, sizes, and the rights of a client over HTTP."""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path

import pytest
from http_api import Api
from repositories import MUNINN, PATIENCE

from muninn_core import client
from muninn_core.protocol.catalogue import METHODS

CLOSED = [("GET", "/events"), ("POST", "/rpc"), ("POST", "/events/emit"), ("GET", "/nothing")]


@pytest.mark.parametrize(("method", "path"), CLOSED)
def test_a_request_without_the_token_is_refused(api: Api, method: str, path: str) -> None:
    for wrong in ("", "Bearer ", "Bearer x", f"Basic {api.token}", f"Bearer {api.token}x", f"Bearer {api.token[:-1]}"):
        answer = api.request(method, path, {}, Authorization=wrong)
        assert (answer.status, answer.headers["www-authenticate"]) == (401, 'Bearer realm="muninn"')
        assert b"muninn http --print-config" in answer.body


def test_a_token_in_the_address_or_in_the_referrer_opens_nothing(api: Api) -> None:
    for place in ({"path": f"/rpc?token={api.token}"}, {"path": "/rpc", "Referer": f"http://x/?token={api.token}"}):
        answer = api.request("POST", **place, body={}, Authorization="")
        assert answer.status == 401
    answer = api.request("GET", f"/events?access_token={api.token}")
    assert answer.status == 400
    assert b"Authorization" in answer.body
    assert api.request("GET", "/health").headers["referrer-policy"] == "no-referrer"


def test_health_says_nothing_but_that_it_runs_and_needs_no_token(api: Api) -> None:
    answer = api.request("GET", "/health", Authorization="")
    assert (answer.status, answer.json) == (200, {"status": "ok"})


@pytest.mark.parametrize("path", ["/health", "/rpc"])
def test_a_foreign_host_or_origin_is_refused_even_with_the_token(api: Api, path: str) -> None:
    own = f"http://127.0.0.1:{api.port}"
    assert api.request("GET", "/health", Host=f"localhost:{api.port}", Origin=own).status == 200
    # A name that an attacker's DNS resolves to this machine still arrives as the host.
    for host in ("rebind.example", f"rebind.example:{api.port}", "127.0.0.1", f"127.0.0.1.rebind.example:{api.port}"):
        assert api.request("GET", path, Host=host).status == 421
    for origin in ("http://page.example", "null", f"{own}.page.example", own.replace("http:", "https:")):
        assert api.request("GET", path, Origin=origin).status == 403


def test_unknown_paths_and_methods_are_told(api: Api) -> None:
    missing = api.request("GET", "/rcp")
    assert missing.status == 404
    assert "/rpc" in missing.json["error"]["data"]["hint"]
    wrong = api.request("GET", "/rpc")
    for error in (missing.json["error"], wrong.json["error"]):  # as in the schema of the OpenAPI document
        assert (set(error), set(error["data"])) == ({"code", "message", "data"}, {"kind", "hint"})
    assert (wrong.status, wrong.headers["allow"]) == (405, "POST")
    assert api.request("DELETE", "/events").headers["allow"] == "GET"
    assert api.request("POST", "/rpc", b"{}", Content_Type="text/plain").status == 415


BAD = [
    (b"{", -32700),
    (b"\xff\xfe", -32700),
    (b'{"jsonrpc":"2.0","id":NaN,"method":"muninn/status"}', -32700),
    (b"[" * 100_000, -32700),
    (b'{"jsonrpc":"2.0","id":1e999,"method":"muninn/status"}', -32600),
    (b'{"jsonrpc":"2.0","id":true,"method":"muninn/status"}', -32600),
    (b'{"jsonrpc":"2.0","method":"muninn/status"}', -32600),
    (b'{"jsonrpc":"1.0","id":1,"method":"muninn/status"}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
    (b'[{"jsonrpc":"2.0","id":1,"method":"muninn/status"}]', -32600),
    (b'"text"', -32600),
    (b"", -32700),
]


@pytest.mark.parametrize(("body", "code"), BAD)
def test_an_invalid_request_is_answered_with_its_error(api: Api, body: bytes, code: int) -> None:
    answer = api.request("POST", "/rpc", body)
    assert (answer.status, answer.json["error"]["code"]) == (400, code)
    assert api.rpc("status")["result"]["mode"] == "read-write"


def test_a_body_of_50_mb_is_refused_with_the_limit(api: Api) -> None:
    for path in ("/rpc", "/events/emit"):
        answer = api.request("POST", path, b" " * 50_000_000)
        assert answer.status == 413
        assert "the limit is 16,777,216" in answer.json["error"]["message"]


def test_a_connection_that_ends_within_its_body_does_not_affect_others(api: Api) -> None:
    with socket.create_connection(("127.0.0.1", api.port), PATIENCE) as sock:
        head = [f"Host: 127.0.0.1:{api.port}", f"Authorization: Bearer {api.token}", "Content-Type: application/json"]
        sock.sendall("\r\n".join(["POST /rpc HTTP/1.1", *head, "Content-Length: 100", "", "half"]).encode())
    assert api.request("GET", "/health").status == 200


def test_verbs_answer_and_fail_as_on_the_socket(api: Api) -> None:
    assert api.rpc("recall", {"query": "display name of a user"}, "a-1")["id"] == "a-1"
    with client.connect(str(api.repo), api.environ) as muninn:
        for verb, params in (("recal", {}), ("recall", {"qery": "x"}), ("show", {"id": "01zzzz"}), ("recall", [])):
            with pytest.raises(client.MuninnError) as caught:
                muninn.request(f"muninn/{verb}", params)  # type: ignore[arg-type]
            answer = api.request(
                "POST", "/rpc", {"jsonrpc": "2.0", "id": 1, "method": f"muninn/{verb}", "params": params}
            )
            assert (answer.status, answer.json["error"]) == (200, caught.value.to_plain())


def test_a_client_over_http_has_the_rights_of_an_agent(api: Api) -> None:
    stored = api.rpc("remember", {"text": "Over HTTP the tide is told in feet."}, User_Agent="tidal/1.2 (test)")
    with client.connect(str(api.repo), api.environ) as muninn:
        (memory,) = muninn.call("memories", {"text": "tide"})["memories"]
    assert memory["id"] == stored["result"]["memory"]["id"]
    assert (memory["actor"], memory["trust"], memory["agent"]) == ("assistant", "agent", "tidal 1.2")
    for name, value in (("actor", "user"), ("agent", "another"), ("trust", "user"), ("session", "s-1")):
        for params in (
            {"text": "A claim.", name: value},
            {"batch": [{"text": "Fine."}, {"text": "A claim.", name: value}]},
        ):
            assert f"takes no '{name}' over HTTP" in api.rpc("remember", params)["error"]["message"]
    several = api.rpc("remember", {"batch": [{"text": "The tide is high."}]}, User_Agent="tidal/1.2 (test)")["result"]
    assert api.rpc("show", {"id": several["ids"][0]})["result"]["memory"]["agent"] == "tidal 1.2"
    event = api.request("POST", "/events/emit", {"event_type": "click", "actor": "user"}).json["event"]
    assert event["actor"] == "assistant"


def test_every_verb_reserved_to_people_is_refused(api: Api) -> None:
    refused = [method for method in METHODS.values() if method.for_people]
    assert {"approve", "reject", "resolve", "redact", "config.set", "shutdown"} <= {one.verb for one in refused}
    for method in refused:
        error = api.rpc(method.verb, method.example)["error"]
        assert error["data"]["kind"] == "refused", method.verb
        assert "is for people" in error["message"]
    target = Path(api.repo, "replayed.jsonl")
    assert "writes a file" in api.rpc("audit.replay", {"path": str(target)})["error"]["message"]
    assert not target.exists()


def test_the_settings_name_address_and_token(api: Api) -> None:
    command = [MUNINN, "http", "--print-config", "--repo", str(api.repo)]
    done = subprocess.run(command, env=api.environ, capture_output=True, text=True, check=True, timeout=PATIENCE)
    headers = {"Authorization": f"Bearer {api.token}"}
    assert json.loads(done.stdout) == {"url": f"http://127.0.0.1:{api.port}", "headers": headers}
