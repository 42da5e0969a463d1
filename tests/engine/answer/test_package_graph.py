"""The graph across repositories: who imports the packages that this repository publishes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from muninn_core.errors import BadParams
from muninn_core.source.packages import Package, declared, published

if TYPE_CHECKING:
    from listed_repositories import User

pytest_plugins = ["engines", "listed_repositories"]

PYTHON = {
    "pyproject.toml": '[project]\nname = "Acme_Billing"\n',
    "src/billing/__init__.py": "",
    "src/billing/session.py": "def open_session():\n    return 1\n\n\ndef close_session():\n    return 2\n",
    "src/billing/refund.py": "def refund():\n    return 3\n",
}
SHOP = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = [\n  "acme-billing>=2",\n]\n',
    "shop/cart.py": "from billing.session import open_session\nimport billing.refund\n\nopen_session()\n",
    "shop/other.py": "import billings\nfrom shop import cart\n",
}


def test_importers_of_a_python_package_are_found_in_other_repositories(user: User) -> None:
    billing, shop = user.open(user.make("billing", PYTHON)), user.open(user.make("shop", SHOP))
    billing.call("repos.add", path=str(shop.root))

    def importers(start: str) -> list[tuple[str, str, int]]:
        found = billing.call("graph", start=start, relation="importers", repos=["all"])
        return [(each.repository, each.path, each.at_line) for each in found.edges if each.repository]

    cart = ("shop", "shop/cart.py", 1)
    assert importers(".") == [("shop", "pyproject.toml", 4), cart, ("shop", "shop/cart.py", 2)]
    assert importers("src/billing/session.py") == [cart]
    assert importers("src/billing/session.py#open_session") == [cart]
    assert importers("src/billing/session.py#close_session") == []
    answer = billing.call("graph", start=".", repos=["all"])
    assert (answer.target, answer.edges[0].how) == ("acme-billing", "declares acme-billing as a dependency")
    assert [each.name for each in answer.repositories] == ["shop"]


def test_a_repository_that_publishes_the_same_name_means_its_own(user: User) -> None:
    billing, fork = (
        user.open(user.make("billing", PYTHON)),
        user.open(user.make("fork", {**PYTHON, "src/billing/use.py": "import billing.session\n"})),
    )
    billing.call("repos.add", path=str(fork.root))
    assert billing.call("graph", start=".", repos=["all"]).edges == ()


@pytest.mark.parametrize(
    ("own", "start", "other", "path"),
    [
        (
            {"package.json": '{"name": "@acme/billing"}', "lib/session.js": "exports.open = () => 1\n"},
            "lib/session.js",
            {"src/cart.ts": 'import { open } from "@acme/billing/lib/session"\n'},
            "src/cart.ts",
        ),
        (
            {"go.mod": "module github.com/acme/billing\n", "session/session.go": "package session\n\nfunc Open() {}\n"},
            "session/session.go",
            {"cart.go": 'package cart\n\nimport "github.com/acme/billing/session"\n'},
            "cart.go",
        ),
        (
            {"Cargo.toml": '[package]\nname = "acme-billing"\n', "src/session.rs": "pub fn open() {}\n"},
            "src/session.rs",
            {"src/cart.rs": "use acme_billing::session::open;\n"},
            "src/cart.rs",
        ),
    ],
    ids=["npm", "go", "cargo"],
)
def test_other_ecosystems_name_their_packages_in_their_manifests(
    user: User, own: dict[str, str], start: str, other: dict[str, str], path: str
) -> None:
    billing, shop = user.open(user.make("billing", own)), user.open(user.make("shop", other))
    billing.call("repos.add", path=str(shop.root))
    for asked in (".", start):
        found = billing.call("graph", start=asked, relation="importers", repos=["shop"])
        assert [(each.repository, each.path) for each in found.edges] == [("shop", path)], asked


def test_a_repository_without_packages_has_no_importers_and_the_answer_says_so(user: User) -> None:
    app, shop = user.open(user.make("app", user.files["app"])), user.open(user.make("shop", SHOP))
    app.call("repos.add", path=str(shop.root))
    answer = app.call("graph", start="src/settings.py", repos=["all"])
    assert "publishes no package" in answer.saw.note
    with pytest.raises(BadParams, match="finds importers, not callers"):
        app.call("graph", start="src/settings.py", relation="callers", repos=["all"])


@pytest.mark.parametrize(
    ("name", "text", "package", "needs"),
    [
        ("pyproject.toml", '[project]\nname = "A.B_c"\n', Package("python", "a-b-c"), set()),
        (
            "pyproject.toml",
            '[dependency-groups]\ndev = ["X_y>1", {include-group = "b"}]\n[tool.poetry]\nname = "p"\n'
            '[tool.poetry.dependencies]\nq = "1"\n',
            Package("python", "p"),
            {Package("python", "x-y"), Package("python", "q")},
        ),
        ("package.json", '{"name": "", "peerDependencies": {"@a/b": "1"}}', None, {Package("npm", "@a/b")}),
        (
            "go.mod",
            "module a.b/c\n\nrequire (\n\tx.y/z v1.2.3 // indirect\n)\nrequire k.l/m v0.1.0\n",
            Package("go", "a.b/c"),
            {Package("go", "x.y/z"), Package("go", "k.l/m")},
        ),
        ("Cargo.toml", '[dev-dependencies]\ns = "1"\n', None, {Package("cargo", "s")}),
        ("Cargo.toml", "not toml [", None, set()),
        ("package.json", "[]", None, set()),
        ("other.toml", '[project]\nname = "a"\n', None, set()),
    ],
)
def test_manifests_name_packages(name: str, text: str, package: Package | None, needs: set[Package]) -> None:
    assert published(name, text) == package
    assert declared(name, text) == needs
