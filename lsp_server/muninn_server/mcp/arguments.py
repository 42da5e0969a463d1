"""Coerces tool arguments that are nearly of the right type.

Models write numbers, lists and objects as strings, a single value in place of a list, and null for optional arguments;
some clients make them do so. The meaning is unambiguous, and an error would cost a turn. Ambiguous values stay as they
are and are refused with a reason. Imports no MCP library.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from muninn_core.errors import BadParams
from muninn_core.model.value import json_schema
from muninn_core.protocol.catalogue import METHODS

_FIT: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {"integer": (int,), "number": (int, float), "boolean": (bool,), "object": (dict,)}
)
"""The Python types that a string may be read as, by JSON schema type."""


def coerce(verb: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call's arguments with the types of the verb's parameters where unambiguous, without nulls."""
    kinds = _kinds(verb)
    return {
        name: _coerced(kinds.get(name, ""), value)
        for name, value in arguments.items()
        if value is not None or name not in kinds
    }


def arguments_of(verb: str, renamed: Mapping[str, str], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a verb's parameters for the arguments of a tool with other names (see `Entry.renamed`).

    Raises BadParams for a field that is given under both names.
    """
    whole = {name: value for name, value in arguments.items() if "." not in renamed.get(name, "")}
    coerced = coerce(verb, {renamed.get(name, name): value for name, value in whole.items()})
    for name, target in renamed.items():
        _, _, field = name.partition(".")
        target_outer, _, target_field = target.partition(".")
        holder = coerced.get(target_outer)
        if field and isinstance(holder, dict) and field in holder:
            holder = {each: value for each, value in holder.items() if each != field}
            coerced[target_outer] = _with_field(holder, target_field, coerced[target_outer][field])
        elif target_field and not field and arguments.get(name) is not None:
            if holder is not None and not isinstance(holder, dict):
                continue  # the verb refuses it
            coerced[target_outer] = _with_field(holder or {}, target_field, arguments[name])
    return coerced


def _with_field(holder: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    if field in holder:
        raise BadParams(f"'{field}' is given twice", hint="Give it once; nothing was recorded.")
    return {**holder, field: value}


@cache
def _kinds(verb: str) -> dict[str, str]:
    """Return the JSON schema type of each parameter, "" if there is more than one."""
    params = METHODS[verb].params
    root, definitions = json_schema(params)
    given = definitions[root["$ref"].rsplit("/", 1)[1]].get("properties", {})
    return {name: _kind(schema) for name, schema in given.items()}


def _kind(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        kinds = {_kind(each) for each in schema["anyOf"]} - {"null"}
        return kinds.pop() if len(kinds) == 1 else ""
    return str(schema.get("type", "object" if "$ref" in schema else ""))


def _coerced(kind: str, value: Any) -> Any:
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
