"""The progress bar of a long verb, drawn on stderr from the daemon's `$/progress` notifications."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from muninn_cli.screen import errors, safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def bar() -> Iterator[Callable[[dict[str, Any]], None]]:
    """Show a bar and yield the function that takes the values of the notifications; the bar is gone afterwards."""
    progress = Progress(
        SpinnerColumn(style="bar"),
        TextColumn("{task.description}", style="name"),
        BarColumn(bar_width=30, complete_style="bar", finished_style="good"),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[message]}", style="faint"),
        TimeElapsedColumn(),
        console=errors(),
        transient=True,
    )
    task = progress.add_task("Indexing", total=None, message="")

    def report(value: dict[str, Any]) -> None:
        changes: dict[str, Any] = {}
        if value.get("message") is not None:
            changes["message"] = safe(str(value["message"]))
        if value.get("percentage") is not None:
            changes.update(total=100, completed=float(value["percentage"]))
        progress.update(task, **changes)

    with progress:
        yield report
