"""Calls to models: dialects, keys, budgets, the ledger, and answers that can't be used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from backends import Backend, Reply, anthropic_events, bytes_of, openai_events, says, sse, stalls, status

from muninn_cli.exit_codes import exit_code
from muninn_core.config.model_settings import Budget
from muninn_core.errors import BadParams, ModelError, NotFoundError, UsageError
from muninn_core.model.value import replace
from muninn_core.models import keychain
from muninn_core.models.ledger import Entry, Ledger

if TYPE_CHECKING:
    from model_engine import Told

pytest_plugins = ("engines", "model_engine")

BUDGET = {"tokens_day": 100_000, "usd_day": 1.0}
KEY = "sk-test-0123456789abcdefghijklmnop"


@contextmanager
def failing(*words: str) -> Iterator[None]:
    with pytest.raises(ModelError) as caught:
        yield
    for word in words:
        assert word in caught.value.line
    assert KEY not in caught.value.line


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_a_model_is_asked_in_its_dialect_with_its_key_and_calls_a_tool(told: Told, dialect: str) -> None:
    call = {"name": "ready", "arguments": {"ready": True, "why": "ä\n"}}
    with Backend(says("I am\nready ✓", dialect, [call])) as backend:
        told.route(backend, dialect, key="env:MUNINN_KEY_M", price_in=1, price_out=2)
        result = told.call("models.test", route="m")
    assert (result.text, result.tools, result.model) == ("I am\nready ✓", True, "scripted")
    (request,) = backend.requests
    assert request.path == ("/v1/chat/completions" if dialect == "openai" else "/v1/messages")
    sent = request.headers["Authorization" if dialect == "openai" else "x-api-key"]
    assert sent.removeprefix("Bearer ") == KEY
    assert result.spent.usd == pytest.approx((10 * 1 + 5 * 2) / 1e6)
    assert KEY not in json.dumps(told.ledger())
    usage = told.call("models.usage", calls=True)
    assert (usage.total.calls, usage.total.tokens_in, usage.by_purpose["test"].tokens_out) == (1, 10, 5)
    assert usage.calls[0].state == "done"


def test_a_prompt_is_shown_and_nothing_is_sent(told: Told) -> None:
    with Backend(says("no")) as backend:
        told.route(backend)
        (prompt,) = told.call("models.test", route="m", show_prompt=True).prompts
        assert "tool `ready`" in prompt.messages[1].text
    assert backend.requests == []
    assert told.ledger() == []


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (status(401, f'{{"error": "Incorrect key {KEY}"}}'), ("401", "The key was refused", "[key]")),
        (status(404), ("404",)),
        (bytes_of(b"<html>hello</html>"), ("no events",)),
        (bytes_of(sse("{not json")), ("not JSON",)),
        (bytes_of(sse("[1]")), ("not an object",)),
        (bytes_of(openai_events("half", [{"name": "ready", "arguments": {"a": "long"}}])[:700], cut=True), ("failed",)),
        (bytes_of(openai_events("whole\n" * 9)[:500]), ("broke off",)),
        (bytes_of(sse({"error": {"message": "overloaded"}})), ("overloaded",)),
        (bytes_of(b"data: " + b"x" * 5_000_000), ("more than 4,000,000 bytes",)),
        (stalls(openai_events("x")[:100]), ("within 0.3 s",)),
        (stalls(), ("within 0.3 s",)),
        (status(302, "", Location="http://elsewhere.example/v1"), ("redirects to elsewhere.example", "not followed")),
    ],
)
def test_an_answer_that_is_none_is_an_error_and_is_asked_for_once(
    told: Told, reply: Reply, words: tuple[str, ...]
) -> None:
    with Backend(reply) as backend:
        seconds = 0.3 if "within 0.3 s" in words else 300.0
        told.route(backend, key="env:MUNINN_KEY_M", timeout_seconds=seconds, price_in=1, price_out=1)
        with failing(*words):
            told.call("models.test", route="m")
        while not backend.requests:  # one that was given up may be on its way
            backend.released.wait(0.01)
        assert len(backend.requests) == 1
    assert told.ledger()[-1]["state"] == "failed"
    assert KEY not in json.dumps(told.ledger())


@pytest.mark.parametrize("argument", ['{"a": ', "[1, 2]", "x"])
def test_half_a_tool_call_is_an_error_that_names_the_tool(told: Told, argument: str) -> None:
    delta = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "ready", "arguments": argument}}]}
    with Backend(bytes_of(sse({"choices": [{"delta": delta, "finish_reason": "tool_calls"}]}, "[DONE]"))) as backend:
        told.route(backend)
        with failing("'ready'"):
            told.call("models.test", route="m")


def test_a_busy_model_is_asked_again_as_late_as_it_says(told: Told) -> None:
    waited = told.quick()
    with Backend(status(529), status(429, Retry_After="7"), says("ready")) as backend:
        told.route(backend)
        assert told.call("models.test", route="m").text == "ready"
        assert len(backend.requests) == 3
    assert waited == [0.5, 7.0]
    assert [line["state"] for line in told.ledger()] == ["reserved", "failed", "reserved", "failed", "reserved", "done"]
    assert told.call("models.usage").total.failed == 2


def test_a_model_that_asks_for_a_long_wait_or_is_not_there_is_given_up(told: Told) -> None:
    waited = told.quick()
    with Backend(status(429, Retry_After="3600")) as backend:
        told.route(backend)
        with failing("429"):
            told.call("models.test", route="m")
        assert len(backend.requests) == 1
    with failing("failed"):
        told.call("models.test", route="m")  # nothing listens any more
    assert waited == [0.5, 1.0]
    assert told.call("models.usage").total.usd == 0


def test_an_anthropic_stream_without_its_end_is_an_error(told: Told) -> None:
    with Backend(bytes_of(anthropic_events("long\n" * 9)[:900])) as backend:
        told.route(backend, "anthropic")
        with failing("broke off"):
            told.call("models.test", route="m")


CLOUD = {"dialect": "openai", "url": "https://api.example", "model": "x", "price_in": 1, "price_out": 1}


@pytest.mark.parametrize(
    ("route", "budget", "words"),
    [
        ({**CLOUD}, {}, ("no budget is set", "models.budget.tokens_day")),
        ({**CLOUD}, {"tokens_day": 100_000}, ("the budget has no usd_day", "Set models.budget.usd_day in")),
        ({**CLOUD, "key": "env:MUNINN_KEY_OTHER"}, BUDGET, ("has no key", "Set MUNINN_KEY_OTHER")),
        ({**CLOUD, "key": "prompt"}, BUDGET, ("has no key", "muninn models key m")),
        ({**CLOUD, "key": "env:OPENAI_API_KEY"}, BUDGET, ("'key' takes none, keychain",)),
        ({**CLOUD, "key": KEY}, BUDGET, ("a key itself never stands in a file",)),
        ({**CLOUD, "price_in": None}, BUDGET, ("has no price",)),
        ({**CLOUD, "url": "http://api.example"}, BUDGET, ("is not this machine", "https://")),
        ({**CLOUD, "url": "http://127.0.0.1.evil.example"}, BUDGET, ("is not this machine",)),
        ({**CLOUD, "url": "http://192.168.0.9:11434"}, BUDGET, ("is not this machine",)),
        ({**CLOUD, "url": "file:///etc/passwd"}, BUDGET, ("must be like https://",)),
        ({**CLOUD, "url": "https://me:pw@api.example"}, BUDGET, ("no user, password",)),
        ({**CLOUD, "dialect": "gemini"}, BUDGET, ("gemini",)),
        ({**CLOUD, "colour": "red"}, BUDGET, ("colour",)),
        ({**CLOUD}, {**BUDGET, "tokens_week": 1}, ("tokens_week",)),
        ({**CLOUD}, {**BUDGET, "usd_day": "much"}, ("models.budget",)),
        ({**CLOUD}, {**BUDGET, "tokens_call": 10}, ("budget of a call is 10 tokens",)),
        ({**CLOUD}, {**BUDGET, "usd_day": 0}, ("budget of a day is 0 USD",)),
        ({"dialect": "claude", "model": "haiku", "key": "env:MUNINN_KEY_M"}, BUDGET, ("its own account",)),
        ({"dialect": "claude", "model": "haiku"}, BUDGET, ("has no price",)),
    ],
)
def test_a_model_is_not_asked_without_budget_key_price_and_a_safe_address(
    told: Told, route: dict[str, Any], budget: dict[str, Any], words: tuple[str, ...]
) -> None:
    told.configure({"m": route}, budget)
    with failing(*words):
        told.call("models.test", route="m")
    assert told.ledger() == []


def test_the_budget_of_a_day_and_of_a_session_ends_calls(told: Told) -> None:
    with Backend(says("ready")) as backend:
        told.route(backend, price_in=100, price_out=100, budget={"tokens_day": 9_000, "usd_day": 0.124})
        with failing("budget of a day is 0.124 USD", "0.0120 are spent", "may cost 0.1121"):
            for _ in range(20):
                told.call("models.test", route="m")
        assert told.call("models.usage").total.calls == len(backend.requests) == 8
        told.clock.forward(days=1)
        told.route(backend, budget={"tokens_day": 9_000, "usd_day": 1, "tokens_session": 1_130})
        told.call("models.test", route="m", session="s1")
        with failing("budget of a session is 1,130 tokens"):
            told.call("models.test", route="m", session="s1")
        told.call("models.test", route="m", session="s2")


def test_a_clock_that_goes_back_over_midnight_gives_no_new_budget(told: Told) -> None:
    with Backend(says("ready")) as backend:
        budget = {"tokens_day": 1_200, "usd_day": 1, "tokens_session": 1_200}
        told.route(backend, price_in=100, price_out=100, budget=budget)
        told.clock.forward(hours=12, minutes=1)  # 00:01
        told.call("models.test", route="m", session="s1")
        with failing("budget of a day is 1,200 tokens"):
            for _ in range(20):
                told.call("models.test", route="m")
        calls = len(backend.requests)
        told.clock.forward(minutes=-2)
        with failing("budget of a day is 1,200 tokens"):
            told.call("models.test", route="m")
        assert told.call("models.usage").total.calls == len(backend.requests) == calls
        assert told.call("models.list").tokens_left < 1_121
        told.route(backend, budget={"tokens_day": 90_000, "usd_day": 1, "tokens_session": 1_130})
        with failing("budget of a session is 1,130 tokens"):
            told.call("models.test", route="m", session="s1")


def test_a_call_that_began_before_midnight_counts_for_the_day_that_it_is_written_to(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, clock=lambda: datetime(2026, 3, 2, 0, 0, 1, tzinfo=UTC))
    entry = Entry(id="a", ts="2026-03-01T23:59:59Z", state="reserved", route="m", model="m", purpose="p", tokens_in=700)
    budget = Budget(tokens_day=1_000, usd_day=1)
    ledger.reserve(entry, budget)
    with failing("budget of a day is 1,000 tokens"):
        ledger.reserve(replace(entry, id="b"), budget)


def test_reservations_of_a_dead_daemon_count_and_a_damaged_ledger_stops_calls(told: Told) -> None:
    with Backend(says("ready")) as backend:
        told.route(backend, budget={"tokens_day": 2_000, "usd_day": 1})
        told.call("models.test", route="m")
        (file,) = (told.home / "ledger").glob("*.jsonl")
        reserved, done = file.read_text().splitlines()
        assert json.loads(done)["tokens_in"] == 10
        file.write_text(reserved + "\n")
        with failing("budget of a day is 2,000 tokens"):
            told.call("models.test", route="m")
        file.write_text(reserved + "\n{torn")
        with failing("line 2 of the ledger"):
            told.call("models.test", route="m")
        assert len(backend.requests) == 1


def test_a_key_that_is_given_is_held_in_memory_and_shown_nowhere(told: Told) -> None:
    with Backend(says("ready")) as backend:
        told.route(backend, key="prompt")
        assert "muninn models key m" in told.call("models.list").routes[0].problem
        with pytest.raises(UsageError, match="an agent can't give a key"):
            told.call("models.key", actor="assistant", route="m", value="sk-of-the-agent")
        for wrong in ("", " ", "a\nb"):
            with pytest.raises(BadParams, match="empty or not printable"):
                told.call("models.key", route="m", value=wrong)
        assert told.call("models.key", route="m", value=KEY).place == "memory"
        assert told.call("models.test", route="m").text == "ready"
        assert backend.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(told.call("models.list"))
    assert KEY not in repr(told.engine.models.keys)
    told.engine.close()  # the index is complete, and no file comes or goes
    files = [path for path in (*told.home.rglob("*"), *told.root.rglob("*")) if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_a_keychain_gives_the_key_and_its_absence_is_an_error(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = pytest.importorskip("keyring")
    from keyring.backend import KeyringBackend
    from keyring.backends import fail

    class Held(KeyringBackend):
        priority = 1.0  # type: ignore[assignment]
        stored: dict[tuple[str, str], str] = {}  # noqa: RUF012

        def get_password(self, service: str, username: str) -> str | None:
            return self.stored.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            self.stored[service, username] = password

    monkeypatch.setattr(keyring, "get_keyring", Held)
    monkeypatch.setattr(keyring, "get_password", Held().get_password)
    monkeypatch.setattr(keyring, "set_password", Held().set_password)
    with Backend(says("ready")) as backend:
        told.route(backend, key="keychain")
        with failing("has no key", "--keychain"):
            told.call("models.test", route="m")
        assert told.call("models.key", route="m", value=KEY, keychain=True).place == "keychain"
        told.engine.models.keys._given.clear()
        assert told.call("models.test", route="m").text == "ready"
    monkeypatch.setattr(keyring, "get_keyring", fail.Keyring)
    with failing("no keychain"):
        keychain.read("m")


def test_a_repository_can_name_no_model_and_it_is_said(told: Told) -> None:
    config = told.root / ".muninn/config.yaml"
    config.write_text("models:\n  routes: {m: {dialect: openai, url: https://evil.example, model: x}}\n")
    told.touch(".muninn/config.yaml")
    (problem,) = told.call("config.list").problems
    assert "'models' can't be set by a repository" in problem
    assert told.call("models.list").routes == ()
    with pytest.raises(NotFoundError, match="there is no route 'm'"):
        told.call("models.test", route="m")


def test_a_route_that_a_caller_misspells_is_not_found_and_the_nearest_is_named(told: Told) -> None:
    with Backend(says("ready")) as backend:
        told.route(backend)
        for verb, more in (("models.test", {}), ("models.key", {"value": KEY})):
            with pytest.raises(NotFoundError) as caught:
                told.call(verb, route="M2", **more)
            assert (caught.value.message, caught.value.hint) == ("there is no route 'M2'", "Did you mean 'm'?")
    assert exit_code(caught.value) == 3


def test_settings_that_do_not_fit_together_are_named(told: Told) -> None:
    told.configure({}, enrich="nowhere")
    assert "'enrich' names the route 'nowhere'" in told.call("models.list").problems[0]
    (told.home / ".config/muninn/config.yaml").write_text("models: [")
    assert "not YAML" in told.call("models.list").problems[0]
