"""The commands of `muninn org`: what they do and say, and the addresses and logins that they refuse."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from repositories import MUNINN, git
from shop_service import MEMORY, shop_pushed, shop_root, shop_tokens, shop_url  # noqa: F401 - fixtures

from muninn_core.org.access import principals
from muninn_core.org.access.listing import listing
from muninn_server.org.command import main


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
        ("repository create shop --open --tenant acme", "a repository 'shop' already"),
        ("repository change shop --tenant acme", "nothing is to be changed"),
        ("repository change nosuch --open --tenant acme", "no repository 'nosuch'"),
        ("repository delete-branch shop --tenant acme", "no branch is named"),
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


def test_a_change_of_a_repository_leaves_its_other_settings(home, tokens) -> None:
    environ = {"MUNINN_ORG_DATABASE": home.admin, "MUNINN_ORG_TENANT": "acme"}

    def settings() -> tuple[str, bool]:
        with home.database.transaction("muninn_writer") as connection:
            found = listing(connection, home.tenant, ["garden"]).repositories[0]
        return found.default_ref, found.open

    for command, found in (
        ("create garden --ref trunk", ("trunk", False)),
        ("change garden --open", ("trunk", True)),
        ("change garden --ref dev", ("dev", True)),
        ("change garden --private", ("dev", False)),
    ):
        assert main(["repository", *command.split()], environ) == 0
        assert settings() == found


def test_databases_without_tables_and_other_logins_are_named(home, make_home, capsys) -> None:
    bare = home.admin.rpartition("/")[0] + "/postgres"
    for command in ("list", "tenant list", "tenant create x", "tenant delete x --yes", "token list", "sweep"):
        assert main(shlex.split(command), {"MUNINN_ORG_DATABASE": bare}) == 1
        assert "Run `muninn org migrate`." in capsys.readouterr().err
        assert main(shlex.split(command), {"MUNINN_ORG_DATABASE": home.app}) == 1
        assert "an administrator's login" in capsys.readouterr().err
