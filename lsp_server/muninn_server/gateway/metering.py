"""Counts requests to metered routes in the user's ledger, within the user's budget.

A request reserves the most that it may cost before it is passed on. The tokens that the answer states replace the
reservation; an answer that states none, or that breaks off, keeps it. Free routes are not counted.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from muninn_core.config.model_settings import ModelSettings, Route, is_free
from muninn_core.errors import ModelError
from muninn_core.model.value import replace
from muninn_core.models.http import HttpFailure
from muninn_core.models.ledger import Entry, failed, now_of
from muninn_core.models.prompt import BYTES_PER_TOKEN
from muninn_core.models.request import cost

if TYPE_CHECKING:
    from muninn_core.engine.engine import Engine
    from muninn_server.gateway.routing import Backend

PURPOSE = "gateway/1"

UNMETERED = frozenset({"/v1/messages/count_tokens"})
"""Endpoints that cost nothing."""

MAX_BYTES = 8_000_000
"""The longest answer in one piece, and the longest line of a stream, in which tokens are looked for."""

LAST_EVENT = re.compile(rb"data: ?\[DONE\]|event: ?(?:message_stop|response\.(?:completed|incomplete))\s*$")
"""The line that begins the last event of a stream, in the dialects of OpenAI and Anthropic."""

_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


class OverBudget(Exception):
    """The budget does not suffice for a request. The text says which one."""


class Usage:
    """Reads the tokens that an answer states, while it passes.

    `status` is that of the answer. `ended`: the last event of a stream has passed. Clients may disconnect after it,
    before the body ends.
    """

    def __init__(self) -> None:
        self.status = 200
        self.streamed = False
        self.ended = False
        self._last_event = False
        self._waiting = bytearray()
        self._skips = False
        self._found: dict[str, int] = {}

    def feed(self, chunk: bytes) -> None:
        """Read a part of the answer. A line that is too long is skipped, and so is such an answer in one piece."""
        first, *others = chunk.split(b"\n") if self.streamed else [chunk]
        self._add(first)
        for part in others:
            if not self._skips:
                self._read_line(bytes(self._waiting))
            self._waiting, self._skips = bytearray(), False
            self._add(part)

    def _add(self, part: bytes) -> None:
        if len(self._waiting) + len(part) > MAX_BYTES:
            self._waiting, self._skips = bytearray(), True
        if not self._skips:
            self._waiting += part

    def _read_line(self, line: bytes) -> None:
        if line.startswith(b"data:") and b'"usage"' in line:
            self._read(line[5:])
        if LAST_EVENT.match(line):
            self._last_event = True
        elif self._last_event and not line.strip():
            self.ended = True

    def close(self) -> tuple[int, int, int] | None:
        """Return the tokens in, out and read from a cache; None when the answer stated none."""
        if not self.streamed:
            self._read(bytes(self._waiting))
        if "out" not in self._found:
            return None
        return self._found.get("in", 0), self._found["out"], self._found.get("cached", 0)

    def _read(self, data: bytes) -> None:
        try:
            event = json.loads(data)
        except ValueError:
            return
        for holder in (
            (event, *(event.get(name) for name in ("message", "response"))) if isinstance(event, dict) else ()
        ):
            usage = holder.get("usage") if isinstance(holder, dict) else None
            if isinstance(usage, dict):
                self._found |= _tokens(usage)


@asynccontextmanager
async def metered(
    engine: Engine, settings: ModelSettings, backend: Backend, path: str, body: str, repository: str
) -> AsyncIterator[Usage]:
    """Reserve what a request may cost, and settle it at the end. Raises OverBudget."""
    usage, route = Usage(), backend.route
    if path in UNMETERED or is_free(route):
        yield usage
        return
    size = len(body.encode()) // BYTES_PER_TOKEN + 1
    most = _most_output(body, route.max_output)
    entry = Entry(
        id=engine.ids(),
        ts=now_of(engine.clock),
        state="reserved",
        route=backend.name,
        model=backend.model,
        purpose=PURPOSE,
        repository=repository,
        prompt=hashlib.sha256(body.encode()).hexdigest()[:16],
        tokens_in=size,
        tokens_out=most,
        usd=cost(route, size, most),
    )
    ledger = engine.models.ledger
    try:
        await asyncio.to_thread(ledger.reserve, entry, settings.budget)
    except ModelError as error:
        raise OverBudget(error.line) from None
    begun = time.monotonic()

    async def settle(result: Callable[[int], Entry]) -> None:
        await asyncio.shield(asyncio.to_thread(ledger.settle, result(round((time.monotonic() - begun) * 1000))))

    try:
        yield usage
    except HttpFailure as error:
        billed, reason = error.billed, error.reason
        await settle(lambda ms: failed(entry, reason, ms, billed=billed))
        raise
    except BaseException:
        if usage.ended:  # the client disconnected after the last event
            await settle(lambda ms: _done(entry, usage, route, ms))
        else:
            await settle(lambda ms: failed(entry, "the answer broke off", ms, billed=True))
        raise
    if usage.status >= 400:
        await settle(lambda ms: failed(entry, f"status {usage.status}", ms, billed=False))
        return
    await settle(lambda ms: _done(entry, usage, route, ms))


def _done(entry: Entry, usage: Usage, route: Route, ms: int) -> Entry:
    """Return the result of a whole answer, with the reserved cost when the answer stated no tokens."""
    done, tokens = replace(entry, state="done", ms=ms), usage.close()
    if tokens is None:
        return done
    usd = cost(route, tokens[0], tokens[1])
    return replace(done, tokens_in=tokens[0], tokens_out=tokens[1], cached=tokens[2], usd=usd)


def _tokens(usage: Mapping[str, Any]) -> dict[str, int]:
    """Return the tokens of an object `usage` of either dialect. Tokens of a cache count as tokens in."""
    plain = {name: value for name, value in usage.items() if isinstance(value, int)}
    found: dict[str, int] = {}
    cached = plain.get("cache_read_input_tokens", 0)
    if "input_tokens" in plain:
        found["in"] = plain["input_tokens"] + cached + plain.get("cache_creation_input_tokens", 0)
        found["cached"] = cached
    if "prompt_tokens" in plain:
        found["in"] = plain["prompt_tokens"]
    for name in ("output_tokens", "completion_tokens"):
        if name in plain:
            found["out"] = plain[name]
    return found


def _most_output(body: str, most: int) -> int:
    """Return the most tokens of all choices of an answer: what the request says, else the route's setting."""
    try:
        given = json.loads(body)
    except ValueError:
        return most
    if not isinstance(given, dict):
        return most
    stated = [given[name] for name in _LIMITS if _is_count(given.get(name))]
    choices = given["n"] if _is_count(given.get("n")) else 1
    return (max(stated) if stated else most) * choices


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
