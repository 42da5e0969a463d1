"""What is written about a definition or a file: the comment above it, its docstring, without the marks of comments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muninn_core.source.grammar import Node

_MOST = 400
"""Characters that are kept of a comment."""

_MOST_LINES = 60
"""Lines above a definition that are looked at."""

_MARKS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("python", "ruby", "bash", "yaml", "toml"), ("#",)),
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


def above(lines: Sequence[str], at: int, grammar: str) -> tuple[int, str]:
    """Return the first line of the comments right above line `at` (both counted from 0), and what they say."""
    marks = _MARKS.get(grammar, _BRACED)
    first = at
    while first > 0 and at - first < _MOST_LINES:
        line = lines[first - 1].strip()
        if not line or not (line.startswith(marks) or line.endswith("*/")):
            break
        if first == 1 and line.startswith("#!"):
            break
        first -= 1
    said = [line for line in lines[first:at] if not line.lstrip().startswith(("#[", "["))]
    return first, _plain(said)


def docstring(node: Node, data: bytes) -> str:
    """Return the docstring of a class or function of Python, or of a whole file."""
    body = node.child_by_field_name("body") if node.type != "module" else node
    first = body.named_child(0) if body is not None and body.named_child_count else None
    if first is None or first.type != "expression_statement" or not first.named_child_count:
        return ""
    text = first.named_child(0)
    if text is None or text.type != "string":
        return ""
    said = data[text.start_byte : min(text.end_byte, text.start_byte + 4 * _MOST)].decode("utf-8", "replace")
    return _clipped(_QUOTED.sub("", said))


def of_file(root: Node, data: bytes, lines: Sequence[str], grammar: str) -> str:
    """Return what a file says of itself before its first line of code; a licence says nothing of it."""
    if grammar == "python" and (text := docstring(root, data)):
        return text
    marks = _MARKS.get(grammar, _BRACED)
    said: list[str] = []
    for line in lines[:_MOST_LINES]:
        bare = line.strip()
        if bare.startswith("#!") and not said:
            continue
        if not bare.startswith(marks) and not (said and bare.endswith("*/")):
            if said or bare:
                break
            continue
        said.append(line)
    text = _plain(said)
    return "" if _LICENCE.search(text) else text


def _plain(lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return _clipped(_TAGS.sub("", " ".join(_EDGES.sub("", line) for line in lines)))


def _clipped(text: str) -> str:
    return _BLANKS.sub(" ", text[: 2 * _MOST]).strip()[:_MOST]
