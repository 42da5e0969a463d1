"""`muninn watch`: lines and the screen follow a real daemon, through a kill -9, and keys decide what waits."""

from __future__ import annotations

import contextlib
import os
import pty
import queue
import re
import select
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from repositories import MUNINN, PATIENCE, copy_plain_repo, kill_daemon, stop_daemon
from textual.widgets import DataTable, Input, RichLog
from work_tree_fixtures import shared_environ, shared_repo  # noqa: F401 - fixtures

from muninn_cli.watch.command import print_lines
from muninn_cli.watch.follower import Follower, Update, running, sentence
from muninn_cli.watch.repositories import WatchedRepositories
from muninn_cli.watch.screen import WatchApp
from muninn_core import client


@pytest.fixture
def muninn(repo: Path, environ: dict[str, str]) -> Iterator[client.Client]:
    with client.connect(str(repo), environ) as connection:
        yield connection


async def until(pilot: Any, holds: Callable[[], Any]) -> Any:
    """Wait until a condition holds, and return its value."""
    end = time.monotonic() + PATIENCE
    while not (value := holds()):
        assert time.monotonic() < end, pilot.app.export_screenshot()
        await pilot.pause(0.05)
    return value


def events(app: WatchApp) -> str:
    return "\n".join(strip.text for strip in app.query_one("#events", RichLog).lines)


def rows(app: WatchApp, name: str) -> str:
    table = app.query_one(name, DataTable)
    return "\n".join(" ".join(map(str, table.get_row_at(row))) for row in range(table.row_count))


async def test_the_screen_shows_agents_and_events_and_filters_them(muninn, repo, environ):
    key = muninn.call("agent.register", {"name": "ada", "task": "mend the crane"})["agent_key"]
    muninn.call("lease.claim", {"files": ["crane.py"], "agent_key": key})
    app = WatchApp(WatchedRepositories([str(repo)], environ))
    async with app.run_test(size=(160, 40)) as pilot:
        await until(pilot, lambda: "mend the crane" in rows(app, "#agents") and "file:crane.py" in rows(app, "#agents"))
        muninn.call("event.append", {"event_type": "crane.ready", "payload": {"text": "It \x1b[31mlifts.\n"}})
        await until(pilot, lambda: "lifts" in events(app))
        assert "\x1b" not in events(app)
        await pilot.press("f")
        await pilot.press(*"crane.ready")
        await until(pilot, lambda: "lease.claimed" not in events(app) and "lifts" in events(app))
        app.query_one("#filter", Input).value = ""
        await until(pilot, lambda: "lease.claimed" in events(app))
        await pilot.press("enter", "q")
    assert app.return_code == 0
    muninn.call("agent.leave")


async def test_keys_decide_what_waits(muninn, repo, environ):
    (repo / ".muninn" / "config.yaml").write_text("review: {pending: [assistant]}\n")
    muninn.call("index")
    kept = muninn.call("remember", {"text": "Ships wait outside.", "actor": "assistant", "agent": "a 1"})["ids"][0]
    app = WatchApp(WatchedRepositories([str(repo)], environ))
    async with app.run_test(size=(160, 40)) as pilot:
        await until(pilot, lambda: "Ships wait outside" in rows(app, "#inbox"))
        await pilot.press("l")
        await until(pilot, lambda: "approval: a approve, x reject" in str(app.query_one("#said").render()))
        await pilot.press("a")
        await until(pilot, lambda: "Ships wait" not in rows(app, "#inbox"))
        assert muninn.call("memories", {"id": kept})["memories"][0]["review"] == "approved"


@contextlib.contextmanager
def lines(watched: WatchedRepositories, capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[[str], str]]:
    """Print lines about cranes; yield what waits for a text, and returns what was printed since the text before."""
    ends = threading.Event()
    printing = threading.Thread(target=print_lines, args=(watched, "crane", ends.is_set))
    printing.start()

    def shows(text: str) -> str:
        seen = ""
        end = time.monotonic() + PATIENCE
        while text not in seen:
            seen += capsys.readouterr().out
            assert time.monotonic() < end, seen
            time.sleep(0.05)
        return seen

    try:
        yield shows
    finally:
        ends.set()
        printing.join(PATIENCE)


