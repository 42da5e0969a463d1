"""The console command: looks at the first word and imports what that word needs, nothing else.

Hooks and pumps are started many times an hour and must not pay for the verbs of people. So the modules of the words are
named here and imported by name; this table is also the one place that knows of packages beside the core and the CLI.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_WORDS = {
    "hook": "muninn_hooks.main",
    "install": "muninn_hooks.install",
    "uninstall": "muninn_hooks.install",
    "lsp": "muninn_cli.pump",
    "mcp": "muninn_cli.pump",
    "daemon": "muninn_cli.daemon",
    "doctor": "muninn_cli.doctor",
    "completion": "muninn_cli.completion",
    "help": "muninn_cli.manual",
    "--help": "muninn_cli.manual",
    "-h": "muninn_cli.manual",
    "": "muninn_cli.manual",
}
"""The module whose `main(argv) -> int` answers a word; every other word is a verb of the catalogue."""

_WITH_WORD = ("install", "uninstall", "lsp", "mcp")
"""One module answers several of these, so it is given the word, too."""

_SETTLED = ("install", "uninstall")
"""Words of another package that raises its errors: they are shown, and become exit codes, as those of a verb do."""


def main() -> None:
    """Run the command line of this process and exit with its code."""
    open_streams()
    sys.exit(run(sys.argv[1:]))


def open_streams() -> None:
    """Open nothing in place of a standard stream that this process was started without (`<&-`, some services).

    Else the next thing that is opened takes its number: the pump once read what the daemon said as its client's words.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # it gets the lowest number that is free: those below are open
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115


def run(argv: list[str]) -> int:
    """Run one command line; the exit codes are those of `muninn_cli.exits`."""
    word, rest = split(argv)
    if word in ("--version", "-V"):
        from muninn_core import __version__

        sys.stdout.write(f"muninn {__version__}\n")
        return 0
    if word not in _WORDS:
        return _answerer("muninn_cli.verbs")([word, *rest])
    given = [word, *rest] if word in _WITH_WORD else rest
    if word in _SETTLED:
        from muninn_cli.outcome import settle

        return settle(_answerer(_WORDS[word]), given)
    return _answerer(_WORDS[word])(given)


def split(argv: list[str]) -> tuple[str, list[str]]:
    """Return the word and its arguments; options of every verb that stand before the word are moved behind it."""
    moved: list[str] = []
    at = 0
    while at < len(argv):
        if argv[at] == "--repo" and at + 1 < len(argv):
            moved += argv[at : at + 2]
            at += 2
        elif argv[at] == "--json" or argv[at].startswith("--repo="):
            moved.append(argv[at])
            at += 1
        else:
            return argv[at], moved + argv[at + 1 :]
    return "", moved


def _answerer(module: str) -> Callable[[list[str]], int]:
    answerer: Callable[[list[str]], int] = __import__(module, fromlist=("main",)).main
    return answerer


if __name__ == "__main__":
    main()
