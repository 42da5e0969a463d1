"""`muninn completion SHELL`: the completion script of a shell. The only importer of shtab."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import shtab

from muninn_cli.command import run_command
from muninn_cli.exits import OK
from muninn_cli.manual import COMMANDS
from muninn_cli.parser import Parser, new_parser, whole_parser

if TYPE_CHECKING:
    import argparse

SHELLS = tuple(shell for shell in ("bash", "zsh", "fish", "tcsh") if shell in shtab.SUPPORTED_SHELLS)
"""The shells that the installed shtab supports."""

_FILES = ("file", "files", "queries", "batch", "transcript", "path", "like")

_SETUP = """\
setup:
  bash   muninn completion bash > ~/.local/share/bash-completion/completions/muninn
  zsh    muninn completion zsh > "${fpath[1]}/_muninn"
  fish   muninn completion fish > ~/.config/fish/completions/muninn.fish
  tcsh   muninn completion tcsh >> ~/.cshrc
"""


def main(argv: list[str]) -> int:
    """Print the script for the shell that `argv` names. Returns the exit code."""
    return run_command(_run, argv)


def script(shell: str) -> str:
    """Return the completion script for one of SHELLS: all verbs with their options, and the commands."""
    parser = whole_parser({word: COMMANDS[word] for word in COMMANDS}, _COMMAND_CHOICES)
    _complete_paths(parser)
    text: str = shtab.complete(parser, shell=shell)
    return text


def new_completion_parser() -> Parser:
    """Return the parser of `muninn completion`."""
    parser = new_parser("completion", COMMANDS["completion"], epilog=_SETUP)
    parser.add_argument("shell", choices=SHELLS)
    return parser


_CLIENTS = (
    "claude-code", "codex", "opencode", "cursor", "gemini", "vscode", "agents-md",
    "mcp", "neovim", "emacs", "helix", "sublime", "jetbrains", "zed", "git-hooks",
)  # fmt: skip
"""The clients of `muninn install`. Its table can't be imported here; a test compares the two."""

_COMMAND_CHOICES = {
    "daemon": ("start", "stop", "status", "logs"),
    "install": _CLIENTS,
    "uninstall": _CLIENTS,
    "completion": SHELLS,
}


def _run(argv: list[str]) -> int:
    sys.stdout.write(script(new_completion_parser().parse(argv).shell))
    return OK


def _complete_paths(parser: argparse.ArgumentParser) -> None:
    """Mark the options that take a path, in the parser and those of all its verbs."""
    for action in parser._actions:
        if action.dest == "repo":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.dest in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.dest == "word" and action.choices is not None:
            for sub in action.choices.values():  # type: ignore[attr-defined]
                _complete_paths(sub)
