"""Edits JSON with comments in place: adding or removing a member changes no other character.

Users write settings with `//` and `/* */` comments, trailing commas and a meaningful order. So the text is parsed into
values with positions, and an edit cuts or splices the text. Grammar: RFC 8259, with comments wherever blanks may be,
and a comma allowed after the last element.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    Path = Sequence[str | int]

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_INDENT = re.compile(r"\n([ \t]+)[\"{}\[\]]")
_LINE_END = re.compile(r"[ \t]*\r?\n")
_DECODER = json.JSONDecoder()
_MAX_DEPTH = 200


class JsoncError(ValueError):
    """The text is not JSON: `message`, `line` and `column`, both from 1."""

    def __init__(self, message: str, text: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)


class Node:
    """A value and its position: `text[start:end]`. `inner` are the nodes of an object's members or a list's elements.

    `begins` are their start offsets: of the key in an object, of the value in a list.
    """

    __slots__ = ("begins", "end", "inner", "start", "value")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.value: Any = None
        self.inner: dict[str, Node] | list[Node] | None = None
        self.begins: list[int] = []

    @property
    def elements(self) -> list[Node]:
        """The inner nodes in the order of the text."""
        inner = self.inner or ()
        return list(inner.values()) if isinstance(inner, dict) else list(inner)


def parse(text: str) -> Node:
    """Parse a text. A text with nothing but comments is an empty object. Raises JsoncError."""
    at = _blank(text, 0)
    if at == len(text):
        node = Node(at)
        node.value, node.inner = {}, {}
        return node
    node = _value(text, at, 0)
    at = _blank(text, node.end)
    if at != len(text):
        raise JsoncError("unexpected text after the end", text, at)
    return node


def put(text: str, path: Path, value: Any) -> str:
    """Return the text with the member at `path` set and missing parents created. A number as last step appends to a
    list.
    """
    node = parse(text)
    if node.start == node.end:  # empty or comments only
        head = text if not text or text.endswith("\n") else text + "\n"
        return put(head + "{}" + _newline(text), path, value)
    for depth, step in enumerate(path):
        found = _step(node, step)
        if found is None:
            for above in reversed(path[depth + 1 :]):
                value = {above: value} if isinstance(above, str) else [value]
            return _insert(text, node, depth, step if isinstance(step, str) else None, value)
        node = found
    return text[: node.start] + _render(text, value, len(path)) + text[node.end :]


def cut(text: str, path: Path) -> str:
    """Return the text without the element at `path`, which must exist, its comma and the blanks before it."""
    node = parse(text)
    for step in path[:-1]:
        found = _step(node, step)
        assert found is not None
        node = found
    last = path[-1]
    at = list(node.value).index(last) if isinstance(last, str) else last
    elements = node.elements
    begin, end = node.begins[at], elements[at].end
    start = begin
    while text[start - 1] in " \t\r\n":
        start -= 1
    behind = _blank(text, end)
    if text[behind] == ",":
        text = text[:end] + text[end:behind] + text[behind + 1 :]
        end = behind if not text[end:behind].strip() else end
    elif at:
        comma = text.index(",", _blank(text, elements[at - 1].end))
        text = text[:comma] + text[comma + 1 :]
        start, begin, end = start - 1, begin - 1, end - 1
    if len(elements) == 1 and text[start - 1] in "{[":
        close = end + len(text[end:]) - len(text[end:].lstrip(" \t\r\n"))
        end = close if text[close] in "}]" else end
    lead = text[start:begin]
    if "\n" in lead and not _LINE_END.match(text, end):
        start += len(lead)  # the rest must not end up behind a comment
    return text[:start] + text[end:]


def _step(node: Node, step: str | int) -> Node | None:
    """Return the child for one step; None when it is missing. Raises KeyError for a value of another kind."""
    if isinstance(step, str):
        if not isinstance(node.inner, dict):
            raise KeyError(step)
        return node.inner.get(step)
    if not isinstance(node.inner, list):
        raise KeyError(step)
    return node.inner[step] if 0 <= step < len(node.inner) else None


def _insert(text: str, node: Node, depth: int, key: str | None, value: Any) -> str:
    """Return the text with an element added at the end of a container at nesting level `depth`."""
    newline = _newline(text)
    pad, out = newline + _unit(text) * (depth + 1), newline + _unit(text) * depth
    element = (f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else "") + _render(text, value, depth + 1)
    at = behind = node.start + 1
    comma = closing = ""
    if node.elements:
        end = node.elements[-1].end
        behind = _blank(text, end)
        trailing = text[behind] == ","
        comma, closing = ("", ",") if trailing else (",", "")
        behind = behind + 1 if trailing else end
        at = _line_end(text, behind, node.end - 1)
    rest = text[at : node.end]
    kept = text[behind:at]
    if "\n" not in rest:  # the container ended on this line
        kept, rest = kept.rstrip(" \t"), rest[:-1].strip(" \t") + out + rest[-1]
    return text[:behind] + comma + kept + pad + element + closing + rest + text[node.end :]


def _line_end(text: str, at: int, limit: int) -> int:
    """Return the end of the blanks and comments behind an element on its line; `at` when more follows on the
    line.
    """
    found = re.compile(r"(?:[ \t]|/\*[^\r\n]*?\*/)*(?://[^\r\n]*)?").match(text, at, limit)
    end = found.end() if found else at
    return end if end == limit or text[end] in "\r\n" else at


def _render(text: str, value: Any, depth: int) -> str:
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return (_newline(text) + _unit(text) * depth).join(lines)


def _unit(text: str) -> str:
    """Return the indentation of one level in the text: the smallest of all lines."""
    return min(_INDENT.findall(text), key=len, default="  ")


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _blank(text: str, at: int) -> int:
    """Return the end of the blanks and comments at `at`. Raises JsoncError for an unterminated comment."""
    found = _BLANK.match(text, at)
    end = found.end() if found else at
    if text.startswith("/*", end):
        raise JsoncError("a comment has no end", text, end)
    return end


def _value(text: str, at: int, depth: int) -> Node:
    node = Node(at)
    first = text[at : at + 1]
    if depth > _MAX_DEPTH:
        raise JsoncError("it is nested too deeply", text, at)
    if first == "{":
        _members(text, node, depth)
    elif first == "[":
        _items(text, node, depth)
    elif first == '"':
        node.value, node.end = _string(text, at)
    elif found := _SCALAR.match(text, at):
        node.value, node.end = json.loads(found[0]), found.end()
    else:
        raise JsoncError("a value is expected", text, at)
    return node


def _members(text: str, node: Node, depth: int) -> None:
    inner: dict[str, Node] = {}
    at = _blank(text, node.start + 1)
    while text[at : at + 1] != "}":
        if text[at : at + 1] != '"':
            raise JsoncError("a name in double quotes is expected", text, at)
        key, end = _string(text, at)
        if key in inner:
            raise JsoncError(f"the name '{key}' occurs twice", text, at)
        colon = _blank(text, end)
        if text[colon : colon + 1] != ":":
            raise JsoncError("a colon is expected", text, colon)
        inner[key] = _value(text, _blank(text, colon + 1), depth + 1)
        node.begins.append(at)
        at = _next(text, inner[key].end, "}")
    node.inner, node.end = inner, at + 1
    node.value = {key: one.value for key, one in inner.items()}


def _items(text: str, node: Node, depth: int) -> None:
    inner: list[Node] = []
    at = _blank(text, node.start + 1)
    while text[at : at + 1] != "]":
        inner.append(_value(text, at, depth + 1))
        node.begins.append(at)
        at = _next(text, inner[-1].end, "]")
    node.inner, node.end = inner, at + 1
    node.value = [one.value for one in inner]


def _next(text: str, end: int, close: str) -> int:
    """Return the start of the next element, or the end of the container. Raises JsoncError when neither follows."""
    at = _blank(text, end)
    if text[at : at + 1] == ",":
        return _blank(text, at + 1)
    if text[at : at + 1] != close:
        raise JsoncError(f"a comma or '{close}' is expected", text, at)
    return at


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        found: tuple[str, int] = _DECODER.raw_decode(text, at)
        return found
    except ValueError:
        raise JsoncError("a text in double quotes is not well formed", text, at) from None
