"""The service of an organisation's memory: checks tokens, answers verbs, takes pushes, and writes the audit.

Safe to use from several threads. Every question runs in one transaction that sees what its caller may read.
"""

from __future__ import annotations

import json
import threading
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from muninn_core.errors import BadParams, BusyError, MuninnError, NotFoundError, RefusedError
from muninn_core.git import mirror
from muninn_core.model.value import Value
from muninn_core.near_match import shorten
from muninn_core.org.access.audit import AuditQueue, Entry
from muninn_core.org.access.identity import People, is_signed
from muninn_core.org.access.listing import Listing, listing
from muninn_core.org.access.principals import Caller, authenticate, checked_name, find_repository, set_tenant
from muninn_core.org.access.webhooks import Headers, receive
from muninn_core.org.answers.question import Question
from muninn_core.org.answers.verbs import VERBS, Verb, decoded, hint_of_verbs, verb_named
from muninn_core.org.database.connections import Database, Interrupted
from muninn_core.org.database.migrate import check_version
from muninn_core.org.ingestion.mirrors import mirror_of
from muninn_core.org.ingestion.pushes import Pushed, Target, push, remove_branch
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.reader import PostgresReader
from muninn_core.org.reading.vectors import VectorCache
from muninn_core.store.secrets.masking import mask_value

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0)
"""The bounds of the histogram of answers' times."""

_LOGGED_CHARS = 500
_PUSHES = 2
"""Pushes that are indexed at the same time. Others are refused, and their clients try again."""


class Scope(NamedTuple):
    """The repositories that a question is about, None for all, and the ref, None for the default branch of each."""

    repositories: Sequence[str] | None = None
    ref: str | None = None


