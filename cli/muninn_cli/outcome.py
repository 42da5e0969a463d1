"""What becomes of a command: its result or error on the right stream, for people or programs, and its exit code."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from muninn_cli.exits import INTERRUPTED, OK, exit_code
from muninn_core.errors import Cancelled, MuninnError
from muninn_core.model.value import encode_json

if TYPE_CHECKING:
    from collections.abc import Callable


def settle(command: Callable[[list[str]], int], argv: list[str]) -> int:
    """Run a command and return its exit code; an error is printed, with `--json` as `{"error": …}` on stdout."""
    # A terminal without UTF-8 gets question marks in place of a traceback.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="surrogateescape")  # bytes that are no text are told where they are looked at
    as_json = "--json" in argv
    try:
        code = command(argv)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return show_error(Cancelled("interrupted"), as_json=as_json)
    except MuninnError as error:
        return show_error(error, as_json=as_json)
    except BrokenPipeError:
        _give_up_stdout()
        return OK  # the reader of our output has gone (`| head`): end quietly, as any filter does
    except OSError as error:
        if error.filename is None:
            _give_up_stdout()
        return show_error(_unwritten(error), as_json=False)
    return code


def show_error(error: MuninnError, *, as_json: bool) -> int:
    """Print an error and return its exit code."""
    if as_json:
        print_json({"error": error.to_plain()})
        return exit_code(error)
    if exit_code(error) == INTERRUPTED:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    from muninn_cli.screen import errors, line, sentence

    console = errors()
    sentence(console, ("error: ", "bad"), (error.message, ""))
    for row in str(error.data.get("excerpt", "")).split("\n") if "excerpt" in error.data else ():
        line(console, (f"  {row}", ""))
    if error.hint:
        sentence(console, (error.hint, "hint"))
    return exit_code(error)


def print_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    sys.stdout.write(encode_json(value).decode("utf-8", "replace") + "\n")
    sys.stdout.flush()


def _unwritten(error: OSError) -> MuninnError:
    """Return the error for what the system refused while we printed, or read a file of the user's."""
    if error.filename is None:
        return MuninnError(f"the output can't be written: {error.strerror or error}")
    return MuninnError(f"{os.fsdecode(error.filename)}: {error.strerror}")


def _give_up_stdout() -> None:
    """Let what is still to be printed go nowhere: the interpreter flushes stdout once more when it leaves."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
