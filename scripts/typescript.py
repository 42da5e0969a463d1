"""The catalogue as TypeScript, for the VS Code extension: types of every verb's parameters and results.

The input is the catalogue's JSON schemas. `render` is deterministic: catalogue order, then order of first use. A schema
without a TypeScript equivalent is an error, never `any`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from muninn_core import errors
from muninn_core.model.memory import KINDS
from muninn_core.model.value import json_schema
from muninn_core.protocol.catalogue import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

Schema = dict[str, Any]

HEADER = """\
// The catalogue of verbs, made by scripts/typescript.py from muninn_core.protocol. Do not edit.
"""

_SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def render() -> str:
    """Return the text of `protocol.ts`. Raises ValueError for a schema without a TypeScript equivalent."""
    asked, answered = _definitions("params"), _definitions("result")
    parts = [HEADER, _kinds(), _error_kinds(), _verbs(), _commands(), _readers()]
    # A client may leave out a parameter that has a default; the server always sends every field of a result.
    parts += [_interface(schema, sparse=True) for schema in asked.values()]
    parts += [_interface(schema, sparse=False) for name, schema in answered.items() if name not in asked]
    return "\n".join(parts)


def _definitions(side: str) -> dict[str, Schema]:
    found: dict[str, Schema] = {}
    for method in METHODS.values():
        schema, defs = json_schema(getattr(method, side))
        if "$ref" not in schema:
            raise ValueError(f"the {side} of '{method.verb}' are no object with a name")
        for name, definition in defs.items():
            found.setdefault(name, definition)
    return found


def _kinds() -> str:
    rows = "".join(f"  {_quoted(kind)},\n" for kind in KINDS)
    return (
        f"/** The kinds of memory that are known without configuration. */\nexport const KINDS = [\n{rows}] as const;\n"
    )


def _error_kinds() -> str:
    kinds = dict.fromkeys(cls.kind for cls in _tree(errors.MuninnError))
    rows = "".join(f"\n  | {_quoted(kind)}" for kind in kinds)
    head = "/** What `data.kind` of an error says; `data.hint` says what to do about it. */"
    return f"{head}\nexport type ErrorKind ={rows};\n"


def _tree(cls: type[errors.MuninnError]) -> Iterator[type[errors.MuninnError]]:
    yield cls
    for child in cls.__subclasses__():
        if child.__module__ == errors.__name__:  # skip classes of other modules
            yield from _tree(child)


def _verbs() -> str:
    rows = [
        f"{_comment(f'{method.title}. {method.summary}', '  ')}"
        f"  {_key(method.verb)}: {{ params: {method.params.__name__}; result: {method.result.__name__} }};\n"
        for method in METHODS.values()
    ]
    head = "/** Every verb with the types of its parameters and its result. */"
    return f"{head}\nexport interface Verbs {{\n{''.join(rows)}}}\n"


def _commands() -> str:
    rows = "".join(f"  {_key(method.verb)}: {_quoted(method.command)},\n" for method in METHODS.values())
    return (
        "/** The command that carries a verb through `workspace/executeCommand`; its one argument is the params. */\n"
        f"export const COMMANDS: {{ readonly [Verb in keyof Verbs]: string }} = {{\n{rows}}};\n"
    )


def _readers() -> str:
    rows = "".join(f"  {_quoted(method.command)},\n" for method in METHODS.values() if method.effect == "read")
    head = "/** The commands of the verbs that only read. */"
    return f"{head}\nexport const READERS: readonly string[] = [\n{rows}];\n"


def _interface(schema: Schema, *, sparse: bool) -> str:
    name, required = schema["title"], set(schema.get("required", ()))
    rows = []
    for field, kind in schema.get("properties", {}).items():
        optional = "?" if sparse and field not in required else ""
        rows.append(f"{_comment(_description(kind), '  ')}  {field}{optional}: {_type(kind)};\n")
    head = _comment(schema.get("description", ""), "")
    if not rows:
        return f"{head}export type {name} = Record<string, never>;\n"
    return f"{head}export interface {name} {{\n{''.join(rows)}}}\n"


def _description(schema: Schema) -> str:
    """Return the field's description, or that of its type."""
    texts = [schema.get("description", ""), *(_description(branch) for branch in schema.get("anyOf", ()))]
    return next((text for text in texts if text), "")


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "anyOf" in schema:
        return " | ".join(_type(branch) for branch in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(_quoted(value) for value in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        inner = _type(schema["items"])
        return f"readonly ({inner})[]" if "|" in inner else f"readonly {inner}[]"
    if kind == "object":
        values = schema.get("additionalProperties", {})
        return f"Readonly<Record<string, {_type(values) if values not in ({}, True) else 'unknown'}>>"
    if kind in _SCALARS:
        return _SCALARS[kind]
    raise ValueError(f"no TypeScript for the schema {schema}")


def _key(name: str) -> str:
    return name if name.isidentifier() else _quoted(name)


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _comment(text: str, indent: str) -> str:
    lines = [line.strip() for line in text.replace("*/", "* /").splitlines()]
    if not lines:
        return ""
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"


if __name__ == "__main__":
    sys.stdout.write(render())
