"""`muninn help`: all verbs by family and all commands on one page."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from muninn_cli.command import run_command
from muninn_cli.exits import MEANINGS, OK
from muninn_cli.parser import ALIASES, group_parser, lookup_words, near_words, verb_parser
from muninn_core.errors import UnknownVerb
from muninn_core.protocol.catalogue import FAMILIES, GROUPS, METHODS

if TYPE_CHECKING:
    from rich.console import Console

COMMANDS = {
    "daemon": "Start, stop or inspect the repository's daemon. Clients start it when they need it.",
    "doctor": "Check the installation and the repository, with a hint for each problem.",
    "install": "Connect an agent, an editor or git: `muninn install claude-code`; `--list` shows all.",
    "uninstall": "Remove exactly what install wrote.",
    "completion": "Print the completion script of a shell.",
    "lsp": "Serve an editor on stdin and stdout.",
    "mcp": "Serve an agent on stdin and stdout, or agents on this machine over HTTP.",
    "hook": "Handle an event of an agent's session.",
    "help": "Show this page, or a verb's options: `muninn help recall`.",
}
"""The commands besides the verbs of the catalogue."""


def main(argv: list[str]) -> int:
    """Print the manual, or the help of the verb or command that `argv` names. Returns the exit code."""
    return run_command(_run, argv)


def _run(argv: list[str]) -> int:
    words = [word for word in argv if not word.startswith("-")]
    if not words:
        _page()
        return OK
    alias = ALIASES.get(" ".join(words[:2]))
    word = alias.verb if alias else words[0]
    if word in GROUPS:
        group_parser(word).print_help() if not words[1:] else verb_parser(lookup_words(words)).print_help()
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
    from muninn_cli.terminal import line, output

    console = output()
    line(console, ("Muninn", "name"), (": the memory of a repository, kept in the repository.", ""))
    console.print()
    line(console, ("usage: muninn VERB [ARGUMENTS] [--repo DIR] [--json]", "name"))
    sections = {family.title: {method.words: method.summary for method in family.methods} for family in FAMILIES}
    sections["Commands"] = COMMANDS
    width = max(len(words) for section in sections.values() for words in section)
    for title, section in sections.items():
        console.print()
        line(console, (title, "hint"))
        for words, summary in section.items():
            line(console, (f"  {words:<{width}} ", "name"), (summary, ""))
    console.print()
    _exit_codes(console)
    sys.stdout.flush()


def _exit_codes(console: Console) -> None:
    from muninn_cli.terminal import line

    line(console, ("Exit codes", "hint"))
    for code, meaning in MEANINGS.items():
        line(console, (f"  {code:<11} ", "name"), (meaning, ""))
