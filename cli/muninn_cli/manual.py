"""`muninn help`: every verb and command in one page, grouped by what people want to do."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from muninn_cli.exits import MEANINGS, OK
from muninn_cli.outcome import settle
from muninn_cli.parser import ALIASES, family_parser, lookup_words, near_words, verb_parser
from muninn_core.errors import UnknownVerb
from muninn_core.protocol.methods import FAMILIES, METHODS

if TYPE_CHECKING:
    from rich.console import Console

COMMANDS = {
    "daemon": "Start, stop or watch the repository's daemon; clients start it by themselves.",
    "doctor": "Check the installation and the repository, and say what to do.",
    "install": "Connect an agent, an editor or git: `muninn install claude-code`; `--list` shows all.",
    "uninstall": "Take out exactly what install wrote.",
    "completion": "Print the completion script of a shell.",
    "lsp": "Serve an editor on stdin and stdout.",
    "mcp": "Serve an agent on stdin and stdout, or agents over HTTP on this machine.",
    "hook": "Answer an event of an agent's session.",
    "help": "Show this page, or a verb's options: `muninn help recall`.",
}
"""The commands that are no verbs of the catalogue."""

GROUPS = {
    "Ask": (
        "recall",
        "context",
        "why",
        "replay",
        "memories",
        "sessions",
        "history",
        "links",
        "overview",
        "about",
        "annotate",
        "document",
        "verify",
        "brief",
        "remind",
    ),
    "Understand": ("symbols", "outline", "graph", "skills.match", "skills.list"),
    "Write": ("template.new", "template.list", "render", "lint", "references", "backlinks", "relink", "names"),
    "Remember": (
        "remember",
        "update",
        "consolidate",
        "draft",
        "confirm",
        "capture",
        "backfill",
        "forget",
        "restore",
        "promote",
    ),
    "Share": ("init", "seal", "reconcile", "undo", "conflicts", "resolve", "prune"),
    "Review": ("diff", "check", "approve", "reject"),
    "Carry": ("export", "import", "pack.export", "pack.add", "pack.list", "pack.update", "pack.remove"),
    "Keep private": ("redact", "purge"),
    "Run": ("status", "index", "shutdown", "daemon", "doctor", "completion"),
    "Connect": ("install", "uninstall", "lsp", "mcp", "hook", "help"),
}
"""Every word of the command line, where a person would look for it."""


def main(argv: list[str]) -> int:
    """Print the manual, or the help of the verb or command that `argv` names. Returns the exit code."""
    return settle(_run, argv)


def summary(word: str) -> str:
    """Return what a verb or command does, in a sentence."""
    return METHODS[word].summary if word in METHODS else COMMANDS[word]


def _run(argv: list[str]) -> int:
    words = [word for word in argv if not word.startswith("-")]
    if not words:
        _page()
        return OK
    alias = ALIASES.get(" ".join(words[:2]))
    word = alias.verb if alias else words[0]
    if word in FAMILIES:
        family_parser(word).print_help() if not words[1:] else verb_parser(lookup_words(words)).print_help()
        return OK
    if word in METHODS:
        verb_parser(METHODS[word]).print_help()
        return OK
    if word not in COMMANDS:
        near = near_words(word, COMMANDS)
        hint = f"Did you mean `muninn help {near}`?" if near else "`muninn help` shows all verbs."
        raise UnknownVerb(f"there is no verb '{word}'", hint=hint)
    if word == "help":
        _page()
        return OK
    from muninn_cli.main import run

    try:
        return run([word, "--help"])
    except SystemExit as left:  # argparse ends the process after its help
        return int(left.code or OK)


def _page() -> None:
    from muninn_cli.screen import line, output

    console = output()
    line(console, ("Muninn", "name"), (": the memory of a repository, kept in the repository.", ""))
    console.print()
    line(console, ("usage: muninn VERB [ARGUMENTS] [--repo DIR] [--json]", "name"))
    width = max(len(word) for words in GROUPS.values() for word in words)
    for group, words in GROUPS.items():
        console.print()
        line(console, (group, "hint"))
        for word in words:
            line(console, (f"  {word.replace('.', ' '):<{width}} ", "name"), (summary(word), ""))
    console.print()
    _exit_codes(console)
    sys.stdout.flush()


def _exit_codes(console: Console) -> None:
    from muninn_cli.screen import line

    line(console, ("Exit codes", "hint"))
    for code, meaning in MEANINGS.items():
        line(console, (f"  {code:<11} ", "name"), (meaning, ""))
