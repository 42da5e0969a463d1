"""How results look for people: short ids, relative times, quiet and verbose output, colour, the pager."""

from __future__ import annotations

import argparse
import io
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from muninn_shell import Shell
from rich.console import Console

from muninn_cli.show.formatting import moment
from muninn_cli.show.memory.history import diff
from muninn_cli.terminal.console import line, markdown, output, paragraph, source_line
from muninn_cli.terminal.display import DISPLAY
from muninn_cli.terminal.pager import pager_command
from muninn_cli.verbs.confirmation import is_confirmed
from muninn_core.errors import UsageError
from muninn_core.model.byline import relative
from muninn_core.protocol.catalogue import METHODS

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ULID = "01kjmma2g0abcdefgh01234567"


@pytest.fixture(autouse=True)
def options() -> Iterator[None]:
    """Restore the options that a test sets."""
    saved = dict(vars(DISPLAY))
    yield
    vars(DISPLAY).clear()
    vars(DISPLAY).update(saved)


def on_terminal(shell: Shell, *words: str, typed: str = "", code: int = 0, **environ: str) -> str:
    """Run the command on a pseudo-terminal, where a person has typed something, and return its output."""
    ours, theirs = pty.openpty()
    env = {**shell.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40", **environ}
    command = [sys.executable, "-m", "muninn_cli.main", *words]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=shell.repo, env=env)
    os.close(theirs)
    os.write(ours, typed.encode())
    read = bytearray()
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        read += piece
    os.close(ours)
    assert process.wait() == code, read.decode()
    return read.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=5), "5 min ago"),
        (timedelta(hours=3), "3 h ago"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=400), "2025-01-25"),
        (timedelta(days=-2), "in 2 days"),
    ],
)
def test_times_are_relative_to_now(span: timedelta, text: str) -> None:
    assert relative((NOW - span).isoformat(), NOW) == text


def test_a_time_that_is_none_is_shown_as_it_is_written() -> None:
    assert relative("soon", NOW) == "soon"
    assert moment("2026-03-01T12:00:00.000Z") == "2026-03-01 12:00"  # stdout is no terminal here


def test_on_a_terminal_ids_are_short_and_verbose_shows_them_whole(shell: Shell) -> None:
    asked = "Why is everybody logged out?"
    identity = shell.json("remember", "Sessions live in Redis.", "--question", asked)["ids"][0]
    short = on_terminal(shell, "memories", "--no-pager")
    assert asked not in short
    assert identity[-8:] in short
    assert identity not in short
    assert "just now" in short or "min ago" in short
    whole = on_terminal(shell, "memories", "--no-pager", "-v")
    assert (identity in whole, f"answers {asked}" in whole) == (True, True)
    for length in (4, 8):
        assert identity in on_terminal(shell, "show", identity[-length:], "--no-pager")
    assert identity in shell.run("memories").stdout  # a pipe gets whole ids


def test_quiet_leaves_out_hints_and_the_state_of_the_index(shell: Shell) -> None:
    shell.run("remember", "Sessions live in Redis.")
    usual, quiet = shell.run("memories").stdout, shell.run("-q", "memories").stdout
    state = re.compile(r"^\d+ of \d+ memor(y|ies) · ", re.MULTILINE)
    assert state.search(usual)
    assert not state.search(quiet)
    assert "Sessions live in Redis." in quiet


def test_colour_can_be_forced_and_forbidden(shell: Shell) -> None:
    shell.run("remember", "Sessions live in Redis.")
    assert "\x1b[" not in shell.run("memories").stdout
    assert "\x1b[" in shell.run("memories", "--color", "always").stdout
    assert "\x1b[" in on_terminal(shell, "memories", "--no-pager")
    assert "\x1b[3" not in on_terminal(shell, "memories", "--no-pager", "--color=never")


