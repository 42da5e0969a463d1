"""`muninn help`: all verbs and commands on one page, or the help of one."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING

from muninn_cli.arguments.parser import group_parser, lookup_words, resolve_alias, suggest, verb_parser
from muninn_cli.command import run_command
from muninn_cli.exit_codes import MEANINGS, OK
from muninn_core.errors import UnknownVerb
from muninn_core.protocol.catalogue import FAMILIES, GROUPS, METHODS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

COMMANDS = {
    "edit": "Change a memory's text and questions in your editor.",
    "daemon": "Start, stop or inspect the repository's daemon.",
    "doctor": "Check the installation and the repository.",
    "watch": "Show agents, events and pending decisions as they change.",
    "install": "Connect an agent, an editor or git; `--list` shows all.",
    "uninstall": "Remove exactly what install wrote.",
    "completion": "Print the completion script of a shell.",
    "lsp": "Serve an editor on stdin and stdout.",
    "mcp": "Serve an agent on stdin and stdout, or over HTTP.",
    "http": "Serve programs over HTTP: JSON-RPC, events, metrics.",
    "gateway": "Serve language models of your settings, with memory added.",
    "org": "Serve and ask an organisation's memory on PostgreSQL.",
    "open": "Show memory in a browser, on a page of this machine.",
    "hook": "Handle an event of an agent's session.",
    "version": "Print the version.",
    "help": "List everything, or explain a verb: `muninn help recall`.",
}
"""The commands besides the verbs of the catalogue."""

EXAMPLES = {
    "edit": "muninn edit 0198c5",
    "daemon": "muninn daemon logs -n 100 -f",
    "doctor": "muninn doctor",
    "watch": "muninn watch --match decision",
    "completion": "muninn completion bash",
}
"""A command line for each command whose help is made here; the help of the others has its own."""

_SERVING = ("lsp", "mcp", "http", "gateway", "org", "hook")
"""The commands that programs start, listed with the plumbing."""


def main(argv: list[str]) -> int:
    """Print the page of all verbs, or the help of the verb or command that `argv` names. Returns the exit code."""
    return run_command(_run, argv)


def _run(argv: list[str]) -> int:
    words = [word for word in argv if not word.startswith("-")]
    if words in ([], ["all"]):
        _page()
        return OK
    words = resolve_alias(words)
    word = words[0]
    if word in GROUPS:
        group_parser(word).print_help() if not words[1:] else verb_parser(lookup_words(words)).print_help()
        return OK
    if word in METHODS:
        verb_parser(METHODS[word]).print_help()
        return OK
    if word not in COMMANDS:
        near = suggest(word, COMMANDS)
        hint = f"Did you mean `muninn help {near}`?" if near else "`muninn help` shows all verbs."
        raise UnknownVerb(f"there is no verb '{word}'", hint=hint)
    if word in ("help", "version"):
        _page()
        return OK
    from muninn_cli.main import run

    try:
        return run([word, "--help"])
    except SystemExit as left:  # argparse ends the process after its help
        return int(left.code or OK)


def _page() -> None:
    from muninn_cli.terminal.console import line, output

    console = output()
    line(console, ("Muninn", "name"), (": the memory of a repository, kept in the repository.", ""))
    console.print()
    line(console, ("usage: muninn VERB [ARGUMENTS] [--repo DIR] [--json]", "name"))
    console.print()
    print_list(console, "Every day", everyday())
    for family in FAMILIES:
        others = {method.words: method.title for method in family.methods if not method.everyday}
        if others and not family.plumbing:
            console.print()
            print_list(console, family.title, others)
    console.print()
    print_list(console, "Commands", {word: text for word, text in COMMANDS.items() if word not in _SERVING})
    console.print()
    _plumbing(console)
    console.print()
    _exit_codes(console)
    sys.stdout.flush()


def _plumbing(console: Console) -> None:
    """Print what programs, agents and editors use: the words of each family, without a line for each."""
    from muninn_cli.terminal.console import line

    line(console, ("For programs, agents and editors", "hint"))
    for family in FAMILIES:
        if family.plumbing:
            words = [method.words for method in family.methods if not method.everyday]
            _names(console, family.title, words)
    _names(console, "Servers", list(_SERVING))


_LEAST_ROOM = 24
"""Columns for words beside their title, which stands above them where the terminal is narrower."""


def _names(console: Console, title: str, words: list[str]) -> None:
    from muninn_cli.terminal.console import line

    width = max(len(family.title) for family in FAMILIES)
    whole = ", ".join(each.replace(" ", "\0") for each in words)  # no line ends within a verb
    if console.width - width - 4 < _LEAST_ROOM:
        line(console, (f"  {title}", ""))
        title, width = "", 0
    rows = textwrap.wrap(whole, max(_LEAST_ROOM, console.width - width - 4), break_on_hyphens=False)
    for at, row in enumerate(rows):
        line(console, (f"  {'' if at else title:<{width}}  ", ""), (row.replace("\0", " "), "name"))


def everyday() -> dict[str, str]:
    """Return the verbs that people use every day, with a line for each. Those of the first minute come first."""
    found = {method.words: method.everyday for method in METHODS.values() if method.everyday}
    return {words: found[words] for words in _FIRST} | found


def print_list(console: Console, title: str, rows: Mapping[str, str]) -> None:
    """Print words with a line for each, below a title if there is one."""
    from muninn_cli.terminal.console import line

    if title:
        line(console, (title, "hint"))
    for words, text in rows.items():
        line(console, (f"  {words:<{_WIDTH}} ", "name"), (text, ""))


_FIRST = ("init", "remember", "recall", "context")

_WIDTH = max(len(method.words) for method in METHODS.values())


def _exit_codes(console: Console) -> None:
    from muninn_cli.terminal.console import line

    line(console, ("Exit codes", "hint"))
    for code, meaning in MEANINGS.items():
        line(console, (f"  {code:<{_WIDTH}} ", "name"), (meaning, ""))
