"""The fold of the sealed records, cached in a file so that opening a long log need not read it again.

The cache is disposable. It is used only if this version of the code wrote it, its checksums match, and only for files
whose signature is unchanged. Values are read on first use; a damaged block is replaced by reading the memory files. It
holds no private and no unsealed records.

The file has blocks of lines, then a JSON table (`cached_values.Table`), then a trailer of 128 bytes: magic, code
version, length of the table and its CRC-32.
"""

from __future__ import annotations

import hashlib
import os
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain, islice
from pathlib import Path

from muninn_core import __version__
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value, decoder_of, encode_json, replace
from muninn_core.store.files.change_scan import SETTLED_SECONDS, Signature
from muninn_core.store.files.disk import remove, write_unflushed
from muninn_core.store.files.lines import Malformed, read_content, read_lines
from muninn_core.store.folding.cached_values import LINES_PER_BLOCK, CachedValues, File, Table
from muninn_core.store.folding.fold import Fold
from muninn_core.store.folding.fold_index import FoldIndex
from muninn_core.store.folding.gc_pause import gc_paused
from muninn_core.store.records.fast_parse import read_line
from muninn_core.store.records.record import Record, encode_line

NAME = "fold"
"""The file's name in the cache folder."""

_MAGIC = b"muninn fold 1 "
_TRAILER_BYTES = 128
"""The trailer is padded with blanks to this size."""

_NO_SIGNATURE: Signature = (0, 0, 0, 0)
"""No file has this signature, so a file with it is read again."""


