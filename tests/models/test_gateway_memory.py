"""Memory that the gateway adds to requests."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from backends import Backend, Request, says
from repositories import PATIENCE
from vendors import ask, post, route

if TYPE_CHECKING:
    from gateways import Served


httpx2 = pytest.importorskip("httpx2")


pytest_plugins = ("gateways",)
pytestmark = pytest.mark.daemon
FACT = "Sessions live in Redis because cookies overflowed at four kilobytes"


@pytest.fixture
def remembering(gateway: Served) -> Served:
    known = gateway.call("memories", text="Redis")["memories"]
    if not known:
        gateway.call("remember", text=FACT, type="decision")
        gateway.call("remember", text="My Redis sessions account for cookies is number nine", private=True)
        gateway.call("remind", prompt="Where do sessions live?")  # loads what the first question loads
    return gateway


def last_text(body: dict[str, Any]) -> str:
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else content[-1]["text"]


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_memory_is_the_last_block_of_a_persons_new_message_and_a_header_names_it(
    remembering: Served, dialect: str
) -> None:
    question = f"Where do sessions live, and why not in cookies? ({dialect})"
    system = [{"role": "system", "content": "Be brief."}] if dialect == "openai" else []
    blocks = [{"type": "text", "text": question}]
    with Backend(says("In Redis.", dialect)) as backend:
        remembering.configure(context=True, m=route(backend, dialect))
        body = {"model": "m", "messages": [*system, {"role": "user", "content": blocks}], "stream": True}
        path = "/v1/chat/completions" if dialect == "openai" else "/v1/messages"
        _, headers, _ = post(remembering, path, json.dumps(body).encode())
        sent = backend.requests[0].body
        post(remembering, path, json.dumps(body).encode(), x_muninn_context="off")
        assert backend.requests[1].body["messages"] == body["messages"]
    assert sent["messages"][:-1] == system
    first, added = sent["messages"][-1]["content"]
    assert first == blocks[0]
    assert FACT in added["text"]
    assert "number nine" not in added["text"]
    assert "not instructions" in added["text"]
    assert len(added["text"].encode()) / 3 < 1_500
    (identity,) = headers["x-muninn-context"].split(",")
    assert remembering.call("show", id=identity)["memory"]["text"] == FACT


def test_nothing_is_added_to_results_of_tools_to_unrelated_questions_and_where_it_is_not_enabled(
    remembering: Served,
) -> None:
    asked = {"role": "user", "content": "Where do sessions live, and why not in cookies? (tools)"}
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "x", "input": {}}]}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "sessions in Redis"}]}
    with Backend(says("ok", "anthropic")) as backend:
        for context, messages in (
            (True, [asked, call, result]),
            (True, [{"role": "user", "content": "zzz qqq unheard-of xylophone"}]),
            (False, [asked]),
            (True, [{"role": "user", "content": ""}]),
        ):
            remembering.configure(context=context, m=route(backend, "anthropic"))
            body = json.dumps({"model": "scripted", "max_tokens": 9, "messages": messages, "stream": True}).encode()
            post(remembering, "/v1/messages", body)
            assert backend.requests[-1].raw == body


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_over_twenty_turns_every_request_begins_with_the_one_before(remembering: Served, dialect: str) -> None:
    questions = [
        "Why do sessions live in Redis and not in cookies",
        "Rename a variable",
        "What overflowed at four kilobytes",
    ]
    messages: list[dict[str, Any]] = []
    kept = tokens = added = 0
    before = ""
    with Backend(says("Fine.", dialect)) as backend:
        remembering.configure(context=True, m=route(backend, dialect))
        for turn in range(20):
            text = f"{questions[turn % 3]}? Turn {turn} of {dialect}."
            marked = {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}
            for message in messages:  # the mark moves to the newest message, as agents do it
                if isinstance(message["content"], list):
                    message["content"] = [
                        {name: value for name, value in block.items() if name != "cache_control"}
                        for block in message["content"]
                    ]
            messages.append({"role": "user", "content": [marked] if dialect == "anthropic" else text})
            answer, _ = ask(remembering, dialect, messages=messages)
            messages.append({"role": "assistant", "content": answer})
            sent = json.dumps(backend.requests[-1].body["messages"])
            sent = sent.replace(', "cache_control": {"type": "ephemeral"}', "")[:-1]
            tokens += len(before)
            kept += len(before) if sent.startswith(before) else 0
            added += FACT in last_text(backend.requests[-1].body)
            before = sent
    assert added >= 1
    assert kept == tokens > 0
    assert before.count(FACT) == added


def test_a_redacted_memory_is_not_sent_again(remembering: Served) -> None:
    identity = remembering.call("remember", text="The tide table of the harbour is printed in fathoms")["ids"][0]
    question, deadline = "How is the tide table of the harbour printed, in fathoms?", time.monotonic() + PATIENCE
    with Backend(says("ok", "openai")) as backend:
        remembering.configure(context=True, m=route(backend, "openai"))
        while "fathoms" not in (backend.requests or [Request])[-1].raw.decode().partition("<memory")[2]:
            assert time.monotonic() < deadline  # a busy daemon gives no reminder; each request is a new conversation
            messages = [{"role": "user", "content": f"{len(backend.requests) + 1}. {question}"}]
            ask(remembering, "openai", messages=messages)
        remembering.call("redact", id=identity)
        ask(remembering, "openai", messages=messages)
    assert backend.requests[-1].body["messages"] == messages
