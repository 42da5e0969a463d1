"""Who sees what: row security, roles, tokens, and no trace of what a caller may not read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from repositories import git

from muninn_core.errors import BadParams, NotFoundError, RefusedError
from muninn_core.index.embedding.embed import load_bundled
from muninn_core.org.access import principals
from muninn_core.org.database.connections import DatabaseError, connect
from muninn_core.org.ingestion.pushes import push
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.reader import PostgresReader

SECRET = "zirconium"
TABLES = ("file", "chunk", "symbol", "place", "memory", "frequency", "branch", "repository")


def commit(root: Path, files: dict[str, str]) -> Path:
    """Make a repository with one commit of some files."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    if not (root / ".git").exists():
        git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Change")
    return root


@pytest.fixture(scope="module")
def people(home, tmp_path_factory: pytest.TempPathFactory):
    """Ann reads `open` and `closed`, Ben reads `open`, Eve reads nothing; `shared` is for the whole tenant."""
    folder = tmp_path_factory.mktemp("people")
    common = {"api.py": "def charge(card):\n    return card.pay()\n"}
    for name, files in {
        "open": common,
        "closed": {**common, "alloy.py": f"def {SECRET}():\n    '''Melt the {SECRET}.'''\n"},
    }.items():
        push(home.database, home.repository(name), commit(folder / name, files), "HEAD", workers=1)
    return {
        "ann": home.principal("ann", "open", "closed"),
        "ben": home.principal("ben", "open"),
        "eve": home.principal("eve"),
    }


def reading(home, principal: int, names: list[str] | None = None):
    """Return a function that runs a question as a principal."""

    def ask(question):
        with home.database.transaction("muninn_reader", snapshot=True) as connection:
            branches = enter(connection, home.tenant, principal, names)
            return question(PostgresReader(connection, home.tenant, branches))

    return ask


def test_a_caller_finds_only_what_it_may_read(home, people) -> None:
    def found(reader):
        return {chunk.path for chunk in reader.chunks([i for i, _ in reader.lexical([SECRET, "charg"], 10)]).values()}

    assert reading(home, people["ann"])(found) == {"//closed/alloy.py", "//closed/api.py"}
    assert reading(home, people["ann"], ["open"])(found) == {"api.py"}
    assert reading(home, people["ben"])(found) == {"api.py"}
    assert reading(home, people["eve"])(found) == set()


def test_a_closed_repository_does_not_affect_statistics_or_scores(home, people) -> None:
    def trace(reader):
        vector = load_bundled().embed_query("melt the alloy")
        return (
            reader.documents,
            reader.frequency(SECRET),
            reader.rarities(["card"]),
            list(reader.paths()),
            reader.lexical(["card", "pay"], 5),
            [round(cosine, 6) for _, cosine in reader.dense(vector, 5)],
            reader.first_chunks(["alloy.py", "//closed/alloy.py"]),
            dict(reader.memories),
        )

    before = reading(home, people["ben"])(trace)
    assert before[1] == 0
    assert before[6] == {}
    # The same as for a person of a tenant in which `closed` does not exist.
    with home.as_admin() as connection:
        hidden = connection.execute("SELECT count(*) FROM muninn.repository").fetchone()
    assert hidden == (2,)
    assert before == reading(home, people["ann"], ["open"])(trace)


def test_ids_of_others_resolve_to_nothing(home, people) -> None:
    ids = reading(home, people["ann"])(lambda reader: [number for number, _ in reader.lexical([SECRET], 5)])
    vector = np.ones(256, np.float32) / 16
    assert ids
    for name in ("ben", "eve"):
        ask = reading(home, people[name])
        assert ask(lambda reader: reader.chunks(ids)) == {}
        assert ask(lambda reader: reader.cosines(vector, ids)) == []
        assert ask(lambda reader: reader.lexical([SECRET], 5, only=ids)) == []


@pytest.mark.parametrize("table", TABLES)
def test_a_reader_without_a_caller_sees_no_row(home, people, table: str) -> None:
    with home.database.transaction("muninn_reader") as connection:
        assert connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (0,)


@pytest.mark.parametrize("table", [*TABLES, "token", "principal", "access", "member", "audit"])
def test_row_security_is_forced_and_readers_can_not_write(home, people, table: str) -> None:
    with home.as_admin() as connection:
        forced = connection.execute(
            "SELECT relrowsecurity AND relforcerowsecurity FROM pg_class WHERE oid = %s::regclass", (f"muninn.{table}",)
        ).fetchone()
    assert forced == (True,)
    with pytest.raises(RefusedError), home.database.transaction("muninn_reader") as connection:
        connection.execute(f"DELETE FROM {table}".encode())


def test_the_application_is_no_superuser_and_reads_nothing_without_a_role(home, people) -> None:
    with connect(home.app) as connection:
        rights = connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
        assert rights == (False, False, False)
        with pytest.raises(Exception, match="permission denied"):
            connection.execute("SELECT * FROM muninn.chunk")
        with pytest.raises(Exception, match="permission denied"):
            connection.execute("SELECT muninn.create_tenant('mine')")
        with pytest.raises(Exception, match="permission denied"):
            connection.execute("SET ROLE muninn_owner")


