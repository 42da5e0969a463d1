"""The values of a cached fold: lines in blocks, read on first use.

When a block is damaged, the memory files are folded instead. `fold_cache` has the format around the blocks.
"""

from __future__ import annotations

import os
import threading
import weakref
import zlib
from collections.abc import Callable, Mapping

from muninn_core.errors import StorageError
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value, decoder_of
from muninn_core.store.files.change_scan import Signature
from muninn_core.store.files.lines import Malformed
from muninn_core.store.folding.fold import Fold
from muninn_core.store.folding.fold_index import FoldIndexData
from muninn_core.store.records.fast_parse import memory_from_line, read_line
from muninn_core.store.records.record import MalformedRecord, Record

LINES_PER_BLOCK = 4
"""More make the table smaller. Reading and checking 4 lines takes 5 µs, and 16 lines 14 µs."""

_AHEAD_BYTES = 64_000
"""What is read at once where all values are read in turn. Reading each block releases the interpreter's lock so often,
and for so short a time, that other threads of a busy machine do not get it."""


class File(Value):
    """A file by its name in the memory folder, and the numbers of its records."""

    name: str
    signature: Signature
    records: tuple[int, ...]
    malformed: tuple[Malformed, ...] = ()


class Table(Value):
    """The cached fold without its lines.

    Records are numbered: first those that create memories by id, then the others by id. `memories` is the number of the
    former. `composed` are records whose memory depends on other records; these memories are stored after the records'
    lines, in this order. `keys` has the idempotency key of each record, "" for none: a dict of keys would take eight
    times as long to decode, in one call that holds the interpreter. `ends` and `sums` are the end offset and the CRC-32
    of each block.
    """

    records: tuple[str, ...]
    memories: int
    composed: tuple[int, ...]
    silent: set[str]
    pending: set[str]
    varied: set[str]
    keys: tuple[str, ...]
    index: FoldIndexData
    files: tuple[File, ...]
    ends: tuple[int, ...]
    sums: tuple[int, ...]


_decode_memory = decoder_of(Memory)


class CachedValues:
    """The values of a cached fold. Safe for several threads."""

    def __init__(self, handle: int, table: Table, fold_files: Callable[[], Fold]) -> None:
        """`fold_files` folds the current memory files; it is called when a block is damaged."""
        self.damaged = False
        self._fold_files = fold_files
        self._refolded: Fold | None = None
        self._refold_lock = threading.Lock()
        self._handle = handle
        self._ids = table.records
        self._composed = table.composed
        self._not_standalone = {*table.composed, *range(table.memories, len(table.records))}
        self._ends, self._sums = table.ends, table.sums
        self._memories: dict[int, Memory] = {}
        self._records: dict[int, Record] = {}
        self._last: tuple[int, list[bytes]] = (-1, [])
        self._ahead = (0, b"")
        """The offset and the bytes of blocks that were read together."""
        weakref.finalize(self, os.close, handle)

    def is_standalone(self, number: int) -> bool:
        """Whether a record alone gives its memory."""
        return number not in self._not_standalone

    def record(self, number: int) -> Record:
        """Return a record. Raises StorageError when it is damaged and no longer in any file."""
        try:
            return self._record(number)
        except StorageError:
            found = self._refold().records.get(self._ids[number])
            if found is None:
                raise
            return found

    def cached_record(self, number: int) -> Record:
        """Return a record, the same object each time. Raises StorageError as `record` does."""
        record = self._records.get(number)
        return record if record is not None else self._records.setdefault(number, self.record(number))

    def memory(self, number: int) -> Memory:
        """Return a memory, the same object each time. Raises StorageError as `record` does."""
        memory = self._memories.get(number)
        return memory if memory is not None else self._memories.setdefault(number, self._make(number))

    def passing_memory(self, number: int) -> Memory:
        """Return a memory that is not kept, unless it was created before. Raises StorageError as `record` does."""
        memory = self._memories.get(number)
        return memory if memory is not None else self._make(number)

    def created(self, number: int) -> Memory | None:
        """Return a memory that was created before, None for any other."""
        return self._memories.get(number)

    def take(self, memories: Mapping[int, Memory]) -> None:
        """Take over memories that were created elsewhere, by number."""
        self._memories.update(memories)

    @property
    def created_count(self) -> int:
        """How many memories were created."""
        return len(self._memories)

    def forget(self) -> Mapping[int, Memory]:
        """Return the memories that were created, by number, and forget them: they are created again when used."""
        made, self._memories, self._records = self._memories, {}, {}
        self._ahead = (0, b"")
        return made

    def has_line(self, number: int, line: bytes) -> bool:
        """Whether a record has exactly this line. Cheaper than comparing the record. Raises StorageError."""
        return self.line(number) == line

    def line(self, number: int) -> bytes:
        """Return the line of a record, or the JSON of a composed memory. Raises StorageError."""
        block_number, at = divmod(number, LINES_PER_BLOCK)
        block, lines = self._last
        if block != block_number:
            lines = self._read(block_number)
            self._last = (block_number, lines)
        if at >= len(lines):
            raise self._mark_damaged()
        return lines[at]

    def _record(self, number: int) -> Record:
        try:
            record = read_line(self.line(number))
        except MalformedRecord as error:
            raise self._mark_damaged() from error
        if record.id != self._ids[number]:
            raise self._mark_damaged()
        return record

    def _make(self, number: int) -> Memory:
        count = len(self._ids)
        identity = self._ids[number if number < count else self._composed[number - count]]
        try:
            line = self.line(number)
            memory = memory_from_line(line, identity) if number < count else _decode_memory(line)
            if memory.id == identity:
                return memory
        except (StorageError, ValueError):
            pass
        damage = self._mark_damaged()
        refolded = self._refold().memories.get(identity)
        if refolded is None:
            raise damage
        return refolded

    def _refold(self) -> Fold:
        with self._refold_lock:
            if self._refolded is None:
                self._refolded = self._fold_files()
            return self._refolded

    def _read(self, block: int) -> list[bytes]:
        start = self._ends[block - 1] if block else 0
        size = self._ends[block] - start
        ahead, content = self._ahead
        if ahead <= start and start + size <= ahead + len(content):
            content = content[start - ahead : start - ahead + size]
        elif block == self._last[0] + 1:  # one after the other
            content = os.pread(self._handle, max(size, _AHEAD_BYTES), start)
            self._ahead = (start, content)
            content = content[:size]
        else:
            content = os.pread(self._handle, size, start)
        if len(content) != size or zlib.crc32(content) != self._sums[block]:
            raise self._mark_damaged()
        return content.split(b"\n")

    def _mark_damaged(self) -> StorageError:
        self.damaged = True
        return StorageError("the memory cache is damaged", hint="Try again: it is rebuilt from the files.")
