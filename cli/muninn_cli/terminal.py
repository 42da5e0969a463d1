"""The terminal: styles, width and safe text. The only importer of rich besides the progress bar.

rich decides about colour: there is none with NO_COLOR, and none if the output is not a terminal.
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
    """Return a text without control characters: stored text may contain escape sequences."""
    return text.translate(_CONTROLS)


def styled(*parts: tuple[str, str]) -> Text:
    """Return one line of (text, style) parts. The texts are made safe and not read as markup."""
    text = Text()
    for words, style in parts:
        text.append(safe(words), style)
    return text


def line(console: Console, *parts: tuple[str, str]) -> None:
    """Print one line, cut to the width of a terminal. Line breaks in the parts are replaced."""
    parts = tuple((text.replace("\n", "\N{REPLACEMENT CHARACTER}"), style) for text, style in parts)
    if console.is_terminal:
        console.print(styled(*parts), no_wrap=True, overflow="ellipsis")
    else:
        console.print(styled(*parts), soft_wrap=True)


def paragraph(console: Console, *parts: tuple[str, str], indent: int = 0) -> None:
    """Print a text, wrapped at the width of a terminal."""
    if console.is_terminal:
        console.print(Padding(styled(*parts), (0, 0, 0, indent), expand=False))
    else:
        console.print(styled((" " * indent, ""), *parts), soft_wrap=True)


def verbatim(console: Console, text: str) -> None:
    """Print a formatted text as it is; on a terminal without control characters."""
    console.file.write((safe(text) if console.is_terminal else text).rstrip("\n") + "\n")


def joined(*parts: str) -> str:
    """Return the non-empty parts, separated by dots."""
    return " · ".join(part for part in parts if part)


def excerpt(text: str, lines: int) -> list[str]:
    """Return the first non-blank lines of a text; the last one is '…' if there are more."""
    rows = [row.rstrip() for row in safe(text).expandtabs(4).split("\n") if row.strip()]
    return rows if len(rows) <= lines else [*rows[: lines - 1], "…"]


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Raise for `run_command`; rich would end the process with code 1."""
        raise BrokenPipeError


def _console(stream: TextIO) -> Console:
    return _Console(file=stream, theme=_STYLES, highlight=False, markup=False, emoji=False)
