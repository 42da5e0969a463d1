"""Reading a file of records: what could be read, and what could not, each with its place."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from muninn_core.model.value import Value
from muninn_core.store.fast_parse import read_line
from muninn_core.store.record import MalformedRecord, Record

LARGEST_BYTES = 256 * 1024 * 1024
"""A larger file is no memory that sessions wrote: 100,000 memories take a fifth of it. It is reported and not read."""

_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_MORE = 65_536


class Malformed(Value):
    """A line that is no record. `path` is relative to the root; `line` is 1-based, 0 for the whole file."""

    path: str
    line: int
    reason: str


class Lines(Value):
    """The lines of a file: `records` in their order, `malformed` with `raw`, their bytes without line end."""

    records: tuple[Record, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    raw: tuple[bytes, ...] = ()


class TooLarge(OSError):
    """A file beyond `LARGEST_BYTES`."""


def read_content(path: str | Path) -> bytes:
    """Return what is in a file of records. Raises TooLarge before it takes the memory, and OSError."""
    handle = os.open(path, _READ)  # a third of the cost of a file object, and a log has thousands of files
    try:
        size = os.fstat(handle).st_size
        if size > LARGEST_BYTES:
            raise TooLarge(errno.EFBIG, f"{size:,} bytes are too many (at most {LARGEST_BYTES:,})")
        pieces = [os.read(handle, size + 1)]
        while pieces[-1]:
            pieces.append(os.read(handle, _MORE))
        return b"".join(pieces)
    finally:
        os.close(handle)


def read_lines(content: bytes, shown: str) -> Lines:
    """Read the content of a file that people know as `shown`. Raises nothing: what is no record is malformed."""
    records: list[Record] = []
    malformed: list[Malformed] = []
    raw: list[bytes] = []
    for number, line in _numbered(content):
        try:
            records.append(read_line(line))
        except MalformedRecord as error:
            malformed.append(Malformed(path=shown, line=number, reason=str(error)))
            raw.append(line)
    return Lines(records=tuple(records), malformed=tuple(malformed), raw=tuple(raw))


def unsealed_lines(content: bytes, sealed: Callable[[str], bool]) -> tuple[bytes, int]:
    """Return the lines whose records are not sealed yet, malformed ones too, and how many records they hold."""
    kept: list[bytes] = []
    count = 0
    for _, line in _numbered(content):
        try:
            if sealed(read_line(line).id):
                continue
            count += 1
        except MalformedRecord:
            pass  # a person may still mend it, so it travels with the others
        kept.append(line + b"\n")
    return b"".join(kept), count


def _numbered(content: bytes) -> Iterator[tuple[int, bytes]]:
    # Only b"\n" ends a line: splitlines() would also cut at separators that may stand inside a JSON text.
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line and not line.isspace():
            yield number, line.removesuffix(b"\r")
