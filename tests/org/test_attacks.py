"""Attacks on an organisation's service: other organisations, closed repositories, redacted content, hostile input."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from fruit_repository import fruit_fresh, fruit_root  # noqa: F401 - fixtures
from organisation_questions import FILES, FIRST, QUESTIONS, SECOND, SECRET, make_orchard, questions
from repositories import git

from muninn_core.errors import MuninnError, RefusedError
from muninn_core.model.value import encode_json, json_schema
from muninn_core.org.access import principals
from muninn_core.org.answers.verbs import VERBS
from muninn_core.org.ingestion.pushes import push
from muninn_core.org.ingestion.redaction import purge, redact
from muninn_core.org.service import Scope, Service


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
        principals.create_repository(connection, other, "secret", "main", private=False)
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
