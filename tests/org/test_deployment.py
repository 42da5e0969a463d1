"""What the pages about an organisation give to copy: hook of a bare repository, systemd unit, compose file."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
import yaml
from repositories import MUNINN, git

from muninn_core.org.access import principals
from muninn_core.org.service import Service
from muninn_server.org.application import Application
from muninn_server.org.commands.arguments import org_parser

DOCS = Path(__file__).parents[2] / "docs"
OPERATION = "organisation-operation.md"


def block(page: str, language: str) -> str:
    """Return the only block of a language in a page of the documentation."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    return found


def test_the_database_of_a_trial_ends_with_its_server(server, tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="mn-pg-", dir="/tmp"))  # the database's user must be able to enter it
    command = [MUNINN, "org", "serve", "--trial", str(folder), "--port", "0", "--mirrors", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout is not None
        address = serving.stdout.readline().split()[-1]
        assert serving.stdout.readline().startswith("Serving on")
        with psycopg.connect(address):
            serving.terminate()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(address)
    shutil.rmtree(folder, ignore_errors=True)


def test_the_hook_of_a_bare_repository_pushes_each_branch_that_it_names(home, serve, tmp_path: Path) -> None:
    home.repository("shop")
    with home.database.transaction("muninn_writer") as connection:
        robot = principals.put_principal(connection, home.tenant, "service", "robot")
        shop = principals.find_repository(connection, home.tenant, "shop")
        token = principals.create_token(connection, home.tenant, robot, "push", timedelta(hours=1), shop)
    service = Service(home.database, tmp_path / "mirrors", 1)
    with serve(lambda _: Application(service)) as url:
        git(tmp_path, "init", "-q", "--bare", "-b", "main", "shop.git")
        hook = tmp_path / "shop.git" / "hooks" / "post-receive"
        hook.write_text(block("organisation.md", "sh").replace("https://memory.example.com", url))
        hook.chmod(0o755)
        work = tmp_path / "work"
        git(tmp_path, "clone", "-q", "shop.git", "work")
        (work / "refund.py").write_text("def refund(order):\n    return order.total\n")
        git(work, "add", "-A")
        git(work, "commit", "-q", "-m", "All")
        environ = {**os.environ, "MUNINN_ORG_TOKEN": token, "PATH": f"{Path(MUNINN).parent}:{os.environ['PATH']}"}
        pushing = ["git", "push", "-q", "origin", "HEAD:main", "HEAD:release/1", "HEAD:topic"]
        subprocess.run(pushing, cwd=work, env=environ, check=True)
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=work, capture_output=True, text=True, check=True)
        while [service.pushed_commit(token, "shop", each) for each in ("main", "release/1")] != 2 * [
            head.stdout.strip()
        ]:
            time.sleep(0.02)
        assert service.pushed_commit(token, "shop", "topic") == ""
    service.close()


def test_the_commands_of_the_unit_and_of_the_containers_are_understood() -> None:
    unit = next(line for line in block(OPERATION, "ini").splitlines() if line.startswith("ExecStart="))
    services = yaml.safe_load((DOCS / "compose.yaml").read_text())["services"]
    told = [unit, *(str(each.get("command", "")) for each in services.values())]
    commands = [match for each in told for match in re.findall(r"muninn org ((?:serve|work|migrate)[^\"&]*)", each)]
    parsed = [org_parser().parse_args(shlex.split(each)).command for each in commands]
    assert parsed == ["serve", "migrate", "serve", "work"]
    for each in services.values():
        assert set(each.get("depends_on", {})) <= set(services)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    program = tmp_path / "muninn"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / "muninn-org.service"
    unit.write_text(block(OPERATION, "ini").replace("/opt/muninn/bin/muninn", str(program)))
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert str(unit) not in done.stderr
    assert "Unknown" not in done.stderr
