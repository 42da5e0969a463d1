"""Context packs, their explanation and their replay.

The text goes to stdout, facts about it to stderr.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muninn_cli.show.registry import renders
from muninn_cli.terminal.console import errors, joined, line, paragraph, verbatim
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    import argparse

    from rich.console import Console


@renders("context")
def context(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the pack's text; on stderr names that are not known, and on a terminal also its size and id."""
    verbatim(console, result["text"])
    if result["saw"]["note"]:
        paragraph(errors(), (result["saw"]["note"], "warn"))
    if console.is_terminal:
        left_out = f"{result['omitted']} left out" if result["omitted"] else ""
        tokens = f"{result['tokens']:,} of {result['budget']:,} tokens"
        facts = joined(number_of(len(result["items"]), "item"), tokens, left_out)
        line(errors(), (f"{facts} · muninn why {result['bundle']}", "faint"))


@renders("explore")
def explore(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the pack's text; on stderr the model's words, how the exploration ended, and what it cost."""
    if result["context"] is None:
        verbatim(console, result["prompt"])
        line(
            errors(), (f"about {result['tokens']:,} tokens, at most {result['usd']:.4f} USD; nothing was sent", "hint")
        )
        return
    context, explored = result["context"], result["context"]["explored"]
    verbatim(console, context["text"])
    aside = errors()
    if explored["answer"]:
        paragraph(aside, ("the model's words, not checked: ", "warn"), (explored["answer"], ""))
    if not explored["complete"]:
        paragraph(aside, (f"The exploration is incomplete: {explored['ended']}.", "warn"))
    for each in explored["dropped"]:
        paragraph(aside, (f"named and not there: {each}", "warn"))
    spent = f"{number_of(explored['calls'], 'call')}, {explored['tokens']:,} tokens, {explored['usd']:.4f} USD"
    facts = joined(number_of(len(context["items"]), "item"), spent, f"muninn why {context['bundle']}")
    line(aside, (facts, "faint"))


@renders("why")
def why(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the explanation."""
    verbatim(console, result["text"])


@renders("replay")
def replay(console: Console, result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the text again, and on stderr what has changed since."""
    verbatim(console, result["context"]["text"])
    aside = errors()
    if result["source"] == "kept":
        if console.is_terminal:
            since = f"; since then {', '.join(result['moved'])}" if result["moved"] else ""
            paragraph(aside, (f"the stored answer{since}", "faint"))
        return
    if result["same"]:
        paragraph(aside, ("built again, the text is the same", "good"))
        return
    for words in result["moved"]:
        paragraph(aside, ("changed state: ", "warn"), (words, ""))
    for words in result["differs"]:
        paragraph(aside, ("differs: ", "warn"), (words, ""))