def test_a_list_on_a_terminal_goes_through_the_pager(shell: Shell, tmp_path: Path) -> None:
    shell.run("remember", "Sessions live in Redis.")
    copy = tmp_path / "seen"
    shown = on_terminal(shell, "memories", MUNINN_PAGER=f"tee {copy}")
    assert "Sessions live in Redis." in copy.read_text("utf-8")
    assert "Sessions live in Redis." in shown
    copy.unlink()
    on_terminal(shell, "memories", "--no-pager", MUNINN_PAGER=f"tee {copy}")
    on_terminal(shell, "remember", "A write is never paged.", MUNINN_PAGER=f"tee {copy}")
    assert not copy.exists()
    assert "Sessions live in Redis." in on_terminal(shell, "memories", MUNINN_PAGER="no-such-pager")


def test_a_pager_that_is_left_early_ends_the_command(shell: Shell) -> None:
    shell.run("remember", "Sessions live in Redis.")
    on_terminal(shell, "memories", MUNINN_PAGER="true")


@pytest.mark.parametrize(
    ("environ", "command"),
    [
        ({"PAGER": "more -s"}, ["more", "-s"]),
        ({"PAGER": "more", "MUNINN_PAGER": "less -S"}, ["less", "-S"]),
        ({"PAGER": "cat"}, []),
        ({"PAGER": ""}, []),
        ({"PATH": "/nowhere"}, []),
    ],
)
def test_the_pager_is_the_one_of_the_environment(environ: dict[str, str], command: list[str]) -> None:
    assert pager_command(environ) == command


def test_an_id_within_a_longer_word_is_not_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", io.StringIO())
    monkeypatch.setenv("COLUMNS", "200")
    DISPLAY.color = "always"
    console = output()
    line(console, (f"{ULID} s-{ULID} {ULID}x", ""), (f" {ULID}", "id"))
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().split() == [ULID[-8:], f"s-{ULID}", f"{ULID}x", ULID]


@pytest.mark.parametrize("width", [30, 80])
def test_a_line_that_is_too_long_for_a_terminal_continues_below_and_source_is_cut(width: int) -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=width, color_system=None)
    words = [f"word{number}" for number in range(20)]
    line(console, ("  " + " ".join(words), ""))
    rows = file.getvalue().splitlines()
    assert max(map(len, rows)) <= width
    assert " ".join(rows).split() == words
    assert [len(row) - len(row.lstrip()) for row in rows] == [2] + [4] * (len(rows) - 1)
    file.seek(0), file.truncate()
    source_line(console, ("x" * 100, ""))
    assert file.getvalue() == "x" * (width - 1) + "…\n"


def test_a_command_stands_in_one_row_where_it_fits() -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=40, color_system=None)
    paragraph(console, ("It may be outdated. If so: `muninn update 9jv2k7t0 --tag old`.", "hint"))
    line(console, ("Some words before it, and `muninn recall --repos billing the whole question`", "hint"))
    assert file.getvalue().splitlines() == [
        "It may be outdated. If so:",
        "`muninn update 9jv2k7t0 --tag old`.",
        "Some words before it, and `muninn",
        "  recall --repos billing the whole",
        "  question`",
    ]


def test_a_review_on_a_terminal_has_short_ids_and_wrapped_lines_but_its_markdown_is_verbatim() -> None:
    text = f"Added (1)\n\n  + decision {ULID}  Sessions live in Redis since cookies overflowed.\n"

    def shown(form: str | None, terminal: bool) -> str:
        console = Console(file=io.StringIO(), force_terminal=terminal, width=40, color_system=None)
        diff(console, {"text": text}, argparse.Namespace(format=form))
        return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]

    wrapped = "  + decision 01234567  Sessions live\n    in Redis since cookies overflowed.\n"
    assert shown(None, True) == shown("text", True) == f"Added (1)\n\n{wrapped}"
    assert shown(None, False) == shown("markdown", True) == text


