"""The fold of what is sealed, kept in a file, so that opening a long log need not read it again.

It is part of the cache: whatever is wrong with it, the files of memory say the same. So it is used only when it was
made by this very code, nothing in it was changed, and for those files that are still what they were. Its values are
read when somebody asks for them; then a damaged piece is an error, and the file is not used again.
The format is in docs/formats/layout.md. Holds nothing that is private or not sealed yet.
"""

from __future__ import annotations

import hashlib
import os
import time
import weakref
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain, islice
from pathlib import Path

from muninn_core import __version__
from muninn_core.errors import StorageError
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value, decoder_of, encode_json
from muninn_core.store.disk import remove, write_unflushed
from muninn_core.store.filed import Filed, Index
from muninn_core.store.fold import Fold
from muninn_core.store.lines import Malformed
from muninn_core.store.look import SETTLED_SECONDS, Signature
from muninn_core.store.quick import read_line
from muninn_core.store.record import MalformedRecord, Record, encode_line

NAME = "fold"
"""The file's name in the cache."""

_MAGIC = b"muninn fold 1 "
_TAIL = 128
"""Bytes at the end of the file, padded with blanks: what tells that it is whole, and where its table begins."""

_PER_BLOCK = 16
"""Lines that are read at once: one costs hardly more than 16, and all of them in order no more than their bytes."""

_NEVER: Signature = (0, 0, 0, 0)
"""No file is like this, so one that is said to be so is read again."""


class Held(Value):
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


class Kept(Value):
    """A fold of nothing but sealed records, the files that it was made of by their names, and the ids of keys."""

    fold: Fold
    files: dict[str, Held]
    keyed: dict[str, list[str]]


class _File(Value):
    """A file by its name in the memory folder; `records` are their numbers."""

    name: str
    signature: Signature
    records: tuple[int, ...]
    malformed: tuple[Malformed, ...] = ()


class _Table(Value):
    """All but the lines. Records are numbered: first those that make memories by id, then the others by id.

    `memories` are the first ones' number. `composed` are those whose memory follows from several records; it is kept
    behind all records' lines, in this order. `ends` and `sums` are where each block of lines ends, and its CRC-32.
    """

    records: tuple[str, ...]
    memories: int
    composed: tuple[int, ...]
    silent: set[str]
    varied: set[str]
    keyed: dict[str, list[str]]
    index: Index
    files: tuple[_File, ...]
    ends: tuple[int, ...]
    sums: tuple[int, ...]


_decode_table = decoder_of(_Table)
_decode_memory = decoder_of(Memory)


class Values:
    """The values of a fold that was kept. Safe to use from several threads."""

    def __init__(self, handle: int, table: _Table) -> None:
        self.damaged = False
        self._handle = handle
        self._ids = table.records
        self._composed = table.composed
        self._special = {*table.composed, *range(table.memories, len(table.records))}
        self._ends, self._sums = table.ends, table.sums
        self._made: dict[int, Memory] = {}
        self._last: tuple[int, list[bytes]] = (-1, [])
        weakref.finalize(self, os.close, handle)

    def makes_by_itself(self, number: int) -> bool:
        """Whether reading a record makes its memory."""
        return number not in self._special

    def record(self, number: int) -> Record:
        """Return a record. Raises StorageError when the file was damaged."""
        try:
            record = read_line(self.line(number))
        except MalformedRecord as error:
            raise self._damage() from error
        if record.id != self._ids[number]:
            raise self._damage()
        return record

    def memory(self, number: int) -> Memory:
        """Return a memory, the same object each time. Raises StorageError when the file was damaged."""
        made = self._made.get(number)
        return made if made is not None else self._made.setdefault(number, self._make(number))

    def line(self, number: int) -> bytes:
        """Return the line of a record, or the JSON of a composed memory. Raises StorageError."""
        wanted, at = divmod(number, _PER_BLOCK)
        block, lines = self._last
        if block != wanted:
            lines = self._read(wanted)
            self._last = (wanted, lines)
        if at >= len(lines):
            raise self._damage()
        return lines[at]

    def _make(self, number: int) -> Memory:
        if number < len(self._ids):
            memory = self.record(number).alone
            identity = self._ids[number]
        else:
            identity = self._ids[self._composed[number - len(self._ids)]]
            try:
                memory = _decode_memory(self.line(number))
            except ValueError as error:
                raise self._damage() from error
        if memory is None or memory.id != identity:
            raise self._damage()
        return memory

    def _read(self, block: int) -> list[bytes]:
        start = self._ends[block - 1] if block else 0
        size = self._ends[block] - start
        content = os.pread(self._handle, size, start)
        if len(content) != size or zlib.crc32(content) != self._sums[block]:
            raise self._damage()
        return content.split(b"\n")

    def _damage(self) -> StorageError:
        self.damaged = True
        return StorageError("the cache of memory is damaged", hint="Ask again: it is made anew from the files.")


