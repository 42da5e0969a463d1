"""Bundles: the text of one, and what taking one in did."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muninn_cli.screen import errors, line, safe
from muninn_cli.show.facts import count
from muninn_cli.show.registry import renders
from muninn_core.errors import StorageError

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


def bundle_text(result: dict[str, Any]) -> str:
    """Return a bundle as a file has it: JSON, one record a line, so that a difference is a line's."""
    records = ",\n".join(_json(record) for record in result["records"])
    head = f'{{"version":{result["version"]},"exported":{_json(result["exported"])},"records":['
    return f"{head}\n{records}\n]}}\n" if records else f"{head}]}}\n"


def write_bundle(name: str, result: dict[str, Any]) -> None:
    """Write a bundle's file as a whole or not at all. Raises StorageError."""
    path = Path(name)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        fresh.write_text(bundle_text(result), encoding="utf-8", newline="\n")
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise StorageError(
            f"{name} can't be written: {error.strerror}", hint="Check the folder and its disk."
        ) from None


@renders("export")
def export(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the bundle, or the name of its file; what was left out goes to stderr."""
    if given.out is None:
        text = bundle_text(result)
        console.file.write(safe(text) if console.is_terminal else text)
    else:
        memories = count(result["memories"], "memory", "memories")
        line(console, ("Exported ", "good"), (memories, "name"), (" to ", ""), (given.out, "path"))
    if result["private"]:
        line(errors(), (f"{count(result['private'], 'private memory', 'private memories')} left out.", "hint"))
    if result["masked"]:
        line(errors(), (f"{count(result['masked'], 'secret')} masked.", "warn"))


@renders("import")
def take(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Say what was stored and what was not, and why."""
    done = "Would import " if result["dry_run"] else "Imported "
    line(console, (done, "good"), (count(result["imported"], "record"), "name"))
    for number, what in (
        (result["replaced"], "replaced"),
        (result["known"], "here already"),
        (len(result["skipped"]), "of another content here, kept as it is"),
        (len(result["withheld"]), "withheld: outside text can't change this repository's memories (--trust keep)"),
        (result["masked"], "masked as secrets"),
    ):
        if number:
            line(console, (f"  {number:,} ", "name"), (what, ""))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
