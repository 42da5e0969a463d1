"""`muninn daemon start|status|stop|logs`: the daemon's life, for people; clients start it by themselves."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from muninn_cli import process
from muninn_cli.exits import DAEMON, OK
from muninn_cli.manual import COMMANDS
from muninn_cli.outcome import print_json, settle
from muninn_cli.parser import Parser, new_parser
from muninn_core import client
from muninn_core.errors import DaemonError, MuninnError, NotFoundError, UsageError
from muninn_core.launch.place import locate
from muninn_core.launch.runtime import Address, runtime_directory
from muninn_core.launch.transport import read_info

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

STOP_SECONDS = 10.0
"""How long a daemon may take to finish what it has acknowledged before it is signalled."""

GRACE_SECONDS = 3.0
"""How long it then has after each signal."""

FOLLOW_SECONDS = 0.2
"""How often `logs -f` looks for more."""


def main(argv: list[str]) -> int:
    """Run `muninn daemon`. Returns the exit code."""
    return settle(_run, argv)


def parser_of_this() -> Parser:
    """Return the parser of `muninn daemon`."""
    parser = new_parser("daemon", COMMANDS["daemon"])
    parser.add_argument(
        "action", choices=tuple(_ACTIONS), help="what to do; status is the exit code 6 when it is not running"
    )
    parser.add_argument("-f", "--follow", action="store_true", help="logs: go on as the log grows")
    parser.add_argument("-n", "--lines", type=int, default=50, metavar="N", help="logs: the last N lines (default: 50)")
    return parser


def address_of(repo: str) -> Address:
    """Return where a repository's daemon is. Raises NotARepository, or DaemonError without a runtime directory."""
    return Address(runtime_directory(os.environ), locate(repo).identity)


def running(repo: str) -> dict[str, Any] | None:
    """Return the facts of the running daemon, None when there is none. Raises DaemonError when it does not answer."""
    try:
        connection = client.connect(repo, os.environ, start=False, name="muninn daemon")
    except DaemonError as error:
        pid = recorded_pid(address_of(repo))
        if pid is not None:
            raise DaemonError(f"the daemon (pid {pid}) does not answer: {error.message}", hint=_STOP_HINT) from None
        return None
    with connection:
        status = connection.call("status")
    return {key: status[key] for key in ("pid", "version", "root", "mode", "uptime_seconds", "clients", "rss_bytes")}


def recorded_pid(address: Address) -> int | None:
    """Return the process that wrote itself down as the daemon, if it still is one."""
    pid = read_info(address).get("pid")
    return pid if isinstance(pid, int) and process.is_daemon(pid) else None


_STOP_HINT = "`muninn daemon stop` ends it; the next call starts a new one."


def _run(argv: list[str]) -> int:
    given = parser_of_this().parse(argv)
    return _ACTIONS[given.action](given)


def _start(given: argparse.Namespace) -> int:
    with client.connect(given.repo, os.environ, name="muninn daemon") as connection:
        facts = connection.daemon
    return _tell(given, {"running": True, **facts}, f"The daemon is running: pid {facts['pid']}.")


def _status(given: argparse.Namespace) -> int:
    facts = running(given.repo)
    where = address_of(given.repo)
    if facts is None:
        _tell(given, {"running": False, "socket": where.socket}, "No daemon is running; the next call starts one.")
        return DAEMON
    from muninn_cli.show.facts import duration, size

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
    return _tell(given, {"running": True, **facts, "socket": where.socket, "log": where.log}, text)


def _stop(given: argparse.Namespace) -> int:
    pid, how = _leave(given.repo)
    if pid is None:
        return _tell(given, {"stopped": None, "how": how}, "No daemon is running.")
    return _tell(given, {"stopped": pid, "how": how}, f"The daemon (pid {pid}) {how}.")


def _leave(repo: str) -> tuple[int | None, str]:
    """Make the daemon leave; return its process number and what it took."""
    address = address_of(repo)
    pid = _dismissed(repo)
    if pid is not None and process.wait_until_gone(pid, STOP_SECONDS):
        return pid, "has left"
    pid = pid or recorded_pid(address)
    if pid is None:
        return None, "was not running"
    how = process.end(pid, GRACE_SECONDS)
    if process.is_daemon(pid):
        raise DaemonError(f"the daemon (pid {pid}) does not end", hint=f"Its log is {address.log}.")
    return pid, how


def _dismissed(repo: str) -> int | None:
    """Ask the daemon to leave; return its process number when it agreed within STOP_SECONDS."""
    agreed: list[int] = []

    def ask() -> None:
        try:
            with client.connect(repo, os.environ, start=False, name="muninn daemon") as connection:
                connection.call("shutdown")
                agreed.append(int(connection.daemon["pid"]))
        except MuninnError:
            pass  # none is running, or it is beyond asking: what was written down about it tells

    # One that hangs would keep us for as long as a client may wait.
    asking = Thread(target=ask, daemon=True)
    asking.start()
    asking.join(STOP_SECONDS)
    return agreed[0] if agreed else None


def _logs(given: argparse.Namespace) -> int:
    path = Path(address_of(given.repo).log)
    if not path.exists():
        raise NotFoundError(f"there is no log yet: {path}", hint="`muninn daemon start` starts a daemon.")
    if given.json and given.follow:
        raise UsageError("a log that goes on is no JSON", hint="Leave --follow or --json out.")
    with path.open(encoding="utf-8", errors="replace") as file:
        rows = deque(file, maxlen=max(0, given.lines))
        position = file.tell()
    if given.json:
        print_json({"log": str(path), "lines": [row.rstrip("\n") for row in rows]})
    else:
        sys.stdout.writelines(rows)
        sys.stdout.flush()
    if given.follow:
        _follow(path, position)
    return OK


def _follow(path: Path, position: int) -> None:
    """Print what is appended, until interrupted; a rotated log is read from its start."""
    while True:
        time.sleep(FOLLOW_SECONDS)
        try:
            if path.stat().st_size < position:
                position = 0
            with path.open("rb") as file:
                file.seek(position)
                more = file.read()
        except FileNotFoundError:
            continue  # between the rename and the new file
        position += len(more)
        sys.stdout.write(more.decode("utf-8", "replace"))
        sys.stdout.flush()


def _tell(given: argparse.Namespace, facts: dict[str, Any], text: str) -> int:
    if given.json:
        print_json(facts)
    else:
        sys.stdout.write(text + "\n")
    return OK


_ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "start": _start,
    "status": _status,
    "stop": _stop,
    "logs": _logs,
}
