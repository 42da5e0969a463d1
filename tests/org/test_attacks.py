"""Attacks and accidents: other organisations, killed workers, databases that fail, old or full, odd histories."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from organisation_questions import FILES, FIRST, QUESTIONS, SECOND, SECRET, make_orchard, questions
from repositories import git

from muninn_core.errors import MuninnError, RefusedError, StorageError
from muninn_core.model.value import encode_json, json_schema
from muninn_core.org.access import principals
from muninn_core.org.answers.verbs import VERBS
from muninn_core.org.database import migrate as migrating
from muninn_core.org.database.connections import Database, DatabaseError, connect
from muninn_core.org.database.migrate import check_version, migrate, migrations
from muninn_core.org.ingestion.pushes import push, sweep
from muninn_core.org.ingestion.redaction import purge, redact
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.reader import PostgresReader
from muninn_core.org.service import Scope, Service

FRUIT = "def peel(banana):\n    '''Take the skin off.'''\n    return banana.inner\n"
MEMORY = {
    "v": 1,
    "id": "01K00000000000000000000001",
    "ts": "2026-10-01T00:00:00.000Z",
    "type": "decision",
    "text": "Bananas are peeled from the far end.",
    "actor": "user",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with a file and a memory."""
    found = tmp_path / "one"
    (found / ".muninn" / "memory").mkdir(parents=True)
    (found / "fruit.py").write_text(FRUIT)
    (found / ".muninn" / "memory" / "main.jsonl").write_text(json.dumps(MEMORY) + "\n")
    git(found, "init", "-q", "-b", "main")
    git(found, "add", "-A")
    git(found, "commit", "-q", "-m", "All")
    return found


@pytest.fixture
def fresh(make_home):
    """A database of its own."""
    return make_home()


def files(home, name: str = "one") -> set[str]:
    """Return the files of a repository that a reader of it finds."""
    ann = home.principal("ann", name)
    with home.database.transaction("muninn_reader", snapshot=True) as connection:
        return set(PostgresReader(connection, home.tenant, enter(connection, home.tenant, ann, [name])).files())


class Asker(NamedTuple):
    """A service, and the token of a caller."""

    service: Service
    token: str

    def trace(self, verb: str, repository: str = "orchard") -> list[Any]:
        """Return the answers to all questions with a verb, in several scopes, as plain data without random parts."""
        asked = questions(verb, repository)
        found = [
            self._answer(verb, params, scope, repository)
            for params in asked
            for scope in (Scope(), Scope((repository,)))
        ]
        return [*found, self._answer(verb, asked[0], Scope(None, "main"), repository)]

    def _answer(self, verb: str, params: dict[str, Any], scope: Scope, repository: str) -> Any:
        try:
            found = encode_json(self.service.answer(self.token, verb, params, scope)).decode()
        except MuninnError as error:
            assert error.kind in ("not_found", "bad_params", "usage"), (verb, params, error.line)  # noqa: PT017
            found = json.dumps(error.to_plain())
        plain = json.loads(found.replace(repository, "NAME"))
        return {**plain, "asked": ""} if "asked" in plain else plain


