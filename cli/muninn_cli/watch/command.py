"""The command `muninn watch`: options, the choice between the screen and plain lines, and the plain lines."""

from __future__ import annotations

import os
import queue
import sys
from collections.abc import Callable
from importlib.util import find_spec

from muninn_cli.arguments.parser import new_parser
from muninn_cli.command import run_command
from muninn_cli.exit_codes import OK
from muninn_cli.help.manual import COMMANDS, EXAMPLES
from muninn_cli.terminal.console import errors, line, output
from muninn_cli.watch.follower import sentence
from muninn_cli.watch.repositories import SCAN_SECONDS, WatchedRepositories
from muninn_core.errors import UsageError
from muninn_core.extras import install_command
from muninn_core.launch.repository_location import locate
from muninn_core.model.counting import number_of


def main(argv: list[str]) -> int:
    """Run `muninn watch`."""
    return run_command(_run, argv)


def _run(argv: list[str]) -> int:
    parser = new_parser("watch", COMMANDS["watch"], example=EXAMPLES["watch"])
    parser.add_argument("folders", nargs="*", metavar="DIR", help="folders of repositories (default: the current one)")
    parser.add_argument(
        "--all", action="store_true", help="all repositories whose daemons run, also those that start later"
    )
    parser.add_argument("--plain", action="store_true", help="print lines; this does not need the extra `watch`")
    parser.add_argument("--match", default="", metavar="TEXT", help="only events whose line contains this text")
    options = parser.parse(argv)
    if options.all and options.folders:
        raise UsageError("'--all' takes no folders", hint="Leave the folders out, or '--all'.")
    fixed = [locate(folder) for folder in options.folders or [options.repo]] if not options.all else []
    for location in fixed:
        if not location.has_memory:
            raise location.not_initialised()
    repositories = WatchedRepositories([location.root for location in fixed], os.environ)
    if options.plain or not sys.stdout.isatty() or not sys.stdin.isatty():
        return print_lines(repositories, options.match)
    if find_spec("textual") is None:
        line(errors(), (f"The screen needs textual: {install_command('watch')}. Lines follow.", "hint"))
        return print_lines(repositories, options.match)
    from muninn_cli.watch.screen import WatchApp

    WatchApp(repositories, options.match).run()
    return OK


def print_lines(repositories: WatchedRepositories, match: str, ended: Callable[[], bool] = lambda: False) -> int:
    """Print events, and changes of the connection and of what waits, as lines until an interrupt."""
    console, waiting = output(), dict[str, int]()
    try:
        while not ended():
            repositories.scan()
            try:
                update = repositories.updates.get(timeout=SCAN_SECONDS)
            except queue.Empty:
                continue
            label = repositories.label(update.root)
            if update.kind == "event" and match in sentence(update.content):
                line(console, (label, "faint"), (sentence(update.content), ""))
            elif update.kind == "state":
                line(console, (label, "faint"), (update.content, "warn" if update.content != "live" else "good"))
            elif update.kind == "inbox" and waiting.get(update.root, 0) != len(update.content):
                waiting[update.root] = len(update.content)
                line(console, (label, "faint"), (_waits(len(update.content)), "hint"))
    except KeyboardInterrupt:
        pass
    return OK


def _waits(number: int) -> str:
    return number_of(number, "decision waits", "decisions wait")
