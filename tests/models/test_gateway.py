"""The gateway between the vendors' own clients and scripted backends."""

from __future__ import annotations

import http.client
import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from backends import Backend, Reply, Request, anthropic_events, bytes_of, openai_events, says, stalls, status
from vendors import anthropic, ask, of_anthropic, of_openai, openai, post, route

if TYPE_CHECKING:
    from gateways import Served


httpx2 = pytest.importorskip("httpx2")


pytest_plugins = ("gateways",)
pytestmark = pytest.mark.daemon
TOOL = {"name": "ready", "arguments": {"ready": True, "why": "ä\n"}}


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_a_vendors_client_gets_streams_and_tool_calls_and_the_backend_its_own_key(
    gateway: Served, dialect: str
) -> None:
    with Backend(says("I am\nready ✓", dialect, [TOOL])) as backend:
        gateway.configure(m=route(backend, dialect, key="env:MUNINN_KEY_M", price_in=1, price_out=1))
        assert ask(gateway, dialect) == ("I am\nready ✓", [TOOL["arguments"]])
    (request,) = backend.requests
    assert request.body["model"] == "scripted"
    sent = {name.lower(): value for name, value in request.headers.items()}
    assert sent["authorization" if dialect == "openai" else "x-api-key"].endswith("sk-backend-key")
    assert gateway.token not in str(sent)


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages", "/v1/messages/count_tokens", "/v1/responses"])
def test_every_byte_passes_but_the_models_name(gateway: Served, path: str) -> None:
    odd = (
        '{ "n" : 1.0, "model":"%s" ,"big":123456789012345678901234567890,"thinking":{"type":"adaptive"},\t'
        '"messages":[ {"role":"user",\n"content":"h\\u00e4 \\ud83d\\ude00 \\/"}],"n":2}'
    )
    answer = b'event: x\ndata: {"a":  1}\n\n\xff\x00 not text'
    dialect = "anthropic" if "messages" in path else "openai"
    with Backend(bytes_of(answer)) as backend:
        gateway.configure(context=True, m=route(backend, dialect))
        code, headers, body = post(gateway, path + "?beta=true", (odd % "m").encode(), anthropic_beta="b1")
    assert (code, body, headers["x-muninn-route"]) == (200, answer, "m")
    (request,) = backend.requests
    assert request.raw == (odd % "scripted").encode()
    assert (request.path, request.headers["anthropic-beta"]) == (path + "?beta=true", "b1")


def test_headers_pass_as_they_are_but_for_those_of_the_connection_and_cookies(gateway: Served) -> None:
    def reply(request: Request) -> None:
        request.send_response(200)  # it also sends Server and Date
        for name, value in (
            ("Content-Length", "2"),
            ("Set-Cookie", "sid=secret; Path=/"),
            ("X-Model", "Qw\u00c3\u00a9n \u00e6\u00a8\u00a1"),  # UTF-8
            ("X-Twice", "a"),
            ("X-Twice", "b"),
        ):
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(b"{}")

    with Backend(reply) as one, Backend(reply) as other:
        gateway.configure(m=route(one, "openai"), n=route(other, "openai"))
        for model in ("m", "m", "n"):
            body = json.dumps({"model": model, "messages": []}).encode()
            connection = http.client.HTTPConnection(gateway.url.removeprefix("http://"), timeout=60)
            connection.putrequest("POST", "/v1/chat/completions")
            for name, value in (
                ("Authorization", f"Bearer {gateway.token}"),
                ("Content-Type", "application/json"),
                ("Content-Length", str(len(body))),
                ("X-Title", "caf\u00e9"),
                ("X-Beta", "a"),
                ("X-Beta", "b"),
                ("Connection", "X-Hop, close"),
                ("X-Hop", "1"),
            ):
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (200, b"{}")
            connection.close()
            assert answer.getheader("x-model") == "Qw\u00c3\u00a9n \u00e6\u00a8\u00a1"
            assert [answer.headers.get_all(name) for name in ("x-twice", "set-cookie")] == [["a", "b"], None]
            assert len(answer.headers.get_all("date") or ()) == 1
    for request in (*one.requests, *other.requests):
        assert (request.headers["x-title"], request.headers.get_all("x-beta")) == ("caf\u00e9", ["a", "b"])
        assert (request.headers["x-hop"], request.headers["cookie"]) == (None, None)


