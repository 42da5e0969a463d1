"""The memory log of one work tree: appending, sealing, and following what git does to the files.

One process writes, holding a lock that is not this module's. Its threads may all call the log; readers take `state`,
which is replaced as a whole and never changes. Knows no git: it sees files come and go.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from muninn_core.errors import BadParams, MuninnError, NotInitialised, ReadOnlyError, StorageError
from muninn_core.model.value import Value, replace
from muninn_core.protocol.results import Problem
from muninn_core.store.bulk import uncollected
from muninn_core.store.change import needs
from muninn_core.store.disk import append, cut, remove, write_whole
from muninn_core.store.fold import Fold, State
from muninn_core.store.journal import forget
from muninn_core.store.layout import Layout
from muninn_core.store.lines import Lines, Malformed, read_content, read_lines, unsealed_lines
from muninn_core.store.record import VERSION, MalformedRecord, Record, encode_line, make_record, preferred
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

_Signature = tuple[int, int, int, int]

_MANY_GONE = 0.2
"""When more than this share of the records went from where they were, folding anew costs less."""


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
        self._files: dict[Path, tuple[_Signature | None, Lines]] = {}
        self._spooled: dict[str, Lines] = {}
        self._private: dict[Path, Lines] = {}
        self._hidden: set[str] = set()
        """The ids of private records; what changes one of them is private, too."""
        self._cut_to: dict[str, int] = {}
        self._keyed: dict[str, Record] = {}
        self._troubles: list[Problem] = []
        self._torn: tuple[Malformed, ...] = ()
        self._read_private_records = self._segments = 0
        self._fold = Fold()
        self._folded_anew = True
        self._glanced: dict[str, _Signature] | None = None
        if writable:
            self._heal()
        with uncollected():
            self._reread()
            self._fold_all()
        self._look_at_files()
        self._view = self._look()
        if writable and self._spooled:
            self._seal_the_dead()

    @property
    def state(self) -> State:
        """What the log says now: a snapshot that never changes."""
        return self._view.state

    def sealed_ids(self) -> set[str]:
        """Return the ids of the records that main.jsonl or a segment holds."""
        with self._lock:
            return set(self._fold.records.keys() - self._fold.unsealed)

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
            self._append_private(private, session)
            if shared:
                length = self._length(session, path)
                try:
                    append(path, b"".join(map(encode_line, shared)), self._cut_to.get(session))
                except MuninnError:
                    self._cut_to[session] = length
                    self._take_back(private, session)
                    raise
                self._cut_to.pop(session, None)
                self._spooled[session] = _longer(self._spooled.get(session, Lines()), shared)
            if fresh:
                self._fold.add(fresh, sealed=False)
                self._learn_keys(fresh)
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
            names = sorted(self._spooled) if session is None else [session]
            sealed = [self._seal_one(name) for name in names if name in self._spooled]
            self._look_at_files()
            self._view = self._look()
            return Sealed(
                segments=tuple(path for one in sealed for path in one.segments),
                records=sum(one.records for one in sealed),
            )

    @property
    def records(self) -> Mapping[str, Record]:
        """All records by id, as they are now."""
        with self._lock:
            return dict(self._fold.records)

    def redact(self, ids: Sequence[str], *, texts: tuple[str, ...], actor: str, session: str) -> tuple[str, ...]:
        """Blank memories in every file, tracked ones too; return the files that changed, relative to the root.

        The redact records are stored first: what a crash interrupts, the next call ends. `texts` are the wordings that
        tell a broken line. Raises ReadOnlyError or StorageError.
        """
        with self._lock:
            self._check_writable()
            redacted = {record.data["target"] for record in self._fold.records.values() if record.type == "redact"}
            missing = [identity for identity in ids if identity not in redacted]
            self.append([{"type": "redact", "actor": actor, "target": identity} for identity in missing], session)
            for name in list(self._cut_to):
                cut(spool_path(self.layout, name), self._cut_to.pop(name))
            forget(self.layout)  # undo would bring the text back
            try:
                changed = blank_files(self.layout, subject_of(set(ids), self._fold.records, texts))
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
        self._spooled = {session: self._read(path) for session, path in spools(self.layout).items()}
        self._read_private()
        self._glanced = None
        self._reread()
        self._refold()
        self._look_at_files()
        self._view = self._look()

    def refresh(self, *, wait: bool = True) -> bool:
        """Follow what changed in the files, by git or by hand; cheap when nothing did. Say whether something had.

        Without `wait` nothing is done while somebody writes: a reader must not stand behind a disk.
        """
        if not self._lock.acquire(blocking=wait):
            return False
        try:
            before = self._files
            if not self._reread():
                return False
            if not self._take_in(before):
                with uncollected():
                    self._refold()
            self._look_at_files()
            self._view = self._look()
            return True
        finally:
            self._lock.release()

    def take_changed(self) -> set[str] | None:
        """Return the ids of the memories that may have changed since the last call; None when any of them may have.

        What they are now is in a `state` that is taken afterwards.
        """
        with self._lock:
            changed = None if self._folded_anew else self._fold.changed
            self._fold.changed, self._folded_anew = set(), False
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
            known = (self._keyed.get(key) or keyed.get(key)) if isinstance(key, str) else None
            if known is None:
                record = self._made(data, session)
                known = self._fold.records.get(record.id) or fresh.get(record.id)
                if known is None:
                    known = fresh[record.id] = record
                elif known.data != record.data:
                    raise BadParams(f"another record has the id '{record.id}'", hint="Ids are made once.")
                if isinstance(key, str):
                    keyed[key] = known
            given.append(known)
        return tuple(given), tuple(fresh.values())

    def _made(self, data: Mapping[str, Any], session: str) -> Record:
        now = timestamp(self._clock())
        filled = {"v": VERSION, "session": session, "ts": now, **data}
        if "id" not in filled:
            filled["id"] = self._ids()
        try:
            record = make_record(filled)
            said = "" if "ts" in data else self._fold.latest(needs(record.data))
            # The last word counts by its time, so a clock behind that of an earlier writer must not mute this one.
            return record if said < now else make_record({**filled, "ts": later(said)})
        except MalformedRecord as error:
            raise BadParams(f"this is no record: {error}", hint="docs/formats/log.md says what one is.") from None

    def _apart(self, fresh: Sequence[Record]) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
        """Part what stays on this machine from what is sealed one day."""
        hidden = set(self._hidden)
        for record in fresh:
            if record.data.get("private") is True or hidden.intersection(needs(record.data)):
                hidden.add(record.id)
        private = tuple(record for record in fresh if record.id in hidden)
        return private, tuple(record for record in fresh if record.id not in hidden)

    def _append_private(self, private: tuple[Record, ...], session: str) -> None:
        if private:
            path = private_path(self.layout, session)
            append(path, b"".join(map(encode_line, private)))
            self._private[path] = _longer(self._private.get(path, Lines()), private)
            self._hidden.update(record.id for record in private)

    def _take_back(self, private: tuple[Record, ...], session: str) -> None:
        """Undo `_append_private`: the rest of the call could not be stored."""
        if private:
            path = private_path(self.layout, session)
            cut(path, path.stat().st_size - sum(len(encode_line(record)) for record in private))
            lines = self._private[path]
            self._private[path] = replace(lines, records=lines.records[: -len(private)])
            self._hidden.difference_update(record.id for record in private)

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
        content, count = unsealed_lines(path.read_bytes(), self._is_sealed) if path.exists() else (b"", 0)
        segments: tuple[str, ...] = ()
        if content:
            segment = segment_path(self.layout, session, content)
            if not segment.exists():
                write_whole(segment, content)
            self._files[segment] = (_signature(segment), read_lines(content, self.layout.relative(segment)))
            self._fold.add(self._files[segment][1].records, sealed=True)
            self._glanced = None  # a file that we wrote ourselves: the next look is a careful one
            segments = (self.layout.relative(segment),)
        remove(path)
        del self._spooled[session]
        self._troubles = [trouble for trouble in self._troubles if trouble.path != self.layout.relative(path)]
        return Sealed(segments=segments, records=count)

    def _is_sealed(self, identity: str) -> bool:
        return identity in self._fold.records and identity not in self._fold.unsealed

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
            self._spooled[session] = self._read(path)
        for path in private_files(self.layout):
            try:
                repair(self.layout, path)
            except (MuninnError, OSError) as error:
                self._troubles.append(_problem("storage", error, self.layout.relative(path)))
        self._read_private()

    def _read_private(self) -> None:
        self._private = {path: self._read(path) for path in private_files(self.layout)}
        self._hidden = {record.id for lines in self._private.values() for record in lines.records}

    def _seal_the_dead(self) -> None:
        for session in sorted(self._spooled):
            try:
                self._seal_one(session)
            except (MuninnError, OSError) as error:
                shown = self.layout.relative(spool_path(self.layout, session))
                self._troubles.append(_problem("unsealed", error, shown))
        self._look_at_files()
        self._view = self._look()

    def _reread(self) -> bool:
        """Read the files that are new or changed; say whether there were any, or one is gone."""
        glance = self._glance()
        if glance == self._glanced:
            return False
        self._glanced = glance  # taken before the files are read: what changes meanwhile is seen the next time
        known = {str(path): (path, entry) for path, entry in self._files.items()}
        now: dict[Path, tuple[_Signature | None, Lines]] = {}
        for name in sorted(name for name in glance if name.endswith(".jsonl")):
            path, entry = known.get(name) or (Path(name), None)
            now[path] = entry if entry and entry[0] == glance[name] else (glance[name], self._read(path))
        if now.keys() == self._files.keys() and all(now[path] is self._files[path] for path in now):
            return False
        self._files = now
        return True

    def _glance(self) -> dict[str, _Signature]:
        """Return what tells whether anything changed. Every question asks, so it makes no paths and sorts nothing."""
        found: dict[str, _Signature] = {}
        others = () if self.writable else (self.layout.spool, self.layout.private)
        for folder in (self.layout.sessions, *others):
            try:
                entries = os.scandir(folder)
            except OSError:
                continue  # no folder
            with entries:
                for entry in entries:
                    try:
                        found[entry.path] = _told(entry.stat())
                    except OSError:
                        continue  # it went meanwhile, or is a link to nothing
        main = _signature(self.layout.main)
        return found if main is None else {**found, str(self.layout.main): main}

    def _read(self, path: Path) -> Lines:
        shown = self.layout.relative(path)
        try:
            return read_lines(read_content(path), shown)
        except OSError as error:
            reason = f"can't be read: {error.strerror or error}"
            return Lines(malformed=(Malformed(path=shown, line=0, reason=reason),))

    def _fold_all(self) -> None:
        """Fold every file into a fold that holds nothing yet."""
        unshared = [lines for path, (_, lines) in self._files.items() if self._is_unshared(path)]
        unshared += (*self._spooled.values(), *self._private.values())
        sealed = [lines for path, (_, lines) in self._files.items() if not self._is_unshared(path)]
        self._fold.add((record for lines in sealed for record in lines.records), sealed=True)
        self._fold.add((record for lines in unshared for record in lines.records), sealed=False)
        self._learn_keys(self._fold.records.values())

    def _is_unshared(self, path: Path) -> bool:
        return path.parent in (self.layout.spool, self.layout.private)

    def _take_in(self, before: Mapping[Path, tuple[_Signature | None, Lines]]) -> bool:
        """Fold in the files that came and out those that went; say whether that could be done and is worth it."""
        came = {path: lines for path, (_, lines) in self._files.items() if before.get(path) is not self._files[path]}
        went = {
            record.id
            for path, (_, lines) in before.items()
            if path not in self._files or path in came
            for record in lines.records
        }
        if went:
            unshared = any(self._is_unshared(path) for path in self._files)
            known = self._fold.records
            edited = any(
                record.id in went and known[record.id].data != record.data
                for lines in came.values()
                for record in lines.records
            )
            if unshared or edited or went & self._fold.varied or len(went) > _MANY_GONE * len(known):
                return False
            lost = went - {record.id for _, lines in self._files.values() for record in lines.records}
            own = (*self._spooled.values(), *self._private.values())
            if any(record.id in lost for lines in own for record in lines.records):
                return False
            self._fold_out(lost)
        for path, lines in came.items():
            self._fold.add(lines.records, sealed=not self._is_unshared(path))
            self._learn_keys(lines.records)
        return True

    def _fold_out(self, lost: set[str]) -> None:
        keyed = any(self._fold.records[identity].key for identity in lost)
        self._fold.remove(lost)
        if keyed:
            self._keyed = {}
            self._learn_keys(self._fold.records.values())

    def _refold(self) -> None:
        """Bring the fold in line with the files: by adding when they only grew, else from the start."""
        sealed: dict[str, Record] = {}
        unshared = (*self._spooled.values(), *self._private.values())
        spooled: list[Record] = [record for lines in unshared for record in lines.records]
        for path, (_, lines) in self._files.items():
            if self._is_unshared(path):
                spooled += lines.records
                continue
            for record in lines.records:
                known = sealed.get(record.id)
                sealed[record.id] = record if known is None or known.data == record.data else preferred(known, record)
        there = {**{record.id: record for record in spooled}, **sealed}
        grew = self.sealed_ids() <= sealed.keys() and all(
            identity in there and there[identity].data == record.data for identity, record in self._fold.records.items()
        )
        if not grew:
            self._fold = Fold(before=self._view.state.memories)
            self._folded_anew = True
            self._keyed = {}
        self._fold.add(sealed.values(), sealed=True)
        self._fold.add(spooled, sealed=False)
        self._learn_keys(self._fold.records.values())

    def _learn_keys(self, records: Iterable[Record]) -> None:
        for record in records:
            key = record.key
            if key:
                known = self._keyed.setdefault(key, record)
                if record.stamp < known.stamp:
                    self._keyed[key] = record

    def _look_at_files(self) -> None:
        """Take note of what only changes with the files: storing a record need not look again."""
        self._torn = tuple(
            Malformed(path=self.layout.relative(path), line=0, reason="the bytes of a line that a crash cut off")
            for path in torn_pieces(self.layout)
        )
        files = self._files.items()
        self._read_private_records = sum(
            len(lines.records) for path, (_, lines) in files if path.parent == self.layout.private
        )
        self._segments = sum(1 for path in self._files if path.parent == self.layout.sessions)

    def _look(self) -> _View:
        lines = [lines for _, lines in self._files.values()] + [*self._spooled.values(), *self._private.values()]
        malformed = tuple(one for each in lines for one in each.malformed)
        torn = self._torn
        return _View(
            state=self._fold.state(),
            malformed=malformed + torn,
            problems=(*map(_as_problem, malformed + torn), *self._troubles),
            unsealed=len(self._fold.unsealed) - self._read_private_records - len(self._hidden & self._fold.unsealed),
            segments=self._segments,
        )


def _longer(lines: Lines, records: tuple[Record, ...]) -> Lines:
    return replace(lines, records=(*lines.records, *records))


def _signature(path: Path) -> _Signature | None:
    try:
        return _told(path.stat())
    except OSError:
        return None


def _told(stat: os.stat_result) -> _Signature:
    return (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino)


def _as_problem(malformed: Malformed) -> Problem:
    hint = "Mend or delete the line; until then it is skipped, and kept."
    if malformed.line == 0:
        hint = "Look whether something in it is worth keeping, then delete or mend the file."
    return Problem(kind="malformed", message=malformed.reason, path=malformed.path, line=malformed.line, hint=hint)


def _problem(kind: str, error: MuninnError | OSError, path: str = "") -> Problem:
    hint = error.hint if isinstance(error, MuninnError) else "Check the folder's permissions."
    return Problem(kind=kind, message=str(error), path=path, hint=hint)
