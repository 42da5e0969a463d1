"""Results for people: one function per verb, from the plain result to lines on the terminal.

A function decides how a result looks; the core has decided what it says. The order of the lines is that of the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.screen import errors, line, output, sentence

# Importing these modules registers their renderers.
from muninn_cli.show import (  # noqa: F401
    answers,
    backfill,
    bundles,
    changes,
    citations,
    code,
    contextfiles,
    contexts,
    health,
    memories,
    packs,
    places,
    privacy,
    reviews,
    skills,
    webs,
)
from muninn_cli.show.registry import RENDERERS

if TYPE_CHECKING:
    import argparse

    from muninn_core.protocol.method import Method


def show(method: Method, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the result of a verb; `given` are the arguments that asked for it."""
    RENDERERS[method.verb](output(), result, given)
    failure = result["saw"]["index"]["failure"] if method.searches else ""
    if failure:  # on stderr: a pack goes on to a program
        sentence(errors(), (f"The index can't be updated, so what is new may be missing here: {failure}", "warn"))
        line(errors(), ("`muninn doctor` says what to do.", "hint"))
