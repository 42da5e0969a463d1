"""Contexts: a pack, why it is what it is, and the same one once more.

The text goes to stdout as it is, for whoever reads it there; what is to be said of it goes to stderr.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.screen import errors, joined, line, sentence, untouched
from muninn_cli.show.facts import count
from muninn_cli.show.registry import renders

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("context")
def context(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the pack's text; on a terminal also what it weighs and how it is called."""
    untouched(console, result["text"])
    if console.is_terminal:
        left_out = f"{result['omitted']} left out" if result["omitted"] else ""
        tokens = f"{result['tokens']:,} of {result['budget']:,} tokens"
        facts = joined(count(len(result["items"]), "item"), tokens, left_out, result["saw"]["note"])
        line(errors(), (f"{facts} · muninn why {result['bundle']}", "faint"))


@renders("why")
def why(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the explanation."""
    untouched(console, result["text"])


@renders("replay")
def replay(console: Console, result: dict[str, Any], given: argparse.Namespace) -> None:
    """Print the text once more, then on stderr what has changed since."""
    untouched(console, result["context"]["text"])
    aside = errors()
    if result["source"] == "kept":
        if console.is_terminal:
            since = f"; since then {', '.join(result['moved'])}" if result["moved"] else ""
            sentence(aside, (f"as it was answered{since}", "faint"))
        return
    if result["same"]:
        sentence(aside, ("gathered anew, the text is the same", "good"))
        return
    for words in result["moved"]:
        sentence(aside, ("not the same state: ", "warn"), (words, ""))
    for words in result["differs"]:
        sentence(aside, ("differs: ", "warn"), (words, ""))
