"""Questions to other repositories of the user's list, which sleep, change, are damaged or gone."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from muninn_core.errors import BadParams
from muninn_core.federation import pool
from muninn_core.federation.member import Member, open_member
from muninn_core.federation.pool import NO_MODELS, models_of
from muninn_core.index.integrity import STATE

if TYPE_CHECKING:
    from engines import Muninn
    from listed_repositories import User

pytest_plugins = ["engines", "listed_repositories"]

Three = "tuple[Muninn, Muninn, Muninn]"


def _cache(one: Muninn) -> Path:
    return one.root / ".muninn" / "cache"


def _files(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.rglob("*") if each.is_file() and "-" not in each.name}


def test_recall_finds_what_sleeping_repositories_hold(three: Three) -> None:
    app, billing, _ = three
    before = _files(_cache(billing))
    answer = app.call("recall", query="where are sessions kept", repos=["all"])
    found = {(hit.repository, hit.kind, hit.path) for hit in answer.hits}
    assert ("billing", "code", "src/billing/session.py") in found
    memory = next(hit for hit in answer.remembered if hit.repository == "billing")
    assert (memory.trust, memory.type) == ("user", "decision")
    code = next(hit for hit in answer.hits if hit.path == "src/billing/session.py")
    assert code.id == "billing:src/billing/session.py:1-2"
    assert [each.name for each in answer.repositories] == ["billing", "shop"]
    assert not any(each.skipped for each in answer.repositories)
    assert _files(_cache(billing)) == before  # nothing was written there


def test_without_repos_an_answer_does_not_know_of_others(three: Three) -> None:
    app, _, _ = three
    answer = app.call("recall", query="where are sessions kept")
    assert answer.repositories == ()
    assert all(hit.repository == "" for hit in answer.hits)
    alone = app.call("recall", query="parse settings")
    joined = app.call("recall", query="parse settings", repos=["all"])
    assert joined.hits[0].id == alone.hits[0].id == "src/settings.py:1-2"


def test_only_named_repositories_are_asked(three: Three) -> None:
    app, _, _ = three
    answer = app.call("recall", query="parse settings of the session of a user", repos=["shop"])
    assert {hit.repository for hit in answer.hits} == {"", "shop"}
    with pytest.raises(BadParams) as unknown:
        app.call("recall", query="session", repos=["shopp"])
    assert "Did you mean 'shop'?" in unknown.value.hint


@pytest.mark.parametrize(
    ("verb", "params"),
    [
        ("recall", {"query": "session", "branches": True}),
        ("recall", {"query": "session at:HEAD"}),
        ("context", {"query": "session", "branches": True}),
        ("memories", {"branches": True}),
    ],
)
def test_repositories_are_read_as_they_are_checked_out(three: Three, verb: str, params: dict[str, object]) -> None:
    with pytest.raises(BadParams, match="exclude each other"):
        three[0].call(verb, repos=["all"], **params)


def test_filters_apply_to_paths_within_each_repository(three: Three) -> None:
    answer = three[0].call("recall", query="session path:src/billing/**", repos=["all"])
    assert {hit.path for hit in answer.hits} == {"src/billing/session.py"}


def test_pages_continue_over_all_repositories(three: Three) -> None:
    app, _, _ = three
    whole = app.call("recall", query="session user cart settings", repos=["all"], limit=6)
    page = app.call("recall", query="session user cart settings", repos=["all"], limit=2)
    found = list(page.hits)
    while page.next:
        page = app.call("recall", page=page.next)
        found += page.hits
    assert [hit.id for hit in found[:6]] == [hit.id for hit in whole.hits]
    assert {hit.repository for hit in found} == {"", "billing", "shop"}


def test_notes_of_sessions_and_private_memories_stay_in_their_repository(user: User) -> None:
    app, other = user.open(user.make("app", user.files["app"])), user.open(user.make("other", user.files["shop"]))
    for kind, extra in {
        "public": {},
        "session": {"scope": "session", "session": "s1"},
        "private": {"private": True},
        "archived": {},
    }.items():
        stored = other.call("remember", text=f"Carts are a {kind} matter of the warehouse.", **extra)
        if kind == "archived":
            other.call("forget", id=stored.ids[0])
    app.call("repos.add", path=str(other.root))
    user.settle(other)
    asked = {"repos": ["all"], "session": "s1", "scope": "global"}
    found = app.call("recall", query="carts matter warehouse", limit=50, **asked)
    assert [hit.text for hit in found.hits if hit.kind == "memory"] == ["Carts are a public matter of the warehouse."]
    listed = app.call("memories", repos=["all"], archived=True)
    assert [(each.repository, each.text) for each in listed.memories] == [("other", found.hits[0].text)]
    pack = app.call("context", query="carts matter warehouse", budget=4000, **asked)
    assert "public matter" in pack.text
    assert not any(kind in pack.text for kind in ("a session matter", "a private matter", "an archived matter"))


def test_memories_of_another_branch_are_found_once_it_is_checked_out(user: User) -> None:
    app, other = user.open(user.make("app", user.files["app"])), user.open(user.make("other", user.files["shop"]))
    app.call("repos.add", path=str(other.root))
    git = lambda *words: _git(other.root, *words)  # noqa: E731
    git("add", "-A")
    git("commit", "-qm", "first")
    git("checkout", "-qb", "feature")
    other.call("remember", text="The cart moves to a service of its own.", type="decision")
    other.call("seal")
    git("add", "-A")
    git("commit", "-qm", "second")
    git("checkout", "-q", "main")
    ask = lambda: [each.text for each in app.call("memories", repos=["other"]).memories]  # noqa: E731
    assert ask() == []
    git("checkout", "-q", "feature")
    assert ask() == ["The cart moves to a service of its own."]


def _git(root: Path, *words: str) -> None:
    import subprocess

    who = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "-C", str(root), *who, *words], check=True, capture_output=True)


def test_an_index_that_changes_is_read_anew(user: User) -> None:
    app, other = user.open(user.make("app", user.files["app"])), user.open(user.make("other", user.files["shop"]))
    app.call("repos.add", path=str(other.root))
    ask = lambda: {hit.path for hit in app.call("recall", query="refund voucher", repos=["other"]).hits}  # noqa: E731
    assert "src/refund.py" not in ask()
    (other.root / "src" / "refund.py").write_text("def refund_voucher(order):\n    return order\n")
    other.call("index")
    assert "src/refund.py" in ask()
    (other.root / "src" / "refund.py").unlink()
    other.call("index", rebuild=True)
    assert "src/refund.py" not in ask()
    other.call("redact", id=other.call("remember", text="The voucher of refund 9 is X.").ids[0])
    assert not any("voucher of refund" in hit.text for hit in app.call("recall", query="voucher", repos=["other"]).hits)


def _damage(cache: Path) -> None:
    (cache / STATE).write_bytes(b"no database" * 1000)


def _other_version(cache: Path) -> None:
    with sqlite3.connect(cache / STATE) as connection:
        connection.execute("UPDATE meta SET value = '1.1' WHERE key = 'version'")
    connection.close()


def test_a_repository_that_is_not_indexed_whole_yet_is_named(three: Three) -> None:
    app, billing, _ = three
    with sqlite3.connect(_cache(billing) / STATE) as connection:
        connection.execute("INSERT INTO meta VALUES('unfinished', '1')")  # as while its first run goes on
    connection.close()
    answer = app.call("recall", query="session", repos=["all"])
    assert "src/billing/session.py" in {hit.path for hit in answer.hits}
    wait = f"`muninn --repo {billing.root} index --wait` waits for it."
    assert answer.saw.note == f"billing is not indexed whole yet: {wait}"
    listed = {each.name: each for each in app.call("repos.list").repositories}
    assert (listed["billing"].files, listed["billing"].hint) == (1, wait)
    assert listed["shop"].problem == ""
    with sqlite3.connect(_cache(billing) / STATE) as connection:
        connection.execute("DELETE FROM meta WHERE key = 'unfinished'")
    connection.close()
    assert app.call("recall", query="session", repos=["all"]).saw.note == ""


def _torn(cache: Path) -> None:
    shutil.rmtree(cache / "tantivy")


@pytest.mark.parametrize(
    ("change", "reason", "state"),
    [
        (lambda root: shutil.rmtree(root), "does not exist", "missing"),
        (lambda root: shutil.rmtree(root / ".muninn"), "has no .muninn", "missing"),
        (lambda root: shutil.rmtree(root / ".muninn" / "cache"), "no index yet", "unindexed"),
        (lambda root: _damage(root / ".muninn" / "cache"), "index can't be read|damaged", "unusable"),
        (lambda root: _other_version(root / ".muninn" / "cache"), "format 1.1", "unusable"),
        (lambda root: _torn(root / ".muninn" / "cache"), "damaged or being rewritten", "stopped"),
    ],
    ids=["folder", "muninn", "cache", "damage", "version", "words"],
)
def test_a_repository_that_cannot_be_read_is_skipped_with_the_reason(
    three: Three, change: object, reason: str, state: str
) -> None:
    import re

    app, billing, _ = three
    assert callable(change)
    change(billing.root)
    for verb, extra in {"recall": {"query": "session"}, "symbols": {"query": "session"}, "memories": {}}.items():
        answer = app.call(verb, repos=["all"], **extra)
        skipped = {each.name: each for each in answer.repositories if each.skipped}
        assert set(skipped) == {"billing"}
        assert re.search(reason, skipped["billing"].skipped), skipped
        assert "muninn" in skipped["billing"].hint
        assert "billing was not read" in answer.saw.note
    assert {each.name: each.state for each in app.call("repos.list").repositories}["billing"] == state


def test_two_open_repositories_ask_each_other(user: User) -> None:
    one, two = user.open(user.make("one", user.files["app"])), user.open(user.make("two", user.files["shop"]))
    one.call("repos.scan", path=str(user.home), add=True)
    assert {hit.repository for hit in one.call("recall", query="settings of a cart", repos=["all"]).hits} == {"", "two"}
    assert {hit.repository for hit in two.call("recall", query="settings of a cart", repos=["all"]).hits} == {"", "one"}
    two.call("remember", text="Carts expire after a day.")
    user.settle(two)
    assert any("expire after" in hit.text for hit in one.call("recall", query="carts expire", repos=["two"]).hits)


def test_a_repository_that_two_questions_open_at_once_is_open_once(
    three: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    repositories = three[0].engine.repositories
    (entry,) = repositories.registry.named(["billing"])
    opened: list[Member] = []

    def open_twice(*arguments: Any, **named: Any) -> Member:
        monkeypatch.setattr(pool, "open_member", open_member)  # the next call is that of the other question
        opened.append(repositories.member(entry, NO_MODELS))
        opened.append(open_member(*arguments, **named))
        return opened[-1]

    closed: list[Member] = []
    monkeypatch.setattr(pool, "open_member", open_twice)
    monkeypatch.setattr(Member, "close", lambda one: closed.append(one))
    assert repositories.member(entry, NO_MODELS) is opened[0]
    assert closed == [opened[1]]


def test_a_clone_does_not_repeat_memories(user: User) -> None:
    app = user.open(user.make("app", user.files["app"]))
    (stored,) = app.call("remember", text="Settings are read once.", type="decision").ids
    app.call("seal")
    shutil.copytree(app.root, user.home / "src" / "copy", ignore=shutil.ignore_patterns("cache", "local"))
    user.sleep(user.open(user.home / "src" / "copy"))
    app.call("repos.add", path=str(user.home / "src" / "copy"))
    hits = app.call("recall", query="settings read once", repos=["all"]).hits
    assert [hit.repository for hit in hits if hit.id == stored] == [""]


def test_definitions_of_all_repositories_are_found(three: Three) -> None:
    found = three[0].call("symbols", query="session", repos=["all"])
    assert [(each.repository, each.path, each.name) for each in found.symbols] == [
        ("billing", "src/billing/session.py", "open_session")
    ]
    assert found.total == 1


def test_a_context_names_the_repositories_of_its_items(three: Three) -> None:
    app, _, _ = three
    pack = app.call("context", query="keep the session of a user", repos=["all"])
    item = next(each for each in pack.items if each.kind == "code" and each.repository == "billing")
    assert (item.path, item.id) == ("src/billing/session.py", "billing:src/billing/session.py:1-2")
    assert "### billing:src/billing/session.py:1-2" in pack.text
    again = app.call("replay", bundle=pack.bundle, fresh=True)
    assert again.same


def test_reading_leaves_an_index_as_its_daemon_left_it(
    three: Three, user: User, caplog: pytest.LogCaptureFixture
) -> None:
    app, billing, _ = three
    app.call("recall", query="session", repos=["all"])
    again = user.open(billing.root)
    assert again.call("recall", query="session").hits
    assert "rebuilt" not in caplog.text


def test_scores_do_not_depend_on_how_many_candidates_each_index_returns(user: User) -> None:
    words = ("session", "voucher", "refund", "cart", "queue")
    roots = []
    for number in range(5):
        pairs = [(word, other) for word in words for other in words]
        text = {
            f"src/{one}_{two}.py": f"def {one}_{two}():\n    # {f'{one} {two} ' * (number + 1)}\n" for one, two in pairs
        }
        roots.append(user.make(f"r{number}", text))
    ones = [user.open(root) for root in roots]
    ones[0].call("repos.scan", path=str(user.home), add=True)
    workspace = ones[0].engine.open(ones[0].location)
    models = models_of(workspace.embedder(), workspace.encoder)
    with ones[0].engine.repositories.open_named(["all"], ones[0].location, models) as asked:
        assert len(asked.parts) == 4
        reader = asked.reader(workspace.updater.wait_open(300).snapshot())
        source = reader.sources[0]
        for query in (["session"], ["refund", "cart"], [*words, "user"]):
            every = source.lexical(query, 1000)
            assert [score for _, score in every] == sorted((score for _, score in every), reverse=True)
            for limit in (1, 3, 10, 40):
                least = every[limit - 1][1]
                assert source.lexical(query, limit) == [hit for hit in every if hit[1] >= least][: 4 * limit]
            files = reader.whole_files(query, 1000)
            assert reader.whole_files(query, 3) == [hit for hit in files if hit[1] >= files[2][1]]
        assert reader.frequency("voucher") == sum(part.snapshot.frequency("voucher") for part in asked.parts) * 5 // 4
        vector = workspace.embedder().embed_query("refund of a cart")
        near = source.dense(vector, 1000)
        assert [number for number, _ in source.dense(vector, 10)] == [
            number for number, cosine in near if cosine >= near[9][1]
        ]


def test_an_answer_names_the_shown_files_that_changed_since_they_were_indexed(three: Three) -> None:
    app, billing, _ = three
    assert app.call("recall", query="session of a user", repos=["all"]).notes == ()
    (billing.root / "src" / "billing" / "session.py").write_text("def open_session(user):\n    return user\n")
    (note,) = app.call("recall", query="session of a user", repos=["all"]).notes
    assert note.startswith("billing: src/billing/session.py changed after it was indexed")
    assert f"muninn --repo {billing.root} index" in note
