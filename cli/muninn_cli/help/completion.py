"""`muninn completion SHELL`: the completion script of a shell. The only importer of shtab."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import shtab

from muninn_cli.arguments.parser import Parser, new_parser, whole_parser
from muninn_cli.command import run_command
from muninn_cli.exit_codes import OK
from muninn_cli.help.completion_values import VALUES, print_values
from muninn_cli.help.manual import COMMANDS, EXAMPLES
from muninn_core.errors import UsageError
from muninn_core.protocol.catalogue import METHODS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from muninn_core.protocol.method import Method

SHELLS = tuple(shell for shell in ("bash", "zsh", "fish", "tcsh", "powershell") if shell in shtab.SUPPORTED_SHELLS)
"""The shells that the installed shtab supports."""

_ZSH_VALUES = """\
_muninn_values() {
  local line
  local -a found
  for line in "${(@f)$(muninn completion --values $1 --described 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("${${line//:/\\\\:}/$'\\t'/:}")
  done
  _describe -t values $1 found
}
"""
"""Offers the values of a kind with their descriptions."""

_FILES = ("file", "files", "queries", "batch", "transcript", "path", "like")

_MENDED = {
    # Without -S, zsh offers options behind `--`.
    "zsh": {"_arguments -C -s ": "_arguments -C -s -S "},
    # PowerShell inserts a text as it is, and passes the word with the quotation mark that was typed.
    "powershell": {
        "  # State tracking\n": (
            "  $wordToComplete = $wordToComplete -replace '^[\"'']|[\"'']$', ''\n\n  # State tracking\n"
        ),
        "        $c.Text,          # completionText\n": (
            "        $(if ($c.Text -match '^[\\w./\\\\:+=-][\\w./\\\\:+=@-]*$') { $c.Text }"
            ' else { "\'" + $c.Text.Replace("\'", "\'\'") + "\'" }),\n'
        ),
    },
}
"""What is replaced in the script that shtab makes for a shell."""

_SETUP = """\
setup:
  bash   d=~/.local/share/bash-completion/completions; mkdir -p $d
         muninn completion bash > $d/muninn
  zsh    muninn completion zsh > "${fpath[1]}/_muninn"
  fish   muninn completion fish > ~/.config/fish/completions/muninn.fish
  tcsh   muninn completion tcsh >> ~/.cshrc
  PowerShell
         muninn completion powershell | Out-File -Append $PROFILE
"""


def main(argv: list[str]) -> int:
    """Print the script for the shell that `argv` names. Returns the exit code."""
    return run_command(_run, argv)


def script(shell: str) -> str:
    """Return the completion script for one of SHELLS: all verbs with their options, and the commands."""
    parser = whole_parser({word: COMMANDS[word] for word in COMMANDS}, _COMMAND_CHOICES)
    dict(_subparsers(parser))[("edit",)].add_argument("id").complete = _offered("ids")  # type: ignore[attr-defined]
    _complete_paths(parser)
    _complete_values(parser)
    text: str = shtab.complete(parser, shell=shell)
    for made, mended in _MENDED.get(shell, {}).items():
        text = text.replace(made, mended)
    return text


def new_completion_parser() -> Parser:
    """Return the parser of `muninn completion`."""
    parser = new_parser("completion", COMMANDS["completion"], epilog=_SETUP, example=EXAMPLES["completion"])
    parser.add_argument("shell", choices=SHELLS, nargs="?")
    offered = f"print what a shell offers: {', '.join(VALUES)}"
    parser.add_argument("--values", choices=tuple(VALUES), metavar="KIND", help=offered)
    parser.add_argument("--described", action="store_true", help="print a description after each of the values")
    return parser


_CLIENTS = (
    "claude-code", "codex", "opencode", "cursor", "gemini", "qwen", "copilot", "vscode", "agents-md",
    "mcp", "neovim", "emacs", "helix", "sublime", "jetbrains", "zed", "git-hooks",
)  # fmt: skip
"""The clients of `muninn install`. Its table can't be imported here; a test compares the two."""

_COMMAND_CHOICES = {
    "daemon": ("start", "stop", "status", "logs"),
    "install": _CLIENTS,
    "uninstall": _CLIENTS,
    "completion": SHELLS,
    "help": tuple(dict.fromkeys((*(verb.partition(".")[0] for verb in METHODS), *COMMANDS))),
}


def _run(argv: list[str]) -> int:
    options = new_completion_parser().parse(argv)
    if options.values is not None:
        return print_values(options.values, options.repo, described=options.described)
    if options.shell is None:
        raise UsageError("`muninn completion` needs SHELL", hint=f"It is one of {', '.join(SHELLS)}.")
    sys.stdout.write(script(options.shell))
    return OK


_VALUES_OF = {
    "tag": "tags", "tags": "tags", "type": "types", "task": "tasks", "session": "sessions", "key": "keys",
}  # fmt: skip
"""The kind of value that a parameter takes, by its name, in the verbs of `_WITH_VALUES`."""

_WITH_VALUES = ("search", "memory", "inspection", "review", "reconciliation", "repository", "session")
"""The families whose parameters have these meanings."""

_OF_CONFLICTS = ("resolve", "conflicts")


def value_kind(method: Method, parameter: str) -> str:
    """Return which of VALUES a parameter of a verb takes, "" for none."""
    if method.family not in _WITH_VALUES:
        return ""
    if parameter == "key":
        return "keys" if method.verb.startswith("config.") else ""
    if parameter in ("id", "ids"):
        return "conflicts" if method.verb in _OF_CONFLICTS else "ids" if method.family in _OF_MEMORIES else ""
    return _VALUES_OF.get(parameter, "")


_OF_MEMORIES = ("memory", "inspection", "review")


def _complete_values(parser: argparse.ArgumentParser) -> None:
    """Mark the parameters of verbs whose values the daemon knows."""
    for words, sub in _subparsers(parser):
        method = METHODS.get(".".join(words))
        for action in sub._actions if method is not None else ():
            kind = value_kind(method, action.dest) if method is not None else ""
            if kind and not action.choices:
                action.complete = _offered(kind)  # type: ignore[attr-defined]


def _offered(kind: str) -> dict[str, Any]:
    """Return what prints the values of a kind in each shell, when they are asked for.

    The plain form for zsh would ask for all kinds when the script is loaded.
    """
    plain: dict[str, Any] = shtab.cmd(f"muninn completion --values {kind}")
    return {
        **plain,
        "fish": f"(muninn completion --values {kind} --described)",
        "zsh": f"{{_muninn_values {kind}}}",
        "preamble": {**plain["preamble"], "zsh": _ZSH_VALUES},
    }


def _subparsers(
    parser: argparse.ArgumentParser, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Yield the parser of each verb and command, with its words."""
    for action in parser._actions:
        if action.dest == "word" and action.choices is not None:
            for word, sub in action.choices.items():  # type: ignore[attr-defined]
                yield (*words, word), sub
                yield from _subparsers(sub, (*words, word))


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
