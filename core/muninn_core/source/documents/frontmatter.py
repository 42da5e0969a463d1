"""Reads and checks the YAML frontmatter of knowledge files.

`read_frontmatter` is lenient, so that a malformed file is still indexed. `check_frontmatter` is strict and lists what
an editor should underline. Other tools have keys of their own, so check only files under `.muninn`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from muninn_core.near_match import nearest
from muninn_core.yaml_text import MappingNode, Node, NotYamlError, ScalarNode, SequenceNode, compose, load

KEYS: tuple[str, ...] = (
    "confidence",
    "created",
    "domain",
    "files",
    "id",
    "related",
    "source",
    "status",
    "supersedes",
    "tags",
    "title",
    "type",
    "updated",
)
"""The keys of a knowledge file's frontmatter; all are optional."""

CONTEXT_KEYS: tuple[str, ...] = ("budget", "description", "title")
"""The keys of a context file's frontmatter; all are optional."""

MIN_BUDGET, MAX_BUDGET = 50, 200_000
"""The limits of a context file's `budget`, in tokens."""

LEVELS: tuple[str, ...] = ("low", "medium", "high")
"""The values of `confidence`, beside a number from 0 to 1."""

_LISTS = frozenset({"files", "related", "supersedes", "tags"})
_DATES = frozenset({"created", "updated"})


@dataclass(frozen=True, slots=True)
class FrontmatterProblem:
    """A problem in the frontmatter. `line` and `column` are 1-based, in the whole file.

    `end` is the column after it, 0 for the end of the line; `near` is the suggested key.
    """

    line: int
    column: int
    message: str
    end: int = 0
    near: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A value on one line, or one item of a list, with its position (0-based; `end` exclusive).

    `key` is the key that it belongs to; `begins` is the line of that key.
    """

    key: str
    value: str
    line: int
    start: int
    end: int
    begins: int


def read_frontmatter(text: str) -> tuple[dict[str, object], int]:
    """Return (fields, index of the first line after the frontmatter) of a file; ({}, 0) without frontmatter.

    Frontmatter that is closed but is not a YAML mapping gives no fields.
    """
    block = _block(text)
    if block is None:
        return {}, 0
    source, after = block
    try:
        loaded = load(source)
    except NotYamlError:
        return {}, after
    return ({str(k): v for k, v in loaded.items()} if isinstance(loaded, dict) else {}), after


def body_line(text: str) -> int:
    """Return the index of the first line after the frontmatter; 0 when there is none or it is not closed."""
    block = _block(text)
    return block[1] if block is not None else 0


def list_entries(text: str) -> list[Entry]:
    """Return the values of the frontmatter with their positions; empty when it can't be parsed."""
    node = _structure(text)[1]
    found: list[Entry] = []
    for key, value in node.value if node is not None else ():
        items = value.value if isinstance(value, SequenceNode) else [value]
        for item in items:
            if isinstance(item, ScalarNode) and item.start_mark.line == item.end_mark.line:
                quotes = 1 if item.style in ("'", '"') else 0
                start, end = item.start_mark.column + quotes, item.end_mark.column - quotes
                line, begins = item.start_mark.line + 1, key.start_mark.line + 1
                found.append(Entry(str(key.value), item.value, line, start, end, begins))
    return found


def check_frontmatter(text: str, keys: tuple[str, ...] = KEYS) -> list[FrontmatterProblem]:
    """Return the problems of a file's frontmatter in order; empty without frontmatter."""
    found, node = _structure(text)
    return _problems(node, keys) if node is not None else found


def syntax_errors(text: str) -> list[FrontmatterProblem]:
    """Return why a file's frontmatter can't be parsed, without checking keys: for files of other tools."""
    return _structure(text)[0]


def _structure(text: str) -> tuple[list[FrontmatterProblem], MappingNode | None]:
    """Return (syntax errors, mapping); at most one of the two is present."""
    if not _opens(text):
        return [], None
    block = _block(text)
    if block is None:
        return [FrontmatterProblem(1, 1, "the frontmatter is not closed: a line `---` is missing")], None
    source, _ = block
    try:
        node = compose(source)
    except NotYamlError as error:
        # The YAML begins on the file's second line.
        line, column = (error.line + 1, error.column) if error.line else (1, 1)
        return [FrontmatterProblem(line, column, f"not valid YAML: {error.problem}")], None
    if node is not None and not isinstance(node, MappingNode):
        return [_at(node.start_mark, "the frontmatter must be a list of `key: value` lines")], None
    return [], node


def _problems(node: MappingNode, keys: tuple[str, ...]) -> list[FrontmatterProblem]:
    found: list[FrontmatterProblem] = []
    seen: set[str] = set()
    for key, value in node.value:
        name = str(key.value)
        if name in seen:
            found.append(_at(key.start_mark, f"`{name}` is given twice; the last one counts"))
        seen.add(name)
        if name not in keys:
            near = nearest(name, keys)
            advice = f"did you mean `{near}`?" if near else f"allowed are {', '.join(keys)}"
            end = key.end_mark.column + 1 if key.start_mark.line == key.end_mark.line else 0
            found.append(_at(key.start_mark, f"unknown key `{name}`: {advice}", end, near or ""))
        elif message := _value_error(name, value):
            found.append(_at(value.start_mark, message))
    return found


def _value_error(name: str, value: Node) -> str:
    """Return what is wrong with a value, or ""."""
    if name == "budget":
        message = f"`budget` is a whole number of tokens, from {MIN_BUDGET} to {MAX_BUDGET}"
        return "" if read_budget(value.value if isinstance(value, ScalarNode) else None) else message
    if name == "confidence":
        return "" if _is_confidence(value) else f"`confidence` is {', '.join(LEVELS)}, or a number from 0 to 1"
    if name in _LISTS:
        good = isinstance(value, ScalarNode) or (
            isinstance(value, SequenceNode) and all(isinstance(item, ScalarNode) for item in value.value)
        )
        return "" if good else f"`{name}` is a list of texts"
    if not isinstance(value, ScalarNode):
        return f"`{name}` is one text"
    if name in _DATES and value.tag != "tag:yaml.org,2002:timestamp":
        return f"`{name}` is a date like 2025-01-31"
    return "" if value.value.strip() else f"`{name}` is empty"


def read_budget(value: object) -> int:
    """Return the tokens of a `budget` value; 0 when it is invalid."""
    text = str(value)
    tokens = int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0
    return tokens if MIN_BUDGET <= tokens <= MAX_BUDGET else 0


def _is_confidence(value: Node) -> bool:
    if not isinstance(value, ScalarNode):
        return False
    if value.tag in ("tag:yaml.org,2002:float", "tag:yaml.org,2002:int"):
        try:
            return 0 <= float(value.value) <= 1
        except ValueError:
            return False
    return value.value in LEVELS


def _opens(text: str) -> bool:
    return text.startswith(("---\n", "---\r\n", "\ufeff---\n", "\ufeff---\r\n"))


def _block(text: str) -> tuple[str, int] | None:
    """Return (YAML text, index of the line after its end); None when frontmatter is missing or not closed."""
    if not _opens(text):
        return None
    lines = text.split("\n")
    for i in range(1, len(lines)):
        if lines[i].rstrip() in ("---", "..."):
            return "\n".join(lines[1:i]) + "\n", i + 1
    return None


def _at(mark: Any, message: str, end: int = 0, near: str = "") -> FrontmatterProblem:
    # The YAML begins on the file's second line, and its marks count from 0.
    return FrontmatterProblem(mark.line + 2, mark.column + 1, message, end, near)
