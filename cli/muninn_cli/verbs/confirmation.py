"""Asks a person before a verb erases something for good."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from muninn_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from muninn_core.protocol.method import Method


def is_confirmed(method: Method, options: argparse.Namespace, preview: Callable[[], dict[str, Any]]) -> bool:
    """Whether an irreversible verb may run: with `--yes`, or when a person says so who saw what it erases, and where.

    A verb that finds nothing to erase runs without a question. `preview` returns what the verb returns with `dry_run`.
    Raises UsageError without a terminal to ask on.
    """
    if options.yes or options.dry_run:
        return True
    seen = preview() if method.erased else None
    if seen is not None and not seen[method.erased]:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            f"`muninn {method.words}` erases for good, and there is no terminal to ask on",
            hint="Add --yes to erase. With --dry-run it shows what it would erase.",
        )
    from muninn_cli.show import show
    from muninn_cli.terminal.console import errors, line

    show(
        method, preview() if seen is None else seen, argparse.Namespace(**{**vars(options), "dry_run": True}), errors()
    )
    sys.stderr.write("Erase it? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    line(errors(), ("Nothing was erased.", "warn"))
    return False
