"""The user's global memory: a log outside every repository, to which the daemons of several append at the same time.

Each process appends to a spool of its own, and all of them read all spools; nothing is ever sealed. A lock of the
folder, held only while a few lines are written, keeps a redaction from meeting an append. Knows no repository.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from muninn_core.errors import BadParams, BusyError
from muninn_core.launch.lock import FileLock
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.repository import Problem
from muninn_core.store.disk import append, writing
from muninn_core.store.fold import State
from muninn_core.store.layout import shared_layout
from muninn_core.store.log import Log, open_log
from muninn_core.store.record import VERSION, MalformedRecord, Record, encode_line, make_record
from muninn_core.store.redact import blank_files, subject_of
from muninn_core.store.spool import repair
from muninn_core.store.stamp import later, timestamp

TRIES = 500
"""How often the folder's lock is tried, a hundredth of a second apart; who holds it writes a few lines."""

_NOTHING = State(memories={})


class SharedLog:
    """The global memory as one process sees it. Its threads may all call it.

    `folder` need not be there yet: the first memory makes it, for its owner alone. `name` is that of this process's
    spool. `pause` waits for so many seconds, while another process holds the folder.
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
        self._seen: tuple[State, Mapping[str, Memory]] = (_NOTHING, {})

    @property
    def memories(self) -> Mapping[str, Memory]:
        """All global memories by id, marked as such; a snapshot, the same object until something changes."""
        state = self.state
        seen, memories = self._seen
        if seen is not state:
            memories = {each: replace(memory, scope="global") for each, memory in state.memories.items()}
            self._seen = (state, memories)
        return memories

    @property
    def state(self) -> State:
        """What the records say."""
        return self._log.state if self._log is not None else _NOTHING

    @property
    def records(self) -> Mapping[str, Record]:
        """All records by id."""
        return self._log.records if self._log is not None else {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What a person should mend."""
        return self._log.problems if self._log is not None else ()

    def refresh(self) -> bool:
        """Take in what others wrote; cheap when nobody did. Say whether anybody had."""
        if self._log is None:
            with self._threads:
                if self._log is None and self.layout.spool.is_dir():
                    self._log = open_log(self.layout, clock=self._clock, ids=self._ids, writable=False)
                    return True
            return False
        return self._log.refresh()

    def append(self, records: Sequence[Mapping[str, Any]], session: str) -> tuple[Record, ...]:
        """Store records, all or none; they are on the disk when this returns. As `Log.append` in all else.

        Raises BadParams, BusyError, ReadOnlyError or StorageError.
        """
        with self._writing():
            given, fresh = self._prepare(records, session)
            if fresh:
                if self._spool.exists():
                    with writing(self._spool):
                        repair(self.layout, self._spool)  # what a crash left of a process of this name
                append(self._spool, b"".join(map(encode_line, fresh)))
                self.refresh()
            return given

    def redact(self, ids: Sequence[str], *, texts: tuple[str, ...], actor: str, session: str) -> tuple[str, ...]:
        """Blank memories in the files of all processes; return the files that changed. As `Log.redact` in all else."""
        with self._writing():
            redacted = {record.data["target"] for record in self.records.values() if record.type == "redact"}
            wanted = [each for each in ids if each not in redacted]
            self.append([{"type": "redact", "actor": actor, "target": each} for each in wanted], session)
            with writing(self.layout.spool):
                changed = blank_files(self.layout, subject_of(set(ids), self.records, texts))
            self.refresh()
            return tuple(self.layout.relative(path) for path in changed)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the folder, against the threads of this process and against other processes; may be nested."""
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
        with writing(self.layout.root):
            self.layout.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.layout.spool.mkdir(mode=0o700, exist_ok=True)
        for _ in range(TRIES):
            with writing(self.layout.root):
                if self._lock.acquire():
                    return
            self._pause(0.01)
        raise BusyError("your global memory is held by another process", hint="Try again; look for one that hangs.")

    def _prepare(self, records: Sequence[Mapping[str, Any]], session: str) -> tuple[tuple[Record, ...], list[Record]]:
        keyed = {r.data["key"]: r for r in self.records.values() if isinstance(r.data.get("key"), str)}
        given: list[Record] = []
        fresh: list[Record] = []
        for data in records:
            known = keyed.get(data.get("key")) if data.get("key") else None
            if known is None:
                known = self._made(data, session)
                fresh.append(known)
                if isinstance(data.get("key"), str):
                    keyed[data["key"]] = known
            given.append(known)
        return tuple(given), fresh

    def _made(self, data: Mapping[str, Any], session: str) -> Record:
        now = timestamp(self._clock())
        filled = {"v": VERSION, "session": session, "ts": now, **data}
        filled.setdefault("id", self._ids())
        target = self.state.memories.get(str(data.get("target", "")))
        if target is not None and "ts" not in data and target.updated >= now:
            filled["ts"] = later(target.updated)
        try:
            return make_record(filled)
        except MalformedRecord as error:
            raise BadParams(f"this is no record: {error}", hint="docs/formats/log.md says what one is.") from None
