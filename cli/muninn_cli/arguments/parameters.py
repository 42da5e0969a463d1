"""A verb's parameters as options and positional arguments, from the JSON schemas of the catalogue."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from muninn_core.model.value import json_schema
from muninn_core.protocol.method import Method

Shape = Literal["text", "integer", "number", "switch", "choice", "texts", "table", "labels", "cites", "links", "drafts"]
"""How a parameter is written. The last five are composed of several words; `labels` is a table of texts."""

_SCALARS: dict[str, Shape] = {"string": "text", "integer": "integer", "number": "number", "boolean": "switch"}
_ITEMS: dict[str, Shape] = {"Cite": "cites", "Link": "links", "MemoryDraft": "drafts"}
_SINGULAR = {
    "cites": "cite",
    "entities": "entity",
    "files": "file",
    "links": "link",
    "questions": "question",
    "tags": "tag",
    "tasks": "task",
}
"""An option that may be repeated is named in the singular: `--file a.py --file b.py`."""

_SHORT = {"limit": ("-n",)}
"""Short options, of the parameters that are given most."""


class Parameter(NamedTuple):
    """One parameter. `flags` are its options, the preferred one first; a positional parameter has none.

    `default` is None if the verb has no default. `choices` is empty unless the shape is choice.
    """

    name: str
    shape: Shape
    flags: tuple[str, ...]
    required: bool
    default: Any
    choices: tuple[str, ...]
    help: str
    minimum: float | None
    maximum: float | None

    @property
    def positional(self) -> bool:
        """Whether it is a positional argument."""
        return not self.flags


def parameters(method: Method) -> tuple[Parameter, ...]:
    """Return a verb's parameters in the order of the catalogue. Raises ValueError for a type that has no shape."""
    schema, definitions = json_schema(method.params)
    schema = definitions[schema["$ref"].rsplit("/", 1)[-1]]
    required = schema.get("required", ())
    return tuple(_parameter(method, name, kind, name in required) for name, kind in schema["properties"].items())


def _parameter(method: Method, name: str, schema: dict[str, Any], required: bool) -> Parameter:
    inner = next((branch for branch in schema.get("anyOf", ()) if branch.get("type") != "null"), schema)
    return Parameter(
        name=name,
        shape=_shape(method, name, inner),
        flags=() if name in method.positional else _flags(method, name),
        required=required,
        default=schema.get("default"),
        choices=_choices(inner),
        help=schema.get("description") or inner.get("description", ""),
        minimum=inner.get("minimum"),
        maximum=inner.get("maximum"),
    )


def _shape(method: Method, name: str, schema: dict[str, Any]) -> Shape:
    if "enum" in schema:
        return "choice"
    kind = schema.get("type")
    if kind == "object":
        return "labels" if schema.get("additionalProperties", {}) == {"type": "string"} else "table"
    if kind == "array":
        items = schema["items"]
        if items.get("type") == "string":
            return "texts"
        shape = _ITEMS.get(str(items.get("$ref", "")).rsplit("/", 1)[-1])
        if shape is not None:
            return shape
    elif kind in _SCALARS:
        return _SCALARS[kind]
    raise ValueError(f"the command line has no shape for '{name}' of '{method.verb}': {schema}")


def _choices(schema: dict[str, Any]) -> tuple[str, ...]:
    return tuple(schema.get("enum", ()))


def _flags(method: Method, name: str) -> tuple[str, ...]:
    names = dict.fromkeys((method.flags.get(name, _SINGULAR.get(name, name)), name))
    return tuple("--" + each.replace("_", "-") for each in names) + _SHORT.get(name, ())
