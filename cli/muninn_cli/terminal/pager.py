"""Shows long output in the user's pager, as git does."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from muninn_cli.terminal.display import DISPLAY


def pager_command(environ: Mapping[str, str]) -> list[str]:
    """Return the words of the pager: $MUNINN_PAGER, $PAGER, else less; [] for none, which `cat` and "" mean, too."""
    named = environ.get("MUNINN_PAGER", environ.get("PAGER"))
    if named is None:
        return ["less"] if shutil.which("less", path=environ.get("PATH")) else []
    words = shlex.split(named)
    return [] if words == ["cat"] else words


@contextmanager
def paged() -> Iterator[None]:
    """Send stdout to the pager during the block, if stdout is a terminal and a pager is set or installed.

    `less` ends by itself when the output fits on the screen (its option F), unless LESS sets other options.
    """
    command = pager_command(os.environ) if DISPLAY.pager and sys.stdout.isatty() else []
    if not command:
        yield
        return
    environ = {"LESS": "FRX", **os.environ}
    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env=environ, encoding="utf-8", errors="replace")
    except OSError:
        yield  # a pager that can't be started must not hide the answer
        return
    terminal = sys.stdout
    assert pager.stdin is not None
    sys.stdout, DISPLAY.paging = pager.stdin, True
    try:
        yield
    finally:
        sys.stdout, DISPLAY.paging = terminal, False
        try:
            pager.stdin.close()
        except BrokenPipeError:
            pass  # the person has left the pager
        pager.wait()
