"""Exchanges of the Responses API as turns, in its three forms: whole, after a response, in a conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from muninn_core.capture.turns.turn_events import AgentTurn
from muninn_server.gateway.recording import Exchange, Reading
from muninn_server.gateway.responses import Responses

Json = dict[str, Any]

CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": '{"at": "a.py"}'}
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "no such file"}
USAGE = {
    "input_tokens": 10,
    "output_tokens": 5,
    "input_tokens_details": {"cached_tokens": 4},
    "output_tokens_details": {"reasoning_tokens": 2},
}


def said(text: str) -> Json:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def asked(text: str) -> Json:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def exchange(body: Json, response: str, *output: Json, status: str = "completed", streamed: bool = False) -> Exchange:
    """Return an exchange whose answer is one response, in one piece or as a stream."""
    whole = {"id": response, "object": "response", "status": status, "model": "m", "output": output, "usage": USAGE}
    told = json.dumps(whole)
    if streamed:
        done = [{"type": "response.output_item.done", "output_index": 0, "item": item} for item in output]
        events = [*done, {"type": f"response.{status}", "response": {**whole, "output": []}}]
        told = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return Exchange("/v1/responses", "openai", "test", json.dumps(body), told.encode(), streamed)


def read(responses: Responses, told: Exchange) -> Reading:
    found = responses.read(told)
    assert found is not None
    return found


def shown(turn: AgentTurn) -> list[tuple[str, str]]:
    return [
        (event.event_type, event.payload.get("text") or event.payload.get("result") or "")
        for event in turn.events
        if event.event_type != "usage"
    ]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("form", ["whole", "response", "conversation"])
def test_a_conversation_becomes_turns_whatever_part_of_it_a_request_repeats(form: str, streamed: bool) -> None:
    responses = Responses()

    def body(after: str, new: list[Json], earlier: list[Json]) -> Json:
        match form:
            case "whole":
                return {"input": [*earlier, *new]}
            case "response":
                return {"input": new, **({"previous_response_id": after} if after else {})}
        return {"input": new, "conversation": {"id": "conv_1"}}

    start, answer, again = [asked("What is in a.py?")], [CALL], [asked("What is in a.py?")]
    first = read(responses, exchange(body("", start, []), "r1", said("I look."), *answer, streamed=streamed))
    second = read(
        responses,
        exchange(body("r1", [RESULT], [*start, said("I look."), CALL]), "r2", said("It is empty."), streamed=streamed),
    )
    earlier = [*start, said("I look."), {**CALL, "id": "other"}, RESULT, said("It is empty.")]
    third = read(responses, exchange(body("r2", again, earlier), "r3", said("Still."), streamed=streamed))
    assert shown(first.turn) == [("prompt", "What is in a.py?"), ("answer", "I look.")]
    assert shown(second.turn)[-2:] == [("tool_call", "no such file"), ("answer", "It is empty.")]
    assert shown(third.turn) == [("prompt", "What is in a.py?"), ("answer", "Still.")]
    assert (first.ends, second.ends, third.ends) == (False, True, True)
    assert first.session == second.session == third.session
    assert first.turn.id == second.turn.id != third.turn.id
    (call,) = [event.payload for event in second.turn.events if event.event_type == "tool_call"]
    assert (call["tool"], call["input"]) == ("look", {"at": "a.py"})
    (used,) = [event.payload for event in third.turn.events if event.event_type == "usage"]
    assert used == {
        "model": "m", "input_tokens": 6, "output_tokens": 5, "cache_read_tokens": 4, "reasoning_tokens": 2,
    }  # fmt: skip


def test_text_of_a_program_is_no_prompt_and_a_client_names_its_session() -> None:
    session = "0b5f6b5e-7a5e-4c8e-9a3f-1c2d3e4f5a6b"
    notes = [asked("# AGENTS.md instructions for /x"), asked("<environment_context>cwd</environment_context>")]
    body = {"input": [*notes, asked("Why Redis?")], "prompt_cache_key": session}
    found = read(Responses(), exchange(body, "r1", said("Cookies.")))
    assert shown(found.turn) == [("prompt", "Why Redis?"), ("answer", "Cookies.")]
    assert found.agent == session
    assert Responses().read(exchange({"input": notes}, "r1", said("Hello."))) is None


def test_a_turn_goes_on_after_a_restart_only_with_a_new_message() -> None:
    late = Responses()
    assert late.read(exchange({"input": [RESULT], "previous_response_id": "r1"}, "r2", said("Empty."))) is None
    found = read(late, exchange({"input": "And b.py?", "previous_response_id": "r1"}, "r2", said("Full.")))
    assert shown(found.turn) == [("prompt", "And b.py?"), ("answer", "Full.")]
    following = read(late, exchange({"input": "And c.py?", "previous_response_id": "r2"}, "r3", said("Full.")))
    assert following.session == found.session


def test_only_the_newest_responses_are_remembered() -> None:
    few = Responses(limit=1)
    for number in (1, 2):
        read(few, exchange({"input": f"Question {number}?"}, f"r{number}", CALL))
    assert few.read(exchange({"input": [RESULT], "previous_response_id": "r1"}, "r3", said("Empty."))) is None
    assert few.read(exchange({"input": [RESULT], "previous_response_id": "r2"}, "r3", said("Empty."))) is not None


@pytest.mark.parametrize(
    "told",
    [
        exchange({"input": "Hello?"}, "r1", said("Hel"), status="in_progress"),
        exchange({"input": "Hello?"}, "r1", said("Hel"), status="failed", streamed=True),
        exchange({"input": "Hello?"}, "r1", said("Hel"), streamed=True)._replace(answer=b"data: {}\n\n"),
        exchange({"input": "Hello?"}, "r1")._replace(answer=b"no JSON"),
        exchange({"input": "Hello?"}, "r1")._replace(answer=b"[1]"),
        exchange({"input": "Hello?"}, "r1", {"type": "message", "content": 3})._replace(asked="[" * 9_000),
        exchange({"input": [3]}, "r1", said("Hello.")),
        exchange({"input": None}, "r1", said("Hello.")),
        exchange({}, "r1", said("Hello.")),
    ],
)
def test_an_incomplete_conversation_is_not_recorded(told: Exchange) -> None:
    assert Responses().read(told) is None
