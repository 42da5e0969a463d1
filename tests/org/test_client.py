"""The local daemon asks the organisation's server: one ranking, what stays here, and what happens when it is away."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from repositories import git

from muninn_core.config import read_config
from muninn_core.config.org_settings import load_org_settings
from muninn_core.errors import DaemonError
from muninn_core.federation import organisation
from muninn_core.org.access import principals
from muninn_core.org.ingestion.pushes import push
from muninn_core.org.reading import file_rows
from muninn_core.org.service import Scope, Service
from muninn_server.org.application import Application
from muninn_server.org.client import Client

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines"]

HERE = {"src/settings.py": 'def parse_settings(path):\n    """Read the settings of the server."""\n'}
BILLING = {"refund.py": 'def refund(order):\n    """Give the money of an order back to the card."""\n'}
VAULT = {"vault.py": 'def refund_gold(order):\n    """Give the gold of an order back to the vault."""\n'}
LIBRARY = {
    "pyproject.toml": '[project]\nname = "acme-ledger"\n',
    "ledger/__init__.py": "",
    "ledger/exact.py": "def exact(amount):\n    return amount\n",
}
USING = {
    "pyproject.toml": '[project]\nname = "till"\ndependencies = [\n  "acme-ledger>=2",\n]\n',
    "till.py": "import json\nfrom ledger.exact import exact\nimport ledgers\n",
}
MEMORY = {
    "v": 1,
    "id": "01K00000000000000000000001",
    "ts": "2026-02-01T00:00:00.000Z",
    "type": "decision",
    "text": "Refunds wait a day, since cards are charged back.",
    "actor": "user",
}


def repository(root: Path, files: dict[str, str], *records: dict[str, Any]) -> Path:
    """Make a repository with one commit."""
    lines = {".muninn/memory/main.jsonl": "".join(json.dumps(each) + "\n" for each in records)} if records else {}
    for path, text in {**files, **lines}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "All")
    return root


@pytest.fixture(scope="module")
def pushed(home, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An organisation of seven repositories, of which `vault` is closed. Returns their folder.

    `till`, `kiosk` and `vault` share the files that use the package of `library`; `fork` publishes it as well.
    """
    folder = tmp_path_factory.mktemp("all")
    for name, files, records in (
        ("here", HERE, ()),
        ("billing", BILLING, (MEMORY,)),
        ("vault", VAULT | USING, ()),
        ("library", LIBRARY, ()),
        ("fork", LIBRARY | {"ledger/more.py": "import ledger.exact\n"}, ()),
        ("till", USING, ()),
        ("kiosk", USING | {"ledger_free.py": "import json\n"}, ()),
    ):
        root = repository(folder / name, files, *records)
        push(home.database, home.repository(name, private=name == "vault"), root, "HEAD", workers=1)
    return folder


@pytest.fixture(scope="module")
def token(home) -> str:
    """The token of Ann, who may not read the vault."""
    with home.database.transaction("muninn_writer") as connection:
        ann = principals.put_principal(connection, home.tenant, "user", "ann")
        return principals.create_token(connection, home.tenant, ann, "read", timedelta(hours=1))


@pytest.fixture(scope="module")
def url(home, pushed: Path, serve) -> Iterator[str]:
    """The address of a server in a thread."""
    with serve(lambda _: Application(Service(home.database, pushed / "mirrors"))) as address:
        yield address


@pytest.fixture
def clone(pushed: Path, url: str, token: str, tmp_path: Path, start: Callable[..., Muninn]) -> Callable[[str], Muninn]:
    """Starts the engine of a clone of a repository, whose user has the organisation in the settings."""

    def made(name: str) -> Muninn:
        git(tmp_path, "clone", "-q", str(pushed / name), name)
        configure(tmp_path, url=url, timeout_seconds=60)
        one = start(tmp_path / name, home=tmp_path, environ={"MUNINN_KEY_ORG": token})
        one.call("init")
        one.call("index")
        return one

    return made


@pytest.fixture
def daemon(clone: Callable[[str], Muninn]) -> Muninn:
    """The engine of `here`."""
    return clone("here")


def configure(home: Path, **settings: object) -> None:
    """Write the user's own settings."""
    file = home / ".config" / "muninn" / "config.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"org": {"token": "env:MUNINN_KEY_ORG", **settings}}))


def test_recall_ranks_the_organisation_together_with_this_repository(daemon: Muninn) -> None:
    answer = daemon.call("recall", query="give the money of an order back")
    best = answer.hits[0]
    assert (best.repository, best.path, best.id) == ("org:billing", "refund.py", "org:billing:refund.py:1-2")
    assert abs(sum(each.contribution for each in best.why) - best.score) < 1e-3
    assert [hit.id for hit in daemon.call("recall", query="why do refunds wait").remembered] == [MEMORY["id"]]
    memory = next(hit for hit in answer.hits if hit.kind == "memory")
    assert (memory.repository, memory.trust, memory.type) == ("org:billing", "user", "decision")
    mine = daemon.call("recall", query="read the settings of the server").hits[0]
    assert (mine.repository, mine.path) == ("", "src/settings.py")
    state = next(each for each in answer.repositories if each.name == "org:billing")
    assert (state.branch, len(state.commit), state.skipped) == ("main", 40, "")


