"""The catalogue as pages of the documentation: an index, one page per family, and one of shared values.

A value that only one family uses is on that family's page. The output is deterministic: verbs in catalogue order,
values sorted by name.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from muninn_cli.arguments.parameters import Parameter, parameters
from muninn_cli.arguments.parser import example
from muninn_core.model.value import json_schema
from muninn_core.protocol.catalogue import FAMILIES, METHODS

if TYPE_CHECKING:
    from muninn_core.protocol.method import Family, Method

Schema = dict[str, Any]

SHARED = "values"
"""The page of the values that several families use."""

_NOTE = "<!-- Made from muninn_core.protocol by scripts/generate.py. Do not edit; `make generate` writes it. -->\n"

_INDEX = """\
Every capability of Muninn is a verb, and every client reaches every verb:

| Client | Name |
| --- | --- |
| JSON-RPC and LSP request | `muninn/<verb>` |
| LSP command | `muninn.<verb>`; `muninn.memory` for `show` |
| MCP tool | `<verb>`, with `_` for a dot |
| command line | `muninn <verb>`, with a space for a dot |

Parameters are an object; a parameter that has a default may be left out. Every result except that of `shutdown` has
`saw`: the commit, the log position and the index that it was computed from. Values that several families use are on the
page [Values](methods/values.md).
"""


def pages() -> dict[str, str]:
    """Return the text of every page by its path relative to docs/."""
    homes = _homes()
    found = {"methods.md": _index()}
    for family in FAMILIES:
        found[f"methods/{family.name}.md"] = _family_page(family, homes)
    shared = "\n".join(_value(name, SHARED, homes) for name, page in sorted(homes.items()) if page == SHARED)
    found[f"methods/{SHARED}.md"] = (
        f"# Values\n\n{_NOTE}\nValues in the parameters and results of several families.\n\n{shared}"
    )
    return found


def _index() -> str:
    parts = [f"# Methods\n\n{_NOTE}\n{_INDEX}"]
    for family in FAMILIES:
        page = f"methods/{family.name}.md"
        rows = "".join(
            f"| [`{method.verb}`]({page}#{_anchor(method.verb)}) | {method.summary} "
            f"| {method.effect} | {_set(method)} |\n"
            for method in family.methods
        )
        parts.append(
            f"## [{family.title}]({page})\n\n{family.summary}\n\n"
            f"| Verb | What it does | Effect | MCP tool set |\n| --- | --- | --- | --- |\n{rows}"
        )
    return "\n".join(parts)


def _set(method: Method) -> str:
    """Return the smallest set of MCP tools that contains the verb."""
    return "core" if method.tool else "all" if method.use else ""


def _family_page(family: Family, homes: dict[str, str]) -> str:
    parts = [f"# {family.title}\n\n{_NOTE}\n{family.summary} [All methods](../methods.md).\n"]
    parts += [_section(method, homes) for method in family.methods]
    own = [name for name, page in sorted(homes.items()) if page == family.name]
    if own:
        parts.append("## Values\n\nValues in these parameters and results.\n")
        parts += [_value(name, family.name, homes) for name in own]
    return "\n".join(parts)


@cache
def _definitions() -> dict[str, Schema]:
    """Return the schemas of all values in parameters and results, by name."""
    found: dict[str, Schema] = {}
    for method in METHODS.values():
        for kind in (method.params, method.result):
            for name, schema in json_schema(kind)[1].items():
                if name != kind.__name__:
                    found.setdefault(name, schema)
    return found


def _homes() -> dict[str, str]:
    """Return the page of each value: the only family that uses it, or the shared page."""
    users: dict[str, set[str]] = {}
    for method in METHODS.values():
        for kind in (method.params, method.result):
            for name in json_schema(kind)[1]:
                users.setdefault(name, set()).add(method.family)
    return {name: min(users[name]) if len(users[name]) == 1 else SHARED for name in _definitions()}


def _anchor(heading: str) -> str:
    """Return the anchor that code hosts generate for a heading."""
    return heading.lower().replace(".", "")


def _section(method: Method, homes: dict[str, str]) -> str:
    found = parameters(method)
    parts = [f"## {method.verb}\n", f"{method.title}. {method.summary}\n"]
    if method.use:
        parts.append(f"When a model should use it: {method.use}\n")
    parts.append(_names(method))
    if found:
        rows = [_parameter_row(method, parameter, homes) for parameter in found]
        parts.append(
            "| Parameter | Type | Default | Command line | Meaning |\n| --- | --- | --- | --- | --- |\n" + "".join(rows)
        )
    else:
        parts.append("It takes no parameters.\n")
    parts.append(_result(method, homes))
    parts.append(_example(method))
    return "\n".join(parts)


def _names(method: Method) -> str:
    names = [f"JSON-RPC `{method.name}`", f"LSP command `{method.command}`"]
    if method.use:
        names.append(f"MCP tool `{method.verb.replace('.', '_')}` (set `{_set(method)}`)")
    traits = [f"effect: {method.effect}"]
    traits += ["destructive"] if method.destructive else []
    traits += ["idempotent"] if method.idempotent else []
    traits += ["for people"] if method.for_people else []
    return f"{' · '.join(names)} · {', '.join(traits)}\n"


def _parameter_row(method: Method, parameter: Parameter, homes: dict[str, str]) -> str:
    schema = _schema(method.params)["properties"][parameter.name]
    default = "required" if parameter.required else f"`{json.dumps(parameter.default)}`"
    flag = f"`{parameter.name.upper()}`" if parameter.positional else f"`{parameter.flags[0]}`"
    kind = _type(schema, method.family, homes) + _bounds(parameter)
    return f"| `{parameter.name}` | {kind} | {default} | {flag} | {parameter.help} |\n"


def _bounds(parameter: Parameter) -> str:
    if parameter.minimum is None:
        return ""
    low = f"{parameter.minimum:g}"
    return f", from {low}" if parameter.maximum is None else f", {low} to {parameter.maximum:g}"


def _result(method: Method, homes: dict[str, str]) -> str:
    schema = _schema(method.result)
    fields = "".join(
        f"| `{name}` | {_type(kind, method.family, homes)} |\n" for name, kind in schema["properties"].items()
    )
    return f"Result. {_prose(schema)}\n\n| Field | Type |\n| --- | --- |\n{fields}"


def _example(method: Method) -> str:
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method.name, "params": method.example})
    return f"```json\n{request}\n```\n\n```console\n$ {example(method)} --json\n```\n"


def _value(name: str, page: str, homes: dict[str, str]) -> str:
    schema = _definitions()[name]
    rows = "".join(
        f"| `{field}` | {_type(kind, page, homes)} | {kind.get('description', '')} |\n"
        for field, kind in schema["properties"].items()
    )
    return f"### {name}\n\n{_prose(schema)}\n\n| Field | Type | Meaning |\n| --- | --- | --- |\n{rows}"


@cache
def _schema(kind: Any) -> Schema:
    schema, definitions = json_schema(kind)
    found: Schema = definitions[schema["$ref"].rsplit("/", 1)[-1]]
    return found


def _prose(schema: Schema) -> str:
    return " ".join(str(schema.get("description", "")).split())


def _type(schema: Schema, page: str, homes: dict[str, str]) -> str:
    """Return a type in words, with links from `page` to the values in it."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        home = homes[name]
        return f"[{name}]({'' if home == page else f'{home}.md'}#{_anchor(name)})"
    if "anyOf" in schema:
        return " or ".join(_type(branch, page, homes) for branch in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema["type"] == "array":
        return f"list of {_type(schema['items'], page, homes)}"
    if schema["type"] == "object":
        values = schema.get("additionalProperties")
        return f"object of {_type(values, page, homes)}" if isinstance(values, dict) and values else "object"
    return str(schema["type"])