def test_markdown_is_rendered_and_wrapped_on_a_terminal_and_stays_as_it_is_elsewhere() -> None:
    text = "**Head**\n\n> A sentence that is longer than the line has room for.\n\n[a.py](file:///project/a.py)\n"
    on, off = io.StringIO(), io.StringIO()
    markdown(Console(file=on, force_terminal=True, width=30, color_system=None), text)
    shown = on.getvalue()
    assert re.sub(r"[\s▌]+", " ", shown).strip() == "Head A sentence that is longer than the line has room for. a.py"
    assert max(map(len, shown.splitlines())) <= 30
    markdown(Console(file=off, width=30), text)
    assert off.getvalue() == text
    brackets, raw = "**[**" + "\\[" * 50_000, io.StringIO()
    markdown(Console(file=raw, force_terminal=True, width=30), brackets)
    assert raw.getvalue() == brackets + "\n"


def test_irreversible_commands_ask_for_confirmation(shell: Shell) -> None:
    identity = shell.json("remember", "The vault's code is in the drawer.")["ids"][0]
    status, error = shell.failure("redact", identity)
    assert status == 2
    assert "no terminal to ask on" in error["message"]
    assert "--yes" in error["data"]["hint"]
    for no in ("\n", "n\n", "\x04"):
        asked = on_terminal(shell, "redact", identity, typed=no, code=1)
        assert "The vault's code is in the drawer." in asked
        assert ".muninn/local/" in asked
        assert "Erase it? [y/N] " in asked
        assert "Nothing was erased." in asked
    assert "vault" in shell.run("show", identity).stdout
    assert "vault" in shell.run("redact", identity, "--dry-run").stdout
    done = on_terminal(shell, "redact", identity, typed="y\n")
    assert done.index("Erase it?") < done.index("Redacted ")
    assert "vault" not in shell.run("show", identity).stdout


def test_the_payload_of_an_event_is_shown_before_it_is_erased(shell: Shell) -> None:
    event = shell.json("event", "append", "note", "--payload", "said=The vault is open.")["event"]["event_id"]
    assert "The vault is open." in on_terminal(shell, "event", "redact", event, typed="n\n", code=1)
    assert "The vault is open." in shell.run("event", "query").stdout
    assert shell.run("event", "redact", event, "--yes").returncode == 0
    assert "The vault is open." not in shell.run("event", "query").stdout


def test_sealing_asks_only_before_it_removes_months(shell: Shell) -> None:
    assert "No past month" in shell.run("audit", "seal").stdout
    given = argparse.Namespace(yes=False, dry_run=False)
    assert is_confirmed(METHODS["audit.seal"], given, lambda: {"sealed": ["new"], "removed": []})
    with pytest.raises(UsageError, match="erases for good"):
        is_confirmed(METHODS["audit.seal"], given, lambda: {"sealed": [], "removed": ["old"]})


def test_a_remembered_sentence_continues_below_where_a_line_of_source_is_cut(shell: Shell) -> None:
    sentence = "Mooring lines are doubled above forty knots of wind, because a single line has parted twice in a gale"
    shell.run("remember", sentence)
    asked = ("recall", "mooring lines doubled in the wind", "--no-pager", "--color=never")
    for words in (asked, (*asked, "--kind", "memory")):
        shown = re.sub(r"\x1b\[[\d;]*m", "", on_terminal(shell, *words, COLUMNS="60"))
        assert sentence in " ".join(shown.split())
        assert max(map(len, shown.splitlines())) <= 60


def test_no_row_of_about_and_recall_ends_with_blanks(shell: Shell) -> None:
    shell.run("remember", "Ships are moored " + "to a berth " * 20, "--file", "src/harbour.py")
    for options in (("--color=never",), ("--color=always",)):
        shown = on_terminal(shell, "about", "src/harbour.py", "--no-pager", *options)
        rows = re.sub(r"\x1b\[[\d;]*m", "", shown).split("\n")
        assert any("Ships are moored to a berth" in row for row in rows)
        assert [row for row in rows if row != row.rstrip()] == []
    shell.run("remember", "Buoys are lit at dusk.\n\nThe keeper rows there.")
    printed = shell.run("recall", "buoys lit", "--kind", "memory").stdout
    assert "\n       The keeper rows there.\n" in printed
    assert [row for row in printed.split("\n") if row != row.rstrip()] == []
