"""Runs a command: prints its error for people or programs, and returns its exit code."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from muninn_cli.exit_codes import INTERRUPTED, OK, exit_code
from muninn_cli.terminal.safe_text import safe_json
from muninn_core.errors import Cancelled, MuninnError
from muninn_core.model.value import encode_json

if TYPE_CHECKING:
    from collections.abc import Callable


SCHEMA_VERSION = 1
"""The version of the form of JSON output. It grows when a field is removed or means something else; new fields may come
at any time."""


def run_command(command: Callable[[list[str]], int], argv: list[str]) -> int:
    """Run a command and return its exit code. An error is printed, with `--json` as `{"error": …}` on stdout."""
    # Characters that the terminal's encoding lacks become question marks.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="surrogateescape")  # invalid bytes are reported where they are read
    as_json = "--json" in argv
    try:
        code = command(argv)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return show_error(Cancelled("interrupted"), as_json=as_json)
    except MuninnError as error:
        return show_error(error, as_json=as_json)
    except BrokenPipeError:
        _discard_stdout()
        return OK  # the reader has closed the pipe (`| head`)
    except OSError as error:
        if error.filename is None:
            _discard_stdout()
        return show_error(_system_error(error), as_json=False)
    return code


def show_error(error: MuninnError, *, as_json: bool) -> int:
    """Print an error and return its exit code."""
    if as_json:
        print_json({"error": error.to_plain()})
        return exit_code(error)
    if exit_code(error) == INTERRUPTED:
        sys.stderr.write("interrupted\n" + (f"{error.hint}\n" if error.hint else ""))
        return INTERRUPTED
    from muninn_cli.terminal.console import errors, line, paragraph

    console = errors()
    paragraph(console, ("error: ", "bad"), (error.message, ""))
    for row in str(error.data.get("excerpt", "")).split("\n") if "excerpt" in error.data else ():
        line(console, (f"  {row}", ""))
    if error.hint:
        paragraph(console, (error.hint, "hint"))
    return exit_code(error)


def print_json(value: Any) -> None:
    """Print a value as one line of JSON. An object begins with the version of its form."""
    if isinstance(value, dict):
        value = {"schema_version": SCHEMA_VERSION, **value}
    text = encode_json(value).decode("utf-8", "replace")
    sys.stdout.write((safe_json(text) if sys.stdout.isatty() else text) + "\n")
    sys.stdout.flush()


def _system_error(error: OSError) -> MuninnError:
    """Return the error for a failed write to stdout, or a failed read of a file that the user named."""
    if error.filename is None:
        return MuninnError(f"the output can't be written: {error.strerror or error}")
    return MuninnError(f"{os.fsdecode(error.filename)}: {error.strerror}")


def _discard_stdout() -> None:
    """Redirect stdout to the null device: the interpreter flushes it once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