def test_lines_go_on_after_a_kill(served, capsys):
    repo, environ = served
    with lines(WatchedRepositories([str(repo)], environ), capsys) as shows:
        seen = shows("live")
        for number in range(2):
            with client.connect(str(repo), environ) as muninn:
                muninn.call("event.append", {"event_type": "other", "payload": {"text": "nobody asked"}})
                muninn.call("event.append", {"event_type": f"crane.{number}"})
            seen += shows(f"crane.{number}")
            kill_daemon(repo, environ)
            seen += shows("live")
        assert "nobody asked" not in seen
    assert len(running(environ)) == 1


def test_a_follower_begins_again_in_a_journal_that_was_made_anew(muninn, repo, environ):
    muninn.call("event.append", {"event_type": "crane.anew"})
    updates: queue.Queue[Update] = queue.Queue()
    follower = Follower(str(repo), environ, updates.put, starts=False)
    follower._last = 1_000_000  # of the journal before
    follower.start()
    end = time.monotonic() + PATIENCE
    try:
        while (update := updates.get(timeout=PATIENCE)).kind != "event" or update.content["event_type"] != "crane.anew":
            assert time.monotonic() < end, update
    finally:
        follower.stop()


def test_lines_show_what_is_remembered(served, capsys):
    repo, environ = served
    with (
        lines(WatchedRepositories([str(repo)], environ), capsys) as shows,
        client.connect(str(repo), environ) as muninn,
    ):
        muninn.call("event.append", {"event_type": "crane.begun"})
        shows("crane.begun")  # records before it are not shown
        kept = muninn.call("remember", {"text": "The crane needs grease in frost."})["ids"][0]
        shows("remembered as insight: The crane needs grease in frost")
        muninn.call("forget", {"id": kept, "reason": "it was replaced"})
        assert "The crane needs grease in frost" in shows("archived")


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/New_York"])
def test_a_line_has_the_day_of_an_event_that_is_not_of_today(monkeypatch, zone):
    def shown(occurred_at: str) -> str:
        payload = {"text": "lifted"}
        about = {"event_type": "crane", "session_id": "s", "stream_id": "s", "stored": "inline", "payload": payload}
        return sentence({**about, "occurred_at": occurred_at})

    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        today = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        assert re.match(r"\d\d:\d\d:\d\d  crane", shown(today))
        assert re.match(r"2026-03-0[12] \d\d:\d\d:\d\d  crane", shown("2026-03-01T17:00:00.000Z"))
        for far in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
            assert re.match(r"\d{4,5}-\d\d-\d\d \d\d:\d\d:\d\d  crane", shown(far))
    finally:
        monkeypatch.undo()
        time.tzset()


def test_lines_of_all_repositories_have_their_names_and_no_daemon_is_started(served, capsys, tmp_path):
    other = copy_plain_repo(tmp_path / "depot")
    with (
        client.connect(str(served.repo), served.environ),
        lines(WatchedRepositories([], served.environ), capsys) as shows,
    ):
        shows(f"{served.repo.name}  live")
        with client.connect(str(other), served.environ) as muninn:
            muninn.call("init")
            shows("depot  live")
            muninn.call("event.append", {"event_type": "crane.far"})
            assert shows("crane.far").splitlines()[-1].startswith("depot  ")
        stop_daemon(other, served.environ)
        shows("depot  gone")
        assert str(other) not in running(served.environ)


def test_the_terminal_is_as_before_after_the_screen(repo, environ):
    control, terminal = pty.openpty()
    before = termios.tcgetattr(terminal)
    process = subprocess.Popen(
        [MUNINN, "watch", str(repo)],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**environ, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    shown = _read_until(control, b"Decisions")
    os.write(control, b"q")
    shown += _read_until(control, b"\x1b[?1049l")
    shown = shown.rpartition(b"\x1b[?25l")[2]
    shown += b"" if b"\x1b[?25h" in shown else _read_until(control, b"\x1b[?25h")  # the cursor is visible again
    assert process.wait(PATIENCE) == 0
    assert termios.tcgetattr(terminal) == before
    os.close(control)
    os.close(terminal)


def _read_until(control: int, wanted: bytes) -> bytes:
    found, end = b"", time.monotonic() + PATIENCE
    while wanted not in found:
        assert time.monotonic() < end, found[-2000:]
        if select.select([control], [], [], 0.1)[0]:
            found += os.read(control, 65_536)
    return found
