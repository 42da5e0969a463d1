"""Keeps a fold up to date with the files of a work tree. It writes only the cache. Not safe for several threads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from muninn_core.errors import MuninnError, StorageError
from muninn_core.model.value import replace
from muninn_core.resource_exhaustion import raise_if_exhausted
from muninn_core.store.files.change_scan import ChangeScan, Signature, signature
from muninn_core.store.files.layout import Layout
from muninn_core.store.files.lines import Lines, Malformed, read_content, read_lines
from muninn_core.store.files.spool import list_spools, private_files
from muninn_core.store.folding.cached_values import CachedValues
from muninn_core.store.folding.fold import Fold, State
from muninn_core.store.folding.fold_cache import (
    NAME,
    CachedFile,
    CachedFold,
    Keyed,
    delete,
    ids_of,
    keyed_value,
    load,
    save,
)
from muninn_core.store.folding.gc_pause import gc_paused
from muninn_core.store.records.record import Record

_MAX_REMOVED_SHARE = 0.2
"""When more than this share of the records is gone, folding everything again is faster."""

MIN_CHANGED_RECORDS = 1_000
"""The cache is written when this many records are in files that differ from it; reading that many takes 20 ms."""


class IncrementalFold:
    """The fold of all files of a work tree.

    `spooled` (by session) and `private` (by file) have what this process, their only writer, has not sealed. Without
    `writing`, other processes write them, and they are read like all other files.
    """

    def __init__(self, layout: Layout, *, writing: bool) -> None:
        self.fold = Fold()
        self.files: dict[str, CachedFile] = {}
        self.spooled: dict[str, Lines] = {}
        self.private: dict[Path, Lines] = {}
        self.private_ids: set[str] = set()
        """The ids of private records. A change of one of them is private too."""
        self.replaced = True
        """Whether the fold was replaced since this was last set to False: then any memory may have changed."""
        self._layout = layout
        self._writing = writing
        self._scan = ChangeScan(layout, with_spools=not writing)
        self._unshared = tuple(f"{folder}{os.sep}" for folder in (layout.spool, layout.private))
        self._sessions = f"{layout.sessions}{os.sep}"
        self._keyed: Keyed = {}
        self._private_of_others: set[str] = set()
        self._cache = layout.cache / NAME
        self._cached_files: dict[str, CachedFile] = {}

    def open(self) -> None:
        """Read and fold all files, or only those that differ from the cache."""
        with gc_paused():
            cached = load(self._cache, self._layout.memory)
            if cached is None:
                self._refold(self._scan.scan() or {}, {})
                return
            self.fold, self.files, self._keyed = cached.fold, cached.files, cached.keyed
            self._cached_files = dict(cached.files)
            self.update()
            self.add_unsealed(self._own_records())

    def save_cache(self, least: int = MIN_CHANGED_RECORDS) -> bool:
        """Write the fold of the sealed records to the cache when enough changed; return whether it was written.

        `least` is the number of records in files that differ from the cache. Raises StorageError or ReadOnlyError.
        """
        if not self._cache.exists():
            self._cached_files = {}
        added_files = [
            cached_file for name, cached_file in self.files.items() if self._cached_files.get(name) is not cached_file
        ]
        lost = [cached_file for name, cached_file in self._cached_files.items() if name not in self.files]
        if (
            sum(cached_file.count for cached_file in (*added_files, *lost)) < least
            or self.fold.unsealed & self.fold.revised
        ):
            return False
        with gc_paused():
            self.fold.remove(sorted(self.fold.unsealed))
            try:
                slots = self.fold.slots
                left = ((key, [each for each in ids_of(value) if each in slots]) for key, value in self._keyed.items())
                cached = CachedFold(
                    fold=self.fold, files=self.files, keyed={key: keyed_value(ids) for key, ids in left if ids}
                )
                save(self._cache, cached, self._layout.memory)
                self._read_from_cache()
            finally:
                self.add_unsealed(self._own_records())
        self._cached_files = dict(self.files)
        return True

    def _read_from_cache(self) -> None:
        """Read records from the cache that was just written. In memory, their lines take as much as all memories."""
        cached = load(self._cache, self._layout.memory, self.fold.slots)
        if cached is not None and cached.files.keys() == self.files.keys():
            self.fold.read_from(cached.fold)
            self._keyed = cached.keyed  # those of unsealed records are added again
            self.files = {
                name: replace(cached.files[name], signature=file.signature) for name, file in self.files.items()
            }

    def delete_cache(self) -> None:
        """Delete the cache, which may hold redacted text. Raises StorageError or ReadOnlyError."""
        delete(self._cache)
        self._cached_files = {}

    def update(self, *, brief: bool = False) -> bool:
        """Bring the fold up to date with the files; return whether anything changed.

        `ChangeScan.scan` explains `brief`.
        """
        if self._is_damaged():
            self._reload_damaged()
            return True
        current = self._scan.scan(brief=brief)
        if current is None:
            return False
        added = {
            name: (current_signature, self.read_file(name))
            for name, current_signature in sorted(current.items())
            if name not in self.files or self.files[name].signature != current_signature
        }
        removed = self.files.keys() - current.keys()
        if not added and not removed:
            return False
        try:
            applied = self._apply_changes(added, removed)
        except StorageError:
            applied = False  # the cache is damaged
        if not applied:
            with gc_paused():
                self._refold(current, added)
        return True

    def is_deleted(self) -> bool:
        """Whether the whole `.muninn` was deleted while this process had unsealed records."""
        return bool(self.spooled or self.private) and not self._layout.muninn.is_dir()

    def reload(self) -> None:
        """Read all files again, this process's own included, after records were changed in place."""
        self._scan.reset()
        self.spooled = {session: self.read_file(path) for session, path in list_spools(self._layout).items()}
        self.read_private()
        with gc_paused():
            self._refold(self._scan.scan() or {}, {})

    def read_private(self) -> None:
        """Read the private files of this process."""
        self.private = {path: self.read_file(path) for path in private_files(self._layout)}
        self.private_ids = {record.id for lines in self.private.values() for record in lines.records}

    def read_file(self, path: str | Path) -> Lines:
        """Read a file of records. One that can't be read counts as malformed.

        Raises StorageError when there are no file descriptors.
        """
        shown = self._layout.relative(path)
        try:
            return read_lines(read_content(path), shown)
        except OSError as error:
            raise_if_exhausted(error)
            reason = f"can't be read: {error.strerror or error}"
            return Lines(malformed=(Malformed(path=shown, line=0, reason=reason),))

    def add_unsealed(self, records: Iterable[Record]) -> None:
        """Fold in records that this process stored, now or before."""
        records = tuple(records)
        try:
            self.fold.add(records, sealed=False)
            self._add_keys(records)
        except StorageError:
            self._reload_damaged()

    def add_segment(self, path: Path, content: bytes) -> None:
        """Fold in a segment that this process has written."""
        lines = read_lines(content, self._layout.relative(path))
        self.files[str(path)] = _cached_file(signature(path), lines)
        try:
            self.fold.add(lines.records, sealed=True)
        except StorageError:
            self._reload_damaged()
        self._scan.reset()  # scan every file next time

    def state(self) -> State:
        """Return the current state."""
        try:
            return self.fold.state()
        except StorageError:
            self._reload_damaged()
            return self.fold.state()

    def record_of_key(self, key: str) -> Record | None:
        """Return the first record stored under an idempotency key."""
        found = [self.fold.records[identity] for identity in ids_of(self._keyed.get(key, ()))]
        return min(found, key=lambda record: record.stamp, default=None)

    def is_sealed(self, identity: str) -> bool:
        """Whether main.jsonl or a segment has a record."""
        return identity in self.fold.slots and identity not in self.fold.unsealed

    def malformed(self) -> tuple[Malformed, ...]:
        """Return the malformed lines, in the order of the files."""
        read = [self.files[name].malformed for name in sorted(self.files)]
        own = [lines.malformed for lines in (*self.spooled.values(), *self.private.values())]
        return tuple(one for each in (*read, *own) for one in each)

    def segments(self) -> int:
        """Return the number of sealed segments."""
        return sum(name.startswith(self._sessions) for name in self.files)

    def unsealed(self) -> int:
        """Return the number of records to be sealed; private ones are not counted."""
        return len(self.fold.unsealed) - len((self.private_ids | self._private_of_others) & self.fold.unsealed)

    def _reload_damaged(self) -> None:
        """Read all files again because the cache is damaged. Unsealed records are in memory."""
        if self._writing:
            with suppress(MuninnError):  # the next process to open would find the same damage
                self.delete_cache()
        self._scan.reset()
        with gc_paused():
            self._refold(self._scan.scan() or {}, {})

    def _is_damaged(self) -> bool:
        return isinstance(self.fold.cached, CachedValues) and self.fold.cached.damaged

    def _own_records(self) -> list[Record]:
        return [record for lines in (*self.spooled.values(), *self.private.values()) for record in lines.records]

    def _refold(self, current: Mapping[str, Signature], read: Mapping[str, tuple[Signature, Lines]]) -> None:
        """Fold everything again. Files in `read` are not read again."""
        found = {name: read[name][1] if name in read else self.read_file(name) for name in sorted(current)}
        self.files = {name: _cached_file(current[name], lines) for name, lines in found.items()}
        before = {} if self._is_damaged() else self.fold.memories
        self.fold, self._keyed, self.replaced = Fold(before=before), {}, True
        for sealed in (True, False):
            files = [lines for name, lines in found.items() if self._is_sealed_file(name) is sealed]
            self.fold.add((record for lines in files for record in lines.records), sealed=sealed)
            for lines in files:
                self._add_keys(lines.records)
        self.add_unsealed(self._own_records())
        self._update_others_private()

    def _apply_changes(self, added: Mapping[str, tuple[Signature, Lines]], removed: Iterable[str]) -> bool:
        """Fold changed files in and out; return False when that is impossible or slower than folding again."""
        before = self.files
        after = {name: cached_file for name, cached_file in before.items() if name not in added and name not in removed}
        after.update(
            (name, _cached_file(current_signature, lines)) for name, (current_signature, lines) in added.items()
        )
        gone = {each for name in (*removed, *added) if name in before for each in before[name].ids}
        if gone:
            sealed, unsealed = self._remaining(gone, after)
            known = self.fold.records
            edited = any(
                record.id in gone and not self.fold.holds(record)
                for _, lines in added.values()
                for record in lines.records
            )
            opened_again = unsealed - sealed - self.fold.unsealed
            lost = gone - sealed - unsealed
            if edited or opened_again or gone & self.fold.revised or len(lost) > _MAX_REMOVED_SHARE * len(known):
                return False
            self._remove_keys(lost)
            self.fold.remove(lost)
        self.files = after
        for name, (_, lines) in added.items():
            self.fold.add(lines.records, sealed=self._is_sealed_file(name))
            self._add_keys(lines.records)
        self._update_others_private()
        return True

    def _remaining(self, ids: set[str], files: Mapping[str, CachedFile]) -> tuple[set[str], set[str]]:
        """Return which of some records are still in sealed files, and which in spools and private files."""
        sealed: set[str] = set()
        unsealed = ids.intersection(record.id for record in self._own_records())
        slots = self.fold.slots  # records of cached files are known by number
        numbers = {slot: each for each in ids if isinstance(slot := slots.get(each), int)}
        for name, cached_file in files.items():
            found = sealed if self._is_sealed_file(name) else unsealed
            if cached_file.numbers is None:
                found.update(ids.intersection(cached_file.names))
            else:
                found.update(numbers[number] for number in cached_file.numbers if number in numbers)
        return sealed, unsealed

    def _update_others_private(self) -> None:
        files = [cached_file for name, cached_file in self.files.items() if name.startswith(self._unshared[1])]
        self._private_of_others = {identity for cached_file in files for identity in cached_file.ids}

    def _is_sealed_file(self, name: str) -> bool:
        return not name.startswith(self._unshared)

    def _add_keys(self, records: Iterable[Record]) -> None:
        for record in records:
            if record.key:
                known = self._keyed.setdefault(record.key, record.id)
                if record.id not in (ids := ids_of(known)):
                    self._keyed[record.key] = (*ids, record.id)

    def _remove_keys(self, lost: Iterable[str]) -> None:
        for key in {self.fold.records[identity].key for identity in lost} - {""}:
            left = [identity for identity in ids_of(self._keyed[key]) if identity not in lost]
            self._keyed[key] = keyed_value(left)


def _cached_file(current_signature: Signature | None, lines: Lines) -> CachedFile:
    return CachedFile(
        signature=current_signature, names=tuple(record.id for record in lines.records), malformed=lines.malformed
    )