def test_a_connection_is_used_again_but_not_after_surplus_bytes(gateway: Served) -> None:
    def reply(*said: str) -> Reply:
        """A reply in one packet. The bytes after the first text are surplus."""
        heads = [b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"] * len(said)
        whole = b"".join(head % len(each) + each.encode() for head, each in zip(heads, said, strict=True))

        def send(request: Request) -> None:
            request.close_connection = False
            request.wfile.write(whole)

        return send

    with Backend(reply("1"), reply("2"), reply("3", "stale"), reply("4"), reply("5")) as backend:
        gateway.configure(m=route(backend, "openai"))
        got = [post(gateway, "/v1/chat/completions", b'{"model": "m", "messages": []}')[2] for _ in range(5)]
    assert got == [b"1", b"2", b"3", b"4", b"5"]
    connections = [each.client_address for each in backend.requests]
    assert connections[3] != connections[2]
    assert len(set(connections)) < len(connections)  # others are used again, unless the machine stops for seconds


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("reply", "code", "word"),
    [
        (
            status(429, '{"error": {"type": "rate_limit_error", "message": "slow down"}}', Retry_After="9"),
            429,
            "slow down",
        ),
        (status(401, '{"error": {"message": "bad key"}}'), 401, "bad key"),
        (status(529, "<html>overloaded"), 529, "overloaded"),
    ],
)
def test_a_backends_error_reaches_the_client_as_it_is(
    gateway: Served, dialect: str, reply: Reply, code: int, word: str
) -> None:
    vendor = anthropic if dialect == "anthropic" else openai
    with Backend(reply) as backend:
        gateway.configure(m=route(backend, dialect))
        with pytest.raises(vendor.APIStatusError) as caught:
            ask(gateway, dialect)
    assert caught.value.status_code == code
    assert word in caught.value.response.text or word in str(caught.value)
    if code == 429:
        assert caught.value.response.headers["retry-after"] == "9"


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
@pytest.mark.parametrize("how", ["dies", "stalls", "half an event", "half a tool call"])
def test_an_answer_that_breaks_off_is_an_error_with_its_reason(gateway: Served, dialect: str, how: str) -> None:
    vendor = anthropic if dialect == "anthropic" else openai
    whole = (anthropic_events if dialect == "anthropic" else openai_events)("one\ntwo\n", [TOOL])
    half = whole.index(b"\n\n", len(whole) // 2) + 2
    begun = whole[: {"half a tool call": whole.rindex(b"true"), "half an event": half - 9}.get(how, half)]
    seconds = 2 if how == "stalls" else 300  # the beginning has to come within them
    with Backend(stalls(begun) if how == "stalls" else bytes_of(begun, cut=True)) as backend:
        gateway.configure(m=route(backend, dialect, timeout_seconds=seconds))
        with pytest.raises(
            (vendor.APIError, httpx2.HTTPError), match="peer closed|Connection error" if "half" in how else "broke off"
        ):
            ask(gateway, dialect)


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_malformed_json_passes_and_is_the_clients_to_refuse(gateway: Served, dialect: str) -> None:
    with Backend(bytes_of(b"event: message_start\ndata: {not json\n\n")) as backend:
        gateway.configure(m=route(backend, dialect))
        with pytest.raises(ValueError):
            ask(gateway, dialect)


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_a_dead_backend_is_named_and_its_fallback_answers(gateway: Served, dialect: str) -> None:
    vendor = anthropic if dialect == "anthropic" else openai
    with Backend(says("late", dialect)) as backend:
        pass
    dead = route(backend, dialect)
    gateway.configure(m=dead)
    with pytest.raises(vendor.InternalServerError, match="the route 'm' failed"):
        ask(gateway, dialect)
    with Backend(says("from the other", dialect)) as other:
        gateway.configure({"m": ["n"]}, m=dead, n=route(other, dialect, model="second"))
        assert ask(gateway, dialect)[0] == "from the other"
        assert other.requests[0].body["model"] == "second"


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_a_redirect_is_not_followed_and_costs_nothing(gateway: Served, dialect: str) -> None:
    vendor = anthropic if dialect == "anthropic" else openai
    with Backend(says("elsewhere", dialect)) as other:
        with Backend(status(307, "", Location=f"{other.url}/v1/messages")) as backend:
            routes = {name: route(backend, dialect, price_in=1, price_out=1) for name in "mn"}
            gateway.configure({"m": ["n"]}, **routes)
            with pytest.raises(vendor.APIStatusError, match="redirects are not followed"):
                ask(gateway, dialect)
        assert len(backend.requests) == 1
    assert other.requests == []
    assert gateway.call("models.usage", calls=True)["calls"][-1]["tokens_out"] == 0


def test_a_fallback_is_not_asked_when_the_first_one_may_have_worked(gateway: Served) -> None:
    with Backend(stalls()) as first, Backend(says("twice", "openai")) as second:
        gateway.configure({"m": ["n"]}, m=route(first, "openai", timeout_seconds=0.3), n=route(second, "openai"))
        first.replies = [lambda request: request.model.released.wait(300)]  # type: ignore[attr-defined,list-item]
        with pytest.raises(openai.APIStatusError, match="no answer within"):
            ask(gateway, "openai")
    assert second.requests == []


@pytest.mark.parametrize(
    ("path", "body", "code", "word"),
    [
        ("/v1/chat/completions", b"{", 400, "not a JSON object"),
        ("/v1/chat/completions", b"[1]", 400, "not a JSON object"),
        ("/v1/chat/completions", b'{"model": "m"}' + b" " * 2**24, 413, "the limit is 16,777,216"),
        ("/v1/chat/completions", b'{"messages": []}', 400, "with a 'model'"),
        ("/v1/chat/completions", b'{"model": "mm"}', 404, "no route serves the model 'mm'; did you mean 'm'?"),
        ("/v1/chat/completions", b'{"model": 7}', 404, "no route serves"),
        ("/v1/messages", b'{"model": "m"}', 404, "speaks the dialect 'openai'"),
        ("/v1/models", b"{}", 405, "/v1/models takes GET"),
        ("/v2/anything", b"{}", 404, "the endpoints are"),
        ("/v1/embeddings", b'{"model": "muninn/static-code-256", "input": [[1, 2]]}', 400, "a text or a list of texts"),
        ("/v1/embeddings", b'{"model": "other", "input": "x"}', 404, "muninn/static-code-256"),
    ],
)
def test_a_request_that_can_not_be_served_is_refused_in_the_dialects_form(
    gateway: Served, path: str, body: bytes, code: int, word: str
) -> None:
    gateway.configure(m={"dialect": "openai", "url": "http://127.0.0.1:9", "model": "x"})
    got, headers, told = post(gateway, path, body)
    assert got == code
    assert word in json.loads(told)["error"]["message"]
    assert headers.get("allow") == ("GET" if code == 405 else None)


def test_settings_that_can_not_be_read_are_named(gateway: Served) -> None:
    (gateway.home / ".config/muninn/config.yaml").write_text("models: [")
    got, _, told = post(gateway, "/v1/chat/completions", b'{"model": "m"}')
    assert got == 404
    assert "A setting does not apply: not YAML" in json.loads(told)["error"]["message"]


def test_a_request_without_token_is_refused(gateway: Served) -> None:
    with Backend(says("secret")) as backend:
        gateway.configure(m=route(backend, "openai"))
        for headers in ({"Authorization": "Bearer wrong"}, {"Authorization": "", "x_api_key": "wrong"}):
            assert post(gateway, "/v1/chat/completions", b'{"model": "m"}', **headers)[0] == 401
        assert post(gateway, "/v1/chat/completions", b'{"model": "m"}', Origin="http://evil.example")[0] == 403
        with pytest.raises(openai.AuthenticationError):
            with openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="no", max_retries=0) as client:
                client.models.list()
    assert backend.requests == []


