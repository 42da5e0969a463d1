"""Questions on a streaming replica, and the audit that they leave on the primary."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from repositories import git

from muninn_core.errors import BadParams, BusyError, MuninnError
from muninn_core.org.access import audit, principals
from muninn_core.org.access.audit import AuditQueue, Entry
from muninn_core.org.database.connections import Database, DatabaseError, connect
from muninn_core.org.ingestion.pushes import push
from muninn_core.org.service import Scope, Service

NOWHERE = "postgresql://muninn_app@127.0.0.1:1/postgres"


def until(holds: Callable[[], bool]) -> None:
    """Wait until a state is there; the tests' time limit ends a wait in vain."""
    while not holds():
        time.sleep(0.02)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one file."""
    found = tmp_path / "shop"
    found.mkdir()
    (found / "refund.py").write_text("def refund(order):\n    '''Give the money of an order back.'''\n")
    git(found, "init", "-q", "-b", "main")
    git(found, "add", "-A")
    git(found, "commit", "-q", "-m", "All")
    return found


@pytest.fixture
def standby(server, home) -> Iterator[str]:
    """The application's address of a streaming replica of the whole server."""
    folder = Path(tempfile.mkdtemp(prefix="mn-standby-", dir="/tmp"))
    if os.geteuid() == 0:  # root's server runs as `nobody`
        os.chown(folder, 65_534, 65_534)
    data = folder / "data"
    copied = server.run_program("pg_basebackup", "-d", home.admin, "-D", str(data), "-R", "-X", "stream", "-c", "fast")
    assert copied.returncode == 0, copied.stderr
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    options = f"-p {port} -c unix_socket_directories=''"
    log = str(folder / "log")
    started = server.run_program("pg_ctl", "-D", str(data), "-o", options, "-l", log, "-w", "-t", "170", "start")
    assert started.returncode == 0, started.stdout + started.stderr
    parts = urlsplit(home.app)
    yield parts._replace(netloc=f"{parts.netloc.rpartition(':')[0]}:{port}").geturl()
    server.run_program("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
    shutil.rmtree(folder, ignore_errors=True)


def test_a_replica_answers_while_the_primary_writes_the_audit_or_is_away(home, standby: str, root: Path) -> None:
    push(home.database, home.repository("shop"), root, "HEAD", workers=1)
    ann = home.principal("ann", "shop")
    with home.database.transaction("muninn_writer") as connection:
        token = principals.create_token(connection, home.tenant, ann, "read", timedelta(hours=1))
        lists = principals.create_token(connection, home.tenant, ann, "list", timedelta(hours=1))
    replica = Database(standby)
    with home.as_admin() as primary, connect(standby) as reading:
        written = primary.execute("SELECT pg_current_wal_insert_lsn()").fetchone()[0]
        sql = "SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= %s::pg_lsn"
        until(lambda: reading.execute(sql, (written,)).fetchone()[0])
    service = Service(home.database, root.parent / "mirrors", replica=replica)
    assert service.answer(token, "recall", {"query": "money of an order"}).hits[0].path == "refund.py"
    service.flush()
    with home.as_admin() as primary:
        assert primary.execute("SELECT principal, action FROM muninn.audit").fetchall() == [(ann, "recall")]
    assert service.close() == 0
    alone = Service(Database(NOWHERE), root.parent / "mirrors", replica=replica)
    assert alone.answer(token, "symbols", {"query": "refund"}).total == 1
    assert [each.name for each in alone.listing(lists).repositories] == ["shop"]
    assert alone.audits_waiting() == 2
    with pytest.raises(MuninnError, match="can't be reached"):
        alone.pushed_commit(token, "shop", "main")
    assert alone.close() == 2
    replica.close()


def test_no_question_is_answered_without_its_entry(home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "MAX_WAITING", 2)
    entry = Entry(home.tenant, 1, "recall", "{}", datetime(2026, 11, 1, tzinfo=UTC))
    away = AuditQueue(Database(NOWHERE))
    away.add(entry)
    away.add(entry)
    with pytest.raises(BusyError, match="audit"):
        away.add(entry)
    assert away.close() == 2


def test_an_audit_that_can_not_be_written_is_in_the_log_and_is_written_later(
    make_home, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh, failures = make_home(), [ValueError("odd"), DatabaseError("away"), DatabaseError("away still")]
    monkeypatch.setattr(audit, "_RETRY_SECONDS", 0.01)
    real = audit._insert

    def failing(*values) -> None:
        if failures:
            raise failures.pop(0)
        real(*values)

    monkeypatch.setattr(audit, "_insert", failing)
    queue = AuditQueue(fresh.database)
    queue.add(Entry(fresh.tenant, 1, "recall", "{}", datetime(2026, 11, 1, tzinfo=UTC)))
    queue.flush()
    assert queue.close() == 0
    with fresh.as_admin() as connection:
        assert connection.execute("SELECT count(*)::integer FROM muninn.audit").fetchone() == (1,)
    assert "ValueError: odd" in caplog.text
    caplog.clear()
    away = AuditQueue(Database(NOWHERE))
    away.add(Entry(fresh.tenant, 1, "recall", "{}", datetime(2026, 11, 1, tzinfo=UTC)))
    assert away.close() == 1
    assert caplog.text.count("the audit can't be written") == 1


def test_entries_of_several_organisations_are_written_together(make_home) -> None:
    fresh = make_home()
    with fresh.as_admin() as connection:
        rival = principals.create_tenant(connection, "rival")
    queue = AuditQueue(fresh.database)
    for tenant in (fresh.tenant, rival, fresh.tenant):
        queue.add(Entry(tenant, 1, "recall", '{"params": "{}"}', datetime(2026, 11, 1, tzinfo=UTC)))
    assert queue.close() == 0
    with fresh.as_admin() as connection:
        rows = connection.execute("SELECT tenant, count(*)::integer FROM muninn.audit GROUP BY 1 ORDER BY 1").fetchall()
    assert rows == [(fresh.tenant, 2), (rival, 1)]


def test_entries_of_a_deleted_organisation_do_not_hold_up_others(make_home, caplog: pytest.LogCaptureFixture) -> None:
    fresh = make_home()
    with fresh.as_admin() as connection:
        rival = principals.create_tenant(connection, "rival")
    queue = AuditQueue(fresh.database)
    for tenant in (fresh.tenant, 9_000, 9_000, rival):  # 9,000 is no tenant
        queue.add(Entry(tenant, 1, "recall", "{}", datetime(2026, 11, 1, tzinfo=UTC)))
    queue.flush()
    assert queue.close() == 0
    with fresh.as_admin() as connection:
        rows = connection.execute("SELECT tenant FROM muninn.audit ORDER BY 1").fetchall()
    assert rows == [(fresh.tenant,), (rival,)]
    lost = [each.args[:2] for each in caplog.records if each.name == "muninn.org"]
    assert sum(number for number, tenant in lost if tenant == 9_000) == 2


@pytest.mark.parametrize("scope", [Scope(), Scope(("\ud800",)), Scope(ref="\ud800")])
def test_half_a_character_is_refused_and_does_not_reach_the_audit(home, scope: Scope) -> None:
    with home.database.transaction("muninn_writer") as connection:
        eve = principals.put_principal(connection, home.tenant, "user", "eve")
        token = principals.create_token(connection, home.tenant, eve, "read", timedelta(hours=1))
    service = Service(home.database, Path("nowhere"))
    query = "refund" if scope != Scope() else "half \ud800"
    with pytest.raises(BadParams, match="half a character"):
        service.answer(token, "symbols", {"query": query}, scope)
    assert service.close() == 0
    assert service.audits_waiting() == 0