def test_a_repository_on_this_machine_is_not_found_twice(daemon: Muninn) -> None:
    (daemon.root / "src" / "settings.py").write_text('def read_settings(path):\n    """Read the settings anew."""\n')
    daemon.touch("src/settings.py")
    answer = daemon.call("recall", query="read the settings of the server")
    assert not [hit for hit in answer.hits if hit.repository == "org:here"]


def test_memories_without_read_permission_are_not_sent(daemon: Muninn) -> None:
    answer = daemon.call("recall", query="give the gold of an order back to the vault", limit=50)
    assert "gold" not in json.dumps([hit.text for hit in answer.hits])
    assert not [each for each in answer.repositories if "vault" in each.name]


def test_a_context_has_the_organisations_memories_and_is_replayed(daemon: Muninn) -> None:
    pack = daemon.call("context", query="refund the money of an order")
    assert {item.repository for item in pack.items if item.path == "refund.py"} == {"org:billing"}
    assert "org:billing:refund.py" in pack.text
    again = daemon.call("replay", bundle=pack.bundle, fresh=True)
    assert again.same, again.differs


def test_further_pages_keep_the_repository_of_a_hit(daemon: Muninn) -> None:
    first = daemon.call("recall", query="give the money of an order back", limit=1)
    second = daemon.call("recall", page=first.next, limit=50)
    assert {hit.repository for hit in second.hits} >= {"org:billing"}
    assert all(hit.repository == "" or hit.repository.startswith("org:") for hit in second.hits)
    assert not {hit.id for hit in first.hits} & {hit.id for hit in second.hits}


def test_definitions_and_memories_of_the_organisation_are_listed_when_it_is_named(daemon: Muninn) -> None:
    found = daemon.call("symbols", query="refund", repos=["org"])
    assert [(each.repository, each.path, each.name) for each in found.symbols] == [
        ("org:billing", "refund.py", "refund")
    ]
    assert found.total == 1
    own = daemon.call("symbols", query="parse_settings", repos=["org"])
    assert [(each.repository, each.path) for each in own.symbols] == [("", "src/settings.py")]
    listed = daemon.call("memories", tag=None, repos=["org"], text="CARDS")
    assert [(each.repository, each.id) for each in listed.memories] == [("org:billing", MEMORY["id"])]
    assert daemon.call("memories", id=MEMORY["id"], repos=["org"]).memories[0].text == MEMORY["text"]
    assert not daemon.call("symbols", query="refund").symbols
    assert not daemon.call("memories").memories
    about = daemon.call("memories", file="src/settings.py", repos=["org"])
    assert "for repositories of this machine alone" in about.saw.note


def test_only_named_questions_go_to_the_organisation_when_the_user_wants_so(daemon: Muninn, url: str) -> None:
    configure(daemon.root.parent, url=url, ask="named", timeout_seconds=60)
    assert daemon.call("recall", query="give the money of an order back").repositories == ()
    named = daemon.call("recall", query="give the money of an order back", repos=["org"])
    assert named.hits[0].repository == "org:billing"
    listed = daemon.call("memories", file="src/settings.py", repos=["org"])
    assert [(each.name, bool(each.skipped)) for each in listed.repositories] == [("org", True)]


def test_importers_are_found_in_repositories_that_the_caller_may_read(
    clone: Callable[[str], Muninn], home, token: str, monkeypatch
) -> None:
    assert "publishes no package" in clone("here").call("graph", start=".", repos=["org"]).saw.note
    library = clone("library")

    def importers(start: str) -> list[tuple[str, str, int, str]]:
        found = library.call("graph", start=start, relation="importers", repos=["org"])
        return [(each.repository, each.path, each.at_line, each.how) for each in found.edges if each.repository]

    users = ("org:kiosk", "org:till")
    lines = [(name, "till.py", 2, "imports ledger.exact") for name in users]
    declared = [(name, "pyproject.toml", 4, "declares acme-ledger as a dependency") for name in users]
    assert importers(".") == [declared[0], lines[0], declared[1], lines[1]]
    assert importers("ledger/exact.py") == importers("ledger/exact.py#exact") == lines
    assert library.call("graph", start=".", repos=["org"]).saw.note == ""
    service = Service(home.database, library.root.parent / "mirrors")
    for start, expected in (("ledger/exact.py", lines), (".", [declared[0], lines[0], declared[1], lines[1]])):
        found = service.answer(token, "graph", {"start": f"library:{start}", "relation": "importers"})
        edges = [(f"org:{each.repository}", each.path, each.at_line, each.how) for each in found.edges]
        assert [each for each in edges if each[0] != "org:library"] == expected
    alone = service.answer(token, "graph", {"start": "."}, Scope(("here",)))
    assert (alone.target, alone.edges) == (".", ())
    assert "publishes no package" in alone.saw.note
    assert service.close() == 0
    monkeypatch.setattr(file_rows, "CUTTER", 1)
    assert "found after their next push" in library.call("graph", start=".", repos=["org"]).saw.note


