"""The server as a process: tokens, verbs, pushes over HTTP, probes, and the database gone and back."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from datetime import timedelta
from pathlib import Path

import pytest
from bench.agent_models.loopback import Handler, Loopback
from repositories import MUNINN, git

from muninn_core.errors import BusyError, MuninnError, RefusedError, StorageError
from muninn_core.org.access import principals
from muninn_core.org.service import Service
from muninn_core.source.documents.knowledge_readme import KNOWLEDGE_README
from muninn_server.org import application
from muninn_server.org.client import Client
from muninn_server.org.command import main
from muninn_server.org.commands.service import JsonFormatter

CODE = "def refund(order):\n    '''Give the money of an order back.'''\n    return order.total\n"
MEMORY = {
    "v": 1,
    "id": "01K00000000000000000000001",
    "ts": "2026-10-01T00:00:00.000Z",
    "type": "decision",
    "text": "Refunds are paid on the same card.",
    "tags": ["money"],
    "actor": "user",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a file, a memory, and the explanation that `init` writes, which no index has."""
    found = tmp_path_factory.mktemp("service") / "shop"
    (found / ".muninn" / "memory").mkdir(parents=True)
    (found / ".muninn" / "knowledge").mkdir()
    (found / ".muninn" / "knowledge" / "README.md").write_text(KNOWLEDGE_README)
    (found / "refund.py").write_text(CODE)
    (found / ".muninn" / "memory" / "main.jsonl").write_text(json.dumps(MEMORY) + "\n")
    git(found, "init", "-q", "-b", "main")
    git(found, "add", "-A")
    git(found, "commit", "-q", "-m", "All")
    return found


@pytest.fixture(scope="module")
def url(home, tmp_path_factory: pytest.TempPathFactory):
    """The address of a server process."""
    folder = tmp_path_factory.mktemp("mirrors")
    process = subprocess.Popen(
        [sys.executable, "-I", "-m", "muninn_server.org", "serve", "--port", "0", "--mirrors", str(folder)],
        env={**os.environ, "MUNINN_ORG_DATABASE": home.app},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    line = process.stdout.readline()
    found = re.search(r"http://\S+", line)
    assert found, line + process.stderr.read()
    yield found[0]
    process.send_signal(signal.SIGTERM)
    _, logged = process.communicate()
    assert process.returncode == 0, logged
    lines = [json.loads(each)["message"] for each in logged.splitlines()]
    assert {"method", "path", "status", "ms"} <= set(lines[0])
    assert "refund" not in logged


@pytest.fixture(scope="module")
def tokens(home):
    """Tokens: Ann reads `shop`, Eve nothing, CI pushes to `shop`."""
    home.repository("shop")
    home.repository("vault")
    people = {"ann": home.principal("ann", "shop"), "eve": home.principal("eve")}
    with home.database.transaction("muninn_writer") as connection:
        make = {
            name: principals.create_token(connection, home.tenant, number, "read", timedelta(hours=1))
            for name, number in people.items()
        }
        shop = principals.find_repository(connection, home.tenant, "shop")
        make["ci"] = principals.create_token(connection, home.tenant, people["eve"], "push", timedelta(hours=1), shop)
    return make


@pytest.fixture(scope="module")
def pushed(url, tokens, root: Path) -> str:
    """The server's address, after a push over HTTP."""
    client = Client(url, tokens["ci"])
    first = client.push(root, "shop", "main", "HEAD")
    assert (first["added"], first["memories"], first["unchanged"]) == (2, 1, False)
    assert client.push(root, "shop", "main", "HEAD")["unchanged"]
    return url


def test_reading_verbs(pushed, tokens) -> None:
    ann = Client(pushed, tokens["ann"])
    found = ann.call("recall", {"query": "give money of an order back"})
    assert found["hits"][0]["id"] == "refund.py:1-3"
    reasons = found["hits"][0]["why"]
    assert abs(sum(each["contribution"] for each in reasons) - found["hits"][0]["score"]) < 1e-3
    assert [hit["id"] for hit in ann.call("recall", {"query": "refunds kind:memory"})["hits"]] == [MEMORY["id"]]
    assert found["saw"]["commit"]
    pack = ann.call("context", {"query": "refund an order", "budget": 500})
    assert "refund" in pack["text"]
    assert pack["tokens"] <= 500
    listed = ann.call("memories", {"tag": "money"})
    assert [each["id"] for each in listed["memories"]] == [MEMORY["id"]]
    assert ann.call("memories", {"id": MEMORY["id"][:25]})["total"] == 1
    assert [each["path"] for each in ann.call("symbols", {"query": "refu"})["symbols"]] == ["refund.py"]


def test_a_caller_without_rights_gets_the_same_answers_for_closed_and_unknown_repositories(pushed, tokens) -> None:
    eve = Client(pushed, tokens["eve"])
    answers = [
        [
            eve.call("recall", {"query": "refund"}, [name]),
            eve.call("memories", {}, [name]),
            eve.call("symbols", {"query": "refund"}, [name]),
            eve.call("context", {"query": "refund"}, [name])["items"],
        ]
        for name in ("shop", "vault", "nosuch")
    ]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][0]["hits"] == []
    messages = set()
    for identity in (MEMORY["id"], "01K0000000000000000000000Z"):
        with pytest.raises(MuninnError) as refused:
            eve.call("memories", {"id": identity})
        messages.add(refused.value.message.replace(identity, "ID"))
    assert len(messages) == 1


