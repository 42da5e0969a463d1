"""The settings of a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import line, paragraph

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("config.list")
def config_list(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print a line for each key; a value other than the default has its origin."""
    if not result["entries"]:
        line(console, ("Every setting is at its default.", "good"))
    for entry in result["entries"]:
        own = entry["origin"] != "default"
        origin = f"  # {entry['origin']}, default {entry['default']}" if own else ""
        line(console, (f"{entry['key']}: ", "path"), (entry["value"], "name" if own else ""), (origin, "faint"))
    for problem in result["problems"]:
        paragraph(console, (problem, "bad"))
    paragraph(console, ("`muninn config get KEY` explains a key; `muninn config set KEY VALUE` changes it.", "hint"))


@renders("config.get")
def config_get(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the key with its value, origin, default, meaning and allowed values."""
    _entry(console, result["entry"])


@renders("config.set", "config.unset")
def config_set(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print whether the file changed, and the key."""
    entry = result["entry"]
    done = "Changed .muninn/config.yaml" if result["changed"] else "Nothing to change"
    line(console, (done, "good" if result["changed"] else "warn"))
    _entry(console, entry)


def _entry(console: Console, entry: dict[str, Any]) -> None:
    line(console, (f"{entry['key']}: ", "path"), (entry["value"], "name"), (f"  # {entry['origin']}", "faint"))
    paragraph(console, (f"{entry['about']}.", ""), indent=2)
    paragraph(console, (f"It takes {entry['takes']}; the default is {entry['default']}.", "faint"), indent=2)
