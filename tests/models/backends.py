"""Scripted model servers on loopback. A script is a list of replies; each request takes the next one, the last stays.

A reply is a function that gets the request and writes to the socket. Only the server of a model is scripted: the
clients and the daemon in these tests are real.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

from bench.agent_models.loopback import Handler, Loopback

Json = dict[str, Any]


class Request(Handler):
    """One request; `body` is its JSON, `raw` its bytes."""

    raw = b""
    body: Json

    def post(self, body: bytes) -> None:
        self.raw, self.body = body, json.loads(body or b"{}")
        model: Backend = self.model  # type: ignore[attr-defined]  # set by Loopback
        with model.lock:
            model.requests.append(self)
            reply = model.replies.pop(0) if len(model.replies) > 1 else model.replies[0]
        reply(self)

    def stream(self, chunks: Iterator[bytes] | list[bytes], *, status: int = 200, cut: bool = False) -> None:
        """Answer with a body of chunks; with `cut` the connection breaks off before its end."""
        self.send_response(status)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for chunk in chunks:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                self.wfile.flush()
            if not cut:
                self.wfile.write(b"0\r\n\r\n")
        except OSError:
            pass  # the client has left
        self.close_connection = True


Reply = Callable[[Request], None]


class Backend(Loopback):
    """A model's server. `requests` are those that came."""

    def __init__(self, *replies: Reply) -> None:
        super().__init__(Request)
        self.replies = list(replies)
        self.requests: list[Request] = []
        self.released = threading.Event()
        """Ends the replies that stall."""

    def __exit__(self, *error: Any) -> None:
        self.released.set()
        super().__exit__(*error)


def sse(*events: Json | str, named: bool = False) -> bytes:
    """Return events of a stream."""
    text = ""
    for event in events:
        if named and isinstance(event, dict):
            text += f"event: {event['type']}\n"
        text += f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n"
    return text.encode()


def openai_events(text: str, calls: list[Json] | None = None, usage: Json | None = None) -> bytes:
    """Return an answer of the OpenAI dialect: the text word by word, then calls with their arguments in two parts."""
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}

    def chunk(delta: Json, stop: str | None = None) -> Json:
        return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": stop}]}

    events: list[Json | str] = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"content": word}) for word in text.splitlines(keepends=True)]
    for number, call in enumerate(calls or ()):
        given = json.dumps(call["arguments"])
        for part, head in ((given[:3], {"id": f"call{number}", "type": "function"}), (given[3:], {})):
            function = {"name": call["name"], "arguments": part} if head else {"arguments": part}
            events.append(chunk({"tool_calls": [{"index": number, **head, "function": function}]}))
    events.append(chunk({}, "tool_calls" if calls else "stop"))
    told = usage or {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return sse(*events, {**base, "choices": [], "usage": told}, "[DONE]")


def anthropic_events(text: str, calls: list[Json] | None = None) -> bytes:
    """Return an answer of the Anthropic dialect, in the same way."""
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1}}
    events: list[Json | str] = [{"type": "message_start", "message": message}]
    events.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    words = [{"type": "text_delta", "text": word} for word in text.splitlines(keepends=True)]
    events += [{"type": "content_block_delta", "index": 0, "delta": word} for word in words]
    events.append({"type": "content_block_stop", "index": 0})
    for number, call in enumerate(calls or (), 1):
        block = {"type": "tool_use", "id": f"call{number}", "name": call["name"], "input": {}}
        events.append({"type": "content_block_start", "index": number, "content_block": block})
        given = json.dumps(call["arguments"])
        for part in (given[:3], given[3:]):
            delta = {"type": "input_json_delta", "partial_json": part}
            events.append({"type": "content_block_delta", "index": number, "delta": delta})
        events.append({"type": "content_block_stop", "index": number})
    stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    events.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 5}})
    return sse(*events, {"type": "message_stop"}, named=True)


def says(text: str, dialect: str = "openai", calls: list[Json] | None = None) -> Reply:
    """A reply with a text, in pieces of seven bytes: events and characters are split."""
    whole = (openai_events if dialect == "openai" else anthropic_events)(text, calls)
    return lambda request: request.stream([whole[at : at + 7] for at in range(0, len(whole), 7)])


def bytes_of(whole: bytes, *, cut: bool = False) -> Reply:
    """A reply with these bytes; with `cut` the connection breaks off after them."""
    return lambda request: request.stream([whole], cut=cut)


def status(code: int, text: str = '{"error": {"message": "no"}}', **headers: str) -> Reply:
    """A reply with an error's status."""

    def reply(request: Request) -> None:
        data = text.encode()
        request.send_response(code)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(data)

    return reply


def stalls(whole: bytes = b"") -> Reply:
    """A reply that begins with these bytes and then sends nothing more until the test ends."""

    def chunks(request: Request) -> Iterator[bytes]:
        if whole:
            yield whole
        request.model.released.wait(600)  # type: ignore[attr-defined]

    return lambda request: request.stream(chunks(request), cut=True)
