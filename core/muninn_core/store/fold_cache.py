"""The fold of what is sealed, kept in a file, so that opening a long log need not read it again.

It is part of the cache: whatever is wrong with it, the files of memory say the same. So it is used only when it was
made by this very code, nothing in it was changed, and for those files that are still what they were. Its values are
read when somebody asks for them; in the place of a damaged piece the files are read then.
The format is in docs/formats/layout.md. Holds nothing that is private or not sealed yet.
"""

from __future__ import annotations

import hashlib
import os
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import chain, islice
from pathlib import Path

from muninn_core import __version__
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value, decoder_of, encode_json
from muninn_core.store.cached_values import PER_BLOCK, CachedValues, File, Table
from muninn_core.store.change_scan import SETTLED_SECONDS, Signature
from muninn_core.store.disk import remove, write_unflushed
from muninn_core.store.fast_parse import read_line
from muninn_core.store.fold import Fold
from muninn_core.store.fold_index import FoldIndex
from muninn_core.store.gc_pause import gc_paused
from muninn_core.store.lines import Malformed, read_content, read_lines
from muninn_core.store.record import Record, encode_line

NAME = "fold"
"""The file's name in the cache."""

_MAGIC = b"muninn fold 1 "
_TAIL = 128
"""Bytes at the end of the file, padded with blanks: what tells that it is whole, and where its table begins."""

_NEVER: Signature = (0, 0, 0, 0)
"""No file is like this, so one that is said to be so is read again."""


class CachedFile(Value):
    """What a file was like when it was read, and which records it holds: `names` are ids, all or those of `numbers`."""

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
        """How many records are in the file."""
        return len(self.names if self.numbers is None else self.numbers)


class CachedFold(Value):
    """A fold of nothing but sealed records, the files that it was made of by their names, and the ids of keys."""

    fold: Fold
    files: dict[str, CachedFile]
    keyed: dict[str, list[str]]


_decode = decoder_of(Table)


