"""The memory log of one work tree: appending, sealing, and what readers see of it.

One process writes, holding a lock that is not this module's. Its threads may all call the log; readers take `state`,
which is replaced as a whole and never changes. What the files say together is `gathered`'s affair.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from muninn_core.errors import BadParams, MuninnError, NotInitialised, ReadOnlyError, StorageError
from muninn_core.model.value import Value, replace
from muninn_core.protocol.repository import Problem
from muninn_core.store.change import needs
from muninn_core.store.disk import append, cut, remove, write_whole
from muninn_core.store.fast_parse import as_read
from muninn_core.store.fold import State
from muninn_core.store.incremental_fold import WORTH_KEEPING, IncrementalFold
from muninn_core.store.layout import Layout
from muninn_core.store.lines import LARGEST_BYTES, Lines, Malformed, unsealed_lines
from muninn_core.store.record import VERSION, MalformedRecord, Record, make_record
from muninn_core.store.redact import blank_files, replace_records, subject_of
from muninn_core.store.spool import (
    private_files,
    private_path,
    repair,
    segment_path,
    spool_path,
    spools,
    sweep,
    torn_pieces,
)
from muninn_core.store.stamp import later, timestamp
from muninn_core.store.undo_journal import forget


class Sealed(Value):
    """What sealing wrote: segments, relative to the root, and how many records they hold."""

    segments: tuple[str, ...] = ()
    records: int = 0


class _View(Value):
    """All that readers see, replaced as a whole."""

    state: State
    malformed: tuple[Malformed, ...]
    problems: tuple[Problem, ...]
    unsealed: int
    segments: int


def open_log(layout: Layout, *, clock: Callable[[], datetime], ids: Callable[[], str], writable: bool = True) -> Log:
    """Open the log of a work tree. `clock` gives aware times.

    A writable log first heals what a crash left: temporary files go, a torn last line is mended, and the spools
    that are there, whose sessions died with their process, are sealed. What can't be healed is among the problems.
    Raises NotInitialised when there is no `.muninn`.
    """
    if not layout.muninn.is_dir():
        raise NotInitialised(f"there is no .muninn in {layout.root}", hint="`muninn init` makes it.")
    return Log(layout, clock=clock, ids=ids, writable=writable)


class Log:
    """An open log; `open_log` makes it."""

    def __init__(
        self, layout: Layout, *, clock: Callable[[], datetime], ids: Callable[[], str], writable: bool
    ) -> None:
        self.layout = layout
        self.writable = writable
        self._clock = clock
        self._ids = ids
        self._lock = threading.RLock()
        self._gathered = IncrementalFold(layout, writing=writable)
        self._cut_to: dict[str, int] = {}
        self._troubles: list[Problem] = []
        self._malformed: tuple[Malformed, ...] = ()
        self._segments = 0
        if writable:
            self._heal()
        self._gathered.open()
        self._look_anew()
        if writable and self._gathered.spooled:
            self._seal_the_dead()

    @property
    def state(self) -> State:
        """What the log says now: a snapshot that never changes."""
        return self._view.state

    def sealed_ids(self) -> set[str]:
        """Return the ids of the records that main.jsonl or a segment holds."""
        with self._lock:
            return self._gathered.fold.slots.keys() - self._gathered.fold.unsealed

    @property
    def position(self) -> int:
        """The number of distinct records."""
        return self._view.state.records

    @property
    def malformed(self) -> tuple[Malformed, ...]:
        """The lines that could not be read; line 0 is a whole file."""
        return self._view.malformed

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What a person should mend: the malformed lines, and what opening could not heal."""
        return self._view.problems

    @property
    def unsealed(self) -> int:
        """How many records only the spool holds."""
        return self._view.unsealed

    @property
    def spooled(self) -> Mapping[str, int]:
        """How many records each session has that only the spool holds."""
        with self._lock:
            return {session: len(lines.records) for session, lines in self._gathered.spooled.items()}

    @property
    def segments(self) -> int:
        """How many sealed segments wait to be reconciled."""
        return self._view.segments

    def append(self, records: Sequence[Mapping[str, Any]], session: str) -> tuple[Record, ...]:
        """Store records, all or none; they are on the disk when this returns.

        `v`, `id`, `ts` and `session` are filled in where absent; the time of a change is then never before the last
        word on what it changes. A record whose `key` is known is not stored again: the stored one is returned.
        Raises BadParams, ReadOnlyError or StorageError; nothing is stored then.
        """
        path = spool_path(self.layout, session)
        with self._lock:
            self._check_writable()
            given, fresh = self._prepare(records, session)
            private, shared = self._apart(fresh)
            _check_room(private_path(self.layout, session), private, "Name another session.")
            _check_room(path, shared, "`muninn seal` makes a file of the session so far; then store it again.")
            self._append_private(private, session)
            if shared:
                length = self._length(session, path)
                try:
                    append(path, _written(shared), self._cut_to.get(session))
                except MuninnError:
                    self._cut_to[session] = length
                    self._take_back(private, session)
                    raise
                self._cut_to.pop(session, None)
                self._gathered.spooled[session] = _longer(self._gathered.spooled.get(session, Lines()), shared)
            if fresh:
                self._gathered.add_own(fresh)
                self._view = self._look()
            return given

    def seal(self, session: str | None = None) -> Sealed:
        """Turn the spool of a session, or of all, into segments that git can carry; an empty one makes none.

        Raises BadParams, ReadOnlyError or StorageError; what was not sealed stays in the spool.
        """
        if session is not None:
            spool_path(self.layout, session)
        with self._lock:
            self._check_writable()
            self.refresh()
            names = sorted(self._gathered.spooled) if session is None else [session]
            sealed = [self._seal_one(name) for name in names if name in self._gathered.spooled]
            self._look_anew()
            return Sealed(
                segments=tuple(path for one in sealed for path in one.segments),
                records=sum(one.records for one in sealed),
            )

    @property
    def records(self) -> Mapping[str, Record]:
        """All records by id, as they are now."""
        with self._lock:
            return self._gathered.fold.all_records()

    def redact(self, ids: Sequence[str], *, texts: tuple[str, ...], actor: str, session: str) -> tuple[str, ...]:
        """Blank memories in every file, tracked ones too; return the files that changed, relative to the root.

        The redact records are stored first: what a crash interrupts, the next call ends. `texts` are the wordings that
        tell a broken line. Raises ReadOnlyError or StorageError.
        """
        with self._lock:
            self._check_writable()
            records = self._gathered.fold.records
            redacted = {record.data["target"] for record in records.values() if record.type == "redact"}
            missing = [identity for identity in ids if identity not in redacted]
            self.append([{"type": "redact", "actor": actor, "target": identity} for identity in missing], session)
            for name in list(self._cut_to):
                cut(spool_path(self.layout, name), self._cut_to.pop(name))
            forget(self.layout)  # undo would bring the text back
            self._gathered.drop_kept()
            try:
                changed = blank_files(self.layout, subject_of(set(ids), self._gathered.fold.records, texts))
            except OSError as error:
                raise StorageError(f"a file of records can't be read: {error}", hint="Redact again.") from error
            finally:
                self._follow_rewrite()
            return tuple(self.layout.relative(path) for path in changed)

    def take_in(self, new: Sequence[Record], replaced: Sequence[Record], session: str) -> None:
        """Store records of a bundle and put others in the place of those that have their ids; all or none.

        Raises BadParams, ReadOnlyError or StorageError.
        """
        with self._lock:
            self._check_writable()
            undo: dict[Path, bytes] = {}
            try:
                if replaced:
                    replace_records(self.layout, {record.id: record for record in replaced}, undo)
                    self._follow_rewrite()
                self.append([record.data for record in new], session)
            except (MuninnError, OSError):
                for path, content in undo.items():
                    write_whole(path, content)
                self._follow_rewrite()
                raise

    def _follow_rewrite(self) -> None:
        """Take in that records were changed in place, in any of the files."""
        self._gathered.start_over()
        self._look_anew()

    def refresh(self, *, wait: bool = True, brief: bool = False) -> bool:
        """Follow what changed in the files, by git or by hand; say whether something had.

        Without `wait` nothing is done while somebody writes: a reader must not stand behind a disk. A `brief` look
        costs next to nothing and sees all that git does, but a person's edit within a segment some seconds late.
        """
        if not self._lock.acquire(blocking=wait):
            return False
        try:
            if self._gathered.is_deleted():
                self._gathered.start_over()
            elif not self._gathered.follow(brief=brief):
                return False
            self._look_anew()
            return True
        finally:
            self._lock.release()

    def keep(self, least: int = WORTH_KEEPING) -> bool:
        """Keep what the sealed files say in the cache, where that saves the next opening more than a moment.

        `least` is how many records must be in files that are not as they were kept. Say whether it was done: a cache
        that can't be written costs time, nothing else.
        """
        with self._lock:
            try:
                return self.writable and self._gathered.keep(least)
            except MuninnError:
                return False

    def take_changed(self) -> set[str] | None:
        """Return the ids of the memories that may have changed since the last call; None when any of them may have.

        What they are now is in a `state` that is taken afterwards.
        """
        with self._lock:
            gathered = self._gathered
            changed = None if gathered.anew else gathered.fold.changed
            gathered.fold.changed, gathered.anew = set(), False
            return changed

    def _check_writable(self) -> None:
        if not self.writable:
            raise ReadOnlyError(
                "memory is open for reading only", hint="Check the folder's permissions, or stop who holds it."
            )

    def _prepare(
        self, records: Sequence[Mapping[str, Any]], session: str
    ) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
        given: list[Record] = []
        fresh: dict[str, Record] = {}
        keyed: dict[str, Record] = {}
        for data in records:
            key = data.get("key")
            known = (self._gathered.of_key(key) or keyed.get(key)) if isinstance(key, str) and key else None
            if known is None:
                record = self._made(data, session)
                known = self._gathered.fold.records.get(record.id) or fresh.get(record.id)
                if known is None:
                    known = fresh[record.id] = record
                elif not known.says_as(record):
                    raise BadParams(f"another record has the id '{record.id}'", hint="Ids are made once.")
                if record.key:
                    keyed[record.key] = known
            given.append(known)
        return tuple(given), tuple(fresh.values())

    def _made(self, data: Mapping[str, Any], session: str) -> Record:
        now = timestamp(self._clock())
        filled = {"v": VERSION, "session": session, "ts": now, **data}
        if "id" not in filled:
            filled["id"] = self._ids()
        try:
            record = make_record(filled)
            said = "" if "ts" in data else self._gathered.fold.latest(needs(record.data))
            # The last word counts by its time, so a clock behind that of an earlier writer must not mute this one.
            return as_read(record if said < now else make_record({**filled, "ts": later(said)}))
        except MalformedRecord as error:
            raise BadParams(f"this is no record: {error}", hint="docs/formats/log.md says what one is.") from None

    def _apart(self, fresh: Sequence[Record]) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
        """Part what stays on this machine from what is sealed one day."""
        hidden = set(self._gathered.hidden)
        for record in fresh:
            data = record.data
            if data.get("private") is True or hidden.intersection(needs(data)):
                hidden.add(record.id)
        private = tuple(record for record in fresh if record.id in hidden)
        return private, tuple(record for record in fresh if record.id not in hidden)

    def _append_private(self, private: tuple[Record, ...], session: str) -> None:
        if private:
            path = private_path(self.layout, session)
            append(path, _written(private))
            self._gathered.private[path] = _longer(self._gathered.private.get(path, Lines()), private)
            self._gathered.hidden.update(record.id for record in private)

    def _take_back(self, private: tuple[Record, ...], session: str) -> None:
        """Undo `_append_private`: the rest of the call could not be stored."""
        if private:
            path = private_path(self.layout, session)
            cut(path, path.stat().st_size - len(_written(private)))
            lines = self._gathered.private[path]
            self._gathered.private[path] = replace(lines, records=lines.records[: -len(private)])
            self._gathered.hidden.difference_update(record.id for record in private)

    def _length(self, session: str, path: Path) -> int:
        if session in self._cut_to:
            return self._cut_to[session]
        try:
            return path.stat().st_size
        except OSError:
            return 0

    def _seal_one(self, session: str) -> Sealed:
        path = spool_path(self.layout, session)
        if session in self._cut_to and path.exists():
            cut(path, self._cut_to[session])
        self._cut_to.pop(session, None)
        content, count = unsealed_lines(path.read_bytes(), self._gathered.is_sealed) if path.exists() else (b"", 0)
        segments: tuple[str, ...] = ()
        if content:
            segment = segment_path(self.layout, session, content)
            if not segment.exists():
                write_whole(segment, content)
            self._gathered.hold(segment, content)
            segments = (self.layout.relative(segment),)
        remove(path)
        del self._gathered.spooled[session]
        self._troubles = [trouble for trouble in self._troubles if trouble.path != self.layout.relative(path)]
        return Sealed(segments=segments, records=count)

    def _heal(self) -> None:
        try:
            sweep(self.layout)
        except (MuninnError, OSError) as error:
            self._troubles.append(_problem("storage", error))
        for session, path in spools(self.layout).items():
            try:
                spool_path(self.layout, session)
                repair(self.layout, path)
            except (MuninnError, OSError) as error:
                self._troubles.append(_problem("storage", error, self.layout.relative(path)))
                if isinstance(error, BadParams):
                    continue
            self._gathered.spooled[session] = self._gathered.read(path)
        for path in private_files(self.layout):
            try:
                repair(self.layout, path)
            except (MuninnError, OSError) as error:
                self._troubles.append(_problem("storage", error, self.layout.relative(path)))
        self._gathered.read_private()

    def _seal_the_dead(self) -> None:
        for session in sorted(self._gathered.spooled):
            try:
                self._seal_one(session)
            except (MuninnError, OSError) as error:
                shown = self.layout.relative(spool_path(self.layout, session))
                self._troubles.append(_problem("unsealed", error, shown))
        self._look_anew()

    def _look_anew(self) -> None:
        """Take note of what only changes with the files, too: storing a record need not count it again."""
        torn = tuple(
            Malformed(path=self.layout.relative(path), line=0, reason="the bytes of a line that a crash cut off")
            for path in torn_pieces(self.layout)
        )
        self._malformed = self._gathered.malformed() + torn
        self._segments = self._gathered.segments()
        self._view = self._look()

    def _look(self) -> _View:
        return _View(
            state=self._gathered.state(),
            malformed=self._malformed,
            problems=(*map(_as_problem, self._malformed), *self._troubles),
            unsealed=self._gathered.unsealed(),
            segments=self._segments,
        )


def _check_room(path: Path, records: Sequence[Record], hint: str) -> None:
    """Raise StorageError when a file would become too large to be read again: what is acknowledged must be."""
    more = sum(len(record.line) + 1 for record in records)
    if more and more + (path.stat().st_size if path.exists() else 0) > LARGEST_BYTES:
        raise StorageError(f"{path} would have more than {LARGEST_BYTES:,} bytes; nothing was stored", hint=hint)


def _written(records: Iterable[Record]) -> bytes:
    return b"".join(record.line + b"\n" for record in records)


def _longer(lines: Lines, records: tuple[Record, ...]) -> Lines:
    return replace(lines, records=(*lines.records, *records))


def _as_problem(malformed: Malformed) -> Problem:
    hint = "Mend or delete the line; until then it is skipped, and kept."
    if malformed.line == 0:
        hint = "Look whether something in it is worth keeping, then delete or mend the file."
    return Problem(kind="malformed", message=malformed.reason, path=malformed.path, line=malformed.line, hint=hint)


def _problem(kind: str, error: MuninnError | OSError, path: str = "") -> Problem:
    hint = error.hint if isinstance(error, MuninnError) else "Check the folder's permissions."
    return Problem(kind=kind, message=str(error), path=path, hint=hint)
