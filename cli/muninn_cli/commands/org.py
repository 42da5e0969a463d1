"""`muninn org`: replaces this process by the organisation's command, which needs the engine and an extra."""

from __future__ import annotations

import os
import sys


def main(argv: list[str]) -> int:
    """Run `python -m muninn_server.org` with the arguments. Does not return."""
    os.execv(sys.executable, [sys.executable, "-I", "-m", "muninn_server.org", *argv])
