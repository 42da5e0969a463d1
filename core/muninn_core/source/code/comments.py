"""The documentation of a definition or a file: the comment above it or its docstring, without comment markers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muninn_core.source.code.grammar import Node

_MAX_CHARS = 400
"""The maximum characters of a comment."""

_MAX_LINES = 60
"""The maximum lines above a definition that are read."""

_MARKS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("python", "ruby", "bash", "yaml", "toml", "elixir"), ("#",)),
    "php": ("//", "#", "/*", "*"),
    "rust": ("//", "/*", "*", "#["),
    "csharp": ("//", "/*", "*", "["),
}
_BRACED = ("//", "/*", "*")
_EDGES = re.compile(r"^[\s/#*!\-=]+|[\s/#*\-=]+$")
_TAGS = re.compile(r"</?(?:summary|remarks|para|see\w*|param\w*|returns|c|code)\b[^>]*>")
_QUOTED = re.compile(r"^[A-Za-z]{0,2}(?:\"\"\"|'''|\"|')|(?:\"\"\"|'''|\"|')$")
_BLANKS = re.compile(r"\s+")
_LICENCE = re.compile(r"(?i)copyright|licen[cs]e|spdx|all rights reserved")


def comment_above(lines: Sequence[str], at: int, grammar: str) -> tuple[int, str]:
    """Return the first line of the comments directly above line `at` (both 0-based), and their text."""
    marks = _MARKS.get(grammar, _BRACED)
    first = at
    while first > 0 and at - first < _MAX_LINES:
        line = lines[first - 1].strip()
        if not line or not (line.startswith(marks) or line.endswith("*/")):
            break
        if first == 1 and line.startswith("#!"):
            break
        first -= 1
    comment_lines = [line for line in lines[first:at] if not line.lstrip().startswith(("#[", "["))]
    return first, _plain(comment_lines)


def docstring(node: Node, data: bytes) -> str:
    """Return the docstring of a Python class, function or module."""
    body = node.child_by_field_name("body") if node.type != "module" else node
    first = body.named_child(0) if body is not None and body.named_child_count else None
    if first is None or first.type != "expression_statement" or not first.named_child_count:
        return ""
    text = first.named_child(0)
    if text is None or text.type != "string":
        return ""
    comment_lines = data[text.start_byte : min(text.end_byte, text.start_byte + 4 * _MAX_CHARS)].decode(
        "utf-8", "replace"
    )
    return _shorten(_QUOTED.sub("", comment_lines))


def file_comment(root: Node, data: bytes, lines: Sequence[str], grammar: str) -> str:
    """Return the comment before the first line of code; "" for a licence."""
    if grammar == "python" and (text := docstring(root, data)):
        return text
    marks = _MARKS.get(grammar, _BRACED)
    comment_lines: list[str] = []
    for line in lines[:_MAX_LINES]:
        bare = line.strip()
        if bare.startswith("#!") and not comment_lines:
            continue
        if not bare.startswith(marks) and not (comment_lines and bare.endswith("*/")):
            if comment_lines or bare:
                break
            continue
        comment_lines.append(line)
    text = _plain(comment_lines)
    return "" if _LICENCE.search(text) else text


def _plain(lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return _shorten(_TAGS.sub("", " ".join(_EDGES.sub("", line) for line in lines)))


def _shorten(text: str) -> str:
    return _BLANKS.sub(" ", text[: 2 * _MAX_CHARS]).strip()[:_MAX_CHARS]
