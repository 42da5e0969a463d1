"""What the files of a work tree say together: a fold that follows them, file by file.

Knows no git: it sees files come and go. Writes none. Not for several threads at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from muninn_core.errors import MuninnError, StorageError
from muninn_core.store.cached_values import CachedValues
from muninn_core.store.change_scan import ChangeScan, Signature, signature
from muninn_core.store.fold import Fold, State
from muninn_core.store.fold_cache import NAME, CachedFile, CachedFold, drop, load, save
from muninn_core.store.gc_pause import gc_paused
from muninn_core.store.layout import Layout
from muninn_core.store.lines import Lines, Malformed, read_content, read_lines
from muninn_core.store.record import Record
from muninn_core.store.spool import private_files, spools

_MANY_GONE = 0.2
"""When more than this share of the records is nowhere any more, folding anew costs less."""

WORTH_KEEPING = 1_000
"""When so many records are in files that are not as they were kept, it is time to keep them: reading takes 20 ms."""


class IncrementalFold:
    """`spooled` (by session) and `private` (by file) is what this process, which alone writes them, has not sealed.

    Without `writing` others do, and their files are read like any other.
    """

    def __init__(self, layout: Layout, *, writing: bool) -> None:
        self.fold = Fold()
        self.files: dict[str, CachedFile] = {}
        self.spooled: dict[str, Lines] = {}
        self.private: dict[Path, Lines] = {}
        self.hidden: set[str] = set()
        """The ids of private records; what changes one of them is private, too."""
        self.anew = True
        """Whether the fold is another one since somebody last set this to false: any memory may have changed."""
        self._layout = layout
        self._writing = writing
        self._look = ChangeScan(layout, with_spools=not writing)
        self._unshared = tuple(f"{folder}{os.sep}" for folder in (layout.spool, layout.private))
        self._sessions = f"{layout.sessions}{os.sep}"
        self._keyed: dict[str, list[str]] = {}
        self._private_of_others: set[str] = set()
        self._cache = layout.cache / NAME
        self._as_kept: dict[str, CachedFile] = {}

    def open(self) -> None:
        """Read and fold all there is, or what is not as it was kept in the cache."""
        with gc_paused():
            kept = load(self._cache, self._layout.memory)
            if kept is None:
                self._start_over(self._look.changed() or {}, {})
                return
            self.fold, self.files, self._keyed = kept.fold, kept.files, kept.keyed
            self._as_kept = dict(kept.files)
            self.follow()
            self.add_own(self._own())

    def keep(self, least: int = WORTH_KEEPING) -> bool:
        """Keep the fold of what is sealed in the cache when that is worth it; say whether it was.

        `least` is how many records must be in files that are not as they were kept. Raises StorageError, ReadOnlyError.
        """
        if not self._cache.exists():
            self._as_kept = {}
        fresh = [held for name, held in self.files.items() if self._as_kept.get(name) is not held]
        lost = [held for name, held in self._as_kept.items() if name not in self.files]
        if sum(held.count for held in (*fresh, *lost)) < least or self.fold.unsealed & self.fold.varied:
            return False
        with gc_paused():
            self.fold.remove(sorted(self.fold.unsealed))
            try:
                keyed = {key: [each for each in ids if each in self.fold.slots] for key, ids in self._keyed.items()}
                kept = CachedFold(
                    fold=self.fold, files=self.files, keyed={key: ids for key, ids in keyed.items() if ids}
                )
                save(self._cache, kept, self._layout.memory)
            finally:
                self.add_own(self._own())
        self._as_kept = dict(self.files)
        return True

    def drop_kept(self) -> None:
        """Delete what was kept: it may hold what is to be nowhere. Raises StorageError or ReadOnlyError."""
        drop(self._cache)
        self._as_kept = {}

    def follow(self, *, brief: bool = False) -> bool:
        """Bring the fold up to date with the files; return whether anything changed. `ChangeScan` explains `brief`."""
        if self._is_damaged():
            self._mend()
            return True
        there = self._look.changed(brief=brief)
        if there is None:
            return False
        came = {
            name: (told, self.read(name))
            for name, told in sorted(there.items())
            if name not in self.files or self.files[name].signature != told
        }
        went = self.files.keys() - there.keys()
        if not came and not went:
            return False
        try:
            taken_in = self._take_in(came, went)
        except StorageError:
            taken_in = False  # of the cache: no other file is read there
        if not taken_in:
            with gc_paused():
                self._start_over(there, came)
        return True

    def is_deleted(self) -> bool:
        """Whether somebody has deleted the whole memory, with what this process had not sealed."""
        return bool(self.spooled or self.private) and not self._layout.muninn.is_dir()

    def start_over(self) -> None:
        """Read all files again, those of this process, too: records were changed in place."""
        self._look.forget()
        self.spooled = {session: self.read(path) for session, path in spools(self._layout).items()}
        self.read_private()
        with gc_paused():
            self._start_over(self._look.changed() or {}, {})

    def read_private(self) -> None:
        """Read the private files of this process."""
        self.private = {path: self.read(path) for path in private_files(self._layout)}
        self.hidden = {record.id for lines in self.private.values() for record in lines.records}

    def read(self, path: str | Path) -> Lines:
        """Read a file of records. One that can't be read is malformed as a whole."""
        shown = self._layout.relative(path)
        try:
            return read_lines(read_content(path), shown)
        except OSError as error:
            reason = f"can't be read: {error.strerror or error}"
            return Lines(malformed=(Malformed(path=shown, line=0, reason=reason),))

    def add_own(self, records: Iterable[Record]) -> None:
        """Fold in what this process has just stored, or has found of what it stored before."""
        records = tuple(records)
        try:
            self.fold.add(records, sealed=False)
            self._learn_keys(records)
        except StorageError:
            self._mend()

    def hold(self, path: Path, content: bytes) -> None:
        """Take in a segment that this process has just written."""
        lines = read_lines(content, self._layout.relative(path))
        self.files[str(path)] = _held(signature(path), lines)
        try:
            self.fold.add(lines.records, sealed=True)
        except StorageError:
            self._mend()
        self._look.forget()  # the next look is a careful one

    def state(self) -> State:
        """Return what all of it says now."""
        try:
            return self.fold.state()
        except StorageError:
            self._mend()
            return self.fold.state()

    def of_key(self, key: str) -> Record | None:
        """Return the first record that was stored under an idempotency key."""
        found = [self.fold.records[identity] for identity in self._keyed.get(key, ())]
        return min(found, key=lambda record: record.stamp, default=None)

    def is_sealed(self, identity: str) -> bool:
        """Whether main.jsonl or a segment holds a record."""
        return identity in self.fold.slots and identity not in self.fold.unsealed

    def malformed(self) -> tuple[Malformed, ...]:
        """Return the lines that could not be read, file by file."""
        read = [self.files[name].malformed for name in sorted(self.files)]
        own = [lines.malformed for lines in (*self.spooled.values(), *self.private.values())]
        return tuple(one for each in (*read, *own) for one in each)

    def segments(self) -> int:
        """Return how many sealed segments there are."""
        return sum(name.startswith(self._sessions) for name in self.files)

    def unsealed(self) -> int:
        """Return how many records wait to be sealed; private ones never are."""
        return len(self.fold.unsealed) - len((self.hidden | self._private_of_others) & self.fold.unsealed)

    def _mend(self) -> None:
        """Read all files again: what was kept of them is damaged. What this process has not sealed, it knows."""
        if self._writing:
            with suppress(MuninnError):  # the next one to open would only meet the same
                self.drop_kept()
        self._look.forget()
        with gc_paused():
            self._start_over(self._look.changed() or {}, {})

    def _is_damaged(self) -> bool:
        return isinstance(self.fold.base, CachedValues) and self.fold.base.damaged

    def _own(self) -> list[Record]:
        return [record for lines in (*self.spooled.values(), *self.private.values()) for record in lines.records]

    def _start_over(self, there: Mapping[str, Signature], read: Mapping[str, tuple[Signature, Lines]]) -> None:
        """Read all files that were not read just now, and fold everything anew."""
        found = {name: read[name][1] if name in read else self.read(name) for name in sorted(there)}
        self.files = {name: _held(there[name], lines) for name, lines in found.items()}
        before = {} if self._is_damaged() else self.fold.memories
        self.fold, self._keyed, self.anew = Fold(before=before), {}, True
        for sealed in (True, False):
            files = [lines for name, lines in found.items() if self._is_shared(name) is sealed]
            self.fold.add((record for lines in files for record in lines.records), sealed=sealed)
            for lines in files:
                self._learn_keys(lines.records)
        self.add_own(self._own())
        self._note_private()

    def _take_in(self, came: Mapping[str, tuple[Signature, Lines]], went: Iterable[str]) -> bool:
        """Fold in the files that came and out those that went; say whether that could be done and is worth it."""
        before = self.files
        after = {name: held for name, held in before.items() if name not in came and name not in went}
        after.update((name, _held(told, lines)) for name, (told, lines) in came.items())
        gone = {each for name in (*went, *came) if name in before for each in before[name].ids}
        if gone:
            sealed, unsealed = self._still(gone, after)
            known = self.fold.records
            edited = any(
                record.id in gone and not known[record.id].says_as(record)
                for _, lines in came.values()
                for record in lines.records
            )
            opened_again = unsealed - sealed - self.fold.unsealed
            lost = gone - sealed - unsealed
            if edited or opened_again or gone & self.fold.varied or len(lost) > _MANY_GONE * len(known):
                return False
            self._forget_keys(lost)
            self.fold.remove(lost)
        self.files = after
        for name, (_, lines) in came.items():
            self.fold.add(lines.records, sealed=self._is_shared(name))
            self._learn_keys(lines.records)
        self._note_private()
        return True

    def _still(self, ids: set[str], files: Mapping[str, CachedFile]) -> tuple[set[str], set[str]]:
        """Return which of some records are in sealed files, and which in spools and private files."""
        sealed: set[str] = set()
        unsealed = ids.intersection(record.id for record in self._own())
        slots = self.fold.slots  # what is in a file as it was kept has its number there, unless it varies
        numbers = {slot: each for each in ids if isinstance(slot := slots.get(each), int)}
        for name, held in files.items():
            found = sealed if self._is_shared(name) else unsealed
            if held.numbers is None:
                found.update(ids.intersection(held.names))
            else:
                found.update(numbers[number] for number in held.numbers if number in numbers)
        return sealed, unsealed

    def _note_private(self) -> None:
        files = [held for name, held in self.files.items() if name.startswith(self._unshared[1])]
        self._private_of_others = {identity for held in files for identity in held.ids}

    def _is_shared(self, name: str) -> bool:
        return not name.startswith(self._unshared)

    def _learn_keys(self, records: Iterable[Record]) -> None:
        for record in records:
            if record.key and record.id not in (known := self._keyed.setdefault(record.key, [])):
                known.append(record.id)

    def _forget_keys(self, lost: Iterable[str]) -> None:
        for key in {self.fold.records[identity].key for identity in lost} - {""}:
            left = [identity for identity in self._keyed[key] if identity not in lost]
            self._keyed[key] = left


def _held(told: Signature | None, lines: Lines) -> CachedFile:
    return CachedFile(signature=told, names=tuple(record.id for record in lines.records), malformed=lines.malformed)
