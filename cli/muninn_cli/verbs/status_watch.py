"""`muninn status --watch`: the status, printed again whenever memory, the index or the journal changes."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from muninn_cli.exit_codes import OK
from muninn_cli.terminal.console import output
from muninn_core import client
from muninn_core.errors import MuninnError

if TYPE_CHECKING:
    from collections.abc import Callable

REST_SECONDS = 1.0
"""How long a status is shown at least, and how long to wait before connecting again."""


def watch_status(repo: str, show: Callable[[dict[str, Any]], None], *, plain: bool) -> int:
    """Show the status and each later one until an interrupt; unless `plain`, a terminal is cleared before each.

    A daemon that was killed is started again. Raises MuninnError when the first status can't be read.
    """
    changed, ended = threading.Event(), threading.Event()
    first = client.call(repo, os.environ, "status", {}, repeatable=True, name="muninn status")
    threading.Thread(target=_follow, args=(repo, changed, ended), daemon=True).start()
    try:
        _show(first, show, plain=plain)
        while True:
            changed.wait()
            changed.clear()
            try:
                _show(
                    client.call(repo, os.environ, "status", {}, repeatable=True, name="muninn status"),
                    show,
                    plain=plain,
                )
            except MuninnError:
                changed.set()  # the daemon is being started: try again
            ended.wait(REST_SECONDS)
    except KeyboardInterrupt:
        return OK
    finally:
        ended.set()


def _show(status: dict[str, Any], show: Callable[[dict[str, Any]], None], *, plain: bool) -> None:
    if not plain and output().is_terminal:
        output().clear()
    show(status)


def _follow(repo: str, changed: threading.Event, ended: threading.Event) -> None:
    """Set `changed` for each change, and when the connection is there again."""
    while not ended.is_set():
        try:
            with client.connect(repo, os.environ, name="muninn status") as muninn:
                for _ in muninn.follow():
                    changed.set()
        except (MuninnError, OSError, ValueError):
            changed.set()
            ended.wait(REST_SECONDS)
