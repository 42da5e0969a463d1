"""Skills: those that there are, and those that help with a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.screen import joined, line, sentence
from muninn_cli.show.facts import count, seen
from muninn_cli.show.registry import renders

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("skills.list")
def listed(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """List the skills by name, with what is wrong with them."""
    if not result["skills"]:
        line(console, ("Nothing is wrong with any skill." if given.problems else "No skills.", "good"))
        if not given.problems:
            line(console, ("`skills.paths` in .muninn/config.yaml says where they are looked for.", "hint"))
    for skill in result["skills"]:
        _head(console, skill, "")
        if skill["hidden_by"]:
            sentence(console, (f"{skill['hidden_by']} is taken in its place", "faint"), indent=2)
        elif skill["description"]:
            line(console, (f"  {skill['description']}", ""))
        _problems(console, skill)


@renders("skills.match")
def matched(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the skills that help, best first: why, how long, where."""
    if not result["skills"] and not result["left_out"]:
        line(console, ("No skill has to do with that.", "good"))
    for skill in result["skills"]:
        why = ", ".join(f"{reason['signal']} {reason['contribution']:.2f}" for reason in skill["why"])
        _head(console, skill, f"{skill['score']:.2f}: {why}")
        line(console, (f"  {skill['description']}", ""))
        _problems(console, skill)
    for skill in result["left_out"]:
        line(console, (f"not {skill['name']} ({count(skill['tokens'], 'token')}): {skill['reason']}", "faint"))
    used = f"{result['tokens']:,} of {count(result['share'], 'token')}"
    line(console, (joined(count(len(result["skills"]), "skill"), used, seen(result["saw"])), "faint"))


def _head(console: Console, skill: dict[str, Any], why: str) -> None:
    facts = joined("" if skill["local"] else "home", count(skill["tokens"], "token"), why)
    line(console, (skill["name"], "name"), (f"  {facts}", "faint"))
    line(console, (f"  {skill['path']}", "path"))


def _problems(console: Console, skill: dict[str, Any]) -> None:
    for problem in skill["problems"]:
        sentence(console, (problem, "bad"), indent=2)
