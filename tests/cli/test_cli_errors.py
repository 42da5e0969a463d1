"""What a person reads after a mistake: what was wrong, what is allowed, and a command that helps."""

from __future__ import annotations

import io
import os
import sys

import pytest
from muninn_shell import Shell

from muninn_cli.main import run

ERRORS = {
    "recal x": (
        2,
        "there is no verb 'recal'",
        "Did you mean `muninn recall x`?",
    ),
    "ui": (
        2,
        "there is no verb 'ui'",
        "Did you mean `muninn open`?",
    ),
    "callers moor_ship": (
        2,
        "there is no verb 'callers'",
        "Did you mean `muninn graph`?",
    ),
    "where do ships moor": (
        2,
        "there is no verb 'where'",
        "Did you mean `muninn recall 'where do ships moor'`?",
    ),
    "rm zzzz": (
        2,
        "there is no verb 'rm'",
        "Did you mean `muninn forget`? Archive a memory: it is no longer recalled and can be restored.",
    ),
    "reset": (
        2,
        "there is no verb 'reset'",
        "`muninn help` lists all verbs.",
    ),
    "recall": (
        2,
        "`muninn recall` needs QUERY",
        "For example: `muninn recall 'how does a client find the daemon'`.",
    ),
    "recall ships --limit 0": (
        2,
        "--limit must be a whole number from 1 to 200, not 0",
        "The most hits to return. `muninn help recall` explains the options.",
    ),
    "recall ships --limit many": (
        2,
        "--limit: 'many' is not a whole number",
        "See `muninn recall --help`.",
    ),
    "recall ships --kind cod": (
        2,
        "--kind can't be 'cod'",
        "Did you mean 'code'? It is one of code, knowledge, memory.",
    ),
    "recall ships --limt 3": (
        2,
        "muninn recall: there is no option '--limt'",
        "Did you mean '--limit'?",
    ),
    "recall type:decison": (
        2,
        "column 1: 'type:decison': there is no kind of memory 'decison'; did you mean 'decision'?",
        "  type:decison",
        "  ^^^^^^^^^^^^",
        'To search for the words themselves, put them in quotes: "type:decison".',
    ),
    'recall "unclosed': (
        2,
        "column 1: a quotation mark has no partner",
        '  "unclosed',
        "  ^",
        'Close it: "exact phrase"; or leave the mark out.',
    ),
    "recall ships --at nosuch": (
        3,
        "there is no commit 'nosuch'",
        "The current branch is 'main'; `git branch --all` and `git tag` list the names.",
    ),
    "recall --like src/harbor.py:2": (
        3,
        "there is no file src/harbor.py",
        "Did you mean src/harbour.py?",
    ),
    "recall ships --nosuch": (
        2,
        "muninn recall: there is no option '--nosuch'",
        "See `muninn recall --help`.",
    ),
    "remember": (
        2,
        "there is nothing to remember",
        "Give a text, '-' for stdin, or --batch FILE.jsonl.",
    ),
    "remember --batch nosuch.jsonl": (
        2,
        "nosuch.jsonl can't be read: No such file or directory",
        "Give the name of a file with one JSON object per line, or - for the standard input.",
    ),
    "remember Fact --type decisoin": (
        2,
        "there is no kind of memory 'decisoin'",
        "Did you mean 'decision'?",
    ),
    "remember Fact --importance 11": (
        2,
        "--importance must be a whole number from 1 to 10, not 11",
        "1 (trivia) to 10 (never forget). `muninn help remember` explains the options.",
    ),
    "remember Fact --link supersede:abc": (
        2,
        "there is no relation 'supersede'",
        "Did you mean 'supersedes'?",
    ),
    "remember Fact --link supersedes": (
        2,
        "--link: 'supersedes' is not RELATION:ID, such as supersedes:0198c5",
        "See `muninn remember --help`.",
    ),
    "remember Fact --cite src/harbour.py:9-3": (
        2,
        "--cite: 'src/harbour.py:9-3' ends before it starts",
        "See `muninn remember --help`.",
    ),
    "remember Fact --cite src/harbour.py:99": (
        2,
        "'src/harbour.py' has 3 lines, and line 99 is cited",
        "Cite lines that are there, or only name the file.",
    ),
    "remember Fact --expires tomorow": (
        2,
        "--expires is not a time: 'tomorow'",
        "Write 30d, 2026-12-31 or 2026-12-31T12:00:00Z (RFC 3339). `muninn help remember` explains the options.",
    ),
    "show zzzz": (
        3,
        "there is no memory 'zzzz'",
        "`muninn memories` lists the ids.",
    ),
    "forget": (
        2,
        "`muninn forget` needs ID",
        "For example: `muninn forget 0198c5`.",
    ),
    "memories --type decison": (
        2,
        "there is no kind of memory 'decison'",
        "Did you mean 'decision'?",
    ),
    "memories --since yesterday": (
        2,
        "--since is not a time: 'yesterday'",
        "Write 12h, 3d, 2w or 2026-01-31. `muninn help memories` explains the options.",
    ),
    "resolve zzzz": (
        2,
        "`muninn resolve` needs --keep",
        "It is one of both, left, right. See `muninn resolve --help`.",
    ),
    "resolve zzzz --keep middle": (
        2,
        "--keep can't be 'middle'",
        "It is one of both, left, right.",
    ),
    "resolve zzzz --keep left": (
        3,
        "there is no conflict 'zzzz'",
        "`muninn conflicts --decided` lists the ids.",
    ),
    "context ships --budget 10": (
        2,
        "--budget must be a whole number from 50 to 200000, not 10",
        "The token budget of the whole pack. `muninn help context` explains the options.",
    ),
    "context render nosuch": (
        3,
        ".muninn/context/nosuch.md does not exist",
        "`muninn context new nosuch` creates one.",
    ),
    "config get memory.kind": (
        3,
        "there is no key 'memory.kind'",
        "Did you mean 'memory.kinds'?",
    ),
    "config set memory.author maybe": (
        2,
        "'memory.author' can't be 'maybe'",
        "It takes name, email or none; the default is name.",
    ),
    "outline src/harbor.py": (
        3,
        "there is no file src/harbor.py",
        "Did you mean src/harbour.py?",
    ),
    "read -- --harbour.py": (
        3,
        "there is no file --harbour.py",
        "Did you mean src/harbour.py?",
    ),
    "context --cursor src/nosuch.py:3": (
        3,
        "there is no file src/nosuch.py",
        "`muninn files` lists the files.",
    ),
    "graph nosuch": (
        3,
        "'nosuch' is not defined in this repository",
        "`muninn symbols` finds definitions by parts of their names.",
    ),
    "graph Harbour.moor_ship": (
        3,
        "'Harbour.moor_ship' is not defined in this repository",
        "Did you mean 'src/harbour.py#moor_ship'?",
    ),
    "graph src/harbour.py caller": (
        2,
        "there is no relation 'caller'",
        "Did you mean 'callers'?",
    ),
    "map sources": (
        3,
        "sources is no folder with indexed files",
        "Did you mean src?",
    ),
    "export --out nowhere/bundle.jsonl": (
        5,
        "nowhere/bundle.jsonl can't be written: No such file or directory",
        "There is no folder nowhere: `mkdir -p nowhere` creates it.",
    ),
    "import nosuch.jsonl": (
        3,
        "the bundle REPO/nosuch.jsonl can't be read: No such file or directory",
        "`muninn export --out FILE` writes a bundle.",
    ),
    "export memories.md": (
        2,
        "unexpected argument 'memories.md'",
        "`muninn export --out memories.md` writes to a file.",
    ),
    "undo now": (
        2,
        "unexpected argument 'now'",
        "`muninn undo --help` lists the options.",
    ),
    "daemon strat": (
        2,
        "ACTION can't be 'strat'",
        "Did you mean 'start'? It is one of start, status, stop, logs.",
    ),
    "backfill svn": (
        2,
        "SOURCE can't be 'svn'",
        "It is one of git, transcripts.",
    ),
    "why c-0": (
        3,
        "no context 'c-0' is stored here",
        "`muninn context QUERY` prints the id of its pack. The last 200 are stored on the machine that answered.",
    ),
    "diff nosuch": (
        3,
        "there is no commit 'nosuch'",
        "The current branch is 'main'; `git branch --all` and `git tag` list the names.",
    ),
    "status --repo nowhere": (
        4,
        "REPO/nowhere does not exist",
        "Give the folder of a repository with --repo DIR.",
    ),
    "install codx": (
        2,
        "there is no client 'codx'",
        "Did you mean 'codex'?",
    ),
    "bogus": (
        2,
        "there is no verb 'bogus'",
        "`muninn help` lists all verbs.",
    ),
    "ememories": (
        2,
        "there is no verb 'ememories'",
        "Did you mean `muninn memories`?",
    ),
    "daemon": (
        2,
        "`muninn daemon` needs ACTION",
        "It is one of start, status, stop, logs. See `muninn daemon --help`.",
    ),
    "recall ships --since yesterday": (
        2,
        "--since: a time is a span back from now (12h, 3d, 2w, 6m, 1y) or a date: since:2w, since:2026-01-31",
        "`muninn help recall` explains the options.",
    ),
    "decision supersede d-1 d-0 --rationale Because.": (
        3,
        "there is no decision 'd-0'",
        "`muninn decision list` lists decisions. Nothing was recorded.",
    ),
    "agent handoff Done.": (
        2,
        "the call names no agent",
        "Register with `muninn agent register`, and give the agent_key that it returns.",
    ),
    "repos add nowhere": (
        4,
        "REPO/nowhere does not exist",
        "Give the path of a repository on this machine.",
    ),
    "forget one two": (
        2,
        "unexpected argument 'two'",
        "`muninn forget` takes one ID.",
    ),
    "barrier wait green 0": (
        2,
        "PARTIES must be a whole number from 1 to 200, not 0",
        "How many agents pass it together. `muninn help barrier wait` explains the options.",
    ),
    "help xyzzy": (
        2,
        "there is no verb 'xyzzy'",
        "`muninn help` shows all verbs.",
    ),
}
"""{command line: (exit code, the lines of the message)}; REPO stands for the repository."""


@pytest.fixture(scope="module")
def harbour(shell: Shell) -> Shell:
    """A repository with one memory."""
    shell.json("remember", "Ships moor at berth two.", "--type", "decision")
    return shell


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], harbour: Shell) -> None:
    """Run the command in this process as it would run in a shell, in a terminal that is no terminal."""
    for name in set(os.environ) - set(environ):
        monkeypatch.delenv(name)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.chdir(harbour.repo)


@pytest.mark.parametrize(("line", "expected"), ERRORS.items(), ids=list(ERRORS))
def test_an_error_says_what_is_wrong_what_is_allowed_and_what_helps(
    line: str, expected: tuple[int, *tuple[str, ...]], harbour: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(line.split())
    printed = capsys.readouterr()
    lines = printed.err.removeprefix("error: ").replace(str(harbour.repo), "REPO").splitlines()
    assert (code, *lines) == expected
    assert printed.out == ""
    assert len(lines) > 1, "no line says what to do"
