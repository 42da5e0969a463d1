"""Reads exchanges of the Responses API as events of turns. Fields: https://platform.openai.com/docs/api-reference/responses

A request holds its whole conversation in `input`, or only what is new after a response or in a conversation that the
server keeps. For the latter two the last turns are remembered by the id of their response or conversation.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from muninn_core.capture.turns.turn_events import Turns, text, text_of_person, texts
from muninn_core.errors import ModelError
from muninn_core.models.sse import events
from muninn_server.gateway.recording import UUID, Exchange, Reading

Json = dict[str, Any]

MAX_CACHED_ROWS = 5_000
"""The most responses and conversations whose turns are remembered. The oldest go first."""

_ENDS = ("response.completed", "response.incomplete")
_AGENT = re.compile(UUID)


class Kept(NamedTuple):
    """What a response belongs to. `calls` are those of its tools, by id: (name, input). `last` is its own id."""

    session: str
    turn: str
    calls: Mapping[str, tuple[str, Any]]
    last: str


class Responses:
    """Reads exchanges, one at a time and in their order."""

    def __init__(self, limit: int = MAX_CACHED_ROWS) -> None:
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._limit = limit

    def read(self, exchange: Exchange) -> Reading | None:
        """Return the turn of an exchange; None when no person's message leads to it, or no whole answer is in it."""
        try:
            answer = _answer(exchange)
            body: Json = json.loads(exchange.asked)
            return self._reading(body, _items(body.get("input")), answer)
        except (ModelError, ValueError, LookupError, AttributeError, TypeError, RecursionError):
            return None  # not a conversation, or one that broke off

    def _reading(self, body: Json, asked: list[Json], answer: Json) -> Reading | None:
        anchor = _anchor(body)
        known = self._kept.get(anchor)
        place = f"{anchor}\0{known.last if known else ''}" if anchor else ""
        prompts = [number for number, item in enumerate(asked) if _person(item)]
        if not prompts and known is None:
            return None
        session = known.session if known else f"gateway-{_digest(anchor or _contents(asked[: prompts[0] + 1]))[:16]}"
        turns = Turns()
        if prompts:
            turn = f"t-{_digest(place, _contents(asked[: prompts[-1] + 1]))[:24]}"
            turns.begin(turn)
            turns.prompt(turn, "prompt", "", _person(asked[prompts[-1]]))
        else:
            turn = known.turn if known else ""
            turns.begin(turn)
        _add_calls(turns, asked[prompts[-1] + 1 :] if prompts else asked, known.calls if known else {})
        output = answer["output"]
        open_calls = dict(_call(item) for item in output if item.get("call_id"))
        _add_answer(turns, answer)
        self._keep(body, answer["id"], Kept(session, turn, open_calls, answer["id"]))
        read = next((each for each in turns.close() if each.id == turn), None)
        agent = text(body.get("prompt_cache_key"))
        return Reading(session, agent if _AGENT.fullmatch(agent) else "", read, not open_calls) if read else None

    def _keep(self, body: Json, response: str, kept: Kept) -> None:
        named = _conversation(body)
        for key in (response, named) if named else (response,):
            self._kept.pop(key, None)
            self._kept[key] = kept
        while len(self._kept) > self._limit:
            self._kept.popitem(last=False)


def _answer(exchange: Exchange) -> Json:
    """Return a whole response with its `output`. Raises ModelError or another error for one that has no end."""
    told = exchange.answer.decode("utf-8", "replace")
    if not exchange.streamed:
        found: Json = json.loads(told)
        if found["status"] not in ("completed", "incomplete"):
            raise ModelError("the response has no end yet")
        return found
    output: list[Json] = []
    for event in events(told.replace("\r\n", "\n").split("\n")):
        if event.get("type") == "response.output_item.done":
            output.append(event["item"])
        elif event.get("type") in _ENDS:
            whole: Json = event["response"]
            return {**whole, "output": whole.get("output") or output}
    raise ModelError("the answer broke off before its end")


def _items(given: Any) -> list[Json]:
    return [{"role": "user", "content": given}] if isinstance(given, str) else list(given)


def _anchor(body: Json) -> str:
    """Return the id of what a request continues, "" when it holds its whole conversation."""
    return text(body.get("previous_response_id")) or _conversation(body)


def _conversation(body: Json) -> str:
    given = body.get("conversation")
    return text(given.get("id")) if isinstance(given, dict) else text(given)


def _person(item: Json) -> str:
    """Return what a person wrote in an item, "" for any other item."""
    return text_of_person(texts(item.get("content"))) if item.get("role") == "user" else ""


def _contents(asked: Iterable[Json]) -> str:
    """Return what items say, without ids and states, which change when a client repeats them."""
    names = ("role", "name", "arguments", "input", "output")
    return json.dumps([[texts(item.get("content")), *(item.get(name) for name in names)] for item in asked])


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _call(item: Json) -> tuple[str, tuple[str, Any]]:
    """Return (id, (name, input)) of a call whose tool the client runs."""
    given = item.get("arguments", item.get("input", item.get("action")))
    try:
        given = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        given = {"input": given}
    name = text(item.get("name")) or text(item.get("type")).removesuffix("_call")
    return item["call_id"], (name, given)


def _add_calls(turns: Turns, items: Sequence[Json], known: Mapping[str, tuple[str, Any]]) -> None:
    """Add the calls that have a result among the items of a request."""
    asked = [item for item in items if text(item.get("type")).endswith("_call") and item.get("call_id")]
    calls = {**known, **dict(map(_call, asked))}
    for item in items:
        if text(item.get("type")).endswith("_call_output") and item.get("call_id") in calls:
            use, output = item["call_id"], item.get("output")
            turns.call(use, "", *calls[use])
            turns.result(use, texts(output) or (json.dumps(output) if output else ""), failed=False)


def _add_answer(turns: Turns, answer: Json) -> None:
    """Add the text of a response and its tokens."""
    messages = [texts(item.get("content")) for item in answer["output"] if item.get("type") == "message"]
    turns.reply(answer["id"], "", "\n\n".join(messages))
    used = answer.get("usage") or {}
    cached = (used.get("input_tokens_details") or {}).get("cached_tokens") or 0
    counts = {
        "model": answer.get("model"),
        "input_tokens": (used.get("input_tokens") or 0) - cached,
        "output_tokens": used.get("output_tokens"),
        "cache_read_tokens": cached,
        "reasoning_tokens": (used.get("output_tokens_details") or {}).get("reasoning_tokens"),
    }
    turns.used(answer["id"], "", counts)
