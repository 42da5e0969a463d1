"""Detects errors that mean exhausted file descriptors, memory or threads.

A file that could not be opened because the process has too many open files must not be taken for a missing one: what it
holds would disappear from answers.
"""

from __future__ import annotations

import errno

from muninn_core.errors import StorageError

_EXHAUSTED = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM))

_NO_THREAD = "can't start new thread"
"""The text of the RuntimeError with which CPython reports that the system gives it no further thread."""

_UNMAPPED = ("failed to map segment", "cannot allocate memory", "Cannot allocate memory")
"""Parts of the ImportError for a native module that the loader finds no memory for."""


def raise_if_exhausted(error: BaseException, process: str = "daemon") -> None:
    """Raise StorageError when an error means that no descriptors, memory or threads are left.

    `process` names the running program for people.
    """
    if isinstance(error, OSError) and error.errno in _EXHAUSTED:
        raise StorageError(
            f"the {process} lacks resources: {error.strerror or error}",
            hint=f"Close some clients, or stop the {process} and raise its limit (ulimit -n). It recovers by itself.",
        ) from error
    unmapped = isinstance(error, ImportError) and any(each in str(error) for each in _UNMAPPED)
    if unmapped or isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and str(error) == _NO_THREAD):
        raise StorageError(
            f"the {process} lacks resources: {str(error) or 'out of memory'}",
            hint=raising_limits(process),
        ) from error


def raising_limits(process: str = "daemon") -> str:
    """Return what a person does when a process gets no more memory, threads or descriptors."""
    return f"Stop the {process} and raise its limits (ulimit -v, -u and -n, or those of its container)."
