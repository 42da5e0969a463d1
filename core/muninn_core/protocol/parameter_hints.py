"""Hints for wrong parameters: what a parameter must be, in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muninn_core.model.value import json_schema

if TYPE_CHECKING:
    from muninn_core.model.value import Value

_PARAMETER = re.compile(r"at `\$\.(\w+)")
"""The parameter in the text of a ValidationError."""

_NAMES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def hint_for(params: type[Value], message: str) -> str:
    """Return what the parameter in a ValidationError's message must be; "" when the message names no parameter."""
    found = _PARAMETER.search(message)
    if found is None:
        return ""
    root, definitions = json_schema(params)
    schema = definitions[root["$ref"].rsplit("/", 1)[1]]["properties"].get(found[1], {})
    described = _describe(schema)
    return f"'{found[1]}' is {described}." if described else ""


def _describe(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(each for each in map(_describe, schema["anyOf"]) if each)
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    described = _NAMES.get(schema.get("type", ""), "")
    if schema.get("type") == "array" and (each := _NAMES.get(schema.get("items", {}).get("type", ""))):
        described = f"a list, each of it {each}"
    if "minimum" in schema:
        described += f" from {schema['minimum']}" + (f" to {schema['maximum']}" if "maximum" in schema else " on")
    if schema.get("type") == "string" and "maxLength" in schema:
        described += f" of at most {schema['maxLength']:,} characters"
    if schema.get("minLength") == 1:
        described += " that is not empty"
    return described + (f" of the form {schema['pattern']}" if "pattern" in schema else "")
