"""The user's list of repositories: added, listed, removed, found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import moment
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line, paragraph
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

_STATES = {
    "running": "good",
    "this": "good",
    "stopped": "faint",
    "unindexed": "warn",
    "unusable": "bad",
    "missing": "bad",
}


@renders("repos.add")
def add(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the repository, and how to ask it."""
    repository = result["repository"]
    line(console, ("Added ", "good"), (repository["name"], "name"), (f"  {repository['path']}", "path"))
    _problem(console, repository)
    if result["renamed"]:
        line(console, ("Another name than its folder's: `--name` chooses one.", "hint"))
    if repository["rules"]:
        line(console, ("Its constraints are part of the brief of each of your repositories.", "hint"))
    else:
        line(console, (f"`muninn recall --repos {repository['name']} QUESTION` asks it as well.", "hint"))


@renders("repos.list")
def list_repositories(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the repositories, two lines each."""
    if not result["repositories"]:
        line(console, ("No repositories.", "good"))
        line(console, ("`muninn repos add PATH` adds one, `muninn repos scan FOLDER` finds some.", "hint"))
    for each in result["repositories"]:
        rules = "  rules" if each["rules"] else ""
        state = (f"  {each['state']}", _STATES[each["state"]])
        line(console, (each["name"], "name"), (f"  {each['path']}", "path"), state, (rules, "memory"))
        _problem(console, each)
        if each["indexed"]:
            behind = f"{number_of(each['behind'], 'file')} changed since" if each["behind"] else "current"
            chunks, memories = number_of(each["chunks"], "chunk"), number_of(each["memories"], "memory", "memories")
            facts = joined(
                number_of(each["files"], "file"), chunks, memories, f"indexed {moment(each['indexed'])}", behind
            )
            line(console, (f"  {facts}", "faint"))


@renders("repos.remove")
def remove(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the removed entry."""
    line(console, ("Removed ", "good"), (result["name"], "name"), (f"  {result['path']} is unchanged", "faint"))


@renders("repos.scan")
def scan(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print what was found, and what was added."""
    for each in result["found"]:
        state = "added" if each["added"] else "listed" if each["listed"] else "not listed"
        line(console, (each["name"], "name"), (f"  {each['path']}", "path"), (f"  {state}", "faint"))
    new = sum(not each["listed"] for each in result["found"])
    line(console, (number_of(len(result["found"]), "repository", "repositories"), "state"))
    if new:
        line(console, (f"`--add` adds {number_of(new, 'repository', 'repositories')} to your list.", "hint"))
    if not result["complete"]:
        line(console, ("There are more folders than a scan opens. Scan a smaller one.", "warn"))


def _problem(console: Console, repository: dict[str, Any]) -> None:
    if repository["problem"]:
        paragraph(console, (repository["problem"], "bad"), indent=2)
        paragraph(console, (repository["hint"], "hint"), indent=2)