def test_tokens_of_another_scope_or_repository_are_refused(pushed, tokens, root: Path) -> None:
    with pytest.raises(RefusedError, match="scope"):
        Client(pushed, tokens["ci"]).call("recall", {"query": "refund"})
    with pytest.raises(RefusedError, match="scope"):
        Client(pushed, tokens["ann"]).push(root, "shop", "main", "HEAD")
    with pytest.raises(RefusedError, match="another repository"):
        Client(pushed, tokens["ci"]).push(root, "vault", "main", "HEAD")
    with pytest.raises(RefusedError, match="not valid"):
        Client(pushed, "muninn_" + "x" * 43).call("recall", {"query": "refund"})
    assert status(pushed, "/rpc", b"{}") == 401


@pytest.mark.parametrize(
    ("verb", "params"),
    [
        ("recall", {"query": "x", "at": "HEAD~1"}),
        ("recall", {"query": "x", "like": "a.py:1"}),
        ("recall", {}),
        ("recall", {"query": 'path:"'}),
        ("recall", {"query": "x", "limit": 10_000}),
        ("recall", {"query": "x", "nosuch": 1}),
        ("context", {"query": "x", "diff": "HEAD"}),
        ("memories", {"since": "never"}),
        ("remember", {"text": "x"}),
        ("forget", {"id": "x"}),
    ],
)
def test_bad_requests_name_what_is_wrong(pushed, tokens, verb: str, params: dict[str, object]) -> None:
    with pytest.raises(MuninnError) as refused:
        Client(pushed, tokens["ann"]).call(verb, params)
    assert refused.value.kind in ("bad_params", "unknown_verb")


def test_pushes_with_forged_contents_change_nothing(pushed, tokens, root: Path, tmp_path: Path) -> None:
    before = Client(pushed, tokens["ann"]).call("recall", {"query": "refund"})["hits"]
    commit = git(root, "rev-parse", "HEAD").strip()
    address = f"/push?repository=shop&ref=main&commit={'0' * 40}"
    assert status(pushed, address, b"no pack", tokens["ci"]) == 400
    assert status(pushed, f"/push?repository=shop&ref=main&commit={commit[:39]}g", b"", tokens["ci"]) in (400, 404)
    assert status(pushed, "/push?repository=shop&ref=..%2Fmain&commit=x", b"", tokens["ci"]) == 400
    assert status(pushed, "/push?repository=shop&nosuch=1", b"", tokens["ci"]) == 400
    assert status(pushed, "/push?repository=shop&ref=%00", None, tokens["ci"]) == 400
    assert Client(pushed, tokens["ann"]).call("recall", {"query": "refund"})["hits"] == before