class Service:
    """One database, and a folder with the mirrors of the repositories that are pushed over HTTP."""

    def __init__(self, database: Database, mirrors: Path, workers: int = 0, replica: Database | None = None) -> None:
        """`workers` is the number of processes that cut the files of a push, 0 for the default.

        `replica` answers questions, and may be read-only. Without one, `database` does.
        """
        self._database = database
        self._replica = replica or database
        self._audit_queue = AuditQueue(database)
        self._mirrors = mirrors
        self._workers = workers
        self._pushing = threading.BoundedSemaphore(_PUSHES)
        self._counting = threading.Lock()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._spent: defaultdict[str, float] = defaultdict(float)
        self._people = People(database, self._replica)
        self._vectors = VectorCache()

    def check(self) -> None:
        """Raise MuninnError unless the database answers and has the tables of this version."""
        with self._replica.transaction("muninn_reader") as connection:
            check_version(connection)

    def close(self) -> int:
        """Write the audit that waits; return the number of entries that could not be written."""
        return self._audit_queue.close()

    def flush(self) -> None:
        """Wait until the audit of all answers is written."""
        self._audit_queue.flush()

    def audits_waiting(self) -> int:
        """Return the number of entries of the audit that are not written yet."""
        return self._audit_queue.waiting()

    def counts(self) -> dict[tuple[str, str], int]:
        """Return {(verb, outcome): number of calls}."""
        with self._counting:
            return dict(self._counts)

    def times(self) -> dict[str, tuple[list[int], float]]:
        """Return {verb: (calls by the bounds of `SECONDS`, the last for slower ones, seconds of all calls)}."""
        with self._counting:
            return {verb: (list(counts), self._spent[verb]) for verb, counts in self._times.items()}

    def queue(self) -> tuple[int, int, float]:
        """Return the numbers of jobs that are due and that failed, and the seconds that the oldest due one waits."""
        with self._database.transaction("muninn_reader") as connection:
            row = connection.execute("SELECT due, failed, oldest FROM queue_state()").fetchone()
        return row if row is not None else (0, 0, 0.0)

    def answer(self, token: str, verb: str, plain: Any, scope: Scope = Scope()) -> Value:  # noqa: B008 (immutable)
        """Answer a verb for the holder of a token.

        Raises InvalidToken, RefusedError, UnknownVerb, BadParams, NotFoundError, DatabaseError.
        """
        outcome, began = "error", time.monotonic()
        try:
            caller = self._caller(token, "read")
            asked = verb_named(verb)
            _check_text(plain, scope)
            params = decoded(asked, plain)
            self._audit_queue.add(_entry(caller, verb, plain, scope))
            try:
                found = self._answer(caller, asked, params, scope)
            except Interrupted:  # a replica replays what the question reads, or a deadlock with an administrator
                found = self._answer(caller, asked, params, scope)
            outcome = "ok"
            return found
        except MuninnError as error:
            outcome, error.hint = error.kind, hint_of_verbs(error.hint)
            raise
        finally:
            self._count(verb if verb in VERBS else "other", outcome, time.monotonic() - began)

    def _answer(self, caller: Caller, asked: Verb, params: Value, scope: Scope) -> Value:
        database = self._database if caller.changed else self._replica
        with database.transaction("muninn_reader", snapshot=True) as connection:
            branches = enter(connection, caller.tenant, caller.principal, scope.repositories, scope.ref)
            if not branches and (scope.repositories or scope.ref):
                raise _nothing_named(scope)
            reader = PostgresReader(connection, caller.tenant, branches, self._vectors.of(caller.tenant))
            unread = len(set(scope.repositories or ()) - branches.by_repository.keys())
            return asked.answer(Question(reader, branches, datetime.now(UTC), unread), params)

    def listing(self, token: str, names: Sequence[str] = ()) -> Listing:
        """Return the repositories, rights, groups and providers for the holder of a token to list.

        Raises InvalidToken, RefusedError, NotFoundError for a name of no repository, DatabaseError.
        """
        caller = self._caller(token, "list")
        scope = Scope(tuple(names) or None)
        _check_text({}, scope)
        self._audit_queue.add(_entry(caller, "list", {}, scope))
        with self._replica.transaction("muninn_writer", snapshot=True) as connection:
            return listing(connection, caller.tenant, names)

    def check_token(self, token: str) -> None:
        """Raise InvalidToken or RefusedError unless a token may read."""
        self._caller(token, "read")

    def indexed_commit(self, token: str, repository: str, ref: str) -> str:
        """Return the commit that a branch is at, "" before its first push."""
        caller = self._pusher(token, repository)
        checked_name(ref)
        with self._database.transaction("muninn_writer") as connection:
            number = find_repository(connection, caller.tenant, repository)
            row = connection.execute(
                "SELECT commit FROM branch WHERE repository = %s AND ref = %s", (number, ref)
            ).fetchone()
        return row[0] if row is not None else ""

    def pushed_commit(self, token: str, repository: str, ref: str) -> str:
        """Return the indexed commit if the mirror of this server has it, else "", for a client that packs the next."""
        commit = self.indexed_commit(token, repository, ref)
        folder = self._mirror(self._pusher(token, repository), repository)
        return commit if mirror.has_commit(folder, commit) else ""

    def check_capacity(self) -> None:
        """Raise BusyError while no further push can be taken, for a client that has not made its pack yet."""
        self._begin_push()
        self._pushing.release()

    def take_push(self, token: str, repository: str, ref: str, commit: str, pack: Path, *, force: bool) -> Pushed:
        """Add a pack of objects to the mirror of a repository and index its commit.

        Raises InvalidToken, RefusedError, BusyError while other pushes run, BadParams, OlderCommit, DatabaseError.
        """
        caller = self._pusher(token, repository)
        checked_name(ref)
        self._begin_push()
        try:
            folder = self._mirror(caller, repository)
            if pack.stat().st_size:
                mirror.add_pack(folder, pack, commit)
            target = Target(caller.tenant, repository, ref)
            done = push(self._database, target, folder, commit, force=force, workers=self._workers)
        finally:
            self._pushing.release()
        self._audit(caller, "push", {"ref": ref, "commit": commit}, Scope((repository,)))
        return done

    def delete_branch(self, token: str, repository: str, ref: str) -> bool:
        """Delete a branch of a repository; False when there is none. Raises as `take_push` does."""
        caller = self._pusher(token, repository)
        checked_name(ref)
        self._audit(caller, "delete", {"ref": ref}, Scope((repository,)))
        return remove_branch(self._database, Target(caller.tenant, repository, ref))

    def take_notice(self, forge: str, tenant: str, repository: str, headers: Headers, body: bytes) -> str | None:
        """Queue the branch of a forge's webhook; see `webhooks.receive`."""
        return receive(self._database, forge, tenant, repository, headers, body)

    def _caller(self, token: str, scope: Any) -> Caller:
        if is_signed(token):
            if scope != "read":
                raise RefusedError(f"a person's token reads, and a token to {scope} is needed")
            return self._people.caller(token)
        database = self._database if scope == "push" else self._replica
        with database.transaction("muninn_reader") as connection:
            return authenticate(connection, token, scope)

    def _pusher(self, token: str, repository: str) -> Caller:
        caller = self._caller(token, "push")
        if caller.repository != repository:
            raise RefusedError("this token is for another repository")
        return caller

    def _begin_push(self) -> None:
        if not self._pushing.acquire(blocking=False):
            raise BusyError("other pushes are being indexed", hint="Try again in some seconds.")

    def _mirror(self, caller: Caller, repository: str) -> Path:
        return mirror_of(self._mirrors, caller.tenant, repository)

    def _audit(self, caller: Caller, action: str, plain: Any, scope: Scope) -> None:
        """Write what a caller changes, at once."""
        entry = _entry(caller, action, plain, scope)
        with self._database.transaction("muninn_writer") as connection:
            set_tenant(connection, caller.tenant)
            connection.execute(
                "INSERT INTO audit(tenant, principal, action, details) VALUES (%s, %s, %s, %s::jsonb)",
                (entry.tenant, entry.principal, entry.action, entry.details),
            )

    def _count(self, verb: str, outcome: str, seconds: float) -> None:
        with self._counting:
            self._counts[verb, outcome] += 1
            self._times.setdefault(verb, [0] * (len(SECONDS) + 1))[bisect_left(SECONDS, seconds)] += 1
            self._spent[verb] += seconds


