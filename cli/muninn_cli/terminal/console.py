"""The terminal: styles, width and safe text. The only importer of rich besides the progress bar.

rich decides about colour unless `--color` does: there is none with NO_COLOR, and none if the output is not a terminal.
"""

from __future__ import annotations

import re
import shutil
import sys
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from rich.theme import Theme

from muninn_cli.terminal.display import DISPLAY
from muninn_cli.terminal.safe_text import safe

if TYPE_CHECKING:
    from collections.abc import Sequence
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
        "id": "none",
        "state": "dim",
        "markdown.block_quote": "none",
    }
)

_ID = re.compile(r"(?<![\w-])[0-9a-hjkmnp-tv-z]{18}([0-9a-hjkmnp-tv-z]{8})(?![\w-])")
"""A memory's id, a ULID in lower case. Its last eight characters are random; every verb takes them as the id."""

MAX_BRACKETS = 500
"""The most opening brackets of markdown that is rendered. Its links are found in time that grows with their square."""

_BLANK_END = re.compile(r"(?:\x1b\[[0-9;]*m| )+$")
"""Blanks and ends of styles at the end of a row."""

_FILE_LINK = re.compile(r"\[([^\]]*)\]\((?:file|muninn):[^\s()]*\)")

_EIGHTHS = " ▏▎▍▌▋▊▉"
_COLUMNS = "▁▂▃▄▅▆▇█"

_COMMAND = re.compile(r"`muninn [^`\n]*`")
"""A command that an answer names, to be copied as one line."""

_NO_BREAK = "\uf8ff"
"""Stands for a blank at which a text is not wrapped. rich wraps at every blank of Unicode."""

_HANGING = 2
"""Columns by which the rest of a long line is indented."""

_ASIDES = ("hint", "state")
"""Styles of lines that `--quiet` leaves out: what to do next, and what an answer is based on."""


def output() -> Console:
    """Return the console of stdout."""
    return _console(sys.stdout)


def errors() -> Console:
    """Return the console of stderr."""
    return _console(sys.stderr)


def styled(*parts: tuple[str, str]) -> Text:
    """Return one line of (text, style) parts. The texts are made safe and not read as markup."""
    text = Text()
    for words, style in parts:
        text.append(safe(words), style)
    return text


def line(console: Console, *parts: tuple[str, str]) -> None:
    """Print one line; on a terminal that is narrower it continues below, indented. Line breaks in it are replaced."""
    if _left_out(parts):
        return
    text = _one_line(console, parts)
    if not console.is_terminal or text.cell_len <= console.width:
        console.print(text, soft_wrap=True)
        return
    indent = len(text.plain) - len(text.plain.lstrip(" "))
    _, rest = text.divide([indent])
    _wrapped(console, rest, indent, _HANGING)


def source_line(console: Console, *parts: tuple[str, str]) -> None:
    """Print one line of a source text, cut to the width of a terminal unless `--verbose` was given."""
    text = _one_line(console, parts)
    cut = console.is_terminal and not DISPLAY.verbose
    console.print(text, no_wrap=cut, overflow="ellipsis" if cut else None, soft_wrap=not cut)


def wrapped_line(console: Console, *parts: tuple[str, str], indent: int) -> None:
    """Print one line of a text that people read, indented; on a terminal all its rows are."""
    text = _one_line(console, parts)
    if console.is_terminal:
        _wrapped(console, text, indent, 0)
    else:
        console.print(Text(" " * indent) + text if text.plain.strip() else Text(), soft_wrap=True)


def paragraph(console: Console, *parts: tuple[str, str], indent: int = 0, hang: int = 0) -> None:
    """Print a text, wrapped at the width of a terminal. `hang` columns more indent all of its rows but the first."""
    if _left_out(parts):
        return
    parts = _shortened(console, parts)
    if console.is_terminal:
        _wrapped(console, styled(*parts), indent, hang)
    else:
        console.print(styled((" " * indent, ""), *parts), soft_wrap=True)