def test_an_older_push_is_refused_and_a_deleted_branch_is_gone(pushed, tokens, root: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(root), "clone")
    (clone / "tax.py").write_text("def vat(price):\n    return price * 0.2\n")
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "Tax")
    client, ann = Client(pushed, tokens["ci"]), Client(pushed, tokens["ann"])
    assert client.push(clone, "shop", "feature", "HEAD")["cut"] == 1
    with pytest.raises(MuninnError, match="newer"):
        client.push(clone, "shop", "feature", "HEAD~1")
    assert ann.call("symbols", {"query": "vat"}, ["shop"], "feature")["total"] == 1
    assert ann.call("symbols", {"query": "vat"})["total"] == 0
    assert client.delete("shop", "feature")
    assert not client.delete("shop", "feature")
    assert ann.call("symbols", {"query": "vat"}, ["shop"], "feature")["total"] == 0


def test_the_audit_has_who_asked_what_without_secrets(pushed, home, tokens) -> None:
    secret = "ghp" + "_" + "k3JsP9" * 6
    Client(pushed, tokens["ann"]).call("recall", {"query": f"refund {secret}", "plain": True})
    rows: list[tuple[str, str, str]] = []
    with home.as_admin() as connection:
        while not rows:  # the server writes it soon after the answer
            rows = connection.execute(
                "SELECT p.name, a.action, a.details->>'params' FROM muninn.audit a JOIN muninn.principal p "
                "ON p.id = a.principal WHERE a.details->>'params' LIKE '%refund%' AND a.action = 'recall' "
                "AND a.details->>'params' LIKE '%plain%' ORDER BY a.at DESC LIMIT 1"
            ).fetchall()
    assert rows[0][:2] == ("ann", "recall")
    assert "refund" in rows[0][2]
    assert "k3JsP9" not in rows[0][2]


def test_probes_and_metrics_need_no_token(pushed) -> None:
    for path in ("/health", "/ready", "/metrics"):
        with urllib.request.urlopen(pushed + path) as response:
            body = response.read().decode()
    assert 'muninn_org_calls_total{verb="recall",outcome="ok"}' in body
    assert (status(pushed, "/nosuch"), status(pushed, "/rpc"), status(pushed, "/list", b"")) == (404, 405, 405)
    assert status(pushed, "/hook/github?tenant=acme&repository=shop", b'{"ref":"refs/heads/main"}') == 403
    assert status(pushed, "/hook/nosuch?tenant=acme&repository=shop", b"{}") == 400


def test_questions_work_again_after_the_database_was_away(pushed, home, tokens) -> None:
    ann = Client(pushed, tokens["ann"])
    with home.as_admin() as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'muninn_app'")
    assert ann.call("recall", {"query": "refund"})["hits"]
    with home.as_admin() as connection:
        connection.execute("ALTER ROLE muninn_app NOLOGIN")
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'muninn_app'")
        try:
            with pytest.raises(MuninnError) as refused:
                ann.call("recall", {"query": "refund"})
            assert refused.value.kind == "database"
            assert status(pushed, "/ready") == 503
        finally:
            connection.execute("ALTER ROLE muninn_app LOGIN")
    assert ann.call("recall", {"query": "refund"})["hits"]


def test_a_database_that_does_not_answer_is_told_in_time(
    home, tokens, serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "PROBE_SECONDS", 0.2)
    monkeypatch.setattr(application, "ANSWER_SECONDS", 0.2)
    service = Service(home.database, tmp_path)
    with serve(lambda _: application.Application(service)) as address, home.as_admin() as connection:
        asks = Client(address, tokens["ann"])
        with connection.transaction():
            connection.execute("LOCK TABLE muninn.migration, muninn.job, muninn.token IN ACCESS EXCLUSIVE MODE")
            assert status(address, "/ready") == 503
            with urllib.request.urlopen(address + "/metrics") as response:
                assert b"muninn_org_database_up 0" in response.read()
            for _ in range(application.THREADS + 1):
                with pytest.raises(MuninnError, match="the database did not answer within"):
                    asks.call("recall", {"query": "refund"})
            assert status(address, "/health") == 200
        monkeypatch.undo()
        assert status(address, "/ready") == 200
        assert "hits" in asks.call("recall", {"query": "refund"})
    service.close()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--port", "99999"), "can't listen on 127.0.0.1, port 99999"),
        (("--host", "203.0.113.1"), "can't listen on 203.0.113.1"),
        (("--database", "mysql://me:hunter2@db/x"), "postgresql://USER:PASSWORD@HOST:PORT/NAME"),
    ],
)
def test_an_address_that_can_not_be_used_is_named_without_a_password(
    home, arguments: tuple[str, str], word: str
) -> None:
    command = [MUNINN, "org", "serve", *arguments]
    environ = {**os.environ, "MUNINN_ORG_DATABASE": home.app}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr, "hunter2" in done.stderr) == (1, False, False)
    assert word in done.stderr