def test_filters_apply_to_the_organisation_as_well(daemon: Muninn) -> None:
    kinds = {hit.kind for hit in daemon.call("recall", query="refund order kind:memory").hits}
    assert kinds == {"memory"}
    assert not daemon.call("recall", query="refund order path:src/** kind:code money").hits


def test_without_the_server_the_answer_is_local_and_says_so(daemon: Muninn, monkeypatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(DaemonError, match=rf"^http://127.0.0.1:{port} does not answer: [^<>]*$"):
        Client(f"http://127.0.0.1:{port}", "x").call("recall", {"query": "settings"})
    configure(daemon.root.parent, url=f"http://127.0.0.1:{port}")
    answer = daemon.call("recall", query="read the settings of the server")
    assert answer.hits[0].path == "src/settings.py"
    assert [(each.name, "does not answer" in each.skipped) for each in answer.repositories] == [("org", True)]
    assert "org was not read: its server does not answer" in answer.saw.note
    monkeypatch.setattr(organisation, "_post", pytest.fail)  # it is left alone for a while
    assert "does not answer" in daemon.call("recall", query="read the settings").repositories[0].skipped


@pytest.mark.parametrize("answer", ['{"result": {"documents": "many"}}', "no json", '{"result": null}', "[]"])
def test_a_server_that_answers_nonsense_is_away(daemon: Muninn, url: str, answer: str, monkeypatch) -> None:
    monkeypatch.setattr(organisation, "_post", lambda *_: answer)
    found = daemon.call("recall", query="read the settings of the server")
    assert found.hits[0].path == "src/settings.py"
    assert "does not answer" in found.repositories[0].skipped


def test_unknown_fields_of_a_newer_server_are_ignored(daemon: Muninn, monkeypatch) -> None:
    before = daemon.call("recall", query="give the money of an order back")
    post, changed = organisation._post, []

    def later(*given: object) -> str:
        answer = json.loads(post(*given))
        offer = answer["result"]
        for each in (offer, *offer["branches"], *offer["files"], *offer["chunks"]):
            each["later"] = 1
            changed.append(each)
        return json.dumps(answer)

    monkeypatch.setattr(organisation, "_post", later)
    assert daemon.call("recall", query="give the money of an order back").hits == before.hits
    assert len(changed) > 4


def test_a_token_that_is_refused_missing_or_readable_by_others_is_named(daemon: Muninn, url: str, tmp_path) -> None:
    file = tmp_path / "token"
    file.write_text("muninn_" + "x" * 43)
    reasons = []
    for mode, token in ((0o600, f"file:{file}"), (0o644, f"file:{file}"), (0, "env:MUNINN_KEY_NONE")):
        file.chmod(mode)
        configure(daemon.root.parent, url=url, token=token, timeout_seconds=60)
        reasons.append(daemon.call("recall", query="read the settings").repositories[0].skipped)
    assert "refuses the token" in reasons[0]
    assert "others can read" in reasons[1]
    assert "MUNINN_KEY_NONE" in reasons[2]


@pytest.mark.parametrize(
    "settings",
    [
        {"url": "http://example.com"},
        {"url": "https://user:pass@example.com"},
        {"url": "ftp://example.com"},
        {"url": "https://example.com", "token": "muninn_secret"},
        {"url": "https://example.com", "token": "env:HOME"},
        {"url": "https://example.com", "ask": "sometimes"},
        {"url": "https://example.com", "nosuch": 1},
    ],
)
def test_settings_that_would_send_a_question_astray_are_refused(tmp_path: Path, settings: dict[str, object]) -> None:
    configure(tmp_path, **settings)
    read = load_org_settings(tmp_path / ".config" / "muninn" / "config.yaml")
    assert read.problem.startswith("org: ")
    assert read.settings.url == ""


def test_a_repository_can_not_name_a_server() -> None:
    _, problems = read_config("org:\n  url: https://evil.example.com\n")
    assert [(each.key, "where questions are sent" in each.message) for each in problems] == [("org", True)]


def test_the_question_travels_without_secrets(daemon: Muninn, home) -> None:
    secret = "ghp" + "_" + "k3JsP9" * 6
    daemon.call("recall", query=f"refund {secret}", plain=True)
    with home.as_admin() as connection:
        rows = connection.execute("SELECT details->>'params' FROM muninn.audit ORDER BY at DESC LIMIT 1").fetchall()
    assert "refund" in rows[0][0]
    assert "k3JsP9" not in rows[0][0]
