"""The values of a fold that was kept: lines in blocks, read when somebody asks for one.

Knows nothing of how the file begins and ends; where something is wrong with a block, it has the files of memory folded.
"""

from __future__ import annotations

import os
import threading
import weakref
import zlib
from collections.abc import Callable

from muninn_core.errors import StorageError
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value, decoder_of
from muninn_core.store.change_scan import Signature
from muninn_core.store.fast_parse import memory_of, read_line
from muninn_core.store.fold import Fold
from muninn_core.store.fold_index import Index
from muninn_core.store.lines import Malformed
from muninn_core.store.record import MalformedRecord, Record

PER_BLOCK = 16
"""Lines that are read at once: one costs hardly more than 16, and all of them in order no more than their bytes."""


class File(Value):
    """A file by its name in the memory folder; `records` are their numbers."""

    name: str
    signature: Signature
    records: tuple[int, ...]
    malformed: tuple[Malformed, ...] = ()


class Table(Value):
    """All but the lines. Records are numbered: first those that make memories by id, then the others by id.

    `memories` are the first ones' number. `composed` are those whose memory follows from several records; it is kept
    behind all records' lines, in this order. `ends` and `sums` are where each block of lines ends, and its CRC-32.
    """

    records: tuple[str, ...]
    memories: int
    composed: tuple[int, ...]
    silent: set[str]
    pending: set[str]
    varied: set[str]
    keyed: dict[str, list[str]]
    index: Index
    files: tuple[File, ...]
    ends: tuple[int, ...]
    sums: tuple[int, ...]


_decode_memory = decoder_of(Memory)


class CachedValues:
    """The values of a fold that was kept. Safe to use from several threads."""

    def __init__(self, handle: int, table: Table, anew: Callable[[], Fold]) -> None:
        """`anew` folds the files of memory as they are now."""
        self.damaged = False
        self._anew = anew
        self._rescued: Fold | None = None
        self._rescuing = threading.Lock()
        self._handle = handle
        self._ids = table.records
        self._composed = table.composed
        self._special = {*table.composed, *range(table.memories, len(table.records))}
        self._ends, self._sums = table.ends, table.sums
        self._made: dict[int, Memory] = {}
        self._kept: dict[int, Record] = {}
        self._last: tuple[int, list[bytes]] = (-1, [])
        weakref.finalize(self, os.close, handle)

    def makes_by_itself(self, number: int) -> bool:
        """Whether reading a record makes its memory."""
        return number not in self._special

    def record(self, number: int) -> Record:
        """Return a record. Raises StorageError where it was damaged and is in no other file any more."""
        try:
            return self._record(number)
        except StorageError:
            found = self._fold_anew().records.get(self._ids[number])
            if found is None:
                raise
            return found

    def same_record(self, number: int) -> Record:
        """Return a record, the same object each time. Raises StorageError as `record` does."""
        kept = self._kept.get(number)
        return kept if kept is not None else self._kept.setdefault(number, self.record(number))

    def memory(self, number: int) -> Memory:
        """Return a memory, the same object each time. Raises StorageError as `record` does."""
        made = self._made.get(number)
        return made if made is not None else self._made.setdefault(number, self._make(number))

    def line(self, number: int) -> bytes:
        """Return the line of a record, or the JSON of a composed memory. Raises StorageError."""
        wanted, at = divmod(number, PER_BLOCK)
        block, lines = self._last
        if block != wanted:
            lines = self._read(wanted)
            self._last = (wanted, lines)
        if at >= len(lines):
            raise self._damage()
        return lines[at]

    def _record(self, number: int) -> Record:
        try:
            record = read_line(self.line(number))
        except MalformedRecord as error:
            raise self._damage() from error
        if record.id != self._ids[number]:
            raise self._damage()
        return record

    def _make(self, number: int) -> Memory:
        count = len(self._ids)
        identity = self._ids[number if number < count else self._composed[number - count]]
        try:
            line = self.line(number)
            memory = memory_of(line) if number < count else _decode_memory(line)
            if memory.id == identity:
                return memory
        except (StorageError, ValueError):
            pass
        damage = self._damage()
        rescued = self._fold_anew().memories.get(identity)
        if rescued is None:
            raise damage
        return rescued

    def _fold_anew(self) -> Fold:
        with self._rescuing:
            if self._rescued is None:
                self._rescued = self._anew()
            return self._rescued

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
