"""The user's global memory: a log outside all repositories that several daemons append to.

Each process appends to its own spool and reads all spools; nothing is sealed. A lock on the folder, held while a few
lines are written, keeps redactions and appends apart.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from muninn_core.errors import BadParams, BusyError, MuninnError
from muninn_core.launch.lock import FileLock
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.repository import Problem
from muninn_core.store.files.disk import append, make_private_folder, translate_errors
from muninn_core.store.files.layout import shared_layout
from muninn_core.store.files.redact import redact_files, redaction_subject
from muninn_core.store.files.spool import ends_with_newline, repair_last_line
from muninn_core.store.folding.fold import State
from muninn_core.store.log import Log, open_log
from muninn_core.store.records.record import VERSION, MalformedRecord, Record, encode_line, make_record
from muninn_core.store.records.timestamps import next_millisecond, timestamp

log = logging.getLogger("muninn.global")

LOCK_ATTEMPTS = 500
"""How often the folder's lock is tried, every 10 ms. A holder only writes a few lines."""

_EMPTY_STATE = State(memories={})


class GlobalLog:
    """The global memory as one process sees it. Safe for several threads.

    `folder` need not exist: the first memory creates it with mode 0700. `name` is that of this process's spool.
    `pause(seconds)` waits while another process holds the folder.
    """

    def __init__(
        self,
        folder: Path,
        *,
        name: str,
        clock: Callable[[], datetime],
        ids: Callable[[], str],
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        self.layout = shared_layout(folder)
        self._spool = self.layout.spool / f"{name}.jsonl"
        self._clock = clock
        self._ids = ids
        self._pause = pause
        self._threads = threading.RLock()
        self._lock = FileLock(str(self.layout.root / "lock"))
        self._depth = 0
        self._log: Log | None = None
        self._marked: tuple[State, Mapping[str, Memory]] = (_EMPTY_STATE, {})

    @property
    def memories(self) -> Mapping[str, Memory]:
        """All global memories by id, with scope "global". A snapshot: the same object until something changes."""
        state = self.state
        seen, memories = self._marked
        if seen is not state:
            memories = {identity: replace(memory, scope="global") for identity, memory in state.memories.items()}
            self._marked = (state, memories)
        return memories

    @property
    def state(self) -> State:
        """The state that the records fold to."""
        return self._log.state if self._log is not None else _EMPTY_STATE

    @property
    def records(self) -> Mapping[str, Record]:
        """All records by id."""
        return self._log.records if self._log is not None else {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems that a person should fix."""
        return self._log.problems if self._log is not None else ()

    def refresh(self) -> bool:
        """Read what other processes wrote; return whether there was anything."""
        if self._log is None:
            with self._threads:
                if self._log is None and self.layout.spool.is_dir():
                    self._repair()
                    self._log = open_log(self.layout, clock=self._clock, ids=self._ids, writable=False)
                    return True
            return False
        return self._log.refresh()

    def append(self, records: Sequence[Mapping[str, Any]], session: str) -> tuple[Record, ...]:
        """Store records, all or none; they are on disk when this returns. See `Log.append`.

        Raises BadParams, BusyError, ReadOnlyError or StorageError.
        """
        with self._locked():
            stored, new_records = self._prepare(records, session)
            if new_records:
                if self._spool.exists():
                    with translate_errors(self._spool):
                        repair_last_line(self.layout, self._spool)  # after a crash of a process of the same name
                append(self._spool, b"".join(map(encode_line, new_records)))
                self.refresh()
            return stored

    def redact(self, ids: Sequence[str], *, texts: tuple[str, ...], actor: str, session: str) -> tuple[str, ...]:
        """Redact memories in the files of all processes; return the changed files, relative to the folder.

        See `Log.redact`.
        """
        with self._locked():
            redacted = {record.data["target"] for record in self.records.values() if record.type == "redact"}
            wanted = [identity for identity in ids if identity not in redacted]
            self.append([{"type": "redact", "actor": actor, "target": identity} for identity in wanted], session)
            with translate_errors(self.layout.spool):
                changed = redact_files(self.layout, redaction_subject(set(ids), self.records, texts))
            self.refresh()
            return tuple(self.layout.relative(path) for path in changed)

    def _repair(self) -> None:
        """Repair a line that a crash of a process of the same name cut off. If it fails, the next append does it."""
        try:
            if not self._depth and not ends_with_newline(self._spool):
                self._acquire()
                try:
                    repair_last_line(self.layout, self._spool)
                finally:
                    self._lock.release()
        except (MuninnError, OSError) as error:
            log.warning("the global memory could not be repaired: %s", error)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the folder's lock against other threads and processes. May be nested."""
        with self._threads:
            if not self._depth:
                self._acquire()
            self._depth += 1
            try:
                self.refresh()
                yield
            finally:
                self._depth -= 1
                if not self._depth:
                    self._lock.release()

    def _acquire(self) -> None:
        with translate_errors(self.layout.root):
            for folder in (self.layout.root, self.layout.spool):
                make_private_folder(folder)
        for _ in range(LOCK_ATTEMPTS):
            with translate_errors(self.layout.root):
                if self._lock.acquire():
                    return
            self._pause(0.01)
        raise BusyError(
            "another process holds your global memory", hint="Try again. If it persists, end the process that hangs."
        )

    def record_of_key(self, key: str) -> Record | None:
        """Return the record stored under an idempotency key, None for a new key."""
        return next((record for record in self.records.values() if record.data.get("key") == key), None)

    def _prepare(self, records: Sequence[Mapping[str, Any]], session: str) -> tuple[tuple[Record, ...], list[Record]]:
        keyed = {r.data["key"]: r for r in self.records.values() if isinstance(r.data.get("key"), str)}
        stored: list[Record] = []
        new_records: list[Record] = []
        for data in records:
            existing = keyed.get(data.get("key")) if data.get("key") else None
            if existing is None:
                existing = self._make_record(data, session)
                new_records.append(existing)
                if isinstance(data.get("key"), str):
                    keyed[data["key"]] = existing
            stored.append(existing)
        return tuple(stored), new_records

    def _make_record(self, data: Mapping[str, Any], session: str) -> Record:
        now = timestamp(self._clock())
        filled = {"v": VERSION, "session": session, "ts": now, **data}
        filled.setdefault("id", self._ids())
        target = self.state.memories.get(str(data.get("target", "")))
        if target is not None and "ts" not in data and target.updated >= now:
            filled["ts"] = next_millisecond(target.updated)
        try:
            return make_record(filled)
        except MalformedRecord as error:
            raise BadParams(f"this is not a record: {error}", hint="docs/formats/log.md has the format.") from None
