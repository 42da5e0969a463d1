"""Results for people: one function per verb, from the plain result to lines on the terminal.

A function decides how a result looks; the core has decided what it says. The order of the lines is that of the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# Importing these modules registers their renderers.
from muninn_cli.show import (  # noqa: F401
    answers,
    backfill,
    bundles,
    candidates,
    capsules,
    changes,
    citations,
    context_files,
    contexts,
    decisions,
    definitions,
    events,
    files,
    health,
    history,
    links,
    memories,
    models,
    notes,
    outcomes,
    packs,
    privacy,
    repositories,
    settings,
    skills,
    team,
)
from muninn_cli.show.registry import RENDERERS
from muninn_cli.terminal.console import errors, line, output, paragraph

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from muninn_core.protocol.method import Method


def show(method: Method, result: dict[str, Any], options: argparse.Namespace, console: Console | None = None) -> None:
    """Print the result of a verb, on stdout by default; `options` are the arguments that asked for it."""
    RENDERERS[method.verb](console or output(), result, options)
    failure = result["saw"]["index"]["failure"] if method.searches else ""
    if failure:  # on stderr: stdout may be piped to a program
        paragraph(errors(), (f"The index can't be updated, so recent changes may be missing: {failure}", "warn"))
        line(errors(), ("`muninn doctor` says what to do.", "hint"))
