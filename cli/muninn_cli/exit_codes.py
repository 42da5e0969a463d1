"""Exit codes of the command. Scripts depend on them: a code never changes its meaning."""

from __future__ import annotations

from muninn_core.errors import MuninnError

OK = 0
ERROR = 1
USAGE = 2
DAEMON = 6
INTERRUPTED = 130

MEANINGS = {
    OK: "done",
    ERROR: "another error, or a problem that `check` or `doctor` found",
    USAGE: "the command line is wrong",
    3: "a named item does not exist",
    4: "not a repository, or no .muninn in it",
    5: "nothing could be written: read-only, full disk, or locked",
    DAEMON: "the daemon can't be started or reached, or is not running",
    7: "refused: a person has to do it",
    INTERRUPTED: "interrupted; the request was cancelled",
}
"""The meaning of each code, as the manual prints it."""

_BY_KIND = {
    "usage": USAGE,
    "unknown_verb": USAGE,
    "bad_params": USAGE,
    "precondition": USAGE,
    "not_found": 3,
    "not_a_repository": 4,
    "not_initialised": 4,
    "read_only": 5,
    "storage": 5,
    "busy": 5,
    "daemon": DAEMON,
    "refused": 7,
    "cancelled": INTERRUPTED,
}


def exit_code(error: MuninnError) -> int:
    """Return the exit code of an error, by its kind."""
    return _BY_KIND.get(error.kind, ERROR)
