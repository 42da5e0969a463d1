"""The terminal: styles, width, and text made safe to show. The only importer of rich, beside the progress bar.

Colour is left to rich: none with NO_COLOR and none where the output is no terminal.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.text import Text
from rich.theme import Theme

if TYPE_CHECKING:
    from typing import TextIO

_STYLES = Theme(
    {
        "good": "green",
        "warn": "yellow",
        "bad": "bold red",
        "hint": "cyan",
        "faint": "dim",
        "name": "bold",
        "path": "blue",
        "code": "green",
        "knowledge": "magenta",
        "memory": "yellow",
        "bar": "cyan",
        "mark": "bold underline",
    }
)

_CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def output() -> Console:
    """Return the console of stdout."""
    return _console(sys.stdout)


def errors() -> Console:
    """Return the console of stderr."""
    return _console(sys.stderr)


def safe(text: str) -> str:
    """Return a text that can't steer the terminal: what others wrote may hold escape sequences."""
    return text.translate(_CONTROLS)


def styled(*parts: tuple[str, str]) -> Text:
    """Return one line of (text, style) parts; the texts are made safe and never read as markup."""
    text = Text()
    for words, style in parts:
        text.append(safe(words), style)
    return text


def line(console: Console, *parts: tuple[str, str]) -> None:
    """Print one line: cut to the terminal's width, whole for a program that reads it. A file's name may break it."""
    parts = tuple((text.replace("\n", "\N{REPLACEMENT CHARACTER}"), style) for text, style in parts)
    if console.is_terminal:
        console.print(styled(*parts), no_wrap=True, overflow="ellipsis")
    else:
        console.print(styled(*parts), soft_wrap=True)


def sentence(console: Console, *parts: tuple[str, str], indent: int = 0) -> None:
    """Print a text: wrapped at the terminal's width, unbroken for a program that reads it."""
    if console.is_terminal:
        console.print(Padding(styled(*parts), (0, 0, 0, indent), expand=False))
    else:
        console.print(styled((" " * indent, ""), *parts), soft_wrap=True)


def untouched(console: Console, text: str) -> None:
    """Print a text that was laid out elsewhere: as it is to a program; a terminal must not obey what it says."""
    console.file.write((safe(text) if console.is_terminal else text).rstrip("\n") + "\n")


def joined(*parts: str) -> str:
    """Return the parts that are not empty, with a dot between them."""
    return " · ".join(part for part in parts if part)


def clipped(text: str, lines: int) -> list[str]:
    """Return the first lines of a text that say something, the last one '…' when there are more."""
    rows = [row.rstrip() for row in safe(text).expandtabs(4).split("\n") if row.strip()]
    return rows if len(rows) <= lines else [*rows[: lines - 1], "…"]


class _Screen(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to `outcome`, as for any other output; rich would end the process with 1."""
        raise BrokenPipeError


def _console(stream: TextIO) -> Console:
    return _Screen(file=stream, theme=_STYLES, highlight=False, markup=False, emoji=False)
