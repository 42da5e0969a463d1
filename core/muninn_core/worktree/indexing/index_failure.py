"""Why an index could not be updated, what a person can do about it, and when it is tried again."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from muninn_core.errors import MuninnError
from muninn_core.index.integrity import is_exhausted, is_full_disk

RETRY_SECONDS = (2.0, 120.0)
"""After how many seconds failed work is repeated: at first, and at most. The time doubles with each failure."""

_BY_ITSELF = "Muninn tries again by itself, after two minutes at the latest; `muninn index` tries at once."


class IndexFailure(NamedTuple):
    """An error in one line, and what to do about it."""

    message: str
    hint: str


def failure_of(error: Exception, cache: Path) -> IndexFailure:
    """Return what an error means for the index in a cache folder."""
    full = is_full_disk(error)
    if isinstance(error, MuninnError):
        message = error.message if full else error.line
    elif isinstance(error, OSError) and error.strerror:
        where = error.filename or (f"{cache} can't be written" if full else "")
        message = f"{where}: {error.strerror}" if where else error.strerror
    else:
        message = str(error) or type(error).__name__
    if full:
        return IndexFailure(message, f"Free space on the disk of {cache}. No memory is lost. {_BY_ITSELF}")
    if is_exhausted(error):
        return IndexFailure(message, f"No memory is lost. {_BY_ITSELF}")
    hint = "The next change starts another attempt; `muninn index --rebuild` rebuilds the index."
    return IndexFailure(message, hint)


def longer_retry(seconds: float | None) -> float:
    """Return the next of the times in `RETRY_SECONDS` after `seconds`, the first one after None."""
    first, most = RETRY_SECONDS
    return first if seconds is None else min(2 * seconds, most)
