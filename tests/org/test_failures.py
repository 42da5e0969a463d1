"""Accidents of an organisation's service: killed pushers, failing, full and old databases, odd clocks and trees."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from fruit_repository import FRUIT, files, fruit_fresh, fruit_root  # noqa: F401 - fixtures
from repositories import git

from muninn_core.errors import StorageError
from muninn_core.org import service as services
from muninn_core.org.access import principals
from muninn_core.org.database import migrate as migrating
from muninn_core.org.database.connections import Database, DatabaseError, connect
from muninn_core.org.database.migrate import check_version, migrate, migrations
from muninn_core.org.ingestion import pushes
from muninn_core.org.ingestion.pushes import push, sweep
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.reader import PostgresReader

STEPS = ("store_files", "put_places", "add_statistics", "put_memories", "finish_branch", "collect")


@pytest.mark.daemon
@pytest.mark.parametrize("step", STEPS)
def test_a_pusher_that_is_killed_at_a_step_loses_nothing_and_leaves_nothing(fresh, root: Path, step: str) -> None:
    fresh.repository("one")
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from muninn_core.org.ingestion import pushes\n"
        "from muninn_core.org.database.connections import Database\n"
        "step = sys.argv[3]\n"
        "real = getattr(pushes, step)\n"
        "def stop(*values, **more):\n"
        "    real(*values, **more)\n"
        "    print('here', flush=True)\n"
        "    sys.stdin.read()\n"
        "setattr(pushes, step, stop)\n"
        "pushes.push(Database(sys.argv[1]), pushes.Target(1, 'one', 'main'), Path(sys.argv[2]), 'HEAD', workers=1)\n"
    )
    line = [sys.executable, "-c", code, fresh.app, str(root), step]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        process.kill()
        process.wait()
    assert files(fresh) == set()
    push(fresh.database, fresh.repository("one"), root, "HEAD", workers=1)
    assert files(fresh) == {"fruit.py"}
    assert sweep(fresh.database, fresh.tenant, timedelta(0)) == 0


def test_a_full_database_refuses_a_push_and_takes_it_when_there_is_room(fresh, root: Path) -> None:
    target = fresh.repository("one")
    with fresh.as_admin() as connection:
        connection.execute("""
            CREATE FUNCTION muninn.no_room() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$""")
        connection.execute(
            "CREATE TRIGGER no_room BEFORE INSERT ON muninn.chunk FOR EACH ROW EXECUTE FUNCTION muninn.no_room()"
        )
    with pytest.raises(StorageError, match="can't store"):
        push(fresh.database, target, root, "HEAD", workers=1)
    assert files(fresh) == set()
    with fresh.as_admin() as connection:
        connection.execute("DROP TRIGGER no_room ON muninn.chunk")
    assert push(fresh.database, target, root, "HEAD", workers=1).added == 2
    assert files(fresh) == {"fruit.py"}


@pytest.mark.parametrize(("state", "told"), [("40P01", ""), ("57014", "ended a query"), ("54000", "refused a query")])
def test_a_push_that_the_database_ends_is_run_again_or_named(fresh, root: Path, state: str, told: str) -> None:
    target = fresh.repository("one")
    with fresh.as_admin() as connection:
        connection.execute("CREATE SEQUENCE muninn.attempts; GRANT USAGE ON SEQUENCE muninn.attempts TO PUBLIC")
        connection.execute(
            "CREATE FUNCTION muninn.first_fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF nextval('muninn.attempts') = 1 THEN RAISE EXCEPTION 'ended' USING ERRCODE = '{state}'; END IF; "
            "RETURN NEW; END $$".encode()
        )
        connection.execute(
            "CREATE TRIGGER ended BEFORE INSERT ON muninn.place FOR EACH ROW EXECUTE FUNCTION muninn.first_fails()"
        )
    if told:
        with pytest.raises(DatabaseError, match=f"the database {told}: ended"):
            push(fresh.database, target, root, "HEAD", workers=1)
    push(fresh.database, target, root, "HEAD", workers=1)
    assert files(fresh) == {"fruit.py"}


def test_a_question_that_the_database_ends_is_asked_again(fresh, root: Path, tmp_path: Path, monkeypatch) -> None:
    push(fresh.database, fresh.repository("one"), root, "HEAD", workers=1)
    ann = fresh.principal("ann", "one")
    with fresh.database.transaction("muninn_writer") as connection:
        token = principals.create_token(connection, fresh.tenant, ann, "read", timedelta(hours=1))
    ends = ["40001"]

    def ended(connection, *values):
        if ends:  # as a replica does when it replays a VACUUM
            connection.execute(f"DO $$ BEGIN RAISE EXCEPTION 'ended' USING ERRCODE = '{ends.pop()}'; END $$".encode())
        return enter(connection, *values)

    monkeypatch.setattr(services, "enter", ended)
    service = services.Service(fresh.database, tmp_path)
    assert [each.path for each in service.answer(token, "files", {}).files] == ["fruit.py"]
    service.close()


def test_a_database_with_too_many_connections_says_what_to_do(fresh) -> None:
    with fresh.as_admin() as connection:
        connection.execute("ALTER ROLE muninn_app CONNECTION LIMIT 0")
        try:
            with pytest.raises(DatabaseError, match="too many connections") as refused:
                connect(fresh.app)
        finally:
            connection.execute("ALTER ROLE muninn_app CONNECTION LIMIT -1")
    assert "max_connections" in refused.value.hint


def test_a_database_that_goes_away_in_the_middle_of_a_question_is_named(fresh, root: Path) -> None:
    push(fresh.database, fresh.repository("one"), root, "HEAD", workers=1)
    ann = fresh.principal("ann", "one")

    def interrupted() -> None:
        with fresh.database.transaction("muninn_reader", snapshot=True) as connection:
            reader = PostgresReader(connection, fresh.tenant, enter(connection, fresh.tenant, ann))
            assert reader.lexical(["banana"], 5)
            pid = connection.execute("SELECT pg_backend_pid()").fetchone()
            with fresh.as_admin() as admin:
                admin.execute("SELECT pg_terminate_backend(%s)", pid)
            reader.lexical(["skin"], 5)

    with pytest.raises(DatabaseError):
        interrupted()
    assert files(fresh) == {"fruit.py"}


def test_an_old_database_is_named_and_upgraded_with_its_content(fresh, root: Path, monkeypatch) -> None:
    name = fresh.admin.rpartition("/")[2]
    with connect(fresh.admin) as connection:
        connection.execute(f"CREATE DATABASE old_{name}".encode())
    admin = fresh.admin.rpartition("/")[0] + f"/old_{name}"
    first = migrations()[:1]
    with monkeypatch.context() as old:
        old.setattr(migrating, "migrations", lambda: first)
        migrate(admin)
    with connect(admin) as connection:
        tenant = principals.create_tenant(connection, "acme")
        connection.execute(
            "INSERT INTO muninn.repository(tenant, name, default_ref) VALUES (%s, 'one', 'main')", (tenant,)
        )
    database = Database(fresh.app.rpartition("/")[0] + f"/old_{name}")
    with pytest.raises(DatabaseError, match="needs"), database.transaction("muninn_reader") as connection:
        check_version(connection)
    with pytest.raises(DatabaseError) as refused:
        push(database, fresh.repository("one")._replace(tenant=tenant), root, "HEAD", workers=1)
    assert "muninn org migrate" in refused.value.hint
    assert len(migrate(admin)) == len(migrations()) - 1
    assert push(database, fresh.repository("one")._replace(tenant=tenant), root, "HEAD", workers=1).added == 2
    database.close()


WITH_INDEXES = """
CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
SET search_path = muninn, public;
ALTER TABLE file ADD COLUMN words tsvector;
ALTER TABLE chunk DROP COLUMN vector, DROP COLUMN encoding;
ALTER TABLE chunk ADD COLUMN words tsvector, ADD COLUMN vector halfvec(256), ADD COLUMN encoding halfvec(384);
CREATE FUNCTION matching(text, tsquery, integer, bigint[], bigint[], integer) RETURNS integer
  LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION nearest(halfvec, integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION nearest_of_all(halfvec, integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION size_of_tenant() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
ALTER FUNCTION matching OWNER TO muninn_owner;
ALTER FUNCTION nearest OWNER TO muninn_owner;
ALTER FUNCTION nearest_of_all OWNER TO muninn_owner;
ALTER FUNCTION size_of_tenant OWNER TO muninn_owner;
INSERT INTO file(tenant, id, content, path, cutter, kind, language, generated, counts, syntax)
  VALUES (1, 1, '', 'a.py', 1, 0, 'python', false, '', '');
INSERT INTO repository(tenant, name, default_ref) VALUES (1, 'one', 'main');
INSERT INTO branch(tenant, repository, ref, commit, committed, chunks) VALUES (1, 1, 'main', 'abc', now(), 7);
INSERT INTO place VALUES (1, 1, 1);
"""


def test_tables_with_an_index_of_words_are_emptied_and_filled_by_the_next_push(fresh, root: Path, monkeypatch) -> None:
    name = fresh.admin.rpartition("/")[2]
    with connect(fresh.admin) as connection:
        connection.execute(f"CREATE DATABASE indexed_{name}".encode())
    admin = fresh.admin.rpartition("/")[0] + f"/indexed_{name}"
    before = migrations()[:4]
    with monkeypatch.context() as old:
        old.setattr(migrating, "migrations", lambda: before)
        migrate(admin)
    with connect(admin) as connection:
        assert principals.create_tenant(connection, "acme") == 1
        connection.execute(WITH_INDEXES.encode())
    assert migrate(admin) == (
        "lists",
        "dependencies",
        "token_states",
        "parts",
        "adapted_encoder",
        "list_tokens",
        "job_locks",
        "attached_partitions",
    )
    home = fresh._replace(admin=admin, database=Database(fresh.app.rpartition("/")[0] + f"/indexed_{name}"), tenant=1)
    assert files(home) == set()
    push(home.database, home.repository("one"), root, "HEAD", workers=1)
    assert files(home) == {"fruit.py"}
    home.database.close()


def test_lists_are_cut_into_parts_when_the_tables_are_upgraded(fresh, monkeypatch) -> None:
    name = fresh.admin.rpartition("/")[2]
    with connect(fresh.admin) as connection:
        connection.execute(f"CREATE DATABASE whole_{name}".encode())
    admin = fresh.admin.rpartition("/")[0] + f"/whole_{name}"
    before = migrations()[:7]
    with monkeypatch.context() as old:
        old.setattr(migrating, "migrations", lambda: before)
        migrate(admin)
    chunks, files = os.urandom(8 * 400), os.urandom(8 * 57)
    rows = [("few", 1, b"12345678", b""), ("many", 400, chunks, files), ("files", 0, b"", files)]
    with connect(admin) as connection:
        tenant = principals.create_tenant(connection, "acme")
        for word, count, *lists in rows:
            sql = "INSERT INTO muninn.frequency VALUES (%s, %s, 1, %s, 0, 0, 0, 7, %s, %s)"
            connection.execute(sql, (tenant, word, count, *lists))
    assert migrate(admin)[0] == "parts"
    with connect(admin) as connection:
        sql = (
            "SELECT word, sum(body)::integer, string_agg(chunks, '' ORDER BY part), "
            "string_agg(files, '' ORDER BY part), sum(whole)::integer, count(*)::integer "
            "FROM muninn.frequency GROUP BY word ORDER BY word"
        )
        joined = connection.execute(sql).fetchall()
    parts = {"few": 1, "files": 2, "many": 3}
    assert joined == [(word, *row, 7, parts[word]) for word, *row in sorted(rows)]


def test_organisations_are_made_and_deleted_beside_a_push_and_questions(fresh, root: Path, monkeypatch) -> None:
    target = fresh.repository("one")
    push(fresh.database, target, root, "HEAD", workers=1)
    (root / "more.py").write_text(FRUIT)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "More")
    ready, go_on, real = threading.Event(), threading.Event(), pushes.finish_branch

    def held(*values):
        ready.set()
        go_on.wait()
        real(*values)

    monkeypatch.setattr(pushes, "finish_branch", held)
    pushing = threading.Thread(target=push, args=(fresh.database, target, root, "HEAD"), kwargs={"workers": 1})
    pushing.start()
    ready.wait()
    with connect(fresh.admin) as connection:
        connection.execute("SET lock_timeout = '60s'")
        principals.create_tenant(connection, "umbrella")

    def delete() -> None:
        with connect(fresh.admin) as connection:
            principals.delete_tenant(connection, "umbrella")

    deleting = threading.Thread(target=delete)
    deleting.start()
    for _ in range(3):
        assert files(fresh) == {"fruit.py"}
    go_on.set()
    pushing.join()
    deleting.join()
    with connect(fresh.admin) as connection:
        assert connection.execute("SELECT name FROM muninn.tenant").fetchall() == [("acme",)]
    assert files(fresh) == {"fruit.py", "more.py"}


def test_clocks_that_differ_change_nothing(fresh, root: Path) -> None:
    for number, date in enumerate(("2099-01-01T00:00:00Z", "1971-01-01T00:00:00Z")):
        (root / f"late{number}.py").write_text(FRUIT)
        git(root, "add", "-A")
        environ = {**os.environ, "GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
        subprocess.run(["git", "-C", str(root), "commit", "-q", "-m", date], check=True, env=environ)
        push(fresh.database, fresh.repository("one"), root, "HEAD", workers=1)
    assert files(fresh) == {"fruit.py", "late0.py", "late1.py"}


def test_many_tiny_files_and_one_huge_one(fresh, tmp_path: Path) -> None:
    root = tmp_path / "many"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    huge, count = 200_000_000, 2_000
    stream = subprocess.Popen(["git", "-C", str(root), "fast-import", "--quiet"], stdin=subprocess.PIPE)
    assert stream.stdin is not None
    stream.stdin.write(b"commit refs/heads/main\ncommitter A <a@b> 1 +0000\ndata 0\n")
    for number in range(count):
        text = f"N{number} = {number}\n".encode()
        stream.stdin.write(b"M 644 inline d%d/f%d.py\ndata %d\n%b\n" % (number % 50, number, len(text), text))
    stream.stdin.write(b"M 644 inline huge.txt\ndata %d\n" % huge)
    for _ in range(200):
        stream.stdin.write(bytes(huge // 200))
    stream.stdin.write(b"\n")
    stream.stdin.close()
    assert stream.wait() == 0
    done = push(fresh.database, fresh.repository("one"), root, "main", workers=1)
    assert (done.cut, done.added) == (count, count)
    assert "huge.txt" not in files(fresh)
