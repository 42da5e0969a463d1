"""Results for people: one function per verb, from the plain result to lines on the terminal.

A function decides how a result looks; the core has decided what it says. The order of the lines is that of the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# Importing these modules registers their renderers.
from muninn_cli.show import citations  # noqa: F401
from muninn_cli.show.journal import capsules, decisions, events, team  # noqa: F401
from muninn_cli.show.memory import (  # noqa: F401
    backfill,
    bundles,
    candidates,
    changes,
    history,
    links,
    memories,
    notes,
    outcomes,
    packs,
    privacy,
)
from muninn_cli.show.registry import RENDERERS
from muninn_cli.show.search import answers, context_files, contexts, definitions, files, skills  # noqa: F401
from muninn_cli.show.state import health, models, repositories, settings  # noqa: F401
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
