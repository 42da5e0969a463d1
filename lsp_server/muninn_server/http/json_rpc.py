"""JSON-RPC 2.0 over HTTP: one request per POST, one response, with the methods and errors of the socket.

A client of the API has the rights of an agent (`Session`): it cannot act as a user. Batches and notifications are
refused; a connection carries any number of requests.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection
from typing import Any, Protocol

from muninn_core.errors import BadParams, ParseError, RefusedError, RequestError
from muninn_core.model.value import Value, encode_json
from muninn_core.protocol.catalogue import METHODS
from muninn_core.protocol.method import Method
from muninn_server.http.asgi_messages import Reply, json_reply
from muninn_server.rpc import MAX_ID_CHARS, Unreadable, decode_body, is_id, verb_of
from muninn_server.session import error_of

CLAIMS = ("actor", "agent", "trust", "session")
"""Parameters by which a client states who it is. The daemon sets them for a client that cannot act as a user."""


class Caller(Protocol):
    """What calls verbs: a session of this daemon, or a connection to another one."""

    async def call(
        self, verb: str, raw: Any, finish: Callable[[Value], bytes], *, cancelled: threading.Event | None = None
    ) -> bytes:
        """Call a verb and return its result as JSON. Raises MuninnError."""


async def answer(
    session: Caller, body: bytes, caller: str, cancelled: threading.Event, verbs: Collection[str] = METHODS
) -> Reply:
    """Return the response to one request for one of `verbs`. Setting `cancelled` ends the verb at its next safe point.

    `caller` is the calling program, "" for a person.
    """
    number: object = None
    method = ""
    try:
        message = _decoded(body)
        number = _id_of(message)
        method = _method_of(message)
        verb = verb_of(method)
        if verb in METHODS and verb not in verbs:
            raise RefusedError(f"the page does not call '{verb}'", hint=f"Run `muninn {verb}` in a terminal.")
        params = with_caller(verb, message.get("params"), caller)
        result = await session.call(verb, params, encode_json, cancelled=cancelled)
    except Exception as error:  # every failure is a response; error_of logs what is unexpected
        known = error_of(error, method or "request")
        plain = {"jsonrpc": "2.0", "id": number, "error": known.to_plain()}
        return json_reply(plain, 400 if isinstance(known, (ParseError, RequestError)) else 200)
    return Reply(200, b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (json.dumps(number).encode(), result))


def with_caller(verb: str, params: Any, caller: str) -> Any:
    """Return a verb's parameters with the calling program as its agent. Raises BadParams for claims about the caller.

    What is no object is returned as it is; decoding it reports that.
    """
    if params is None:
        params = {}
    method = METHODS.get(verb)
    if method is None or not isinstance(params, dict):
        return params
    drafts = params.get("batch") if "batch" in method.params.__struct_fields__ else None
    several = drafts if isinstance(drafts, list) else []
    for each in (params, *several):
        for name in claims(method):
            if isinstance(each, dict) and each.get(name) is not None:
                raise BadParams(
                    f"'{verb}' takes no '{name}' over HTTP",
                    hint="Leave it out: the daemon sets who calls. Nothing was done.",
                )
    if not caller or "agent" not in method.params.__struct_fields__:
        return params
    named = [{**each, "agent": caller} if isinstance(each, dict) else each for each in several]
    return {**params, "agent": caller, **({"batch": named} if several else {})}


def claims(method: Method) -> list[str]:
    """Return the parameters of a verb that a client over HTTP may not set.

    A session that only selects what is read is none, nor is the actor of an event, which the daemon limits.
    """
    kept = {"session"} if method.effect == "read" or method.session_filter else set()
    if method.effect == "append":
        kept.add("actor")
    return [name for name in CLAIMS if name in method.params.__struct_fields__ and name not in kept]


def _decoded(body: bytes) -> Any:
    try:
        return decode_body(body)
    except Unreadable as error:
        raise ParseError(f"not a message: {error}", hint="Send one JSON-RPC request as JSON in UTF-8.") from None


def _id_of(message: Any) -> object:
    """Return the id of a request. Raises RequestError."""
    if isinstance(message, list):
        raise RequestError("batches are not supported", hint="Send each request by itself on the same connection.")
    if not isinstance(message, dict):
        raise RequestError("a request is an object with 'jsonrpc', 'method' and 'id'")
    number = message.get("id")
    if not is_id(number):
        raise RequestError(
            f"a request's 'id' is a number or a string of at most {MAX_ID_CHARS:,} characters",
            hint="Notifications, which have none, are not supported.",
        )
    return number


def _method_of(message: dict[str, Any]) -> str:
    method = message.get("method")
    if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise RequestError("a request has 'jsonrpc' with the value \"2.0\", and a 'method'")
    return method
