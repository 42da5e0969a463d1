"""Pushes over HTTP: forged and older ones, and servers that can't take one at once."""

from __future__ import annotations

import socket
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from bench.agent_models.loopback import Handler, Loopback
from repositories import git
from shop_service import shop_pushed, shop_root, shop_tokens, shop_url, status  # noqa: F401 - fixtures

from muninn_core.errors import (
    BadParams,
    BusyError,
    DaemonError,
    MuninnError,
    NotFoundError,
    PreconditionError,
    StorageError,
)
from muninn_core.git import mirror
from muninn_core.org import service as services
from muninn_core.org.service import Service
from muninn_server.org import application
from muninn_server.org.client import Client

BUSY = 503


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
    with pytest.raises(NotFoundError):
        ann.call("symbols", {"query": "vat"}, ["shop"], "feature")


def test_a_late_push_is_refused_by_a_server_with_another_disk(home, tokens, serve, root: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(root), str(clone))
    (clone / "late.py").write_text("LATE = 1\n")
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "Late")
    for number, rev in enumerate(("HEAD", "HEAD~1")):
        service = Service(home.database, tmp_path / f"disk{number}", 1)
        with serve(lambda _, service=service: application.Application(service)) as url:
            client = Client(url, tokens["ci"])
            if number == 0:
                assert client.push(clone, "shop", "disks", rev)["added"]
            else:
                with pytest.raises(PreconditionError, match="newer"):
                    client.push(clone, "shop", "disks", rev)
                assert client.push(clone, "shop", "disks", rev, force=True)["removed"] == 1
        service.close()


def test_a_shallow_clone_is_told_to_fetch_its_history(pushed, tokens, root: Path, tmp_path: Path) -> None:
    deep = tmp_path / "deep"
    git(tmp_path, "clone", "-q", str(root), str(deep))
    for _ in range(2):
        git(deep, "commit", "-q", "--allow-empty", "-m", "Further")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{deep}", "shallow")
    client = Client(pushed, tokens["ci"])
    with pytest.raises(BadParams) as refused:
        client.push(tmp_path / "shallow", "shop", "shallow", "HEAD")
    assert "git fetch --unshallow" in refused.value.hint
    git(tmp_path / "shallow", "fetch", "-q", "--unshallow")
    assert client.push(tmp_path / "shallow", "shop", "shallow", "HEAD")["commit"]


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


def test_a_push_waits_for_a_database_that_comes_back(
    home, tokens, serve, root: Path, tmp_path: Path, monkeypatch
) -> None:
    service, said = Service(home.database, tmp_path / "mirrors", 1), list[str]()
    monkeypatch.setattr("muninn_server.org.client._PAUSE_SECONDS", 0.01)
    with serve(lambda _: application.Application(service)) as url, home.as_admin() as admin:
        client = Client(url, tokens["ci"])

        def sever() -> None:
            admin.execute("ALTER ROLE muninn_app NOLOGIN")
            admin.execute("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'muninn_app'")

        def told(reason: str) -> None:
            said.append(reason)
            admin.execute("ALTER ROLE muninn_app LOGIN")

        try:
            sever()
            assert client.push(root, "shop", "severed", "HEAD", told=told)["added"]
            sever()
            monkeypatch.setattr("muninn_server.org.client._AWAY_SECONDS", 0)
            with pytest.raises(MuninnError, match="can't be reached"):
                client.push(root, "shop", "severed", "HEAD", told=said.append)
        finally:
            admin.execute("ALTER ROLE muninn_app LOGIN")
    assert "can't be reached" in said[0]
    service.close()


def test_a_push_waits_anew_each_time_that_the_server_goes_away(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    busy = BusyError("other pushes are indexed").to_plain()
    answers = [(502, None), (503, {"error": busy}), (502, None), (200, {"commit": ""})]

    class Unsteady(Handler):
        def get(self) -> None:
            code, body = answers.pop(0)
            self.send("application/json", body, code)

        def post(self, body: bytes) -> None:
            self.send("application/json", {"commit": "done"}, 200)

    seconds = iter(range(0, 1_000, 100))  # one absence is too short to give up, both together are not
    clock = SimpleNamespace(monotonic=lambda: next(seconds), sleep=lambda _: None)
    monkeypatch.setattr("muninn_server.org.client.time", clock)
    with Loopback(Unsteady) as server:
        assert Client(server.url, "muninn_token").push(root, "shop", "main", "HEAD") == {"commit": "done"}
    assert not answers


def test_a_server_that_stops_tells_a_push_to_try_again(
    home, tokens, serve, root: Path, tmp_path: Path, monkeypatch
) -> None:
    service, begun, go_on = Service(home.database, tmp_path / "mirrors", 1), threading.Event(), threading.Event()
    real = services.push

    def held(*values, **more):
        begun.set()
        go_on.wait()
        return real(*values, **more)

    monkeypatch.setattr(services, "push", held)
    codes: list[int] = []
    mirror.make_pack(root, "HEAD", "", tmp_path / "pack")
    body, address = (tmp_path / "pack").read_bytes(), "/push?repository=shop&ref=stopped&commit="
    with serve(lambda _: application.Application(service)) as url:
        commit = git(root, "rev-parse", "HEAD").strip()
        asking = threading.Thread(target=lambda: codes.append(status(url, address + commit, body, tokens["ci"])))
        asking.start()
        begun.wait()
    asking.join()
    go_on.set()
    assert codes == [BUSY]
    service.close()


@pytest.mark.parametrize("answer", [b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", b"nonsense\r\n\r\n", b""])
def test_an_answer_that_breaks_off_is_an_error_with_the_address(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def reply() -> None:
            with listening.accept()[0] as connection:
                connection.recv(65536)
                connection.sendall(answer)

        thread = threading.Thread(target=reply)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(DaemonError, match=f"{url} does not answer"):
            Client(url, "muninn_token").call("files", {})
        thread.join()


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