class CachedFile(Value):
    """A file's signature when it was read, and its records: those of `names` at `numbers`, or all `names`."""

    signature: Signature | None
    names: tuple[str, ...]
    numbers: tuple[int, ...] | None = None
    malformed: tuple[Malformed, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the records in the file."""
        return self.names if self.numbers is None else tuple([self.names[number] for number in self.numbers])

    @property
    def count(self) -> int:
        """The number of records in the file."""
        return len(self.names if self.numbers is None else self.numbers)


Keyed = dict[str, str | tuple[str, ...]]
"""The ids of the records by idempotency key: of nearly all keys one, which then takes a third of the memory."""


def ids_of(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the ids of a key."""
    return (value,) if isinstance(value, str) else value


def keyed_value(ids: Sequence[str]) -> str | tuple[str, ...]:
    """Return what `Keyed` has for the ids of a key."""
    return ids[0] if len(ids) == 1 else tuple(ids)


class CachedFold(Value):
    """A fold of sealed records, its files by path, and the record ids by idempotency key."""

    fold: Fold
    files: dict[str, CachedFile]
    keyed: Keyed


_decode = decoder_of(Table)


def load(path: Path, memory: Path, known: Iterable[str] = ()) -> CachedFold | None:
    """Return the cached fold for the files below `memory`; None when there is no usable cache.

    Ids among the `known` ones are these objects, so that they are in memory once.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    try:
        table = _read_table(handle)
        if not _is_consistent(table):
            raise ValueError("inconsistent table")
    except (OSError, ValueError, IndexError, OverflowError, RecursionError):
        os.close(handle)
        return None
    same = {identity: identity for identity in known}
    if same:
        table = replace(table, records=tuple([same.get(each, each) for each in table.records]))
    return _restore(table, CachedValues(handle, table, lambda: _fold_files(memory)), memory)


def save(path: Path, cached: CachedFold, memory: Path, now: float | None = None) -> None:
    """Write a fold to the cache file, atomically. Raises StorageError or ReadOnlyError.

    `now` is in seconds since 1970: files changed within the last `SETTLED_SECONDS` are stored without a signature.
    """
    ids = [*cached.fold.folded, *sorted(cached.fold.slots.keys() - cached.fold.folded.keys())]
    numbers = {identity: number for number, identity in enumerate(ids)}
    key_of = {identity: key for key, value in cached.keyed.items() for identity in ids_of(value)}
    composed = tuple(number for number, identity in enumerate(ids) if _is_composed(cached.fold, identity))
    too_recent = int(((time.time() if now is None else now) - SETTLED_SECONDS) * 1e9)
    ends: list[int] = []
    sums: list[int] = []

    def pieces() -> Iterator[bytes]:
        lines = _value_lines(cached.fold, ids, composed)
        at = 0
        while block := [*islice(lines, LINES_PER_BLOCK)]:
            content = b"\n".join(block)
            at += len(content)
            ends.append(at)
            sums.append(zlib.crc32(content))
            yield content
        table = encode_json(
            Table(
                records=tuple(ids),
                memories=len(cached.fold.folded),
                composed=composed,
                silent=cached.fold.inactive,
                pending=cached.fold.pending,
                varied=cached.fold.revised,
                keys=tuple([key_of.get(each, "") for each in ids]),
                index=cached.fold.index.snapshot(),
                files=tuple(
                    _file_entry(name, file_entry, memory, numbers, too_recent)
                    for name, file_entry in sorted(cached.files.items())
                ),
                ends=tuple(ends),
                sums=tuple(sums),
            )
        )
        yield table
        yield (_MAGIC + b"%s %d %s" % (code_version(), len(table), _checksum(table))).ljust(_TRAILER_BYTES)

    write_unflushed(path, pieces())


def delete(path: Path) -> None:
    """Delete the cache file. Raises StorageError or ReadOnlyError."""
    remove(path)


@cache
def code_version() -> bytes:
    """Return a hash of the code that parses and folds records."""
    known = hashlib.blake2b(__version__.encode(), digest_size=8)
    store = Path(__file__).parents[1]
    for path in sorted([*store.rglob("*.py"), *(store.parent / "model").glob("*.py")]):
        known.update(path.read_bytes())
    return known.hexdigest().encode()


def _read_table(handle: int) -> Table:
    """Read the table. Raises OSError, and ValueError for a truncated file or one of another code version."""
    size = os.fstat(handle).st_size
    tail = os.pread(handle, _TRAILER_BYTES, max(size - _TRAILER_BYTES, 0))
    if not tail.startswith(_MAGIC):
        raise ValueError("no trailer")
    made_by, length, stored = tail.removeprefix(_MAGIC).split()
    if made_by != code_version() or not 0 <= int(length) <= size - _TRAILER_BYTES:
        raise ValueError("another code version")
    content = os.pread(handle, int(length), size - _TRAILER_BYTES - int(length))
    if len(content) != int(length) or _checksum(content) != stored:
        raise ValueError("wrong checksum")
    return _decode(content)


def _is_consistent(table: Table) -> bool:
    """Whether all numbers are in range and each record is in some file."""
    count = len(table.records)
    file_entry = set(chain.from_iterable(file.records for file in table.files))
    if len(file_entry) != count or len(table.keys) != count:
        return False
    if file_entry and (min(file_entry) < 0 or max(file_entry) >= count):
        return False
    if not 0 <= table.memories <= count or not all(0 <= number < table.memories for number in table.composed):
        return False
    lines = count + len(table.composed)
    return len(table.ends) == len(table.sums) == -(-lines // LINES_PER_BLOCK)


def _restore(table: Table, values: CachedValues, memory: Path) -> CachedFold:
    ids = table.records
    fold = Fold()
    fold.cached = values
    numbers = dict(zip(ids, range(len(ids)), strict=True))
    fold.slots = {**numbers}
    for _ in range(table.memories, len(ids)):
        numbers.popitem()  # the last records create no memory
    fold.folded = {**numbers}
    for number, composed_number in enumerate(table.composed, start=len(ids)):
        fold.folded[ids[composed_number]] = number
    fold.inactive, fold.pending, fold.revised, fold.index = (
        table.silent,
        table.pending,
        table.varied,
        FoldIndex(table.index),
    )
    files = {
        f"{memory}{os.sep}{file.name}": CachedFile(
            signature=file.signature, names=ids, numbers=file.records, malformed=file.malformed
        )
        for file in table.files
    }
    return CachedFold(fold=fold, files=files, keyed=_keyed(table))


def _keyed(table: Table) -> Keyed:
    keyed: Keyed = {}
    for identity, key in zip(table.records, table.keys, strict=True):
        if key and keyed.setdefault(key, identity) is not identity:
            keyed[key] = (*ids_of(keyed[key]), identity)
    return keyed


def _is_composed(fold: Fold, identity: str) -> bool:
    """Whether a memory must be stored itself, because its record alone does not give it."""
    if identity not in fold.folded:
        return False
    if identity in fold.index.near or identity in fold.index.changes:
        return True
    record = fold.slots[identity]
    if isinstance(record, Record):
        return not (record if record.line else read_line(encode_line(record))).plain
    return not (isinstance(fold.cached, CachedValues) and fold.cached.is_standalone(record))


def _value_lines(fold: Fold, ids: list[str], composed: tuple[int, ...]) -> Iterator[bytes]:
    values = fold.cached if isinstance(fold.cached, CachedValues) else None
    for identity in ids:
        record = fold.slots[identity]
        if isinstance(record, Record):
            yield record.line or encode_line(record).rstrip(b"\n")
        elif values is not None:
            yield values.line(record)
    for number in composed:
        memory = fold.folded[ids[number]]
        if isinstance(memory, Memory):
            yield encode_json(memory)
        elif values is not None:
            yield values.line(memory)


def _file_entry(name: str, file_entry: CachedFile, memory: Path, numbers: Mapping[str, int], too_recent: int) -> File:
    stored = file_entry.signature or _NO_SIGNATURE
    return File(
        name=Path(name).relative_to(memory).as_posix(),
        signature=_NO_SIGNATURE if max(stored[:2]) > too_recent else stored,
        records=tuple(numbers[identity] for identity in file_entry.ids),
        malformed=file_entry.malformed,
    )


def _fold_files(memory: Path) -> Fold:
    fold = Fold()
    with gc_paused():
        for path in (memory / "main.jsonl", *sorted((memory / "sessions").glob("*.jsonl"))):
            with suppress(OSError):  # unreadable files are left out
                fold.add(read_lines(read_content(path), path.name).records, sealed=True)
    return fold


def _checksum(content: bytes) -> bytes:
    return b"%08x" % zlib.crc32(content)
