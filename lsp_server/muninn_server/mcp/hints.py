"""Hints for agents: a command of the shell that a hint names becomes the tool of the connection that does the same.

Errors, notices and notes name commands, because people and programs read them, too. What a person has to do stays a
command; a command without a tool is one of the shell.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from muninn_core.model.answer import ReadState
from muninn_core.model.value import Value, fields_of, replace
from muninn_core.protocol.catalogue import METHODS
from muninn_server.mcp.tools import Tool

_COMMAND = re.compile(r"`muninn ([^`\n]+)`")
_END = re.compile(r"[.!?](?=\s|$)")
"""The end of a sentence."""

_FOR_A_PERSON = re.compile(r"\b(?:person|terminal|shell)\b", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"[A-Z]+|…")
"""A word of a command that stands for a value, such as QUERY."""

_HINTS = ("hint", "notes", "notices")
"""The fields of results that may name commands."""

_VERBS: Mapping[tuple[str, ...], str] = MappingProxyType(
    {tuple(words.split()): verb for verb, method in METHODS.items() for words in (method.words, *method.aliases)}
)
"""The verbs by the words of their commands."""


def for_tools(hint: str, tools: Mapping[str, Tool]) -> str:
    """Return a hint in which the commands of verbs that have a tool name the tool and its parameters.

    A command without a tool gets the words "in a shell". A sentence about what a person does is left as it is.
    """

    def named(match: re.Match[str]) -> str:
        begin = max((end.end() for end in _END.finditer(hint, 0, match.start())), default=0)
        end = _END.search(hint, match.end())
        if _FOR_A_PERSON.search(hint[begin : end.start() if end else len(hint)]):
            return match[0]
        return _tool_call(match[1], tools) or f"{match[0]} in a shell"

    return _COMMAND.sub(named, hint)


def with_tools(result: Any, tools: Mapping[str, Tool]) -> Any:
    """Return a verb's result with its hints, notices and notes as `for_tools` writes them."""
    if not isinstance(result, Value):
        return result
    changes = {name: _field(name, value, tools) for name, value in fields_of(result).items()}
    changed = {name: value for name, value in changes.items() if value is not getattr(result, name)}
    return replace(result, **changed) if changed else result


def _field(name: str, value: Any, tools: Mapping[str, Tool]) -> Any:
    if isinstance(value, ReadState):
        return replace(value, note=for_tools(value.note, tools)) if value.note else value
    if name in _HINTS and isinstance(value, str):
        return for_tools(value, tools)
    if name in _HINTS and isinstance(value, tuple):
        return tuple(for_tools(each, tools) if isinstance(each, str) else each for each in value)
    if isinstance(value, tuple) and any(getattr(each, "hint", "") for each in value):
        return tuple(with_tools(each, tools) for each in value)
    return value


def _tool_call(command: str, tools: Mapping[str, Tool]) -> str:
    """Return the tool with the parameters of a command, "" where no tool of the connection takes them."""
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    size = next((size for size in (3, 2, 1) if tuple(words[:size]) in _VERBS), 0)
    verb = _VERBS.get(tuple(words[:size]))
    given = _parameters(verb, words[size:]) if verb is not None else None
    if given is None:
        return ""
    for tool in tools.values():
        own = {tool.renamed.get(name, name): name for name in tool.taken}
        if tool.verb == verb and set(given) <= set(own):
            values = ", ".join(f"`{own[name]}={value}`" for name, value in given.items() if value)
            return f"`{tool.name}`{f' with {values}' if values else ''}"
    return ""


def _parameters(verb: str, words: list[str]) -> dict[str, str] | None:
    """Return the parameters of a command's words, "" for a value that stands for any; None for an unknown option."""
    method = METHODS[verb]
    options = {flag: name for name in method.params.__struct_fields__ for flag in _flags(name, method.flags)}
    positional = iter(method.positional)
    given: dict[str, str] = {}
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("--"):
            name = next(positional, "")
            given[name] = "" if _PLACEHOLDER.fullmatch(word) else word
            continue
        name = options.get(word, "")
        takes_value = at < len(words) and not words[at].startswith("--")
        given[name] = words[at] if takes_value else "true"
        at += takes_value
    return None if "" in given else given


def _flags(name: str, named: Mapping[str, str]) -> tuple[str, ...]:
    """Return the options of a parameter. One that may be repeated is named in the singular, too."""
    singular = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
    return tuple(f"--{each.replace('_', '-')}" for each in (named.get(name, name), singular))