def test_the_commands_of_an_administrator_and_a_reader(home, pushed, root: Path) -> None:
    environ = {**os.environ, "MUNINN_ORG_DATABASE": home.admin}

    def run(*arguments: str, **more: str) -> str:
        done = subprocess.run(
            [MUNINN, "org", *arguments], env={**environ, **more}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert run("migrate") == "The tables are up to date."
    run("repository", "create", "tools", "--tenant", "acme")
    run("grant", "zoe", "tools", "--tenant", "acme")
    pushes = run("token", "create", "robot", "--push", "tools", "--tenant", "acme")
    reads = run("token", "create", "zoe", "--tenant", "acme")
    where = ("--repo", str(root), "--name", "tools", "--url", pushed)
    assert json.loads(run("push", "--json", *where, MUNINN_ORG_TOKEN=pushes))["added"] == 2
    commit = git(root, "rev-parse", "HEAD").strip()[:12]
    assert run("push", *where, MUNINN_ORG_TOKEN=pushes) == f"tools main is at {commit} already"
    with home.database.transaction("muninn_writer") as connection:
        zoe = principals.put_principal(connection, home.tenant, "user", "zoe")
        principals.grant(connection, home.tenant, principals.find_repository(connection, home.tenant, "shop"), zoe)
    both = json.loads(run("recall", "refund an order", "--json", "--url", pushed, MUNINN_ORG_TOKEN=reads))["hits"]
    assert [(hit["repository"], hit["path"], hit["id"]) for hit in both if hit["kind"] == "code"] == [
        ("shop", "refund.py", "shop:refund.py:1-3")
    ]
    assert {hit["repository"] for hit in both} == {"shop"}
    assert "refund.py" in run("recall", "refund an order", "--url", pushed, MUNINN_ORG_TOKEN=reads)
    asking = ("--url", pushed, "--repository", "shop")
    assert MEMORY["text"] in run("show", MEMORY["id"][:20], *asking, MUNINN_ORG_TOKEN=reads)
    for words, told in (("show 01K0NOSUCH", "`muninn org memories`"), ("read nosuch.py", "`muninn org files`")):
        asked = [MUNINN, "org", *words.split(), "--url", pushed]
        done = subprocess.run(
            asked, env={**environ, "MUNINN_ORG_TOKEN": reads}, capture_output=True, text=True, check=False
        )
        assert (done.returncode, told in done.stderr) == (1, True), done.stderr
    assert MEMORY["text"] in run("memories", "--url", pushed, MUNINN_ORG_TOKEN=reads)
    read = run("read", "refund.py", "--set", "start=3", "--set", "limit=1", *asking, MUNINN_ORG_TOKEN=reads)
    assert read == "refund.py:3 of 3 lines\n3\t    return order.total"
    assert run("files", "*.md", "*.py", *asking, MUNINN_ORG_TOKEN=reads) == "refund.py"
    lists = run("token", "create", "ops", "--list", "--tenant", "acme")
    run("grant", "payments", "tools", "--kind", "group", "--days", "30", "--tenant", "acme")
    run("member", "zoe", "payments", "--tenant", "acme")
    run(
        "remote",
        "tools",
        "https://user:password@git.example.com/tools.git",
        "--branch",
        "release/*",
        "--tenant",
        "acme",
    )
    told = run("list", "tools", "--tenant", "acme")
    assert re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", told) == (
        "tools  private, default branch main\n"
        "  fetched from https://git.example.com/tools.git, also release/*\n"
        f"  branch main at {commit}, pushed TIME UTC\n"
        "  readers: group payments until TIME UTC, user zoe\n"
        "group payments: zoe"
    )
    assert run("list", "tools", "--url", pushed, MUNINN_ORG_TOKEN=lists) == told
    whole = json.loads(run("list", "--json", "--url", pushed, MUNINN_ORG_TOKEN=lists))
    assert [each["name"] for each in whole["repositories"]] == ["shop", "tools", "vault"]
    run("member", "zoe", "payments", "--remove", "--tenant", "acme")
    assert run("list", "tools", "--tenant", "acme").endswith("group payments: no members")
    assert run("tenant", "list") == "acme"
    listed = [json.loads(line) for line in run("token", "list", "--json", "--tenant", "acme").splitlines()]
    told = run("token", "list", "--tenant", "acme").splitlines()
    assert told[0].split()[:3] == [str(listed[0]["id"]), "ops", "lists"]
    assert told[1].split()[:3] == [str(listed[1]["id"]), "zoe", "reads"]
    assert "robot  pushes to tools  until " in told[2]
    run("token", "revoke", str(listed[1]["id"]), "--tenant", "acme")
    refused = subprocess.run(
        [MUNINN, "org", "recall", "x", "--url", pushed], env={**environ, "MUNINN_ORG_TOKEN": reads},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert refused.returncode == 1
    assert "the token is not valid" in refused.stderr
    refused = subprocess.run([MUNINN, "org", "recall", "x", "--url", "http://example.com"], env=environ,
                             capture_output=True, text=True, check=False)  # fmt: skip
    assert "MUNINN_ORG_TOKEN" in refused.stderr
    for erasing in (("redact", "tools", MEMORY["id"]), ("purge", "0" * 40), ("repository", "delete", "tools")):
        refused = subprocess.run([MUNINN, "org", *erasing, "--tenant", "acme"], env=environ, stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True, check=False)  # fmt: skip
        assert (refused.returncode, "add --yes" in refused.stderr) == (1, True)
    assert run("redact", "tools", MEMORY["id"], "--tenant", "acme", "--yes") == "redacted in 1 branch"
    run("repository", "delete", "tools", "--tenant", "acme", "--yes")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("token revoke x --tenant acme", "'x' is not the number of a token"),
        ("token revoke 99999 --tenant acme", "no token 99999 in force"),
        ("token create --tenant acme", "is not a name"),
        ("token create ann --days 400 --tenant acme", "at most 366|366 days"),
        ("tenant create acme", "a tenant 'acme' already"),
        ("tenant create", "needs the name"),
        ("tenant delete nosuch --yes", "no tenant 'nosuch'"),
        ("repository delete nosuch --yes --tenant acme", "no repository 'nosuch'"),
        ("repository delete-branch shop --ref nosuch --tenant acme", "no branch 'nosuch'"),
        ("revoke nobody shop --tenant acme", "no right of its own"),
        ("member ann nosuch --remove --tenant acme", "no member"),
        ("provider https://login.example.com --tenant acme", "--audience"),
        ("list nosuch --tenant acme", "no repository 'nosuch'"),
        ("list", "no tenant 'trial'"),
        ("recall x --url http://127.0.0.1:9", "not a token"),
    ],
)
def test_commands_that_can_not_be_done_say_why(
    home, tokens, command: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    environ = {"MUNINN_ORG_DATABASE": home.admin, "MUNINN_ORG_TOKEN": "secret\nX-Injected: 1"}
    assert main(shlex.split(command), environ) == 1
    told = capsys.readouterr().err
    assert re.search(said, told)
    if "--tenant acme" in command:
        words = shlex.split(command.replace("--tenant acme", ""))
        assert main(words, {**environ, "MUNINN_ORG_TENANT": "acme"}) == 1
        assert re.search(said, capsys.readouterr().err)
    assert "X-Injected" not in told


def test_databases_without_tables_and_other_logins_are_named(home, make_home, capsys) -> None:
    bare = home.admin.rpartition("/")[0] + "/postgres"
    for command in ("list", "tenant list", "tenant create x", "tenant delete x --yes", "token list", "sweep"):
        assert main(shlex.split(command), {"MUNINN_ORG_DATABASE": bare}) == 1
        assert "Run `muninn org migrate`." in capsys.readouterr().err
        assert main(shlex.split(command), {"MUNINN_ORG_DATABASE": home.app}) == 1
        assert "an administrator's login" in capsys.readouterr().err


def test_a_push_that_the_server_can_not_store_names_its_folders(
    home, tokens, serve, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    blocked = Service(home.database, tmp_path / "file", 1)
    with serve(lambda _: application.Application(blocked)) as url:
        with pytest.raises(StorageError, match=r"the mirror .* can't be made") as refused:
            Client(url, tokens["ci"]).push(root, "shop", "main", "HEAD")
        assert "--mirrors" in refused.value.hint
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nosuch"))
    service = Service(home.database, tmp_path / "mirrors", 1)
    with serve(lambda _: application.Application(service)) as url:
        address = f"/push?repository=shop&ref=main&commit={'0' * 40}"
        assert status(url, address, b"PACK", tokens["ci"]) == 503
    for each in (blocked, service):
        each.close()


def test_a_push_waits_for_others(home, tokens, serve, root: Path, tmp_path: Path, monkeypatch) -> None:
    service, said = Service(home.database, tmp_path / "mirrors", 1), list[str]()
    monkeypatch.setattr("muninn_server.org.client._PAUSE_SECONDS", 0.01)
    with serve(lambda _: application.Application(service)) as url:
        client = Client(url, tokens["ci"])
        for _ in range(2):
            service._begin_push()

        def told(reason: str) -> None:
            said.append(reason)
            service._pushing.release()

        done = client.push(root, "shop", "patient", "HEAD", told=told)
        assert done["commit"] == git(root, "rev-parse", "HEAD").strip()
        service._begin_push()
        monkeypatch.setattr("muninn_server.org.client._WAIT_SECONDS", 0)
        with pytest.raises(BusyError):
            client.push(root, "shop", "patient", "HEAD")
    assert said == ["other pushes are being indexed"]
    service.close()


def test_a_push_may_take_longer_than_a_question(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Handler):
        def get(self) -> None:
            monkeypatch.setattr("muninn_server.org.client._SECONDS", 0.1)  # for what follows
            self.send("application/json", {"commit": ""}, 200)

        def post(self, body: bytes) -> None:
            time.sleep(0.5)
            self.send("application/json", {"commit": "done"}, 200)

    with Loopback(Slow) as server:
        assert Client(server.url, "muninn_token").push(root, "shop", "main", "HEAD") == {"commit": "done"}


def test_a_bug_of_the_server_names_its_log(home, serve, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Service):
        def check(self) -> None:
            raise ZeroDivisionError

    with serve(lambda _: application.Application(Broken(home.database, tmp_path))) as url:
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(url + "/ready")
        said = json.loads(refused.value.read())["error"]
    assert (refused.value.code, said["data"]["kind"]) == (500, "internal")
    assert "the log on the server's standard error" in said["data"]["hint"]
    (bug,) = (each for each in caplog.records if each.exc_info)
    line = json.loads(JsonFormatter().format(bug))
    assert (line["level"], line["message"]) == ("ERROR", "GET /ready failed")
    assert line["trace"].endswith("ZeroDivisionError")


@pytest.mark.parametrize("lack", [OSError(errno.EMFILE, "Too many open files"), MemoryError()], ids=["files", "memory"])
def test_a_server_without_resources_is_named_as_a_server(home, serve, tmp_path: Path, lack: BaseException) -> None:
    class Lacking(Service):
        def check(self) -> None:
            raise lack

    with serve(lambda _: application.Application(Lacking(home.database, tmp_path))) as url:
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(url + "/ready")
        said = json.loads(refused.value.read())["error"]
    assert said["message"].startswith("the server lacks resources: ")
    assert "stop the server" in said["data"]["hint"].lower()


def status(url: str, path: str, body: bytes | None = None, token: str = "") -> int:
    """Return the status of a request."""
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    request = urllib.request.Request(url + path, body, headers)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code
