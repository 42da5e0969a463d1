"""The server while its database is away, and after bugs and lacks of its own."""

from __future__ import annotations

import errno
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from shop_service import shop_pushed, shop_root, shop_tokens, shop_url, status  # noqa: F401 - fixtures

from muninn_core.errors import MuninnError
from muninn_core.org.service import Service
from muninn_server.org import application
from muninn_server.org.client import Client
from muninn_server.org.commands.service import JsonFormatter


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


def test_a_bug_of_the_server_names_its_log(home, serve, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Service):
        def check(self) -> None:
            raise ZeroDivisionError

    with serve(lambda _: application.Application(Broken(home.database, tmp_path))) as url:
        code, said = refusal(url + "/ready")
    assert (code, said["data"]["kind"]) == (500, "internal")
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
        _, said = refusal(url + "/ready")
    assert said["message"].startswith("the server lacks resources: ")
    assert "stop the server" in said["data"]["hint"].lower()


def refusal(address: str) -> tuple[int, dict[str, Any]]:
    """Return the status and the error of a request that fails."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(address)
    return refused.value.code, json.loads(refused.value.read())["error"]
