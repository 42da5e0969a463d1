"""Describes wrong parameters in words: what was given, and what the parameter must be.

The texts of msgspec's ValidationErrors name types of Python and JSON paths. People and models read these sentences
instead. Source of the forms: msgspec 0.19 to 0.21, `ValidationError`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muninn_core.model.counting import number_of
from muninn_core.model.value import encode_json, json_schema

if TYPE_CHECKING:
    from muninn_core.model.value import Value
    from muninn_core.protocol.method import Method

_AT = re.compile(r" - at `(?:key in )?\$\.?([^`]*)`$")
"""The path of the value at the end of a message; "" for the whole object."""

_STEP = re.compile(r"(\w+)|\[(\d+|\.\.\.)\]")

_FIELD = re.compile(r"^Object (missing required|contains unknown) field `([^`]*)`")

_NAMES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}

_SHOWN = 60
"""Characters of a wrong value that a message shows."""


def describe_error(method: Method, given: dict[str, Any], message: str) -> tuple[str, str]:
    """Return a sentence without its full stop about a ValidationError's message, and a hint, for a call's parameters.

    A message of another form is returned unchanged. The hint is the description of the wrong parameter, or the names
    of the fields or of all parameters.
    """
    known = method.params.__struct_fields__
    names = f"'{method.verb}' takes {', '.join(known)}." if known else f"'{method.verb}' takes no parameters."
    at = _AT.search(message)
    path = at[1] if at else ""
    field = _FIELD.match(message)
    if field is not None:
        owner = f"'{path or method.verb}'"
        said = f"{owner} {'needs' if field[1] == 'missing required' else 'has no field'} '{field[2]}'"
        inner = list(_resolve(*_schema_at(method.params, path)).get("properties", {})) if path else []
        return said, f"Its fields are {', '.join(inner)}." if inner else names
    schema, definitions = _schema_at(method.params, path) if path else ({}, {})
    described = _describe(schema, definitions)
    if not described:
        return message, names
    value = _value_at(given, path)
    if isinstance(value, list) and len(value) > schema.get("maxItems", len(value)):
        return f"'{path}' takes at most {number_of(schema['maxItems'], 'item')}, not {len(value):,}", names
    shown = encode_json(value).decode("utf-8", "replace")
    shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
    about = schema.get("description") or next(
        (each["description"] for each in schema.get("anyOf", ()) if "description" in each), ""
    )
    if "matching regex" in message:
        return f"'{path}' has the wrong form: {shown}", about or f"It must match {schema.get('pattern', '')}."
    return f"'{path}' must be {described}, not {shown}", about or names


def _schema_at(params: type[Value], path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the JSON schema of the value at a path ({} when unknown), and the schema's definitions."""
    schema, definitions = json_schema(params)
    for name, index in _STEP.findall(path):
        schema = _resolve(schema, definitions)
        if index:
            schema = schema.get("items", schema.get("additionalProperties", {}))
        else:
            schema = schema.get("properties", {}).get(name, {})
        if not isinstance(schema, dict):
            return {}, definitions
    return schema, definitions


def _resolve(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that a reference names; of alternatives the one that is not null."""
    if "anyOf" in schema:
        schema = next((each for each in schema["anyOf"] if each.get("type") != "null"), schema)
    if "$ref" in schema:
        found: dict[str, Any] = definitions.get(schema["$ref"].rsplit("/", 1)[1], {})
        return found
    return schema


def _value_at(given: Any, path: str) -> Any:
    """Return the value at a path, as far as the path leads."""
    for name, index in _STEP.findall(path):
        if name and isinstance(given, dict) and name in given:
            given = given[name]
        elif index.isdigit() and isinstance(given, list) and int(index) < len(given):
            given = given[int(index)]
        else:
            return given
    return given


def _describe(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    if "anyOf" in schema:
        each = (_describe(branch, definitions) for branch in schema["anyOf"])
        return " or ".join(dict.fromkeys(described for described in each if described))
    if "$ref" in schema:
        return _describe(_resolve(schema, definitions), definitions)
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    described = _NAMES.get(schema.get("type", ""), "")
    if schema.get("type") == "array" and (each_item := _NAMES.get(schema.get("items", {}).get("type", ""))):
        described = f"a list, each item {each_item}"
    if "minimum" in schema:
        described += f" from {schema['minimum']}" + (f" to {schema['maximum']}" if "maximum" in schema else " on")
    if schema.get("type") == "string" and "maxLength" in schema:
        described += f" of at most {number_of(schema['maxLength'], 'character')}"
    if schema.get("minLength") == 1:
        described += " that is not empty"
    return described
