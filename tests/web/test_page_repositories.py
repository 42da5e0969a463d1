"""The page with several repositories: which it lists, calls of their verbs, and one stream of all events."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from http_api import Stream
from page_api import Opened, open_link, page_of
from repositories import copy_plain_repo, daemon_pid, kill_daemon

from muninn_core import client
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import repository_key

HOSTILE = '<img src=x onerror="alert(1)">'


@pytest.fixture
def other(tmp_path: Path, environ: dict[str, str]) -> Iterator[Path]:
    """Another repository with memory, whose name is hostile, and its daemon."""
    root = copy_plain_repo(tmp_path / HOSTILE)
    remembered(root, environ, "The other harbour has two cranes.")
    yield root
    kill_daemon(root, environ)


def remembered(root: Path, environ: dict[str, str], text: str) -> None:
    with client.connect(str(root), environ) as muninn:
        muninn.call("init")
        muninn.call("remember", {"text": text})


def append(root: Path, environ: dict[str, str], number: int) -> None:
    with client.connect(str(root), environ) as muninn:
        muninn.call("event.append", {"event_type": "step", "payload": {"number": number}})


def key_of(root: Path) -> str:
    return repository_key(locate(str(root)).identity)


def listed(stream: Stream, wanted: list[str]) -> None:
    """Wait until the stream lists these repositories besides its own."""
    while [each["name"] for each in stream.next("repositories").data["repositories"]] != wanted:
        pass


def step(stream: Stream) -> tuple[str, Any]:
    data = stream.next("journal").data
    while data["event"]["event_type"] != "step":
        data = stream.next("journal").data
    return data["repository"], data["event"]["payload"]["number"]


@pytest.fixture
def page(repo: Path, environ: dict[str, str]) -> Iterator[Opened]:
    remembered(repo, environ, "The own harbour has one crane.")
    with page_of(repo, environ) as server:
        yield open_link(server)


def test_verbs_of_another_repository_are_called_with_the_same_limits(page: Opened, other: Path) -> None:
    key = key_of(other)
    assert page.post("memories", at=key).json["result"]["memories"][0]["text"] == "The other harbour has two cranes."
    assert page.post("memories").json["result"]["memories"][0]["text"] == "The own harbour has one crane."
    assert page.post("shutdown", at=key).json["error"]["data"]["kind"] == "refused"
    assert page.post("memories", at=key, X_Muninn_Page="").status == 403
    assert page.post("memories", at=key, Origin="http://page.example").status == 403
    assert page.post("memories", at="0" * 16).status == 500
    body = page.get(f"?at={key}").body.decode()
    assert "The other harbour has two cranes." in body
    assert HOSTILE not in body
    assert f'<a href="?at={key}"' in body


def test_one_stream_has_the_events_of_all_repositories_and_resumes_in_each(
    page: Opened, other: Path, repo: Path, environ: dict[str, str]
) -> None:
    own, theirs = key_of(repo), key_of(other)
    with page.events() as stream:
        listed(stream, [HOSTILE])
        append(repo, environ, 1)
        assert step(stream) == (own, 1)
        append(other, environ, 2)
        assert step(stream) == (theirs, 2)
    append(other, environ, 3)
    append(repo, environ, 4)
    with page.events(last=stream.identity) as again:
        assert {step(again), step(again)} == {(theirs, 3), (own, 4)}


def test_repositories_come_and_go_while_the_page_is_open(page: Opened, other: Path, environ: dict[str, str]) -> None:
    with page.events() as stream:
        listed(stream, [HOSTILE])
        pid = daemon_pid(other, environ)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        listed(stream, [])
        append(other, environ, 1)
        listed(stream, [HOSTILE])
        append(other, environ, 2)
        while step(stream) != (key_of(other), 2):
            pass
