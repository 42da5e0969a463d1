"""The gateway's ledger: tokens that answers state, reservations and budgets."""

from __future__ import annotations

import http.client
import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from backends import Backend, openai_events, says, stalls, status
from repositories import PATIENCE
from vendors import anthropic, ask, openai, post, route

from muninn_server.gateway.metering import Usage

if TYPE_CHECKING:
    from gateways import Served


httpx2 = pytest.importorskip("httpx2")


pytest_plugins = ("gateways",)
pytestmark = pytest.mark.daemon


def settled(gateway: Served) -> dict[str, Any]:
    """Return the ledger as soon as no request is under way."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found: dict[str, Any] = gateway.call("models.usage", calls=True)
        if all(call["state"] != "reserved" for call in found["calls"]):
            return found
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_a_metered_request_is_in_the_ledger_with_the_tokens_that_the_answer_states(
    gateway: Served, dialect: str
) -> None:
    before = gateway.call("models.usage")["total"]
    with Backend(says("yes", dialect)) as backend:
        gateway.configure(m=route(backend, dialect, price_in=1_000, price_out=2_000))
        more = {"stream_options": {"include_usage": True}} if dialect == "openai" else {}
        assert ask(gateway, dialect, **more)[0] == "yes"
        after = settled(gateway)
        gateway.configure(m=route(backend, dialect))
        ask(gateway, dialect)
    assert gateway.call("models.usage")["total"] == after["total"]
    spent = {
        name: round(after["total"][name] - before[name], 6) for name in ("calls", "tokens_in", "tokens_out", "usd")
    }
    assert spent == {"calls": 1, "tokens_in": 10, "tokens_out": 5, "usd": 0.02}
    assert (after["calls"][-1]["purpose"], after["calls"][-1]["state"]) == ("gateway/1", "done")


@pytest.mark.parametrize(
    ("code", "limits", "tokens"),
    [
        (200, {"max_tokens": 77}, 77),
        (200, {"max_tokens": 1, "max_completion_tokens": 77}, 77),
        (200, {"max_tokens": 7, "n": 11}, 77),
        (500, {"max_tokens": 77}, 0),
    ],
)
def test_an_answer_without_tokens_keeps_its_reservation_and_a_refused_one_costs_nothing(
    gateway: Served, code: int, limits: dict[str, int], tokens: int
) -> None:
    with Backend(status(code, '{"choices": []}')) as backend:
        gateway.configure(m=route(backend, "openai", price_in=1, price_out=1))
        body = json.dumps({"model": "m", "messages": [], **limits}).encode()
        assert post(gateway, "/v1/chat/completions", body)[0] == code
    assert gateway.call("models.usage", calls=True)["calls"][-1]["tokens_out"] == tokens


@pytest.mark.parametrize("streamed", [True, False])
def test_an_endless_answer_takes_no_time_of_the_daemon(streamed: bool) -> None:
    usage = Usage()
    usage.streamed = streamed
    usage.feed(b'data: {"usage": {"prompt_tokens": 3, "completion_tokens": 2}}\n\n')
    began = time.process_time()
    for _ in range(2_000):
        usage.feed(b"x" * 65_536)
    usage.feed(b"\n\ndata: [DONE]\n\n")
    assert time.process_time() - began < 5  # 0.1 s; two minutes when each part is searched from the line's beginning
    assert (usage.close(), usage.ended) == (((3, 2, 0), True) if streamed else (None, False))


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
@pytest.mark.parametrize("budget", [{"tokens_day": 10, "usd_day": 1}, {"tokens_day": 10_000_000}])
def test_a_budget_that_does_not_suffice_refuses_a_metered_request(
    gateway: Served, dialect: str, budget: dict[str, Any]
) -> None:
    vendor = openai if dialect == "openai" else anthropic
    with Backend(says("yes", dialect)) as backend:
        gateway.configure(budget=budget, m=route(backend, dialect, price_in=1, price_out=1))
        with pytest.raises(vendor.APIStatusError, match="budget") as caught:
            ask(gateway, dialect)
    assert caught.value.status_code == 402
    assert backend.requests == []


def test_a_client_that_leaves_a_metered_answer_keeps_its_reservation(gateway: Served) -> None:
    with Backend(stalls(openai_events("slow")[:200])) as backend:
        gateway.configure(m=route(backend, "openai", price_in=1, price_out=1))
        connection = http.client.HTTPConnection(gateway.url.removeprefix("http://"), timeout=60)
        body = json.dumps({"model": "m", "messages": [], "max_tokens": 91, "stream": True})
        headers = {"Authorization": f"Bearer {gateway.token}", "Content-Type": "application/json"}
        connection.request("POST", "/v1/chat/completions", body, headers)
        connection.getresponse().read(10)
        connection.close()
        last = settled(gateway)["calls"][-1]
    assert (last["tokens_out"], last["state"]) == (91, "failed")


def test_a_client_that_leaves_after_the_last_event_has_a_whole_answer(gateway: Served) -> None:
    with Backend(stalls(openai_events("All of it."))) as backend:  # the backend keeps its connection open
        gateway.configure(m=route(backend, "openai", price_in=1, price_out=1))
        assert ask(gateway, "openai")[0] == "All of it."  # OpenAI's client disconnects after `[DONE]`
        recorded = gateway.call("event.query", event_type="answer", limit=100)["hits"]
        last = settled(gateway)["calls"][-1]
    assert "All of it." in [hit["event"]["payload"]["text"] for hit in recorded]
    assert (last["tokens_in"], last["tokens_out"], last["state"]) == (10, 5, "done")
