"""Knowledge packs: exported, added, listed, updated, removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import size
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line, paragraph
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from rich.console import Console


@renders("pack.export")
def export(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the pack, its files and its path."""
    _done(console, "Exported ", result["pack"])
    _files(console, "", result["contents"])
    line(console, ("to ", ""), (result["path"], "path"))


@renders("pack.add")
def add(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the pack and its files."""
    _done(console, "Added ", result["pack"])
    _files(console, "", result["contents"])
    line(console, ("Its text is searched as untrusted text. Commit .muninn/packs to share it.", "hint"))


@renders("pack.list")
def list_packs(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the packs with their problems."""
    if not result["packs"]:
        line(console, ("No packs.", "good"))
        line(console, ("`muninn pack add PATH` adds one.", "hint"))
    for pack in result["packs"]:
        facts = joined(number_of(pack["files"], "file"), size(pack["bytes"]), pack["licence"], pack["origin"])
        line(console, (pack["name"], "name"), (f" {pack['version']}", "name"), (f"  {facts}", "faint"))
        if pack["description"]:
            paragraph(console, (pack["description"], ""), indent=2)
        if pack["problem"]:
            paragraph(console, (pack["problem"], "bad"), indent=2)
        else:
            _files(console, "edited here: ", pack["edited"])


@renders("pack.update")
def update(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the old and new version, and the changed files."""
    pack, before = result["pack"], result["before"]
    changes = [*result["added"], *result["changed"], *result["removed"]]
    if not changes and before == pack["version"] and not result["edited"]:
        line(console, ("Up to date: ", "good"), (f"{pack['name']} {pack['version']}", "name"))
        return
    done = "Would update " if result["dry_run"] else "Updated "
    line(console, (done, "good"), (f"{pack['name']} {before} → {pack['version']}", "name"))
    for mark, name in (("+", "added"), ("~", "changed"), ("-", "removed")):
        _files(console, f"{mark} ", result[name])
    _files(console, "edited here, overwritten: ", result["edited"])
    if result["dry_run"]:
        if result["older"] or result["edited"]:
            line(console, ("This needs --force. ", "warn"), ("Nothing was changed.", "hint"))
        else:
            line(console, ("Nothing was changed.", "hint"))


@renders("pack.remove")
def remove(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the removed pack."""
    _done(console, "Removed ", result["pack"])


def _done(console: Console, done: str, pack: dict[str, Any]) -> None:
    facts = joined(number_of(pack["files"], "file"), size(pack["bytes"]))
    line(console, (done, "good"), (f"{pack['name']} {pack['version']}".rstrip(), "name"), (f"  {facts}", "faint"))


def _files(console: Console, mark: str, paths: Iterable[str]) -> None:
    for path in paths:
        paragraph(console, (f"  {mark}", "hint"), (path, "path"))
