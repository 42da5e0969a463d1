"""The threads on which the gateway works: its event loop serves all requests, so nothing on it opens a work tree."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from backends import Backend, says

from muninn_server.gateway.application import Gateway
from muninn_server.session import Pools, Session

if TYPE_CHECKING:
    from model_engine import Told

http = pytest.importorskip("muninn_core.models.http")

pytest_plugins = ("engines", "model_engine")


def on_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def post(gateway: Gateway, path: str, body: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Send a request as uvicorn does; return the start of the response and its whole body."""
    given = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]
    sent: list[dict[str, Any]] = []
    never = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if not given:
            await never.wait()
        return given.pop()

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "path": path, "method": "POST", "headers": headers, "query_string": b""}
    await gateway(scope, receive, send)
    return sent[0], b"".join(each.get("body", b"") for each in sent[1:])


@pytest.mark.parametrize("stream", [True, False])
async def test_the_work_tree_is_opened_off_the_event_loop(
    told: Told, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.call("remember", text="Sessions live in Redis because cookies overflowed at four kilobytes", type="decision")
    told.call("index")
    opened: list[bool] = []
    openly = told.engine.open
    monkeypatch.setattr(told.engine, "open", lambda location: opened.append(on_loop()) or openly(location))
    pools, upstream = Pools(), http.Upstream()
    session = Session(told.engine, pools, told.location, client="test", stop=lambda: None).as_agent()
    question = {"role": "user", "content": "Why do sessions live in Redis and not in cookies?"}
    try:
        with Backend(says("In Redis.")) as backend:
            routes = {"m": {"dialect": "openai", "url": backend.url, "model": "scripted"}}
            told.configure(routes, context=True, context_seconds=60)
            gateway = Gateway(session, upstream)
            start, body = await post(
                gateway, "/v1/chat/completions", {"model": "m", "messages": [question], "stream": stream}
            )
            assert (start["status"], b"Redis" in body) == (200, True)
            assert "cookies overflowed" in backend.requests[0].raw.decode()
        told.engine.agent_journal.drain()
        hits = told.call("event.query", event_type="prompt").hits
        assert [hit.event.payload["text"] for hit in hits] == [question["content"]]
        assert len(opened) >= 3
        assert not any(opened)
    finally:
        await upstream.close()
        pools.close()
