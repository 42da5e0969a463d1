"""The console command: imports only the module that the first word needs.

Hooks and proxies start many times an hour, so they must not import what verbs need. The table of words names modules,
which are imported on use. It is also the only place of the CLI that names the package of the hooks.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MODULES = {
    "hook": "muninn_hooks.main",
    "install": "muninn_hooks.install",
    "uninstall": "muninn_hooks.install",
    "lsp": "muninn_cli.proxies.stdio",
    "mcp": "muninn_cli.proxies.stdio",
    "http": "muninn_cli.proxies.stdio",
    "gateway": "muninn_cli.proxies.stdio",
    "open": "muninn_cli.proxies.stdio",
    "daemon": "muninn_cli.commands.daemon",
    "doctor": "muninn_cli.commands.doctor",
    "watch": "muninn_cli.watch.command",
    "completion": "muninn_cli.help.completion",
    "edit": "muninn_cli.commands.edit",
    "org": "muninn_cli.commands.org",
    "help": "muninn_cli.help.manual",
    "--help": "muninn_cli.help.manual",
    "-h": "muninn_cli.help.manual",
    "": "muninn_cli.help.short_help",
}
"""The module of each command, with a `main(argv) -> int`. Any other word is a verb of the catalogue."""

_WITH_WORD = ("install", "uninstall", "lsp", "mcp", "http", "gateway", "open")
"""Commands that share a module, whose `main` therefore gets the word as well."""

_FLAGS = ("--json", "-q", "--quiet", "-v", "--verbose", "--no-pager")
"""Common options without a value. They may precede the word."""

_RAISING = ("install", "uninstall")
"""Commands whose `main` raises its errors; `run_command` prints them and returns their exit codes."""


def main() -> None:
    """Run the command line of this process and exit with its code."""
    open_streams()
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are imported, and in commands that copy bytes
        from muninn_cli.exit_codes import INTERRUPTED

        sys.stderr.write("interrupted\n")
        code = INTERRUPTED
    sys.exit(code)


def open_streams() -> None:
    """Open the null device for each standard stream that this process was started without (`<&-`, some services).

    Otherwise the next file or socket takes its number, and the proxy would read the daemon's bytes as its client's.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115


def run(argv: list[str]) -> int:
    """Run one command line; the exit codes are those of `muninn_cli.exit_codes`."""
    word, rest = split(argv)
    if word in ("--version", "-V", "version"):
        from muninn_core import __version__

        sys.stdout.write(f"muninn {__version__}\n")
        return 0
    if word not in _MODULES:
        return _main_of("muninn_cli.verbs.command")([word, *rest])
    given = [word, *rest] if word in _WITH_WORD else rest
    if word in _RAISING:
        from muninn_cli.command import run_command

        return run_command(_main_of(_MODULES[word]), given)
    return _main_of(_MODULES[word])(given)


def split(argv: list[str]) -> tuple[str, list[str]]:
    """Return the word and its arguments. Common options before the word are moved behind it."""
    moved: list[str] = []
    at = 0
    while at < len(argv):
        if argv[at] in ("--repo", "--color") and at + 1 < len(argv):
            moved += argv[at : at + 2]
            at += 2
        elif argv[at] in _FLAGS or argv[at].startswith(("--repo=", "--color=")):
            moved.append(argv[at])
            at += 1
        else:
            return argv[at], moved + argv[at + 1 :]
    return "", moved


def _main_of(module: str) -> Callable[[list[str]], int]:
    found: Callable[[list[str]], int] = __import__(module, fromlist=("main",)).main
    return found


if __name__ == "__main__":
    main()
