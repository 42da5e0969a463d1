"""Tells a lack of file descriptors or memory from a file that is missing or can't be read.

A file that could not be opened because the process has too many open files must not be taken for a missing one: what it
holds would disappear from answers.
"""

from __future__ import annotations

import errno

from muninn_core.errors import StorageError

_EXHAUSTED = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM))


def raise_if_exhausted(error: BaseException) -> None:
    """Raise StorageError when an error means that the process or the system has no descriptors or memory left."""
    if isinstance(error, OSError) and error.errno in _EXHAUSTED:
        raise exhausted(error) from error


def exhausted(error: OSError) -> StorageError:
    """Return the error for people."""
    return StorageError(
        f"the daemon lacks resources: {error.strerror or error}",
        hint="Close some clients, or stop the daemon and raise its limit (ulimit -n). It recovers by itself.",
    )
