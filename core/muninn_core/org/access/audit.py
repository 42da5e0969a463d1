"""The audit of questions, which a thread writes to the primary while they are answered, many rows at once.

So a question needs no write of its own, and a read-only replica can answer it. Entries wait while the primary is away.
A process that is killed loses those that wait: of some milliseconds, or of the time that the primary has been away.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from muninn_core.errors import BusyError, MuninnError
from muninn_core.org.access.principals import set_tenant
from muninn_core.org.database.connections import Connection, Database, InvalidRows

log = logging.getLogger("muninn.org")

MAX_WAITING = 10_000
"""The most entries that wait. Then questions are refused: none is answered without its entry."""

_RETRY_SECONDS = 1.0


class Entry(NamedTuple):
    """Who did what, when. `details` is JSON."""

    tenant: int
    principal: int
    action: str
    details: str
    at: datetime


class AuditQueue:
    """Entries that wait to be written. Safe to use from several threads."""

    def __init__(self, primary: Database) -> None:
        """The thread starts with the first entry."""
        self._primary = primary
        self._changed = threading.Condition()
        self._waiting: list[Entry] = []
        self._thread: threading.Thread | None = None
        self._closed = False

    def add(self, entry: Entry) -> None:
        """Let an entry be written soon. Raises BusyError while `MAX_WAITING` wait."""
        with self._changed:
            if len(self._waiting) >= MAX_WAITING:
                raise BusyError(
                    "the audit can't be written, and a question is not answered without it",
                    hint="Check the primary database.",
                )
            self._waiting.append(entry)
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_all, name="muninn-org-audit", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def waiting(self) -> int:
        """Return the number of entries that are not written yet."""
        with self._changed:
            return len(self._waiting)

    def flush(self) -> None:
        """Wait until no entry waits, which takes as long as the primary is away."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting)

    def close(self) -> int:
        """Try once more to write what waits, and return the number of entries that still wait, and are lost."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        return self.waiting()

    def _write_all(self) -> None:
        failed = False
        while True:
            with self._changed:
                if failed and not self._closed:
                    self._changed.wait_for(lambda: self._closed, _RETRY_SECONDS)
                self._changed.wait_for(lambda: self._waiting or self._closed)
                batch, closed = list(self._waiting), self._closed
            done = self._write(batch, told=failed)
            failed = any(each.tenant not in done for each in batch)
            with self._changed:
                kept = [each for each in batch if each.tenant not in done]
                self._waiting[: len(batch)] = kept
                self._changed.notify_all()
            if closed:
                return

    def _write(self, batch: Sequence[Entry], *, told: bool) -> set[int]:
        """Write entries, each tenant's in one transaction; return the tenants of those that are not to be tried again.

        Entries that the database refuses, such as those of a deleted tenant, are dropped. Another failure ends the try;
        the log has the first one, not those after it (`told`).
        """
        done: set[int] = set()
        for tenant in sorted({each.tenant for each in batch}):
            rows = [each for each in batch if each.tenant == tenant]
            try:
                with self._primary.transaction("muninn_writer") as connection:
                    _insert(connection, tenant, rows)
            except InvalidRows as error:
                log.error("%d entries of the audit of tenant %d are lost: %s", len(rows), tenant, error)
            except MuninnError as error:
                if not told:
                    log.warning("the audit can't be written: %s; its entries wait", error)
                break
            except Exception:  # the thread must go on: without it, questions are refused until the server restarts
                log.exception("a bug: the audit can't be written; its entries wait")
                break
            done.add(tenant)
        return done


def _insert(connection: Connection, tenant: int, rows: Sequence[Entry]) -> None:
    set_tenant(connection, tenant)
    connection.execute(
        "INSERT INTO audit(tenant, at, principal, action, details) SELECT %s, at, principal, action, "
        "details::jsonb FROM unnest(%s::timestamptz[], %s::integer[], %s::text[], %s::text[]) "
        "AS entry(at, principal, action, details)",
        (
            tenant,
            [each.at for each in rows],
            [each.principal for each in rows],
            [each.action for each in rows],
            [each.details for each in rows],
        ),
    )