class Stopped(datetime):
    """A clock that stands still, so that answers to equal questions have equal ages."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:
        return datetime(2026, 12, 1, tzinfo=tz)


@pytest.fixture
def ask(fresh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Asker]:
    """Make callers of a service, who may read some repositories."""
    monkeypatch.setattr("muninn_core.org.service.datetime", Stopped)
    service = Service(fresh.database, tmp_path / "mirrors")

    def made(name: str, *repositories: str, tenant: int = fresh.tenant) -> Asker:
        number = fresh.principal(name, *repositories) if tenant == fresh.tenant else 0
        with fresh.database.transaction("muninn_writer") as connection:
            number = number or principals.put_principal(connection, tenant, "user", name)
            return Asker(service, principals.create_token(connection, tenant, number, "read", timedelta(hours=1)))

    return made


def test_every_verb_finds_what_its_questions_are_about(fresh, ask, tmp_path: Path) -> None:
    push(fresh.database, fresh.repository("orchard"), make_orchard(tmp_path / "orchard"), "HEAD", workers=1)
    assert set(QUESTIONS) == set(VERBS)
    ann = ask("ann", "orchard")
    assert [verb for verb in VERBS if SECRET not in json.dumps(ann.trace(verb))] == []


def test_paths_in_several_repositories_begin_with_their_names(fresh, ask, root: Path, tmp_path: Path) -> None:
    push(fresh.database, fresh.repository("orchard"), make_orchard(tmp_path / "orchard"), "HEAD", workers=1)
    push(fresh.database, fresh.repository("pears"), root, "HEAD", workers=1)
    joe = ask("joe", "orchard", "pears")
    both = ["orchard:fruit.py", "pears:fruit.py"]

    def answer(verb: str, **params: Any) -> Any:
        return joe.service.answer(joe.token, verb, params)

    for verb, params, candidates in (
        ("read", {"path": "fruit.py"}, both),
        ("outline", {"path": "./fruit.py"}, both),
        ("about", {"file": "fruit.py"}, both),
        ("graph", {"start": "fruit.py"}, both),
        ("graph", {"start": "peel"}, [f"{each}#peel" for each in both]),
    ):
        with pytest.raises(MuninnError) as refused:
            answer(verb, **params)
        assert (refused.value.kind, refused.value.data["candidates"]) == ("bad_params", candidates)
    for verb, params, suggested in (
        ("graph", {"start": "orchard:fruit.py#pele"}, "orchard:fruit.py#peel"),
        ("graph", {"start": "orchard:pele"}, "orchard:fruit.py#peel"),
        ("graph", {"start": "orchard:friut.py"}, "orchard:fruit.py"),
        ("outline", {"path": "orchard:friut.py"}, "orchard:fruit.py"),
    ):
        with pytest.raises(MuninnError) as refused:
            answer(verb, **params)
        assert (refused.value.kind, refused.value.data["nearest"]) == ("not_found", suggested)
    with pytest.raises(MuninnError, match="orchard:fruit is no folder"):
        answer("tree", path="orchard:fruit")
    found = answer("read", path="pears:/fruit.py", end=1)
    assert (found.path, found.lines) == ("pears:fruit.py", ("def peel(banana):",))
    found = answer("outline", path="orchard:fruit.py")
    assert [(each.repository, each.path, each.name) for each in found.symbols] == [
        ("orchard", "fruit.py", "peel"),
        ("orchard", "fruit.py", SECRET),
    ]
    found = answer("graph", start="orchard:fruit.py#peel", relation="callers")
    assert (found.target, found.symbol.repository) == ("orchard:fruit.py#peel", "orchard")
    assert [(each.repository, each.path, each.name) for each in found.edges] == [("orchard", "fruit.py", SECRET)]
    assert answer("graph", start=SECRET).target == f"orchard:fruit.py#{SECRET}"
    assert [each.path for each in answer("tree").entries] == [
        "orchard:/", "orchard:fruit.py", f"orchard:{SECRET}_shop.py", "pears:/", "pears:fruit.py"
    ]  # fmt: skip
    assert [each.path for each in answer("tree", path="pears:", depth=1).entries] == ["pears:fruit.py"]
    with pytest.raises(MuninnError, match="names no repository"):
        answer("tree", path="src")
    assert [each.path for each in answer("files", path=["fruit.py"]).files] == both
    assert answer("about", file="orchard:fruit.py").ids == (FIRST,)
    assert answer("about", file="shop.py").ids == (SECOND,)
    assert answer("about", file="pears:fruit.py").text == ""
    assert answer("about", file="nosuch.py").notice == "nosuch.py is in none of the repositories that you may read."
    assert [each.id for each in answer("memories", file="orchard:fruit.py").memories] == [FIRST]
    found = answer("overview", days=0, importance=1)
    assert found.project.name == "2 repositories"
    assert [each.path for each in found.files] == ["orchard:fruit.py", "orchard:shop.py"]
    assert [each.target for each in found.links] == [FIRST]
    push(fresh.database, fresh.repository("team/plums"), root, "HEAD", workers=1)
    tom = ask("tom", "pears", "team/plums")
    found = [tom.service.answer(tom.token, "tree", {"depth": depth}).entries for depth in (1, 2)]
    assert [each.path for each in found[0]] == ["pears:/", "team/plums:/"]
    assert [each.path for each in found[1]] == ["pears:/", "pears:fruit.py", "team/plums:/", "team/plums:fruit.py"]


def test_links_of_a_memory_that_was_merged_into_a_redacted_one(fresh, ask, tmp_path: Path) -> None:
    orchard, third = make_orchard(tmp_path / "orchard"), "01K00000000000000000000003"
    lines = [
        {"id": third, "type": "decision", "text": "Bananas are peeled first.", "importance": 8},
        {"id": f"{third[:-1]}4", "type": "merge", "keep": third, "sources": [FIRST], "reason": "the same"},
        {"id": f"{third[:-1]}5", "type": "redact", "target": third},
    ]
    with (orchard / ".muninn" / "memory" / "main.jsonl").open("a") as memory:
        for each in lines:
            memory.write(json.dumps({"v": 1, "ts": "2026-10-02T00:00:00.000Z", "actor": "user", **each}) + "\n")
    git(orchard, "commit", "-q", "-am", "Merged")
    push(fresh.database, fresh.repository("orchard"), orchard, "HEAD", workers=1)
    ann = ask("ann", "orchard")
    assert ann.service.answer(ann.token, "show", {"id": FIRST}).memory.merged_into == third
    assert ann.service.answer(ann.token, "show", {"id": SECOND}).memory.id == SECOND
    for start in (FIRST, SECOND):
        ann.service.answer(ann.token, "links", {"id": start, "archived": True})
    assert third not in [each.id for each in ann.service.answer(ann.token, "overview", {}).important]


def test_no_verb_shows_a_closed_repository_or_another_organisation(fresh, ask, root: Path, tmp_path: Path) -> None:
    orchard = make_orchard(tmp_path / "orchard")
    with fresh.as_admin() as connection:
        rival = principals.create_tenant(connection, "rival")
    for name in ("pears", "plums"):
        push(fresh.database, fresh.repository(name), root, "HEAD", workers=1)
    people = [ask("eve", tenant=rival), ask("kim", "pears"), ask("joe", "pears", "plums")]
    before = [{verb: each.trace(verb) for verb in VERBS} for each in people]
    push(fresh.database, fresh.repository("orchard"), orchard, "HEAD", workers=1)
    for each, traces in zip(people, before, strict=True):
        for verb in VERBS:
            assert each.trace(verb) == traces[verb], verb
            assert each.trace(verb, "nowhere") == traces[verb], verb
            assert SECRET not in json.dumps(traces[verb])


def test_no_verb_shows_redacted_memories_and_purged_contents(fresh, ask, tmp_path: Path) -> None:
    orchard = make_orchard(tmp_path / "orchard")
    push(fresh.database, fresh.repository("orchard"), orchard, "HEAD", workers=1)
    push(fresh.database, fresh.repository("fork"), orchard, "HEAD", workers=1)
    ann, both = ask("ann", "orchard"), ask("bob", "orchard", "fork")
    for identity in (FIRST, SECOND):
        for name in ("orchard", "fork"):
            assert redact(fresh.database, fresh.tenant, name, identity) == 1
    for path in FILES:
        purge(fresh.database, fresh.tenant, git(orchard, "rev-parse", f"HEAD:{path}").strip())
    for verb in VERBS:
        for each in (ann, both):
            found = json.dumps(each.trace(verb))
            assert SECRET not in found, verb
            assert FIRST not in found.replace(f"'{FIRST}'", ""), verb


def test_no_verb_answers_another_token(fresh, ask, root: Path) -> None:
    push(fresh.database, fresh.repository("orchard"), root, "HEAD", workers=1)
    ann = ask("ann", "orchard")
    with fresh.database.transaction("muninn_writer") as connection:
        number = principals.put_principal(connection, fresh.tenant, "user", "ann")
        one = principals.find_repository(connection, fresh.tenant, "orchard")
        late = principals.create_token(connection, fresh.tenant, number, "read", timedelta(microseconds=1))
        revoked = principals.create_token(connection, fresh.tenant, number, "read", timedelta(hours=1))
        principals.revoke_token(connection, fresh.tenant, principals.list_tokens(connection, fresh.tenant)[0].id)
        pushes = principals.create_token(connection, fresh.tenant, number, "push", timedelta(hours=1), one)
    for verb in VERBS:
        said = set()
        for token in (late, revoked, "muninn_" + "x" * 43, "", "' OR true --"):
            with pytest.raises(principals.InvalidToken) as refused:
                ann.service.answer(token, verb, questions(verb, "orchard")[0])
            said.add(refused.value.line)
        assert len(said) == 1
        with pytest.raises(RefusedError, match="scope"):
            ann.service.answer(pushes, verb, questions(verb, "orchard")[0])


def test_a_token_lists_its_own_organisation_alone_and_reads_and_pushes_nothing(fresh, ask, root: Path) -> None:
    push(fresh.database, fresh.repository("orchard"), root, "HEAD", workers=1)
    ann = ask("ann", "orchard")
    with fresh.as_admin() as connection:
        other = principals.create_tenant(connection, "rival")
    with fresh.database.transaction("muninn_writer") as connection:
        principals.put_repository(connection, other, "secret", "main", private=False)
        ops = principals.put_principal(connection, fresh.tenant, "user", "ops")
        token = principals.create_token(connection, fresh.tenant, ops, "list", timedelta(hours=1))
        reads = principals.put_principal(connection, fresh.tenant, "group", "readers")
        principals.put_member(connection, fresh.tenant, reads, ops)
    found = ann.service.listing(token)
    assert [(each.name, each.open, [branch.ref for branch in each.branches]) for each in found.repositories] == [
        ("orchard", False, ["main"])
    ]
    assert [(each.kind, each.principal) for each in found.repositories[0].grants] == [("user", "ann")]
    assert [(each.name, each.members) for each in found.groups] == [("readers", ("ops",))]
    for name in ("secret", "nosuch", *HOSTILE):
        with pytest.raises(MuninnError, match=r"no repository|NUL|surrogate"):
            ann.service.listing(token, [name])
    for refused in (
        lambda: ann.service.listing(ann.token),
        lambda: ann.service.answer(token, "recall", {"query": "peel"}),
        lambda: ann.service.pushed_commit(token, "orchard", "main"),
        lambda: ann.service.check_token(token),
    ):
        with pytest.raises(RefusedError, match="scope"):
            refused()


HOSTILE = (
    "'; DROP TABLE muninn.chunk; -- \\ %s %(x)s ' | ' :* <-> ☃",
    "\\",
    "a\0b",
    "\ud800",
    "../../etc/passwd",
    "::#.",
)


def test_sql_in_every_field_is_only_text(fresh, ask, tmp_path: Path) -> None:
    push(fresh.database, fresh.repository("orchard"), make_orchard(tmp_path / "orchard"), "HEAD", workers=1)
    ann, asked = ask("ann", "orchard"), 0
    before = {verb: ann.trace(verb) for verb in ("recall", "tree")}
    for verb, (kind, _, takes) in VERBS.items():
        plain = questions(verb, "orchard")[0]
        fields = json_schema(kind)[1][kind.__name__]["properties"]
        given = [
            ({**plain, field: [text] if "array" in str(fields[field]) else text}, Scope())
            for field in sorted(takes or plain)
            for text in HOSTILE
        ]
        given += [(plain, scope) for text in HOSTILE for scope in (Scope((text, "orchard")), Scope(None, text))]
        given.append(({**plain, "nested": reduce(lambda inner, _: [inner], range(3_000), list[Any]())}, Scope()))
        for params, scope in given:
            asked += 1
            try:
                ann.service.answer(ann.token, verb, params, scope)
            except MuninnError as error:
                assert error.kind in ("bad_params", "not_found", "usage"), (verb, params, error.line)  # noqa: PT017
    assert asked > 400
    assert {verb: ann.trace(verb) for verb in before} == before


def test_a_closed_and_an_unknown_repository_are_asked_with_the_same_queries(
    fresh, ask, root: Path, tmp_path: Path, monkeypatch
) -> None:
    push(fresh.database, fresh.repository("orchard"), make_orchard(tmp_path / "orchard"), "HEAD", workers=1)
    for name in ("pears", "plums"):
        push(fresh.database, fresh.repository(name), root, "HEAD", workers=1)
    people = [ask("eve"), ask("joe", "pears", "plums")]
    said: list[str] = []
    asking = threading.get_ident()
    execute = psycopg.Connection.execute

    def noting(self: Any, query: Any, *values: Any, **more: Any) -> Any:
        if threading.get_ident() == asking:  # and not the thread that writes the audit
            said.append(str(query))
        return execute(self, query, *values, **more)

    def queries(each: Asker, name: str) -> dict[str, list[str]]:
        found = {}
        for verb in VERBS:
            said.clear()
            each.trace(verb, name)
            found[verb] = list(said)
        return found

    for each in people:
        each.trace("recall")  # reads the vectors of its branches once
        with monkeypatch.context() as noted:
            noted.setattr(psycopg.Connection, "execute", noting)
            of_closed, of_unknown = (queries(each, name) for name in ("orchard", "nowhere"))
        assert of_closed == of_unknown
        assert all(of_closed.values())


def test_the_audit_has_every_verb(fresh, ask, root: Path) -> None:
    push(fresh.database, fresh.repository("orchard"), root, "HEAD", workers=1)
    ann = ask("ann", "orchard")
    for verb in VERBS:
        ann.trace(verb)
    ann.service.flush()
    with fresh.as_admin() as connection:
        rows = connection.execute(
            "SELECT a.action, count(*) FROM muninn.audit a JOIN muninn.principal p ON p.id = a.principal "
            "WHERE p.name = 'ann' GROUP BY 1"
        )
        assert dict(rows) == {verb: 2 * len(questions(verb, "orchard")) + 1 for verb in VERBS}
    assert ann.service.close() == 0


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
    assert migrate(admin) == ("lists", "dependencies", "token_states", "parts", "adapted_encoder", "list_tokens")
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
