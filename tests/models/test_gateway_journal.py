"""Conversations through the gateway as turns of the journal, with the vendors' clients."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from backends import Backend, anthropic_events, bytes_of, openai_events, says, status
from vendors import ask, of_anthropic, of_openai, route

if TYPE_CHECKING:
    from backends import Request
    from gateways import Served

pytest_plugins = ("gateways",)
pytestmark = pytest.mark.daemon

DIALECTS = pytest.mark.parametrize("dialect", ["openai", "anthropic"])
KEY = "sk-ant-api03-" + "Zq8" * 30


def events(gateway: Served, text: str) -> list[dict[str, Any]]:
    """Return the events of the session whose prompt has this text, oldest first."""
    found = gateway.call("event.query", event_type="prompt", limit=100)["hits"]
    sessions = {hit["event"]["session_id"] for hit in found if text in hit["event"]["payload"]["text"]}
    if not sessions:
        return []
    (session,) = sessions
    hits = gateway.call("event.query", session_id=session, limit=100)["hits"]
    return sorted((hit["event"] for hit in hits), key=lambda event: event["position"])


def told(found: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """Return what events say, without those that only count tokens."""
    return [
        (each["event_type"], each["payload"].get("text") or each["payload"].get("result") or "")
        for each in found
        if each["event_type"] in ("prompt", "answer", "tool_call")
    ]


def results(dialect: str, text: str) -> list[dict[str, Any]]:
    """Return the messages that follow a prompt when the model called a tool and got this result."""
    if dialect == "anthropic":
        use = {"type": "tool_use", "id": "call0", "name": "look", "input": {"at": "a.py"}}
        result = {"type": "tool_result", "tool_use_id": "call0", "content": text, "is_error": True}
        return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    call = {"id": "call0", "type": "function", "function": {"name": "look", "arguments": '{"at": "a.py"}'}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call0", "content": text},
    ]


@DIALECTS
def test_a_conversation_becomes_turns_with_prompt_tool_calls_answers_and_tokens(gateway: Served, dialect: str) -> None:
    asked = {"role": "user", "content": f"What is in a.py of {dialect}? My key is {KEY}. <private>my name</private>"}
    call = [{"name": "look", "arguments": {"at": "a.py"}}]
    with Backend(says("I look.", dialect, call), says("It is empty.", dialect), says("Yes.", dialect)) as backend:
        gateway.configure(m=route(backend, dialect))
        ask(gateway, dialect, messages=[asked])
        first = events(gateway, f"a.py of {dialect}")
        ask(gateway, dialect, messages=[asked, *results(dialect, "no such file")])
        messages = [asked, *results(dialect, "no such file"), {"role": "assistant", "content": "It is empty."}]
        ask(gateway, dialect, messages=[*messages, {"role": "user", "content": f"Sure about {dialect}?"}])
    found = events(gateway, f"a.py of {dialect}")
    prompt, *rest = told(found)
    assert prompt[1].startswith(f"What is in a.py of {dialect}?")
    assert KEY not in json.dumps(found)
    assert "my name" not in json.dumps(found)
    assert rest == [
        ("answer", "I look."),
        ("tool_call", "no such file"),
        ("answer", "It is empty."),
        ("prompt", f"Sure about {dialect}?"),
        ("answer", "Yes."),
    ]
    (looked,) = [each["payload"] for each in found if each["event_type"] == "tool_call"]
    assert (looked["tool"], looked["input"], looked["failed"]) == ("look", {"at": "a.py"}, dialect == "anthropic")
    used = [each["payload"] for each in found if each["event_type"] == "usage"]
    assert [(each["model"], each["input_tokens"], each["output_tokens"]) for each in used] == [("scripted", 10, 5)] * 3
    ends = [each for each in found if each["event_type"] == "muninn.turn.ended"]
    assert len({each["turn_id"] for each in ends}) == len(ends) == 2
    assert not [each for each in first if each["event_type"] == "muninn.turn.ended"]  # the model waits for its tool


@DIALECTS
def test_an_answer_in_one_piece_is_recorded_too(gateway: Served, dialect: str) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "input_tokens": 3, "output_tokens": 2}
    whole = {
        "model": "scripted",
        "usage": usage,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Whole."}, "finish_reason": "stop"}],
        "content": [{"type": "text", "text": "Whole."}],
        "stop_reason": "end_turn",
        "type": "message",
        "role": "assistant",
        "id": "x",
    }
    asked = [{"role": "user", "content": [{"type": "text", "text": f"In one piece, {dialect}?"}]}]
    with Backend(status(200, json.dumps(whole))) as backend:
        gateway.configure(m=route(backend, dialect))
        if dialect == "openai":
            with of_openai(gateway) as client:
                client.chat.completions.create(model="m", messages=asked)
        else:
            with of_anthropic(gateway) as client:
                client.messages.create(model="m", max_tokens=9, messages=asked)
    assert told(events(gateway, f"In one piece, {dialect}?")) == [
        ("prompt", f"In one piece, {dialect}?"),
        ("answer", "Whole."),
    ]


def test_responses_are_recorded_too(gateway: Served) -> None:
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "In Redis."}]}]
    whole = {"id": "r1", "object": "response", "status": "completed", "model": "scripted", "output": output}
    with Backend(status(200, json.dumps(whole))) as backend, of_openai(gateway) as client:
        gateway.configure(m=route(backend, "openai"))
        client.responses.create(model="m", input=f"Where are sessions, by responses? My key is {KEY}.")
    found = events(gateway, "Where are sessions, by responses?")
    assert KEY not in json.dumps(found)
    assert told(found)[-1] == ("answer", "In Redis.")
    assert found[-1]["event_type"] == "muninn.turn.ended"


@DIALECTS
def test_an_interrupted_answer_is_recorded_with_the_repeated_request(gateway: Served, dialect: str) -> None:
    begun = (openai_events if dialect == "openai" else anthropic_events)("half of it\nand more\n")
    asked = [{"role": "user", "content": f"Does it break, {dialect}?"}]
    with Backend(bytes_of(begun[:-60], cut=True), status(429), says("No.", dialect)) as backend:
        gateway.configure(m=route(backend, dialect))
        for _ in range(2):
            with pytest.raises(Exception, match=r"broke off|peer closed|Connection error|no"):
                ask(gateway, dialect, messages=asked)
        assert events(gateway, f"Does it break, {dialect}?") == []
        for _ in range(2):
            ask(gateway, dialect, messages=asked)
    assert told(events(gateway, f"Does it break, {dialect}?")) == [
        ("prompt", f"Does it break, {dialect}?"),
        ("answer", "No."),
    ]


def test_a_session_that_hooks_record_and_a_journal_that_is_off_get_nothing(gateway: Served) -> None:
    session = "0b5f6b5e-7a5e-4c8e-9a3f-1c2d3e4f5a6b"
    gateway.call("brief", session=session, source="startup")
    asked = [{"role": "user", "content": "Do hooks see this?"}]
    with Backend(says("Yes.", "anthropic")) as backend:
        gateway.configure(m=route(backend, "anthropic"))
        ask(gateway, "anthropic", messages=asked, metadata={"user_id": f"user_ab_account__session_{session}"})
        assert events(gateway, "Do hooks see this?") == []
        ask(gateway, "anthropic", messages=asked, metadata={"user_id": "user_ab"})
        assert events(gateway, "Do hooks see this?")
        gateway.call("config.set", key="journal.agents", value="false")
        try:
            ask(gateway, "anthropic", messages=[{"role": "user", "content": "And with the journal off?"}])
        finally:
            gateway.call("config.set", key="journal.agents", value="true")
    assert events(gateway, "And with the journal off?") == []


def test_a_backend_that_would_compress_is_asked_not_to(gateway: Served) -> None:
    def compressed(request: Request) -> None:
        wants = "gzip" in (request.headers.get("Accept-Encoding") or "")
        whole = openai_events("Plain.")
        request.send_response(200)
        request.send_header("Content-Type", "text/event-stream")
        request.send_header("Connection", "close")
        if wants:
            request.send_header("Content-Encoding", "gzip")
        request.end_headers()
        request.wfile.write(gzip.compress(whole) if wants else whole)
        request.close_connection = True

    with Backend(compressed) as backend:
        gateway.configure(m=route(backend, "openai"))
        assert ask(gateway, "openai", messages=[{"role": "user", "content": "Is it compressed?"}])[0] == "Plain."
    assert told(events(gateway, "Is it compressed?"))[-1] == ("answer", "Plain.")
