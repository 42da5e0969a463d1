"""Lists of skills, and the skills for a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.formatting import snapshot
from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import joined, line, paragraph
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("skills.list")
def list_skills(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """List the skills by name, with their problems."""
    if not result["skills"]:
        line(console, ("No skill has problems." if options.problems else "No skills.", "good"))
        if not options.problems:
            line(console, ("`skills.paths` in .muninn/config.yaml sets where to look for them.", "hint"))
    for skill in result["skills"]:
        _head(console, skill, "")
        if skill["hidden_by"]:
            paragraph(console, (f"{skill['hidden_by']} is used instead", "faint"), indent=2)
        elif skill["description"]:
            line(console, (f"  {skill['description']}", ""))
        _problems(console, skill)


@renders("skills.match")
def match_skills(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the skills for a task, best first, with reasons, size and path."""
    if not result["skills"] and not result["left_out"]:
        line(console, ("No skill matches.", "good"))
    for skill in result["skills"]:
        why = ", ".join(f"{reason['signal']} {reason['contribution']:.2f}" for reason in skill["why"])
        _head(console, skill, f"{skill['score']:.2f}: {why}")
        line(console, (f"  {skill['description']}", ""))
        _problems(console, skill)
    for skill in result["left_out"]:
        line(console, (f"not {skill['name']} ({number_of(skill['tokens'], 'token')}): {skill['reason']}", "faint"))
    used = f"{result['tokens']:,} of {number_of(result['share'], 'token')}"
    line(console, (joined(number_of(len(result["skills"]), "skill"), used, snapshot(result["saw"])), "state"))


def _head(console: Console, skill: dict[str, Any], why: str) -> None:
    facts = joined("" if skill["local"] else "home", number_of(skill["tokens"], "token"), why)
    line(console, (skill["name"], "name"), (f"  {facts}", "faint"))
    line(console, (f"  {skill['path']}", "path"))


def _problems(console: Console, skill: dict[str, Any]) -> None:
    for problem in skill["problems"]:
        paragraph(console, (problem, "bad"), indent=2)
