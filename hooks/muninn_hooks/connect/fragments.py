"""The pieces that Muninn adds to another program's file, as data: a member, a list element, a marked block, a file.

`COMMAND` is a placeholder for the command that starts Muninn.
"""

from __future__ import annotations

import shlex
from typing import Any

from muninn_core.model.value import Value

COMMAND = "{muninn}"
"""Replaced by the command; within a shell command line by the quoted command."""


class Entry(Value):
    """A member at `path`. A foreign member of that name is an error; foreign additions to Muninn's member are kept."""

    path: tuple[str, ...]
    value: Any


class Item(Value):
    """An element of the list at `path`."""

    path: tuple[str, ...]
    value: Any


class Default(Value):
    """A member that the file needs. An existing value is never overwritten."""

    path: tuple[str, ...]
    value: Any


class Block(Value):
    """Lines between two marks in a text file."""

    text: str


class Whole(Value):
    """A whole file. Its first line names Muninn as its author."""

    text: str


Piece = Entry | Item | Default | Block | Whole


def fill(value: Any, command: str) -> Any:
    """Return the value with COMMAND replaced."""
    if isinstance(value, dict):
        return {key: fill(one, command) for key, one in value.items()}
    if isinstance(value, list):
        return [fill(one, command) for one in value]
    if not isinstance(value, str) or not value.startswith(COMMAND):
        return value
    return command if value == COMMAND else shlex.quote(command) + value.removeprefix(COMMAND)


def is_ours(value: Any) -> bool:
    """Whether a handler or server starts Muninn: its program is muninn and the next word is hook or mcp."""
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
