"""The OpenAPI 3.1 document of the HTTP API, made from the catalogue.

Source: OpenAPI Specification 3.1.1. The request of `/rpc` is one schema per verb, told apart by `method`. Verbs for
people and parameters that state who calls are left out, since they are refused.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from muninn_core import __version__
from muninn_core.errors import MuninnError
from muninn_core.journal.projectors import HEADER_FIELDS
from muninn_core.model.value import encode_json, json_schemas
from muninn_core.protocol.catalogue import METHODS
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.protocol.method import Method
from muninn_server.events.subscription_request import MAX_HEARTBEAT_SECONDS, TOPICS
from muninn_server.http.asgi_messages import JSON
from muninn_server.http.json_rpc import claims
from muninn_server.rpc import MAX_ID_CHARS

Schema = dict[str, Any]

_AT = "#/components/schemas/"

_ID: Schema = {"oneOf": [{"type": "string", "maxLength": MAX_ID_CHARS}, {"type": "number"}]}

_ERROR: Schema = {
    "type": "object",
    "description": "What went wrong. `data.kind` names the class of the error, `data.hint` says what to do.",
    "required": ["code", "message", "data"],
    "properties": {
        "code": {"type": "integer"},
        "message": {"type": "string"},
        "data": {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}},
    },
    "examples": [MuninnError("the message", hint="What to do.").to_plain()],
}


@cache
def document() -> bytes:
    """Return the document as JSON."""
    methods = [method for method in METHODS.values() if not method.for_people]
    kinds = [kind for method in methods for kind in (method.params, method.result)]
    _, schemas = json_schemas(kinds, _AT + "{name}")
    for method in methods:
        schemas[f"{method.verb}.request"] = _request(method, schemas)
    schemas["Error"] = _ERROR
    schemas["Failure"] = _object({"error": _ref("Error")})
    whole = {
        "openapi": "3.1.1",
        "info": {
            "title": "Muninn",
            "version": __version__,
            "description": "The memory of a repository, and the journal of what happened in it.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": _paths(methods),
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": dict(sorted(schemas.items())),
        },
    }
    return encode_json(whole)


def _request(method: Method, schemas: Schema) -> Schema:
    refused = claims(method)
    for kind in (MemoryDraft, method.params) if issubclass(method.params, MemoryDraft) else (method.params,):
        params = dict(schemas[kind.__name__])
        params["properties"] = {name: one for name, one in params.get("properties", {}).items() if name not in refused}
        schemas[kind.__name__] = params
    request = _object({"jsonrpc": {"const": "2.0"}, "id": _ID, "method": {"const": method.name}})
    request["properties"]["params"] = _ref(method.params.__name__)
    if params.get("required"):
        request["required"].append("params")
    about = f"{method.summary} The result is a `{method.result.__name__}`."
    return {"title": method.title, "description": about, **request}


def _paths(methods: list[Method]) -> Schema:
    requests = {method.name: f"{_AT}{method.verb}.request" for method in methods}
    request = {
        "oneOf": [{"$ref": at} for at in requests.values()],
        "discriminator": {"propertyName": "method", "mapping": requests},
    }
    results = [_ref(name) for name in sorted({method.result.__name__ for method in methods})]
    version: Schema = {"jsonrpc": {"const": "2.0"}}
    response = {
        "oneOf": [
            _object({**version, "id": _ID, "result": {"anyOf": results}}),
            _object({**version, "id": {"oneOf": [*_ID["oneOf"], {"type": "null"}]}, "error": _ref("Error")}),
        ]
    }
    emit = METHODS["event.append"]
    return {
        "/rpc": {
            "post": {
                **_operation(
                    "rpc", "Call a verb: one JSON-RPC 2.0 request.", _content(response), errors=("413", "415")
                ),
                "requestBody": {"required": True, "content": _content(request)},
            }
        },
        "/events": {"get": {**_operation("events", "Follow what happens.", _stream()), "parameters": _filters()}},
        "/events/emit": {
            "post": {
                **_operation("emit", emit.summary, _content(_ref(emit.result.__name__)), "202", ("409", "413", "415")),
                "requestBody": {"required": True, "content": _content(_ref(emit.params.__name__))},
            }
        },
        "/health": {"get": {**_operation("health", "Whether the daemon runs.", _content(_health())), "security": []}},
        "/ready": {
            "get": _operation(
                "ready", METHODS["ready"].summary, _content(_ref("ReadyResult")), also={"503": _ref("ReadyResult")}
            )
        },
        "/metrics": {
            "get": _operation("metrics", METHODS["metrics"].summary, {"text/plain": {"schema": {"type": "string"}}})
        },
        "/openapi.json": {"get": _operation("openapi", "This document.", _content({"type": "object"}))},
    }


def _operation(
    name: str,
    summary: str,
    content: Schema,
    status: str = "200",
    errors: tuple[str, ...] = (),
    also: dict[str, Schema] | None = None,
) -> Schema:
    responses: Schema = {status: {"description": "The answer.", "content": content}}
    for code, schema in (also or {}).items():
        responses[code] = {"description": "The answer when it is not good.", "content": _content(schema)}
    for code in ("400", *errors, "503", "default"):
        responses.setdefault(code, {"description": "An error.", "content": _content(_failure(name, code))})
    responses["401"] = {"description": "The token is missing or wrong.", "content": {"text/plain": {}}}
    return {"operationId": name, "summary": summary, "responses": responses}


def _failure(name: str, code: str) -> Schema:
    """Return the schema of an error. That of a JSON-RPC request has its envelope."""
    if name == "rpc" and code == "400":
        return _object({"jsonrpc": {"const": "2.0"}, "id": {}, "error": _ref("Error")})
    return _ref("Failure")


def _stream() -> Schema:
    about = "Server-Sent Events: `state`, `journal`, `memory`, `index`, `dropped`. docs/http.md describes them."
    return {"text/event-stream": {"schema": {"type": "string", "description": about}}}


def _filters() -> list[Schema]:
    """Return the parameters of the event stream. Fields of payloads (`payload.NAME`) can't be listed."""
    texts: Schema = {"type": "array", "items": {"type": "string"}}
    whole: Schema = {"type": "integer", "minimum": 0, "maximum": 2**53}
    beat: Schema = {"type": "integer", "minimum": 1, "maximum": MAX_HEARTBEAT_SECONDS}
    found = [("topic", "query", {"type": "array", "items": {"enum": list(TOPICS)}}), ("after", "query", whole)]
    found += [("heartbeat", "query", beat), ("Last-Event-ID", "header", {"type": "string"})]
    found += [(name, "query", texts) for name in HEADER_FIELDS]
    return [{"name": name, "in": place, "schema": schema} for name, place, schema in found]


def _health() -> Schema:
    return _object({"status": {"const": "ok"}})


def _object(properties: Schema) -> Schema:
    """Return the schema of an object that has all these properties."""
    return {"type": "object", "required": list(properties), "properties": properties}


def _content(schema: Schema) -> Schema:
    return {JSON: {"schema": schema}}


def _ref(name: str) -> Schema:
    return {"$ref": _AT + name}
