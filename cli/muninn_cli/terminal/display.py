"""How results are printed: the options `--color`, `--quiet`, `--verbose` and `--no-pager` of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import argparse

Color = Literal["auto", "always", "never"]
COLORS: tuple[Color, ...] = ("auto", "always", "never")


class Display:
    """The options. `quiet` leaves out hints and the state of the index; `verbose` prints ids, times and texts in full.

    `paging` is set while stdout is a pager's input.
    """

    color: Color = "auto"
    quiet = False
    verbose = False
    pager = True
    paging = False

    def configure(self, options: argparse.Namespace) -> None:
        """Take the options of a parsed command line."""
        self.color = options.color
        self.quiet = options.quiet
        self.verbose = options.verbose
        self.pager = options.pager


DISPLAY = Display()
"""The options of this process's command line."""
