"""Write the files that are made from the catalogue: docs/methods.md, vscode-extension/src/protocol.ts and verbs.py.

With --check nothing is written, and a file that is not what it should be ends the script with 1.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import api
import typescript

from muninn_cli.parameters import Parameter, parameters
from muninn_core.model.value import json_schema
from muninn_core.protocol.catalogue import METHODS

if TYPE_CHECKING:
    from muninn_core.protocol.method import Method

ROOT = Path(__file__).resolve().parent.parent

Schema = dict[str, Any]

_HEAD = """\
# Methods

<!-- Made from muninn_core.protocol by scripts/generate.py. Do not edit; `make generate` writes it. -->

Every capability of Muninn is a verb, and every client reaches every verb: JSON-RPC and LSP requests are named
`muninn/<verb>`, LSP commands `muninn.<verb>`, MCP tools and words of the command line `<verb>`, there with a blank for
a dot. Parameters are an object; one that has a default may be left out. Every result but that of `shutdown` has `saw`:
the commit, the log position and the index that it was computed from.

| Verb | What it does | Effect | MCP tool |
| --- | --- | --- | --- |
"""


def main(argv: list[str]) -> int:
    check = argv == ["--check"]
    if argv and not check:
        print("usage: scripts/generate.py [--check]", file=sys.stderr)
        return 2
    stale = [path for path, text in files().items() if not _holds(path, text)]
    for path in stale:
        name = path.relative_to(ROOT)
        if check:
            print(f"{name}: stale, run make generate", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files()[path], "utf-8")
            print(f"wrote {name}")
    return 1 if check and stale else 0


def files() -> dict[Path, str]:
    """Return every generated file with the text that it should have."""
    return {
        ROOT / "docs" / "methods.md": reference(),
        ROOT / "vscode-extension" / "src" / "protocol.ts": typescript.render(),
        ROOT / "core" / "muninn_core" / "verbs.py": api.render(),
    }


def reference() -> str:
    """Return the reference page."""
    rows = [
        f"| [`{method.verb}`](#{_anchor(method)}) | {method.summary} | {method.effect} "
        f"| {'yes' if method.tool else ''} |\n"
        for method in METHODS.values()
    ]
    sections = [_section(method) for method in METHODS.values()]
    return _HEAD + "".join(rows) + "\n" + "\n".join(sections) + "\n" + _values()


def _holds(path: Path, text: str) -> bool:
    return path.exists() and path.read_text("utf-8") == text


def _anchor(method: Method) -> str:
    return method.verb.replace(".", "")  # as hosts make them of headings


def _section(method: Method) -> str:
    found = parameters(method)
    parts = [f"## {method.verb}\n", f"{method.title}. {method.summary}\n"]
    if method.use:
        parts.append(f"When a model should use it: {method.use}\n")
    parts.append(_names(method))
    if found:
        rows = [_parameter_row(method, parameter) for parameter in found]
        parts.append(
            "| Parameter | Type | Default | Command line | Meaning |\n| --- | --- | --- | --- | --- |\n" + "".join(rows)
        )
    else:
        parts.append("It takes no parameters.\n")
    parts.append(_result(method))
    parts.append(_example(method, found))
    return "\n".join(parts)


def _names(method: Method) -> str:
    names = [f"JSON-RPC `{method.name}`", f"LSP command `{method.command}`"]
    if method.tool:
        names.append(f"MCP tool `{method.verb}`")
    traits = [f"effect: {method.effect}"]
    traits += ["destructive"] if method.destructive else []
    traits += ["idempotent"] if method.idempotent else []
    return f"{' · '.join(names)} · {', '.join(traits)}\n"


def _parameter_row(method: Method, parameter: Parameter) -> str:
    schema = _schema(method.params)["properties"][parameter.name]
    default = "required" if parameter.required else f"`{json.dumps(parameter.default)}`"
    flag = f"`{parameter.name.upper()}`" if parameter.positional else f"`{parameter.flags[0]}`"
    bounds = _bounds(parameter)
    return f"| `{parameter.name}` | {_type(schema)}{bounds} | {default} | {flag} | {parameter.help} |\n"


def _bounds(parameter: Parameter) -> str:
    if parameter.minimum is None:
        return ""
    low = f"{parameter.minimum:g}"
    return f", from {low}" if parameter.maximum is None else f", {low} to {parameter.maximum:g}"


def _result(method: Method) -> str:
    schema = _schema(method.result)
    fields = "".join(f"| `{name}` | {_type(kind)} |\n" for name, kind in schema["properties"].items())
    about = _prose(schema)
    return f"Result. {about}\n\n| Field | Type |\n| --- | --- |\n{fields}"


def _example(method: Method, found: tuple[Parameter, ...]) -> str:
    given = method.example
    words = [
        _quoted(given[parameter.name])
        if parameter.positional
        else f"{parameter.flags[0]} {_quoted(given[parameter.name])}"
        for parameter in found
        if parameter.name in given
    ]
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method.name, "params": given})
    line = " ".join(["muninn", method.words, *words])
    return f"```json\n{request}\n```\n\n```console\n$ {line} --json\n```\n"


def _values() -> str:
    """Return the section of the values that parameters and results are made of."""
    found: dict[str, Schema] = {}
    for method in METHODS.values():
        for kind in (method.params, method.result):
            for name, schema in json_schema(kind)[1].items():
                if name not in (method.params.__name__, method.result.__name__):
                    found.setdefault(name, schema)
    parts = ["## Values\n", "What parameters and results are made of.\n"]
    for name in sorted(found):
        schema = found[name]
        rows = "".join(
            f"| `{field}` | {_type(kind)} | {kind.get('description', '')} |\n"
            for field, kind in schema["properties"].items()
        )
        parts.append(f"### {name}\n\n{_prose(schema)}\n\n| Field | Type | Meaning |\n| --- | --- | --- |\n{rows}")
    return "\n".join(parts)


def _schema(kind: Any) -> Schema:
    schema, definitions = json_schema(kind)
    found: Schema = definitions[schema["$ref"].rsplit("/", 1)[-1]]
    return found


def _prose(schema: Schema) -> str:
    return " ".join(str(schema.get("description", "")).split())


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type(branch) for branch in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema["type"] == "array":
        return f"list of {_type(schema['items'])}"
    if schema["type"] == "object":
        values = schema.get("additionalProperties")
        return f"object of {_type(values)}" if isinstance(values, dict) and values else "object"
    return str(schema["type"])


def _quoted(value: str | list[str]) -> str:
    if isinstance(value, list):
        return " ".join(map(_quoted, value))
    return json.dumps(value) if " " in value else value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
