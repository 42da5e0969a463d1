"""The progress bar of a long verb, drawn on stderr from the daemon's `$/progress` notifications."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from muninn_cli.terminal.console import errors
from muninn_cli.terminal.safe_text import safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def bar(title: str) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Show a bar while the block runs. Yields a function that takes the values of the notifications."""
    progress = Progress(
        SpinnerColumn(style="bar"),
        TextColumn("{task.description}", style="name"),
        BarColumn(bar_width=30, complete_style="bar", finished_style="good"),
        TextColumn("{task.fields[percent]:>4}"),
        TextColumn("{task.fields[message]}", style="faint", markup=False),
        TimeElapsedColumn(),
        console=errors(),
        transient=True,
    )
    task = progress.add_task(title, total=None, message="", percent="")

    def report(value: dict[str, Any]) -> None:
        percentage = float(value.get("percentage") or 0)
        # At 0 and 100 % the remaining work is unknown, so the bar shows no figure.
        known = 0 < percentage < 100
        progress.update(
            task,
            total=100 if known else None,
            completed=percentage if known else 0,
            percent=f"{percentage:.0f}%" if known else "",
            message=safe(str(value.get("message") or "")),
        )

    with progress:
        yield report
