"""`muninn daemon start|status|stop|logs`: controls the daemon. Clients start it when they need it."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from muninn_cli.arguments.parser import Parser, new_parser
from muninn_cli.command import print_json, run_command
from muninn_cli.commands import process
from muninn_cli.exit_codes import DAEMON, OK
from muninn_cli.help.manual import COMMANDS, EXAMPLES
from muninn_cli.terminal.safe_text import safe
from muninn_core import client
from muninn_core.errors import DaemonError, MuninnError, NotFoundError, UsageError
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import Address, runtime_directory
from muninn_core.launch.transport import read_info

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

STOP_SECONDS = 10.0
"""How long a daemon may take to stop on request before it gets a signal."""

GRACE_SECONDS = 3.0
"""How long it may take after each signal."""

FOLLOW_SECONDS = 0.2
"""How often `logs -f` checks for new lines."""

LEFT = "has left"
"""How a daemon ends that shuts down on request, in `--json`."""


def main(argv: list[str]) -> int:
    """Run `muninn daemon`. Returns the exit code."""
    return run_command(_run, argv)


def new_daemon_parser() -> Parser:
    """Return the parser of `muninn daemon`."""
    parser = new_parser("daemon", COMMANDS["daemon"], example=EXAMPLES["daemon"])
    parser.add_argument(
        "action", choices=tuple(_ACTIONS), help="what to do; `status` exits with 6 if no daemon is running"
    )
    parser.add_argument("-f", "--follow", action="store_true", help="logs: print new lines until interrupted")
    parser.add_argument(
        "-n", "--lines", type=int, default=50, metavar="N", help="logs: print the last N lines (default: 50)"
    )
    return parser


def address_of(repo: str) -> Address:
    """Return the address of a repository's daemon. Raises NotARepository and DaemonError."""
    return Address(runtime_directory(os.environ), locate(repo).identity)


def running(repo: str) -> dict[str, Any] | None:
    """Return the status of the running daemon, None if none is running. Raises DaemonError if it does not respond."""
    try:
        connection = client.connect(repo, os.environ, start=False, name="muninn daemon")
    except DaemonError as error:
        pid = recorded_pid(address_of(repo))
        if pid is not None:
            raise DaemonError(f"the daemon (pid {pid}) does not respond: {error.message}", hint=_STOP_HINT) from None
        return None
    with connection:
        status = connection.call("status")
    return {key: status[key] for key in ("pid", "version", "root", "mode", "uptime_seconds", "clients", "rss_bytes")}


def recorded_pid(address: Address) -> int | None:
    """Return the number of the process in the daemon's info file, if it still is a daemon."""
    pid = read_info(address).get("pid")
    return pid if isinstance(pid, int) and process.is_daemon(pid) else None


_STOP_HINT = "Run `muninn daemon stop`. The next command starts a new daemon."


def _run(argv: list[str]) -> int:
    options = new_daemon_parser().parse(argv)
    return _ACTIONS[options.action](options)


def _start(options: argparse.Namespace) -> int:
    with client.connect(options.repo, os.environ, name="muninn daemon") as connection:
        facts = connection.daemon
    return _print(options, {"running": True, **facts}, f"The daemon is running: pid {facts['pid']}.")


def _status(options: argparse.Namespace) -> int:
    facts = running(options.repo)
    where = address_of(options.repo)
    if facts is None:
        _print(
            options, {"running": False, "socket": where.socket}, "No daemon is running. The next command starts one."
        )
        return DAEMON
    from muninn_cli.show.formatting import size
    from muninn_core.model.byline import duration

    shown = {
        "pid": facts["pid"],
        "version": facts["version"],
        "uptime": duration(facts["uptime_seconds"]),
        "clients": facts["clients"],
        "rss": size(facts["rss_bytes"]),
        "socket": where.socket,
        "log": where.log,
    }
    text = "\n".join(f"{name:<9}{value}" for name, value in shown.items())
    return _print(options, {"running": True, **facts, "socket": where.socket, "log": where.log}, text)


def _stop(options: argparse.Namespace) -> int:
    pid, how = _end(options.repo)
    if pid is None:
        return _print(options, {"stopped": None, "how": how}, "No daemon is running.")
    return _print(options, {"stopped": pid, "how": how}, f"The daemon (pid {pid}) {'stopped' if how == LEFT else how}.")


def _end(repo: str) -> tuple[int | None, str]:
    """End the daemon. Returns its process number and how it ended."""
    address = address_of(repo)
    pid = _shut_down(repo)
    if pid is not None and process.wait_until_gone(pid, STOP_SECONDS):
        return pid, LEFT
    pid = pid or recorded_pid(address)
    if pid is None:
        return None, "was not running"
    how = process.end(pid, GRACE_SECONDS)
    if process.is_daemon(pid):
        raise DaemonError(f"the daemon (pid {pid}) does not end", hint=f"Its log is {address.log}.")
    return pid, how


def _shut_down(repo: str) -> int | None:
    """Request a shutdown. Returns the process number if the daemon responds within STOP_SECONDS."""
    stopping: list[int] = []

    def ask() -> None:
        try:
            with client.connect(repo, os.environ, start=False, name="muninn daemon") as connection:
                connection.call("shutdown")
                stopping.append(int(connection.daemon["pid"]))
        except MuninnError:
            pass  # none is running, or it does not respond: the info file tells

    # On a thread: a daemon that hangs would block for a client's whole timeout.
    asking = Thread(target=ask, daemon=True)
    asking.start()
    asking.join(STOP_SECONDS)
    return stopping[0] if stopping else None


def _logs(options: argparse.Namespace) -> int:
    path = Path(address_of(options.repo).log)
    if not path.exists():
        raise NotFoundError(f"there is no log yet: {path}", hint="`muninn daemon start` starts a daemon.")
    if options.json and options.follow:
        raise UsageError("--follow and --json exclude each other", hint="Omit one of them.")
    with path.open(encoding="utf-8", errors="replace") as file:
        rows = deque(file, maxlen=max(0, options.lines))
        position = file.tell()
    if options.json:
        print_json({"log": str(path), "lines": [row.rstrip("\n") for row in rows]})
    else:
        sys.stdout.writelines(map(safe, rows))
        sys.stdout.flush()
    if options.follow:
        _follow(path, position)
    return OK


def _follow(path: Path, position: int) -> None:
    """Print appended lines until interrupted. A rotated log is read from its start."""
    while True:
        time.sleep(FOLLOW_SECONDS)
        try:
            if path.stat().st_size < position:
                position = 0
            with path.open("rb") as file:
                file.seek(position)
                more = file.read()
        except FileNotFoundError:
            continue  # the log is being rotated
        position += len(more)
        sys.stdout.write(safe(more.decode("utf-8", "replace")))
        sys.stdout.flush()


def _print(options: argparse.Namespace, facts: dict[str, Any], text: str) -> int:
    if options.json:
        print_json(facts)
    else:
        sys.stdout.write(safe(text) + "\n")
    return OK


_ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "start": _start,
    "status": _status,
    "stop": _stop,
    "logs": _logs,
}
