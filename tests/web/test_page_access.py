"""Who reaches the page of `muninn open`: the link, the cookie, the token, origins, and the verbs it may call."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from page_api import Opened, PageServer, open_link, page_of
from repositories import PATIENCE, Home, daemon_pid, stop_daemon

from muninn_core import client
from muninn_server.http import page_view
from muninn_server.http.page import VERBS

FILES = Path(__file__).resolve().parents[2] / "lsp_server" / "muninn_server" / "http" / "page_files"
SHARED = Path(__file__).resolve().parents[2] / "core/muninn_core/engine/memory/exchange/html_export_files"
"""The files that the page has in common with the page of an export, and the script of that page."""


@pytest.fixture(scope="module")
def server(served: Home) -> Iterator[PageServer]:
    """The open page of the module's repository."""
    with page_of(served.repo, served.environ) as server:
        yield server


@pytest.fixture(scope="module")
def page(server: PageServer) -> Opened:
    """A browser that used the link."""
    return open_link(server)


def test_the_link_works_once_and_no_address_keeps_it(server: PageServer, page: Opened) -> None:
    again = server.request("GET", server.link.partition(str(server.port))[2])
    assert (again.status, "set-cookie" in again.headers) == (403, False)
    assert b"muninn open" in again.body
    assert again.headers["referrer-policy"] == "no-referrer"
    assert page.get().headers["cache-control"] == "no-store"


def test_the_cookie_is_closed_to_scripts_other_sites_and_other_ports(served: Home) -> None:
    with page_of(served.repo, served.environ) as server:
        answer = server.request("GET", server.link.partition(str(server.port))[2])
    attributes = answer.headers["set-cookie"].split("; ")[1:]
    (path, *rest) = attributes
    assert re.fullmatch(r"Path=/page/[0-9a-f]{32}/", path)  # a server on another port does not know this path
    assert rest == ["HttpOnly", "SameSite=Strict"]


def test_nothing_is_shown_without_the_cookie(server: PageServer, page: Opened) -> None:
    for name in ("", "page.js", "page.css", "events", "rpc"):
        for cookie in ("", "muninn-page=", "muninn-page=x", f"other={page.cookie}", f"{page.cookie}x"):
            assert page.get(name, Cookie=cookie).status == 401
    assert server.request("GET", "/page/", Cookie=page.cookie).status == 401
    assert page.get("page.js").status == 200


def test_the_browser_is_told_of_every_module(page: Opened) -> None:
    modules = {file.stem for file in FILES.glob("*.js")} - {"page"} | {"fitting"}
    assert set(page_view.SCRIPTS) == modules
    assert b'<link rel="modulepreload" href="memory.js">' in page.get("").body


def test_the_cookie_opens_nothing_but_the_page(server: PageServer, page: Opened) -> None:
    for path in ("/rpc", "/events", "/metrics"):
        assert server.request("GET", path, Cookie=page.cookie).status == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": ""},
        {"Origin": "null"},
        {"Origin": "http://page.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"X_Muninn_Page": ""},
        {"X_Muninn_Page": "0" * 64},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "cross-site"},
    ],
    ids=str,
)
def test_a_call_from_elsewhere_is_refused_even_with_the_cookie(page: Opened, headers: dict[str, str]) -> None:
    assert page.post("status").status == 200
    assert page.post("status", **headers).status == 403


def test_a_foreign_host_is_refused(page: Opened) -> None:
    for host in ("rebind.example", f"rebind.example:{page.server.port}", "127.0.0.1"):
        assert page.get(Host=host).status == 421
        assert page.post("status", Host=host).status == 421
    assert page.get(Sec_Fetch_Site="cross-site").status == 403


def test_the_policy_admits_only_the_pages_own_files(page: Opened) -> None:
    policy = page.get().headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "frame-ancestors 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy


def test_a_call_has_the_rights_of_the_person(served: Home, page: Opened) -> None:
    with client.connect(str(served.repo), served.environ) as muninn:
        memory = muninn.call("remember", {"text": "The tide table is in metres.", "actor": "assistant"})["memory"]
        assert page.post("update", {"id": memory["id"], "importance": 9, "reason": "checked"}).json["result"]
        assert page.post("redact", {"id": memory["id"]}).json["result"]["memory"]["redacted"]
        last = muninn.call("history", {"id": memory["id"]})["events"][-1]
    assert (last["actor"], last["agent"]) == ("user", "")


def test_a_verb_that_the_page_does_not_need_is_refused(page: Opened) -> None:
    for verb in ("shutdown", "config.set", "models.key", "purge", "remember", "event.append"):
        error = page.post(verb).json["error"]
        assert error["data"]["kind"] == "refused", verb
    assert page.post("no.such.verb").json["error"]["data"]["kind"] == "unknown_verb"


def test_the_verbs_of_the_page_are_those_that_its_scripts_call() -> None:
    scripts = "\n".join(file.read_text() for file in FILES.glob("*.js"))
    called = set(re.findall(r"call\('([a-z.]+)'", scripts)) | set(re.findall(r"verb\([^\n]*?, '([a-z]+)'", scripts))
    called |= set(
        re.findall(r"verb\(memory\.pinned \? 'Unpin' : 'Pin', memory\.pinned \? '(unpin)' : '(pin)'", scripts)[0]
    )
    assert called == VERBS


def test_no_script_makes_markup_and_the_page_is_light() -> None:
    files = [*FILES.iterdir(), *SHARED.iterdir()]
    for file in files:
        text = file.read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function", text), (
            file.name
        )
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), file.name
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) < 150_000


def test_memory_is_readable_without_scripts_and_its_text_is_only_text(served: Home, page: Opened) -> None:
    hostile = '<script>alert(1)</script> "><img src=x onerror=alert(2)>'
    with client.connect(str(served.repo), served.environ) as muninn:
        muninn.call("remember", {"text": f"Markup {hostile} stays text.", "tags": ["<b>"], "files": ["src/<i>.py"]})
    for query in ("", "?q=markup+stays+text", "?type=insight"):
        body = page.get(query).body.decode()
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body, query
        assert "<img" not in body
        assert body.count("<script") == 1
    assert b"Nothing answers this search." in page.get("?q=zzzz&type=decision").body
    assert b'value="&quot;&gt;&lt;i&gt;"' in page.get("?q=%22%3E%3Ci%3E").body


def test_a_killed_daemon_is_started_again_and_the_page_works_on(repo: Path, environ: dict[str, str]) -> None:
    with page_of(repo, environ) as server:
        assert server.process.stdout is not None
        page = open_link(server)
        killed = daemon_pid(repo, environ)
        assert killed is not None
        psutil.Process(killed).kill()
        assert "killed and started again" in server.process.stdout.readline()
        assert page.post("status").json["result"]["pid"] != killed
        again = server.request("GET", server.link.partition(str(server.port))[2])
        assert again.status == 403


def test_a_daemon_that_is_stopped_closes_the_page(repo: Path, environ: dict[str, str]) -> None:
    with page_of(repo, environ) as server:
        stop_daemon(repo, environ)
        assert server.process.stdout is not None
        assert "the page is closed" in server.process.stdout.read()
        assert server.process.wait(PATIENCE) != 0
        assert daemon_pid(repo, environ) is None
