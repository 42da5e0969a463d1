"""Sealed months: compressed JSON Lines that hold the events of a month and the chain's hashes at both ends.

The first line names the positions and the hash before them. Each other line is an event as `row.line_of` writes it,
with its payload. The last event's hash is the chain's head at the end of the file.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from muninn_core.errors import StorageError
from muninn_core.journal.row import Row, line_of, row_of
from muninn_core.model.value import encode_json
from muninn_core.store.files.disk import flush_folder, translate_errors

FORMAT = 1


class Sealed(NamedTuple):
    """A sealed file: its positions, the hash at its end, the hash before it, and whether retention removed it."""

    first: int
    last: int
    hash: bytes
    previous: bytes
    file: str
    dropped: int = 0


def write_sealed(path: Path, payloads: Path, previous: bytes, rows: Iterable[Row]) -> None:
    """Write a sealed file with mode 0600 and flush it. Raises StorageError; then the old file, if any, is unchanged."""
    temporary = path.with_name(path.name + ".tmp")
    with translate_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(handle, "wb") as raw:  # noqa: PTH123 (an open handle)
                with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as file:
                    file.write(encode_json({"format": FORMAT, "previous": previous.hex()}) + b"\n")
                    for row in rows:
                        file.write(line_of(row, payloads) + b"\n")
                raw.flush()
                os.fsync(raw.fileno())
            temporary.replace(path)
            flush_folder(path.parent)
        finally:
            temporary.unlink(missing_ok=True)


def read_sealed(path: Path) -> Iterator[Row]:
    """Yield the rows of a sealed file in order. Raises StorageError when it can't be read or a line is malformed."""
    try:
        with gzip.open(path, "rb") as file:
            head = json.loads(file.readline())
            if not isinstance(head, dict) or head.get("format") != FORMAT:
                raise ValueError(f"its first line does not name format {FORMAT}")
            for line in file:
                yield row_of(line)
    except (OSError, EOFError, ValueError, RecursionError, zlib.error) as error:
        raise StorageError(
            f"the sealed events in {path} can't be read: {error}", hint="Restore the file from a backup."
        ) from error