def _nothing_named(scope: Scope) -> NotFoundError:
    """Return the error for a question whose repositories or branch the caller can't read, or which do not exist."""
    branch = f" with a branch '{shorten(scope.ref)}'" if scope.ref else ""
    which = "that the question names" if scope.repositories else "of the organisation"
    return NotFoundError(
        f"of the repositories {which} there is none{branch} that you may read",
        hint="`tree` without names lists those that you may read; a repository is there after its first push.",
    )


def _entry(caller: Caller, action: str, plain: Any, scope: Scope) -> Entry:
    """Return who asked what. Secrets in a question are masked; it is cut after 500 characters."""
    text = json.dumps(mask_value(plain)[0], ensure_ascii=False).replace("\\u0000", "")[:_LOGGED_CHARS]
    details = json.dumps({"params": text, "repositories": scope.repositories, "ref": scope.ref})
    return Entry(caller.tenant, caller.principal, action, details, datetime.now(UTC))


def _check_text(plain: Any, scope: Scope) -> None:
    """Raise BadParams for text that the database can't store."""
    try:
        json.dumps([plain, scope.repositories, scope.ref], ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadParams("the question has half a character (a lone surrogate)") from None
    except RecursionError:
        raise BadParams("the parameters are nested too deeply") from None
    if _has_nul([plain, scope.repositories, scope.ref]):
        raise BadParams("the question has a NUL", hint="Send text without control characters.")


def _has_nul(plain: Any) -> bool:
    if isinstance(plain, str):
        return "\0" in plain
    if isinstance(plain, dict):
        return _has_nul([*plain.keys(), *plain.values()])
    return isinstance(plain, list | tuple) and any(map(_has_nul, plain))
