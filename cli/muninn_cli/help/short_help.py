"""`muninn` without arguments: the verbs that people use every day."""

from __future__ import annotations

from muninn_cli.command import run_command
from muninn_cli.exit_codes import OK
from muninn_cli.help.manual import COMMANDS, everyday, print_list
from muninn_cli.terminal.console import line, output

_COMMANDS = ("edit", "install", "doctor")


def main(argv: list[str]) -> int:
    """Print the page. Returns the exit code."""
    return run_command(_run, argv)


def _run(argv: list[str]) -> int:
    console = output()
    line(console, ("Muninn", "name"), (": the memory of a repository, kept in the repository.", ""))
    console.print()
    print_list(console, "", everyday() | {word: COMMANDS[word] for word in _COMMANDS})
    console.print()
    line(console, ("`muninn help VERB` explains a verb; `muninn help` lists all of them.", "hint"))
    return OK