def test_models_are_listed_and_embeddings_come_from_the_bundled_table(gateway: Served) -> None:
    gateway.configure(
        m={"dialect": "openai", "url": "http://127.0.0.1:9", "model": "x", "aliases": ["gpt-*", "y"]},
        priceless={"dialect": "anthropic", "url": "https://api.example", "model": "z"},
    )
    names = ["m", "x", "y", "muninn/static-code-256"]
    with of_anthropic(gateway) as client:
        assert [each.id for each in client.models.list()] == names
    texts = ["parse a file", "read and parse files", "a red apple"]
    with of_openai(gateway) as client:
        assert [each.id for each in client.models.list()] == names
        found = client.embeddings.create(model=names[-1], input=texts)
        plain = client.embeddings.create(model=names[-1], input=texts[0], encoding_format="float")
    one, two, three = (each.embedding for each in found.data)
    assert len(one) == 256
    near, far = (sum(a * b for a, b in zip(one, other, strict=True)) for other in (two, three))
    assert near > far
    assert plain.data[0].embedding == pytest.approx(one)


def test_a_client_that_leaves_ends_the_request_to_the_backend(gateway: Served) -> None:
    ended: list[float] = []

    def endless(request: Any) -> None:
        def chunks() -> Any:
            for _ in range(300_000):  # at least five minutes
                yield b": wait\n\n"
                time.sleep(0.001)

        request.stream(chunks())
        ended.append(time.monotonic())

    with Backend(endless) as backend:
        gateway.configure(m=route(backend, "openai"))
        connection = http.client.HTTPConnection(gateway.url.removeprefix("http://"), timeout=60)
        headers = {"Authorization": f"Bearer {gateway.token}", "Content-Type": "application/json"}
        connection.request("POST", "/v1/chat/completions", b'{"model": "m"}', headers)
        assert connection.getresponse().read(4)
        connection.sock.close()
        connection.close()
        left = time.monotonic()
        while not ended and time.monotonic() - left < 240:
            backend.released.wait(0.02)
    assert ended
    assert ended[0] - left < 240
