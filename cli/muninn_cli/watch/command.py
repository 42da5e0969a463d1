"""The command `muninn watch`: options, the choice between the screen and plain lines, and the plain lines."""

from __future__ import annotations

import os
import queue
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import PurePath

from muninn_cli.command import run_command
from muninn_cli.exits import OK
from muninn_cli.manual import COMMANDS
from muninn_cli.parser import new_parser
from muninn_cli.terminal import errors, line, output
from muninn_cli.watch.following import Follower, Update, running, sentence
from muninn_core.errors import UsageError
from muninn_core.launch.place import locate

SCAN_SECONDS = 2.0
"""How often `--all` looks for daemons that began or ended."""


def main(argv: list[str]) -> int:
    """Run `muninn watch`."""
    return run_command(_run, argv)


def _run(argv: list[str]) -> int:
    parser = new_parser("watch", COMMANDS["watch"])
    parser.add_argument("folders", nargs="*", metavar="DIR", help="folders of repositories (default: the current one)")
    parser.add_argument("--all", action="store_true", help="all repositories whose daemons run, as they come and go")
    parser.add_argument("--plain", action="store_true", help="print lines; this needs no textual")
    parser.add_argument("--match", default="", metavar="TEXT", help="only events whose line contains this text")
    given = parser.parse(argv)
    if given.all and given.folders:
        raise UsageError("'--all' takes no folders", hint="Leave the folders out, or '--all'.")
    fixed = [locate(folder).root for folder in given.folders or [given.repo]] if not given.all else []
    watched = Watched(fixed, os.environ)
    if given.plain or not sys.stdout.isatty() or not sys.stdin.isatty():
        return print_lines(watched, given.match)
    if find_spec("textual") is None:
        line(errors(), ("The screen needs textual: pip install 'muninn-memory[watch]'. Lines follow.", "hint"))
        return print_lines(watched, given.match)
    from muninn_cli.watch.screen import WatchApp

    WatchApp(watched, given.match).run()
    return OK


class Watched:
    """The followed repositories: fixed ones, or with none all whose daemons run. `updates` has what they deliver."""

    def __init__(self, fixed: Sequence[str], environ: Mapping[str, str]) -> None:
        self.updates: queue.SimpleQueue[Update] = queue.SimpleQueue()
        self.environ = environ
        self._fixed = tuple(fixed)
        self._followers: dict[str, Follower] = {}

    @property
    def roots(self) -> tuple[str, ...]:
        """The followed repositories."""
        return tuple(self._followers)

    def scan(self) -> None:
        """Follow repositories that are new, and drop those whose daemon has ended."""
        wanted = self._fixed or tuple(running(self.environ))
        for root in wanted:
            if root not in self._followers:
                self._followers[root] = follower = Follower(root, self.environ, self.updates.put)
                follower.start()
        for root in set(self._followers) - set(wanted):
            self._followers.pop(root).stop()
            self.updates.put(Update(root, "state", "gone"))

    def label(self, root: str) -> str:
        """Return the name of a repository before its events, "" for the only one."""
        return f"{PurePath(root).name}  " if len(self._followers) > 1 else ""


def print_lines(watched: Watched, match: str, ended: Callable[[], bool] = lambda: False) -> int:
    """Print events, and changes of the connection and of what waits, as lines until an interrupt."""
    console, waiting = output(), dict[str, int]()
    try:
        while not ended():
            watched.scan()
            try:
                update = watched.updates.get(timeout=SCAN_SECONDS)
            except queue.Empty:
                continue
            label = watched.label(update.root)
            if update.kind == "event" and match in sentence(update.content):
                line(console, (label, "faint"), (sentence(update.content), ""))
            elif update.kind == "state":
                line(console, (label, "faint"), (update.content, "warn" if update.content != "live" else "good"))
            elif update.kind == "inbox" and waiting.get(update.root, 0) != len(update.content):
                waiting[update.root] = len(update.content)
                line(console, (label, "faint"), (f"{len(update.content)} decisions wait", "hint"))
    except KeyboardInterrupt:
        pass
    return OK
