"""What Muninn puts into another program's file, as data: a member, an element of a list, a marked block, a whole file.

`COMMAND` stands for the program wherever it is written; whoever installs says what that is.
"""

from __future__ import annotations

import shlex
from typing import Any

from muninn_core.model.value import Value

COMMAND = "{muninn}"
"""Alone it is replaced by the program as it is, in a shell's line by the program in quotes where it needs them."""


class Entry(Value):
    """A member of its own at `path`. One of that name that is not ours is an error; what others added to ours stays."""

    path: tuple[str, ...]
    value: Any


class Item(Value):
    """An element of the list at `path`, beside those of others."""

    path: tuple[str, ...]
    value: Any


class Default(Value):
    """A member that the file needs; where it is there already, with whatever value, it is nobody's business."""

    path: tuple[str, ...]
    value: Any


class Block(Value):
    """Lines between two marks, in a text that people write."""

    text: str


class Whole(Value):
    """A file that is ours from its first line, which says so."""

    text: str


Piece = Entry | Item | Default | Block | Whole


def fill(value: Any, command: str) -> Any:
    """Return the value with the program in the place of COMMAND."""
    if isinstance(value, dict):
        return {key: fill(one, command) for key, one in value.items()}
    if isinstance(value, list):
        return [fill(one, command) for one in value]
    if not isinstance(value, str) or not value.startswith(COMMAND):
        return value
    return command if value == COMMAND else shlex.quote(command) + value.removeprefix(COMMAND)


def is_ours(value: Any) -> bool:
    """Whether a handler or a server starts Muninn: by its program and the word behind it, whatever else it says."""
    if not isinstance(value, dict):
        return False
    command, more = value.get("command"), value.get("args")
    if isinstance(more, list):
        words = [command, *more]
    elif isinstance(command, list):
        words = command
    else:
        words = _split(command)
    return len(words) > 1 and _is_muninn(words[0]) and words[1] in ("hook", "mcp")


def _split(line: Any) -> list[str]:
    try:
        return shlex.split(line) if isinstance(line, str) else []
    except ValueError:
        return []


def _is_muninn(program: Any) -> bool:
    if not isinstance(program, str):
        return False
    return program.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe") == "muninn"
