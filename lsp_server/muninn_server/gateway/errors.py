"""Errors of the gateway in the form of each API, so that its client raises them as the provider's."""

from __future__ import annotations

import json

from muninn_server.gateway.routing import ANTHROPIC
from muninn_server.http.asgi_messages import Reply, json_reply

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    404: "not_found_error",
    405: "invalid_request_error",
    413: "request_too_large",
}


def error_reply(dialect: str, status: int, message: str) -> Reply:
    """Return an error as a response."""
    return json_reply(_body(dialect, status, message), status)


def stream_error(dialect: str, message: str) -> bytes:
    """Return an error as an event, for a stream that has begun and is between two events."""
    name = "event: error\n" if dialect == ANTHROPIC else ""
    return f"{name}data: {json.dumps(_body(dialect, 502, message))}\n\n".encode()


def _body(dialect: str, status: int, message: str) -> dict[str, object]:
    kind = _TYPES.get(status, "api_error")
    if dialect == ANTHROPIC:
        return {"type": "error", "error": {"type": kind, "message": f"Muninn's gateway: {message}"}}
    error = {"message": f"Muninn's gateway: {message}", "type": kind, "param": None, "code": None}
    return {"error": error}