def test_writers_of_a_tenant_can_not_reach_another(home, people) -> None:
    with home.as_admin() as connection:
        other = principals.create_tenant(connection, "other")
    with home.database.transaction("muninn_writer") as connection:
        principals.set_tenant(connection, other)
        assert connection.execute("SELECT count(*) FROM chunk").fetchone() == (0,)
        assert connection.execute("DELETE FROM place").rowcount == 0
    with home.database.transaction("muninn_writer") as connection:
        principals.set_tenant(connection, other)
        row = "INSERT INTO repository(tenant, name) VALUES (%s, 'theirs')"
        with pytest.raises(Exception, match="row-level security"), connection.transaction():
            connection.execute(row, (home.tenant,))
    with pytest.raises(NotFoundError), home.database.transaction("muninn_writer") as connection:
        principals.find_repository(connection, other, "open")
    # A principal of one tenant has no right in another, whatever tenant its caller names.
    with home.database.transaction("muninn_reader") as connection:
        assert enter(connection, other, people["ann"]) == ()


def test_rights_come_from_groups_end_with_their_time_and_can_be_revoked(home, people) -> None:
    with home.database.transaction("muninn_writer") as connection:
        eve, group = people["eve"], principals.put_principal(connection, home.tenant, "group", "platform")
        principals.put_member(connection, home.tenant, group, eve)
        closed = principals.find_repository(connection, home.tenant, "closed")
        principals.grant(connection, home.tenant, closed, group, datetime.now(UTC) + timedelta(hours=1))
    names = reading(home, eve)
    assert names(lambda reader: reader.files()) == ["alloy.py", "api.py"]
    with home.database.transaction("muninn_writer") as connection:
        principals.grant(connection, home.tenant, closed, group, datetime.now(UTC) - timedelta(hours=1))
    assert names(lambda reader: reader.files()) == []
    with home.database.transaction("muninn_writer") as connection:
        principals.grant(connection, home.tenant, closed, eve)
        principals.revoke(connection, home.tenant, closed, "user", "eve")
    assert names(lambda reader: reader.files()) == []


def test_tokens_are_hashed_scoped_expiring_and_revocable(home, people) -> None:
    database, tenant, ann = home.database, home.tenant, people["ann"]
    with database.transaction("muninn_writer") as connection:
        reads = principals.create_token(connection, tenant, ann, "read", timedelta(hours=1))
        closed = principals.find_repository(connection, tenant, "closed")
        pushes = principals.create_token(connection, tenant, ann, "push", timedelta(hours=1), closed)
        late = principals.create_token(connection, tenant, ann, "read", timedelta(microseconds=1))
        rows = connection.execute("SELECT hash FROM token").fetchall()
        assert all(reads.encode() not in bytes(row[0]) for row in rows)
    with database.transaction("muninn_reader") as connection:
        assert principals.authenticate(connection, reads, "read").name == "ann"
        assert principals.authenticate(connection, pushes, "push").repository == "closed"
        for token, scope in ((pushes, "read"), (reads, "push")):
            with pytest.raises(RefusedError, match="scope"):
                principals.authenticate(connection, token, scope)
        messages = set()
        for token in (late, "muninn_" + "x" * 43, "", "' OR true --"):
            with pytest.raises(RefusedError) as refused:
                principals.authenticate(connection, token, "read")
            messages.add(refused.value.message)
        assert len(messages) == 1
    with database.transaction("muninn_writer") as connection:
        newest = {row.scope: row for row in principals.list_tokens(connection, tenant)}["read"]
        for row in principals.list_tokens(connection, tenant):
            if row.scope == "read":
                principals.revoke_token(connection, tenant, row.id)
        assert newest.principal == "ann"
        with pytest.raises(NotFoundError):
            principals.revoke_token(connection, tenant, newest.id)
        with pytest.raises(RefusedError):
            principals.authenticate(connection, reads, "read")
        for lifetime, scope, repository in (
            (timedelta(0), "read", None),
            (timedelta(days=400), "read", None),
            (timedelta(hours=1), "push", None),
            (timedelta(hours=1), "read", closed),
        ):
            with pytest.raises(BadParams):
                principals.create_token(connection, tenant, ann, scope, lifetime, repository)


@pytest.mark.parametrize("name", ["'; DROP TABLE muninn.chunk; --", "a\0b", "", " x", "../up", "x" * 300, "%s"])
def test_names_with_sql_are_refused_and_harmless_in_questions(home, people, name: str) -> None:
    with pytest.raises(BadParams), home.database.transaction("muninn_writer") as connection:
        principals.create_repository(connection, home.tenant, name, "main", private=True)

    def ask(reader):
        words = [name, "charg"]
        return reader.lexical(words, 5, every=()), reader.whole_files([name], 5), reader.frequency(name)

    found = reading(home, people["ann"])(ask)
    assert found[1:] == ([], 0)
    if "\0" not in name:
        assert reading(home, people["ann"])(lambda reader: reader.ids_of_files([name])) == []
        assert reading(home, people["ann"])(lambda reader: reader.ids_of_memories([name])) == []


def test_a_database_that_is_away_or_empty_is_named(home) -> None:
    from muninn_core.org.database.connections import Database

    nowhere = Database("postgresql://muninn_app:app@127.0.0.1:1/none")
    with pytest.raises(DatabaseError, match="can't be reached"), nowhere.transaction("muninn_reader"):
        pass
