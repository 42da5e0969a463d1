"""Reads files of records: the valid records, and the malformed lines with their positions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from muninn_core.model.value import Value
from muninn_core.regular_file import read_regular
from muninn_core.store.records.fast_parse import read_line
from muninn_core.store.records.record import MalformedRecord, Record

MAX_FILE_BYTES = 256 * 1024 * 1024
"""Larger files are reported and not read. 100,000 memories take a fifth of this."""


class Malformed(Value):
    """A line that is not a record. `path` is relative to the root; `line` is 1-based, 0 for the whole file."""

    path: str
    line: int
    reason: str


class Lines(Value):
    """The lines of a file: `records` in order, `malformed`, and `raw`, the bytes of each malformed line."""

    records: tuple[Record, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    raw: tuple[bytes, ...] = ()


def read_content(path: str | Path) -> bytes:
    """Return the bytes of a file of records. Raises FileTooLarge and OSError, also for a link."""
    return read_regular(path, MAX_FILE_BYTES, follow=False)


def read_lines(content: bytes, display_path: str) -> Lines:
    """Parse the content of a file. Lines that are not records become `malformed`, with `display_path` as their path."""
    records: list[Record] = []
    malformed: list[Malformed] = []
    raw: list[bytes] = []
    for number, line in _numbered(content):
        try:
            records.append(read_line(line))
        except MalformedRecord as error:
            malformed.append(Malformed(path=display_path, line=number, reason=str(error)))
            raw.append(line)
    return Lines(records=tuple(records), malformed=tuple(malformed), raw=tuple(raw))


def unsealed_lines(content: bytes, sealed: Callable[[str], bool]) -> tuple[bytes, int]:
    """Return the lines whose records are not sealed, malformed lines included, and the number of these records."""
    kept: list[bytes] = []
    count = 0
    for _, line in _numbered(content):
        try:
            if sealed(read_line(line).id):
                continue
            count += 1
        except MalformedRecord:
            pass  # a person may still repair it, so it is sealed too
        kept.append(line + b"\n")
    return b"".join(kept), count


def _numbered(content: bytes) -> Iterator[tuple[int, bytes]]:
    # Split at b"\n" only: splitlines() also splits at separators that JSON strings may contain.
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line and not line.isspace():
            yield number, line.removesuffix(b"\r")
