"""The user's list of repositories."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from muninn_core.errors import BadParams, MuninnError, NotFoundError, StorageError
from muninn_core.federation.registry import ListedRepository, Registry, proposed_name
from muninn_core.protocol.catalogue import METHODS

if TYPE_CHECKING:
    from engines import Muninn
    from listed_repositories import User

pytest_plugins = ["engines", "listed_repositories"]


def test_the_list_is_a_private_file_of_the_user(user: User) -> None:
    app = user.open(user.make("app", user.files["app"]))
    added = app.call("repos.add", path=str(app.root))
    assert (added.repository.name, added.repository.state, added.renamed) == ("app", "this", False)
    file = user.home / ".config" / "muninn" / "repositories.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text())["repositories"] == [{"name": "app", "path": str(app.root), "rules": False}]


def test_a_name_belongs_to_one_folder(user: User) -> None:
    app, other = user.open(user.make("app", user.files["app"])), user.open(user.make("nested/app", user.files["shop"]))
    app.call("repos.add", path=str(app.root / "src"))
    assert app.call("repos.add", path=str(other.root)).repository.name == "app-2"
    with pytest.raises(BadParams) as taken:
        app.call("repos.add", path=str(other.root), name="app")
    assert "--name" in taken.value.hint
    assert app.call("repos.add", path=str(other.root), name="nested", rules=True).repository.rules
    assert [each.name for each in app.call("repos.list").repositories] == ["app", "nested"]


@pytest.mark.parametrize("name", ["all", "a b", "-x", "a/b", "x" * 65])
def test_an_invalid_name_is_refused(user: User, name: str) -> None:
    app = user.open(user.make("app", user.files["app"]))
    with pytest.raises(MuninnError):
        app.call("repos.add", path=str(app.root), name=name)
    assert app.call("repos.list").repositories == ()


def test_removing_names_the_nearest(three: tuple[Muninn, ...], user: User) -> None:
    app = three[0]
    with pytest.raises(NotFoundError) as unknown:
        app.call("repos.remove", name="biling")
    assert "Did you mean 'billing'?" in unknown.value.hint
    assert app.call("repos.remove", name="billing").path == str(user.home / "src" / "billing")
    assert [each.name for each in app.call("repos.list").repositories] == ["app", "shop"]


def test_the_list_tells_what_each_repository_holds(three: tuple[Muninn, ...]) -> None:
    app, billing, _ = three
    (billing.root / "src" / "billing" / "session.py").write_text("def changed(): ...\n")
    states = {each.name: each for each in app.call("repos.list").repositories}
    assert (states["app"].state, states["billing"].state) == ("this", "stopped")
    assert (states["billing"].memories, states["billing"].behind, states["shop"].behind) == (1, 1, 0)
    assert states["billing"].chunks >= states["billing"].files > 0
    assert states["billing"].indexed.endswith("Z")


def test_a_scan_finds_repositories_with_memory_only(user: User) -> None:
    app = user.open(user.make("app", user.files["app"]))
    user.make("bare", user.files["shop"])
    user.open(user.make("app/vendor/inner", user.files["shop"]))
    found = app.call("repos.scan", path=str(user.home))
    assert [(each.name, each.listed) for each in found.found] == [("app", False), ("inner", False)]
    assert found.complete
    assert app.call("repos.list").repositories == ()
    with pytest.raises(NotFoundError, match="is not a folder"):
        app.call("repos.scan", path=str(user.home / "nowhere"))


def test_a_folder_without_memory_is_refused(user: User) -> None:
    app = user.open(user.make("app", user.files["app"]))
    with pytest.raises(MuninnError) as refused:
        app.call("repos.add", path=str(user.make("bare", user.files["shop"])))
    assert "bare has no .muninn" in refused.value.message
    assert refused.value.hint == f"`muninn init --repo {user.home / 'src' / 'bare'}` creates it."


def test_changes_of_several_processes_are_all_kept(tmp_path: Path) -> None:
    file = tmp_path / "settings" / "repositories.json"

    def add(number: int) -> None:
        Registry(file).add(ListedRepository(name=f"r{number}", path=f"/r{number}"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(24)))
    assert len(Registry(file).entries()) == 24


def test_a_list_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "repositories.json"
    file.write_text("{")
    with pytest.raises(StorageError, match=r"repositories\.json"):
        Registry(file).entries()
    with pytest.raises(StorageError, match=r"repositories\.json"):
        Registry(file).add(ListedRepository(name="a", path="/a"))


@pytest.mark.parametrize(
    ("project", "taken", "name"),
    [("My Project", (), "My-Project"), ("all", (), "all-2"), ("x", ("x", "x-2"), "x-3"), ("日本", (), "repository")],
)
def test_a_proposed_name_is_free(project: str, taken: tuple[str, ...], name: str) -> None:
    assert proposed_name(project, taken) == name


def test_the_constraints_of_a_rules_repository_are_in_every_brief(user: User) -> None:
    app, rules = user.open(user.make("app", user.files["app"])), user.open(user.make("house", user.files["shop"]))
    rules.call("remember", text="Never log a request's body.", type="constraint")
    rules.call("remember", text="A cart is a list.", type="decision")
    rules.call("remember", text="Never print a secret.", type="constraint", private=True)
    gone = rules.call("remember", text="Use tabs.", type="constraint").ids[0]
    stale = rules.call("remember", text="Close carts in order.", type="constraint", files=["src/cart.py:1-2"]).ids[0]
    rules.call("forget", id=gone)
    app.call("repos.add", path=str(rules.root))
    assert "Never log" not in app.call("brief").text
    app.call("repos.add", path=str(rules.root), rules=True)
    text = app.call("brief").text
    assert "## Rules of all your repositories" in text
    assert " (constraint of house, " in text
    assert "Never log a request's body." in text
    assert "Close carts in order." in text
    assert not any(each in text for each in ("A cart is a list", "Never print", "Use tabs"))
    (rules.root / "src" / "cart.py").write_text("def other(): ...\n")
    assert stale not in app.call("brief", session="s2").ids
    assert "Rules of all" not in rules.call("brief").text  # its own constraints are among its memories
    (user.home / ".config" / "muninn" / "repositories.json").write_text("{")
    assert "Never log" not in app.call("brief").text


def test_only_a_person_changes_the_list() -> None:
    changing = {verb for verb, method in METHODS.items() if verb.startswith("repos.") and method.for_people}
    assert changing == {"repos.add", "repos.remove", "repos.scan"}
