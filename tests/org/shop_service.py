"""A repository `shop`, a server process that has it, and tokens: what the tests of the server share.

A test module imports the fixtures.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from datetime import timedelta
from pathlib import Path

import pytest
from repositories import git

from muninn_core.org.access import principals
from muninn_core.source.documents.knowledge_readme import KNOWLEDGE_README
from muninn_server.org.client import Client

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


@pytest.fixture(scope="module", name="root")
def shop_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


@pytest.fixture(scope="module", name="url")
def shop_url(home, tmp_path_factory: pytest.TempPathFactory):
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


@pytest.fixture(scope="module", name="tokens")
def shop_tokens(home):
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


@pytest.fixture(scope="module", name="pushed")
def shop_pushed(url, tokens, root: Path) -> str:
    """The server's address, after a push over HTTP."""
    client = Client(url, tokens["ci"])
    first = client.push(root, "shop", "main", "HEAD")
    assert (first["added"], first["memories"], first["unchanged"]) == (2, 1, False)
    assert client.push(root, "shop", "main", "HEAD")["unchanged"]
    return url


def status(url: str, path: str, body: bytes | None = None, token: str = "") -> int:
    """Return the status of a request."""
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    request = urllib.request.Request(url + path, body, headers)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code
