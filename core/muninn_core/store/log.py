"""The memory log of one work tree: append, seal, redact, and snapshots for readers.

One process writes; the caller holds the lock that ensures this. The log is safe for several threads. Readers take
`state`, a snapshot that never changes. `IncrementalFold` reads the files.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from muninn_core.errors import BadParams, MuninnError, NotInitialised, ReadOnlyError, StorageError
from muninn_core.model.value import Value, replace
from muninn_core.protocol.families.repository import Problem
from muninn_core.store.files.appends import Appends, check_size
from muninn_core.store.files.disk import remove, write_atomic
from muninn_core.store.files.layout import Layout
from muninn_core.store.files.lines import Lines, Malformed, read_content, unsealed_lines
from muninn_core.store.files.redact import redact_files, redaction_subject, replace_records
from muninn_core.store.files.spool import (
    delete_temporary_files,
    list_spools,
    private_files,
    private_path,
    repair_last_line,
    segment_path,
    spool_path,
    torn_files,
)
from muninn_core.store.files.undo_journal import delete_journals
from muninn_core.store.folding.fold import State
from muninn_core.store.folding.incremental_fold import MIN_CHANGED_RECORDS, IncrementalFold
from muninn_core.store.records.change import required_ids
from muninn_core.store.records.fast_parse import reparse
from muninn_core.store.records.record import VERSION, MalformedRecord, Record, make_record, remedy
from muninn_core.store.records.timestamps import next_millisecond, timestamp

MANY_CREATED = 50_000
"""Memories whose objects are worth freeing, 1.2 kB each. Each that a question needs is then created in 20 µs."""


class Sealed(Value):
    """The result of sealing: the segments, relative to the root, and the number of their records."""

    segments: tuple[str, ...] = ()
    records: int = 0


class _View(Value):
    """What readers see; replaced as a whole."""

    state: State
    malformed: tuple[Malformed, ...]
    problems: tuple[Problem, ...]
    unsealed: int
    segments: int


def open_log(layout: Layout, *, clock: Callable[[], datetime], ids: Callable[[], str], writable: bool = True) -> Log:
    """Open the log of a work tree. `clock` returns aware times.

    A writable log first repairs what a crash left: it deletes temporary files, repairs torn last lines and seals the
    spools of ended sessions. What it can't repair is in `problems`. Raises NotInitialised without `.muninn`.
    """
    if not layout.muninn.is_dir():
        raise NotInitialised(f"there is no .muninn in {layout.root}", hint="`muninn init` creates it.")
    return Log(layout, clock=clock, ids=ids, writable=writable)


class Log:
    """An open log; see `open_log`."""

    def __init__(
        self, layout: Layout, *, clock: Callable[[], datetime], ids: Callable[[], str], writable: bool
    ) -> None:
        self.layout = layout
        self.writable = writable
        self._clock = clock
        self._ids = ids
        self._lock = threading.RLock()
        self._fold = IncrementalFold(layout, writing=writable)
        self._appends = Appends()
        self._storage_problems: list[Problem] = []
        self._malformed: tuple[Malformed, ...] = ()
        self._segments = 0
        if writable:
            self._repair()
        self._fold.open()
        self._refresh_view()
        if writable and self._fold.spooled:
            self._seal_leftovers(list(self._fold.spooled))

    @property
    def state(self) -> State:
        """The current state: a snapshot that never changes."""
        return self._view.state

    def sealed_ids(self) -> set[str]:
        """Return the ids of the records in main.jsonl and the segments."""
        with self._lock:
            return self._fold.fold.slots.keys() - self._fold.fold.unsealed

    @property
    def position(self) -> int:
        """The number of distinct records."""
        return self._view.state.records

    @property
    def malformed(self) -> tuple[Malformed, ...]:
        """The lines that are not records; line 0 stands for a whole file."""
        return self._view.malformed

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems that a person should fix: malformed lines, and failed repairs."""
        return self._view.problems

    @property
    def unsealed(self) -> int:
        """The number of records that only the spool holds."""
        return self._view.unsealed

    @property
    def spooled(self) -> Mapping[str, int]:
        """The number of unsealed records by session."""
        with self._lock:
            return {session: len(lines.records) for session, lines in self._fold.spooled.items()}

    @property
    def segments(self) -> int:
        """The number of sealed segments that are not reconciled."""
        return self._view.segments

    def append(self, records: Sequence[Mapping[str, Any]], session: str) -> tuple[Record, ...]:
        """Store records, all or none; they are on disk when this returns.

        Missing `v`, `id`, `ts` and `session` are filled in. A filled-in `ts` of a change is later than the last change
        of its target. A record whose `key` is stored already is not stored again; the stored one is returned. Raises
        BadParams, ReadOnlyError or StorageError; then nothing is stored.
        """
        path = spool_path(self.layout, session)
        with self._lock:
            self._check_writable()
            stored, new_records = self._prepare(records, session)
            private, shared = self._split_private(new_records)
            check_size(private_path(self.layout, session), private, "Use another session name.")
            check_size(path, shared, "Run `muninn seal`, then store it again.")
            # The private records come last: promoting a note copies it before it archives the original.
            length = self._appends.write(path, shared)
            try:
                self._appends.write(private_path(self.layout, session), private)
            except MuninnError:
                self._appends.undo(path, length, shared)
                raise
            if shared:
                self._fold.spooled[session] = _extend(self._fold.spooled.get(session, Lines()), shared)
            self._note_private(private, session)
            if new_records:
                self._fold.add_unsealed(new_records)
                self._view = self._build_view()
            return stored

    def seal(self, session: str | None = None) -> Sealed:
        """Turn the spool of a session, or of all sessions, into segments that git can track. An empty spool makes none.

        Raises BadParams, ReadOnlyError or StorageError; what was not sealed stays in the spool.
        """
        if session is not None:
            spool_path(self.layout, session)
        with self._lock:
            self._check_writable()
            self.refresh()
            names = sorted(self._fold.spooled) if session is None else [session]
            sealed = [self._seal_one(name) for name in names if name in self._fold.spooled]
            self._refresh_view()
            return Sealed(
                segments=tuple(path for sealed_session in sealed for path in sealed_session.segments),
                records=sum(sealed_session.records for sealed_session in sealed),
            )

    def is_imported(self, identity: str) -> bool:
        """Whether a record came from a bundle."""
        with self._lock:
            record = self._fold.fold.record(identity)
        return record is not None and "imported" in record.data

    @property
    def records(self) -> Mapping[str, Record]:
        """All records by id; a snapshot."""
        with self._lock:
            return self._fold.fold.all_records()

    def record_of_key(self, key: str) -> Record | None:
        """Return the first record stored under an idempotency key, None for a new key."""
        with self._lock:
            return self._fold.record_of_key(key)

    def redact(self, ids: Sequence[str], *, texts: tuple[str, ...], actor: str, session: str) -> tuple[str, ...]:
        """Redact memories in every file, tracked ones included; return the changed files, relative to the root.

        The redact records are stored first, so a call after an interruption completes it. Malformed lines that contain
        one of `texts` are deleted. Raises ReadOnlyError or StorageError.
        """
        with self._lock:
            self._check_writable()
            records = self._fold.fold.records
            redacted = {record.data["target"] for record in records.values() if record.type == "redact"}
            missing = [identity for identity in ids if identity in records and identity not in redacted]
            self.append([{"type": "redact", "actor": actor, "target": identity} for identity in missing], session)
            self._appends.repair_all()
            delete_journals(self.layout)  # undo would restore the text
            self._fold.delete_cache()
            try:
                changed = redact_files(self.layout, redaction_subject(set(ids), self._fold.fold.records, texts))
            except OSError as error:
                raise StorageError(
                    f"can't read a file of records: {error}", hint="Fix it, then redact again."
                ) from error
            finally:
                self._reload()
            return tuple(self.layout.relative(path) for path in changed)

    def read_again(self) -> None:
        """Read all files again, its own spools included, after they were deleted or replaced."""
        with self._lock:
            self._appends.forget()
            self._reload()

    def adopt(self, sessions: Iterable[str]) -> None:
        """Seal the spools, and read the private records, of sessions whose files were moved here while the log is open.

        What can't be sealed is in `problems`. Raises StorageError or ReadOnlyError.
        """
        with self._lock:
            self._check_writable()
            self._appends.repair_all()
            for session in sessions:
                for path in (spool_path(self.layout, session), private_path(self.layout, session)):
                    if path.exists():
                        repair_last_line(self.layout, path)
            self._reload()
            self._seal_leftovers(sessions)

    def import_records(self, new: Sequence[Record], replaced: Sequence[Record], session: str) -> None:
        """Store records of a bundle, and replace those that share an id with `replaced`; all or none.

        A record that was redacted meanwhile stays as it is. Raises BadParams, ReadOnlyError or StorageError.
        """
        with self._lock:
            self._check_writable()
            undo: dict[Path, bytes] = {}
            try:
                known = self._fold.fold.all_records() if replaced else {}
                kept = {
                    each.id for each in replaced if each.id in known and known[each.id].data.get("redacted") is True
                }
                fresh = {each.id: each for each in replaced if each.id not in kept}
                if fresh:
                    replace_records(self.layout, fresh, undo)
                    self._reload()
                self.append([record.data for record in new], session)
            except (MuninnError, OSError):
                for path, content in undo.items():
                    write_atomic(path, content, tracked=True)
                self._reload()
                raise

    def _reload(self) -> None:
        """Read all files again after records were changed in place."""
        self._fold.reload()
        self._refresh_view()

    def refresh(self, *, wait: bool = True, brief: bool = False) -> bool:
        """Read what git or a person changed in the files; return whether anything changed.

        Without `wait` it does nothing while another thread writes, so that a reader never waits for the disk. A `brief`
        scan is almost free and sees all that git does; it sees a person's edit within a segment some seconds late.
        """
        if not self._lock.acquire(blocking=wait):
            return False
        try:
            if self._fold.is_deleted():
                self._fold.reload()
            elif not self._fold.update(brief=brief):
                return False
            self._refresh_view()
            return True
        finally:
            self._lock.release()

    def save_cache(self, least: int = MIN_CHANGED_RECORDS) -> bool:
        """Cache the fold of the sealed files when enough changed; return whether it was saved.

        `least` is the number of records in files that differ from the cache. A failed write returns False: the cache
        only saves time.
        """
        with self._lock:
            try:
                saved = self.writable and self._fold.save_cache(least)
            except MuninnError:
                return False
            if saved:  # records are read from the cache now, and those in memory are free
                self._view = self._build_view()
            return saved

    def release_memory(self) -> bool:
        """Free the memories that the cached fold has, if they are many; return whether they were freed.

        They are created again when they are used. Earlier states stay valid, and keep theirs.
        """
        with self._lock:
            if not self._fold.fold.forget(MANY_CREATED):
                return False
            self._view = self._build_view()
            return True

    def drain_changed(self) -> tuple[set[str] | None, State]:
        """Return the ids of the memories that may have changed since the last call, and the state with these changes.

        The ids are None when any memory may have changed.
        """
        with self._lock:
            incremental = self._fold
            changed = None if incremental.replaced else incremental.fold.changed
            incremental.fold.changed, incremental.replaced = set(), False
            return changed, self._view.state

    def _check_writable(self) -> None:
        if not self.writable:
            raise ReadOnlyError(
                "memory is open for reading only",
                hint="Check the folder's permissions, or stop the process that holds it.",
            )

    def _prepare(
        self, records: Sequence[Mapping[str, Any]], session: str
    ) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
        stored: list[Record] = []
        new_records: dict[str, Record] = {}
        keyed: dict[str, Record] = {}
        for data in records:
            key = data.get("key")
            existing = (self._fold.record_of_key(key) or keyed.get(key)) if isinstance(key, str) and key else None
            if existing is None:
                record = self._make_record(data, session)
                existing = self._fold.fold.records.get(record.id) or new_records.get(record.id)
                if existing is None:
                    existing = new_records[record.id] = record
                elif not existing.has_same_content(record):
                    raise BadParams(f"another record has the id '{record.id}'", hint="Use a new id.")
                if record.key:
                    keyed[record.key] = existing
            stored.append(existing)
        return tuple(stored), tuple(new_records.values())

    def _make_record(self, data: Mapping[str, Any], session: str) -> Record:
        now = timestamp(self._clock())
        filled = {"v": VERSION, "session": session, "ts": now, **data}
        if "id" not in filled:
            filled["id"] = self._ids()
        try:
            record = make_record(filled)
            latest = "" if "ts" in data else self._fold.fold.latest_change(required_ids(record.data))
            # The change with the latest time wins, so a slow clock must not make this one lose.
            return reparse(record if latest < now else make_record({**filled, "ts": next_millisecond(latest)}))
        except MalformedRecord as error:
            raise BadParams(f"this is not a record: {error}", hint="docs/formats/log.md has the format.") from None

    def _split_private(self, new_records: Sequence[Record]) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
        """Split records into private ones, which stay on this machine, and those to be sealed."""
        private_ids = set(self._fold.private_ids)
        for record in new_records:
            data = record.data
            if data.get("private") is True or private_ids.intersection(required_ids(data)):
                private_ids.add(record.id)
        private = tuple(record for record in new_records if record.id in private_ids)
        return private, tuple(record for record in new_records if record.id not in private_ids)

    def _note_private(self, private: tuple[Record, ...], session: str) -> None:
        if private:
            path = private_path(self.layout, session)
            self._fold.private[path] = _extend(self._fold.private.get(path, Lines()), private)
            self._fold.private_ids.update(record.id for record in private)

    def _seal_one(self, session: str) -> Sealed:
        path = spool_path(self.layout, session)
        self._appends.repair(path)
        content, count = unsealed_lines(read_content(path), self._fold.is_sealed) if path.exists() else (b"", 0)
        segments: tuple[str, ...] = ()
        if content:
            segment = segment_path(self.layout, session, content)
            if not segment.exists():
                write_atomic(segment, content, tracked=True)
            self._fold.add_segment(segment, content)
            segments = (self.layout.relative(segment),)
        remove(path)
        del self._fold.spooled[session]
        self._storage_problems = [
            trouble for trouble in self._storage_problems if trouble.path != self.layout.relative(path)
        ]
        return Sealed(segments=segments, records=count)

    def _repair(self) -> None:
        try:
            delete_temporary_files(self.layout)
        except (MuninnError, OSError) as error:
            self._storage_problems.append(_error_problem("storage", error))
        for session, path in list_spools(self.layout).items():
            try:
                spool_path(self.layout, session)
                repair_last_line(self.layout, path)
            except (MuninnError, OSError) as error:
                self._storage_problems.append(_error_problem("storage", error, self.layout.relative(path)))
                if isinstance(error, BadParams):
                    continue
            self._fold.spooled[session] = self._fold.read_file(path)
        for path in private_files(self.layout):
            try:
                repair_last_line(self.layout, path)
            except (MuninnError, OSError) as error:
                self._storage_problems.append(_error_problem("storage", error, self.layout.relative(path)))
        self._fold.read_private()

    def _seal_leftovers(self, sessions: Iterable[str]) -> None:
        for session in sorted(self._fold.spooled.keys() & set(sessions)):
            try:
                self._seal_one(session)
            except (MuninnError, OSError) as error:
                shown = self.layout.relative(spool_path(self.layout, session))
                self._storage_problems.append(_error_problem("unsealed", error, shown))
        self._refresh_view()

    def _refresh_view(self) -> None:
        """Rebuild the view, including what only changes with the files."""
        torn = tuple(
            Malformed(path=self.layout.relative(path), line=0, reason="part of a line that a crash cut off")
            for path in torn_files(self.layout)
        )
        self._malformed = self._fold.malformed() + torn
        self._segments = self._fold.segments()
        self._view = self._build_view()

    def _build_view(self) -> _View:
        return _View(
            state=self._fold.state(),
            malformed=self._malformed,
            problems=(*map(_malformed_problem, self._malformed), *self._storage_problems),
            unsealed=self._fold.unsealed(),
            segments=self._segments,
        )


def _extend(lines: Lines, records: tuple[Record, ...]) -> Lines:
    return replace(lines, records=(*lines.records, *records))


def _malformed_problem(malformed: Malformed) -> Problem:
    hint = f"{remedy(malformed.reason)}. Until then it is skipped and kept."
    if malformed.line == 0:
        hint = "Check whether the file has anything worth keeping, then fix or delete it."
    return Problem(kind="malformed", message=malformed.reason, path=malformed.path, line=malformed.line, hint=hint)


def _error_problem(kind: str, error: MuninnError | OSError, path: str = "") -> Problem:
    hint = error.hint if isinstance(error, MuninnError) else "Check the folder's permissions."
    return Problem(kind=kind, message=str(error), path=path, hint=hint)
