"""What a parameter must be, in words: the hint for one that is something else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muninn_core.model.value import json_schema

if TYPE_CHECKING:
    from muninn_core.model.value import Value

_PLACE = re.compile(r"at `\$\.(\w+)")
"""Where a ValidationError says which parameter it is about."""

_NAMES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def wanted(params: type[Value], complaint: str) -> str:
    """Return what the parameter must be that a ValidationError's text complains of; "" where it names none."""
    found = _PLACE.search(complaint)
    if found is None:
        return ""
    root, definitions = json_schema(params)
    schema = definitions[root["$ref"].rsplit("/", 1)[1]]["properties"].get(found[1], {})
    said = _said(schema)
    return f"'{found[1]}' is {said}." if said else ""


def _said(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(each for each in map(_said, schema["anyOf"]) if each)
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    said = _NAMES.get(schema.get("type", ""), "")
    if schema.get("type") == "array" and (each := _NAMES.get(schema.get("items", {}).get("type", ""))):
        said = f"a list, each of it {each}"
    if "minimum" in schema:
        said += f" from {schema['minimum']}" + (f" to {schema['maximum']}" if "maximum" in schema else " on")
    if schema.get("type") == "string" and "maxLength" in schema:
        said += f" of at most {schema['maxLength']:,} characters"
    if schema.get("minLength") == 1:
        said += " that is not empty"
    return said + (f" of the form {schema['pattern']}" if "pattern" in schema else "")
