"""The cache of a comparison's results about texts: the next comparison only reads and judges new texts and pairs.

The cache is disposable. It is used only if this version of the rules wrote it and its checksum matches. It has hashes
instead of texts (`known_texts.Contents`), and what the last comparison did not need is left out.

The file has a line of JSON (`_Header`), then the arrays one after the other.
"""

from __future__ import annotations

import hashlib
import sys
import unicodedata
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from muninn_core import __version__
from muninn_core.errors import MuninnError
from muninn_core.model.value import Value, decoder_of, encode_json
from muninn_core.reconcile.comparison.known_texts import Contents, Known
from muninn_core.store.files.disk import remove, write_private
from muninn_core.store.files.lines import read_content

NAME = "comparisons"
"""The file's name in the cache folder."""

_RULES = Path(__file__).parents[1]

_STORED_AS = ("<i8", "<i4", "<i4", "<i4", "<i4", "<i8", "<i8")
"""The type of each array of `Contents`."""


class _Header(Value):
    """`version` is that of the rules, `checksum` the CRC-32 of the arrays, `lengths` are their numbers of values."""

    version: str
    checksum: int
    lengths: tuple[int, ...]


_decode = decoder_of(_Header)


def load(path: Path) -> Known:
    """Return what the last comparison found out; nothing when the file is missing, damaged or of another version."""
    try:
        return Known(_read(read_content(path)))
    except (OSError, ValueError):
        return Known()


def save(path: Path, known: Known) -> None:
    """Write what the last comparison used, if it is not what the file has. A failure costs only time."""
    contents = known.contents()
    arrays = b"".join(values.astype(kind).tobytes() for values, kind in zip(contents, _STORED_AS, strict=True))
    lengths = tuple(map(len, contents))
    header = encode_json(_Header(version=rules_version(), checksum=zlib.crc32(arrays), lengths=lengths))
    content = header + b"\n" + arrays
    with suppress(OSError):
        if read_content(path) == content:
            return
    with suppress(MuninnError):
        write_private(path, content)


def delete(path: Path) -> None:
    """Delete the file if it exists. Raises StorageError or ReadOnlyError."""
    if path.exists():
        remove(path)


@cache
def rules_version() -> str:
    """Return a hash of what the findings follow from: rules, word lists, and the letters that this Python knows."""
    python = f"{sys.version_info[:2]} {unicodedata.unidata_version}"
    known = hashlib.blake2b(f"{__version__} {python}".encode(), digest_size=8)
    rules = (path for name in ("comparison", "language") for path in (_RULES / name).rglob("*.*"))
    for path in (Path(__file__), *sorted(path for path in rules if path.suffix in (".py", ".txt"))):
        known.update(path.read_bytes())
    return known.hexdigest()


def _read(content: bytes) -> Contents:
    """Return the arrays of a file. Raises ValueError."""
    first, _, arrays = content.partition(b"\n")
    header = _decode(first)
    if header.version != rules_version() or header.checksum != zlib.crc32(arrays):
        raise ValueError("another version, or a wrong checksum")
    if len(header.lengths) != len(_STORED_AS) or min(header.lengths) < 0:
        raise ValueError("wrong lengths")
    found, at = [], 0
    for kind, length in zip(_STORED_AS, header.lengths, strict=True):
        found.append(np.frombuffer(arrays, kind, length, at).astype(np.int64))
        at += length * np.dtype(kind).itemsize
    if at != len(arrays):
        raise ValueError("wrong lengths")
    return Contents(*found)
