"""What a model means by arguments that are nearly of the right form.

Models write numbers, lists and objects as texts, name one thing where a list is wanted, and fill in what they have
nothing to say of with null; some clients make them. What is meant is plain in all of these, and an error would cost a
turn. What is not plain goes through as it is, to be refused with a reason. Knows no MCP library.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from muninn_core.model.value import json_schema
from muninn_core.protocol.catalogue import METHODS

_FIT: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {"integer": (int,), "number": (int, float), "boolean": (bool,), "object": (dict,)}
)
"""What a text may stand for where something else is wanted."""


def as_meant(verb: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call as the verb wants them, as far as there is no doubt; null is left out."""
    kinds = _kinds(verb)
    return {
        name: _meant(kinds.get(name, ""), value)
        for name, value in arguments.items()
        if value is not None or name not in kinds
    }


@cache
def _kinds(verb: str) -> dict[str, str]:
    """Return the type of each parameter in the words of JSON schema, "" where there may be more than one."""
    params = METHODS[verb].params
    root, definitions = json_schema(params)
    given = definitions[root["$ref"].rsplit("/", 1)[1]].get("properties", {})
    return {name: _kind(schema) for name, schema in given.items()}


def _kind(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        kinds = {_kind(each) for each in schema["anyOf"]} - {"null"}
        return kinds.pop() if len(kinds) == 1 else ""
    return str(schema.get("type", "object" if "$ref" in schema else ""))


def _meant(kind: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    read = _read(value) if kind == "array" or kind in _FIT else None
    if kind == "array":
        return read if isinstance(read, list) else [value]
    return read if type(read) in _FIT.get(kind, ()) else value


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(text.lower()) if text.lower() in ("true", "false") else None