def load(path: Path, memory: Path) -> CachedFold | None:
    """Return what was kept in a file, of the files below `memory`; None when there is nothing that can be used."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    try:
        table = _table_of(handle)
        if not _is_sound(table):
            raise ValueError("numbers that mean nothing")
    except (OSError, ValueError, IndexError, OverflowError, RecursionError):
        os.close(handle)
        return None
    return _kept(table, CachedValues(handle, table, lambda: _anew(memory)), memory)


def save(path: Path, kept: CachedFold, memory: Path, now: float | None = None) -> None:
    """Keep a fold in a file; what was there stays until that is whole. Raises StorageError or ReadOnlyError.

    `now` is the time in seconds since 1970: a file that has just changed is not taken for what it was.
    """
    ids = [*kept.fold.folded, *sorted(kept.fold.slots.keys() - kept.fold.folded.keys())]
    numbers = {identity: number for number, identity in enumerate(ids)}
    composed = tuple(number for number, identity in enumerate(ids) if _is_composed(kept.fold, identity))
    young = int(((time.time() if now is None else now) - SETTLED_SECONDS) * 1e9)
    ends: list[int] = []
    sums: list[int] = []

    def pieces() -> Iterator[bytes]:
        lines = _lines(kept.fold, ids, composed)
        at = 0
        while block := [*islice(lines, PER_BLOCK)]:
            content = b"\n".join(block)
            at += len(content)
            ends.append(at)
            sums.append(zlib.crc32(content))
            yield content
        table = encode_json(
            Table(
                records=tuple(ids),
                memories=len(kept.fold.folded),
                composed=composed,
                silent=kept.fold.silent,
                pending=kept.fold.pending,
                varied=kept.fold.varied,
                keyed=kept.keyed,
                index=kept.fold.filed.index(),
                files=tuple(_file(name, held, memory, numbers, young) for name, held in sorted(kept.files.items())),
                ends=tuple(ends),
                sums=tuple(sums),
            )
        )
        yield table
        yield (_MAGIC + b"%s %d %s" % (code(), len(table), _sum(table))).ljust(_TAIL)

    write_unflushed(path, pieces())


def drop(path: Path) -> None:
    """Delete the file. Raises StorageError or ReadOnlyError."""
    remove(path)


@cache
def code() -> bytes:
    """Return what tells this version of the code that reads and folds from any other."""
    known = hashlib.blake2b(__version__.encode(), digest_size=8)
    here = Path(__file__).parent
    for path in sorted([*here.glob("*.py"), *(here.parent / "model").glob("*.py")]):
        known.update(path.read_bytes())
    return known.hexdigest().encode()


def _table_of(handle: int) -> Table:
    """Read the table. Raises ValueError for one that is not whole, or not of this code, and OSError."""
    size = os.fstat(handle).st_size
    tail = os.pread(handle, _TAIL, max(size - _TAIL, 0))
    if not tail.startswith(_MAGIC):
        raise ValueError("not whole")
    made_by, length, told = tail.removeprefix(_MAGIC).split()
    if made_by != code() or not 0 <= int(length) <= size - _TAIL:
        raise ValueError("of other code")
    content = os.pread(handle, int(length), size - _TAIL - int(length))
    if len(content) != int(length) or _sum(content) != told:
        raise ValueError("changed")
    return _decode(content)


def _is_sound(table: Table) -> bool:
    """Whether all numbers mean something, and no record is there that is in none of the files."""
    count = len(table.records)
    held = set(chain.from_iterable(file.records for file in table.files))
    if len(held) != count or (held and (min(held) < 0 or max(held) >= count)):
        return False
    if not 0 <= table.memories <= count or not all(0 <= number < table.memories for number in table.composed):
        return False
    lines = count + len(table.composed)
    return len(table.ends) == len(table.sums) == -(-lines // PER_BLOCK)


def _kept(table: Table, values: CachedValues, memory: Path) -> CachedFold:
    ids = table.records
    fold = Fold()
    fold.base = values
    numbers = dict(zip(ids, range(len(ids)), strict=True))
    fold.slots = {**numbers}
    for _ in range(table.memories, len(ids)):
        numbers.popitem()  # the last ones make no memory
    fold.folded = {**numbers}
    for number, one in enumerate(table.composed, start=len(ids)):
        fold.folded[ids[one]] = number
    fold.silent, fold.pending, fold.varied, fold.filed = (
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
    return CachedFold(fold=fold, files=files, keyed=table.keyed)


def _is_composed(fold: Fold, identity: str) -> bool:
    """Whether a memory has to be kept as it is: reading its record does not make it."""
    if identity not in fold.folded:
        return False
    if identity in fold.filed.near or identity in fold.filed.changes:
        return True
    record = fold.slots[identity]
    if isinstance(record, Record):
        return not (record if record.line else read_line(encode_line(record))).plain
    return not (isinstance(fold.base, CachedValues) and fold.base.makes_by_itself(record))


def _lines(fold: Fold, ids: list[str], composed: tuple[int, ...]) -> Iterator[bytes]:
    values = fold.base if isinstance(fold.base, CachedValues) else None
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


def _file(name: str, held: CachedFile, memory: Path, numbers: Mapping[str, int], young: int) -> File:
    told = held.signature or _NEVER
    return File(
        name=Path(name).relative_to(memory).as_posix(),
        signature=_NEVER if max(told[:2]) > young else told,
        records=tuple(numbers[identity] for identity in held.ids),
        malformed=held.malformed,
    )


def _anew(memory: Path) -> Fold:
    fold = Fold()
    with gc_paused():
        for path in (memory / "main.jsonl", *sorted((memory / "sessions").glob("*.jsonl"))):
            with suppress(OSError):  # what can't be read now is not in what is made of it
                fold.add(read_lines(read_content(path), path.name).records, sealed=True)
    return fold


def _sum(content: bytes) -> bytes:
    return b"%08x" % zlib.crc32(content)