def _wrapped(console: Console, text: Text, indent: int, hang: int) -> None:
    """Print a text in rows as wide as the terminal, without blanks at their ends. A command that fits is in one row."""
    width = max(20, console.width - indent - hang)
    text.plain = _COMMAND.sub(lambda found: _kept_together(found[0], width), text.plain)
    for at, row in enumerate(text.wrap(console, width, overflow="fold")):
        row.plain = row.plain.replace(_NO_BREAK, " ")
        row.rstrip()
        console.print(Text(" " * (indent + (hang if at else 0))) + row if row.plain else row, soft_wrap=True)


def _kept_together(command: str, width: int) -> str:
    return command.replace(" ", _NO_BREAK) if cell_len(command) < width else command


def _one_line(console: Console, parts: tuple[tuple[str, str], ...]) -> Text:
    return styled(
        *((text.replace("\n", "\N{REPLACEMENT CHARACTER}"), style) for text, style in _shortened(console, parts))
    )


def for_people() -> bool:
    """Whether stdout is a terminal and `--verbose` was not given: ids are then short, and times relative."""
    return (sys.stdout.isatty() or DISPLAY.paging) and not DISPLAY.verbose


def _left_out(parts: tuple[tuple[str, str], ...]) -> bool:
    return DISPLAY.quiet and all(style in _ASIDES for text, style in parts if text)


def _shortened(console: Console, parts: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the parts with short ids on a terminal. The style `id` keeps an id whole."""
    if not console.is_terminal or DISPLAY.verbose:
        return parts
    return tuple((text if style == "id" else _ID.sub(r"\1", text), style) for text, style in parts)


def verbatim(console: Console, text: str) -> None:
    """Print a formatted text as it is; on a terminal made safe."""
    console.file.write((safe(text) if console.is_terminal else text).rstrip("\n") + "\n")


def markdown(console: Console, text: str) -> None:
    """Print markdown: on a terminal rendered, with the words of links to files alone; elsewhere as it is.

    Text with more than `MAX_BRACKETS` brackets is printed as it is, too.
    """
    if not console.is_terminal or text.count("[") > MAX_BRACKETS:
        verbatim(console, text)
        return
    from rich.markdown import Markdown

    with console.capture() as captured:
        console.print(Markdown(_FILE_LINK.sub(r"\1", safe(text))))
    # rich fills each row with blanks, before or behind the end of a style
    console.file.write("".join(f"{_BLANK_END.sub(_styles, row)}\n" for row in captured.get().splitlines()))


def _styles(end: re.Match[str]) -> str:
    return end[0].replace(" ", "")


def joined(*parts: str) -> str:
    """Return the non-empty parts, separated by dots."""
    return " · ".join(part for part in parts if part)


def bar(value: float, top: float, width: int) -> str:
    """Return a bar whose length of `width` cells stands for `top`, filled with blanks."""
    eighths = round(max(0.0, value) / top * width * 8) if top > 0 else 0
    whole, part = divmod(eighths, 8)
    return ("█" * whole + (_EIGHTHS[part] if part else "")).ljust(width)


def sparkline(values: Sequence[int]) -> str:
    """Return a column for each value, the highest for the greatest. Only zero has the lowest one."""
    top = max(values, default=0)
    return "".join(_COLUMNS[-(-value * (len(_COLUMNS) - 1) // top) if top else 0] for value in values)


def excerpt(text: str, lines: int) -> list[str]:
    """Return the first non-blank lines of a text; the last one is '…' if there are more."""
    rows = [row.rstrip() for row in safe(text).expandtabs(4).split("\n") if row.strip()]
    return rows if len(rows) <= lines else [*rows[: lines - 1], "…"]


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Raise for `run_command`; rich would end the process with code 1."""
        raise BrokenPipeError


def _console(stream: TextIO) -> Console:
    options: dict[str, Any] = {}
    if DISPLAY.paging and stream is sys.stdout:
        options = {"force_terminal": True, "width": shutil.get_terminal_size().columns}
    if DISPLAY.color == "always":
        options |= {"force_terminal": True, "no_color": False}
    if DISPLAY.color == "never":
        options["no_color"] = True
    return _Console(file=stream, theme=_STYLES, highlight=False, markup=False, emoji=False, **options)