def load(path: Path, memory: Path) -> Kept | None:
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
    return _kept(table, Values(handle, table), memory)


def save(path: Path, kept: Kept, memory: Path, now: float | None = None) -> None:
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
        while block := [*islice(lines, _PER_BLOCK)]:
            content = b"\n".join(block)
            at += len(content)
            ends.append(at)
            sums.append(zlib.crc32(content))
            yield content
        table = encode_json(
            _Table(
                records=tuple(ids),
                memories=len(kept.fold.folded),
                composed=composed,
                silent=kept.fold.silent,
                varied=kept.fold.varied,
                keyed=kept.keyed,
                index=kept.fold.filed.index(),
                files=tuple(_file(name, held, memory, numbers, young) for name, held in sorted(kept.files.items())),
                ends=tuple(ends),
                sums=tuple(sums),
            )
        )
        yield table
        yield (_MAGIC + b"%s %d %s" % (code(), len(table), _digest(table))).ljust(_TAIL)

    write_unflushed(path, pieces())


def drop(path: Path) -> None:
    """Delete the file. Raises StorageError or ReadOnlyError."""
    remove(path)


@cache
def code() -> bytes:
    """Return what tells this version of the code that reads and folds from any other."""
    known = hashlib.blake2b(__version__.encode(), digest_size=8)
    here = Path(__file__).parent
    for path in sorted([*here.glob("*.py"), here.parent / "model" / "memory.py"]):
        known.update(path.read_bytes())
    return known.hexdigest().encode()


def _table_of(handle: int) -> _Table:
    """Read the table. Raises ValueError for one that is not whole, or not of this code, and OSError."""
    size = os.fstat(handle).st_size
    tail = os.pread(handle, _TAIL, max(size - _TAIL, 0))
    if not tail.startswith(_MAGIC):
        raise ValueError("not whole")
    made_by, length, digest = tail.removeprefix(_MAGIC).split()
    if made_by != code() or not 0 <= int(length) <= size - _TAIL:
        raise ValueError("of other code")
    content = os.pread(handle, int(length), size - _TAIL - int(length))
    if len(content) != int(length) or _digest(content) != digest:
        raise ValueError("changed")
    return _decode_table(content)


def _is_sound(table: _Table) -> bool:
    """Whether all numbers mean something, and no record is there that is in none of the files."""
    count = len(table.records)
    held = set(chain.from_iterable(file.records for file in table.files))
    if len(held) != count or (held and (min(held) < 0 or max(held) >= count)):
        return False
    if not 0 <= table.memories <= count or not all(0 <= number < table.memories for number in table.composed):
        return False
    lines = count + len(table.composed)
    return len(table.ends) == len(table.sums) == -(-lines // _PER_BLOCK)


def _kept(table: _Table, values: Values, memory: Path) -> Kept:
    ids = table.records
    fold = Fold()
    fold.base = values
    fold.slots = dict(zip(ids, range(len(ids)), strict=True))
    fold.folded = dict(zip(ids[: table.memories], range(table.memories), strict=True))
    for number, one in enumerate(table.composed, start=len(ids)):
        fold.folded[ids[one]] = number
    fold.silent, fold.varied, fold.filed = table.silent, table.varied, Filed(table.index)
    files = {
        str(memory / file.name): Held(
            signature=file.signature, names=ids, numbers=file.records, malformed=file.malformed
        )
        for file in table.files
    }
    return Kept(fold=fold, files=files, keyed=table.keyed)


def _is_composed(fold: Fold, identity: str) -> bool:
    """Whether a memory has to be kept as it is: reading its record does not make it."""
    if identity not in fold.folded:
        return False
    if identity in fold.filed.near or identity in fold.filed.changes:
        return True
    record = fold.slots[identity]
    if isinstance(record, Record):
        return (record if record.line else read_line(encode_line(record))).alone is None
    return not (isinstance(fold.base, Values) and fold.base.makes_by_itself(record))


def _lines(fold: Fold, ids: list[str], composed: tuple[int, ...]) -> Iterator[bytes]:
    values = fold.base if isinstance(fold.base, Values) else None
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


def _file(name: str, held: Held, memory: Path, numbers: Mapping[str, int], young: int) -> _File:
    told = held.signature or _NEVER
    return _File(
        name=Path(name).relative_to(memory).as_posix(),
        signature=_NEVER if max(told[:2]) > young else told,
        records=tuple(numbers[identity] for identity in held.ids),
        malformed=held.malformed,
    )


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).hexdigest().encode()
