"""The catalogue as a Python class: a typed method for each verb, with keywords for its parameters.

It knows the annotations of the catalogue's values and nothing of what runs the verbs. `render` is deterministic.
"""

from __future__ import annotations

import sys
import textwrap
import types
import typing
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from muninn_cli.parameters import parameters
from muninn_core.model.value import Value
from muninn_core.protocol.catalogue import METHODS

if typing.TYPE_CHECKING:
    from muninn_core.protocol.method import Method

HEADER = '''\
"""Every verb of the catalogue as a typed method. Made by scripts/api.py from muninn_core.protocol; do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
{imports}

class Verbs:
    """The methods; whoever inherits them says how a verb is run."""

    def call(self, verb: str, **params: Any) -> Value:
        """Run a verb of the catalogue with plain parameters and return its result. Raises MuninnError."""
        raise NotImplementedError
'''

WIDTH = 120


def render() -> str:
    """Return the text of `verbs.py`. Raises ValueError for an annotation that it has no Python for."""
    named: dict[type, None] = {Value: None}
    bodies = [_method(method, named) for method in METHODS.values() if method.verb != "shutdown"]
    return HEADER.format(imports=_imports(named)) + "".join(bodies)


def _imports(named: dict[type, None]) -> str:
    modules: dict[str, set[str]] = {}
    for kind in named:
        modules.setdefault(kind.__module__, set()).add(kind.__name__)
    lines = []
    for module, names in sorted(modules.items()):
        line = f"    from {module} import {', '.join(sorted(names))}\n"
        if len(line) > WIDTH:
            rows = "".join(f"        {name},\n" for name in sorted(names))
            line = f"    from {module} import (\n{rows}    )\n"
        lines.append(line)
    return "".join(lines)


def _method(method: Method, named: dict[type, None]) -> str:
    hints = get_type_hints(method.params)
    found = parameters(method)
    first = [each for each in found if each.positional]
    given, keyword = ["self"], []
    for parameter in [*first, *(each for each in found if not each.positional)]:
        hint = _hint(hints[parameter.name], named)
        hint += " | None" if parameter.default == {} else ""
        default = "" if parameter.required else f" = {_default(parameter.default)}"
        text = f"{parameter.name}: {hint}{default}"
        (given if parameter.positional else keyword).append(text)
    given.sort(key=lambda text: " = " in text)
    named[method.result] = None
    arguments = [*given, *(["*", *keyword] if keyword else [])]
    pairs = [
        f"{each.name}={each.name}{' or {}' if each.default == {} else ''}"
        for each in [*first, *(each for each in found if not each.positional)]
    ]
    name, result = method.function, method.result.__name__
    head = f"    def {name}({', '.join(arguments)}) -> {result}:\n"
    if len(head) > WIDTH:
        head = f"    def {name}(\n" + "".join(f"        {each},\n" for each in arguments) + f"    ) -> {result}:\n"
    call = f'        return cast("{result}", self.call({", ".join([repr_(method.verb), *pairs])}))\n'
    if len(call) > WIDTH:
        rows = "".join(f"                {pair},\n" for pair in [repr_(method.verb), *pairs])
        call = (
            f'        return cast(\n            "{result}",\n            self.call(\n{rows}            ),\n        )\n'
        )
    return f"\n{head}{_docstring(method)}{call}"


def repr_(text: str) -> str:
    """Return a text as a literal with double quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _docstring(method: Method) -> str:
    lines = textwrap.wrap(method.summary, WIDTH - 11)
    found = [each for each in parameters(method) if each.help]
    if not found:
        return f'        """{method.summary}"""\n'
    rows = [
        line
        for each in found
        for line in textwrap.wrap(
            f"`{each.name}`: {each.help}", WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 12
        )
    ]
    body = "\n".join([f'        """{lines[0]}', *(f"        {line}" for line in lines[1:]), "", *rows])
    return body.replace("\\", "\\\\") + '\n        """\n'


def _hint(kind: Any, named: dict[type, None]) -> str:
    """Return an annotation as source. Any sequence or mapping will do, and a mapping for a value."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return " | ".join(_hint(each, named) for each in inner)
    if origin is Literal:
        return f"Literal[{', '.join(repr_(each) for each in inner)}]"
    if origin is tuple and inner[1:] == (...,):
        return f"Sequence[{_hint(inner[0], named)}]"
    if origin in (dict, typing.get_origin(typing.Mapping[str, Any])):
        return f"Mapping[{', '.join(_hint(each, named) for each in inner)}]"
    if kind is Any:
        return "Any"
    if kind is type(None):
        return "None"
    if kind in (str, int, float, bool):
        return str(kind.__name__)
    if isinstance(kind, type) and issubclass(kind, Value):
        named[kind] = None
        return f"{kind.__name__} | Mapping[str, Any]"
    raise ValueError(f"no Python for the annotation {kind!r}")


def _default(value: Any) -> str:
    if isinstance(value, str):
        return repr_(value)
    if isinstance(value, (list, tuple)) and not value:
        return "()"
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, dict) and not value:
        return "None"
    raise ValueError(f"no Python for the default {value!r}")


if __name__ == "__main__":
    sys.stdout.write(render())
