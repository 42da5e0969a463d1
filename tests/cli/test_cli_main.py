from __future__ import annotations

import io
import re
import shlex

import pytest
from muninn_shell import Shell
from rich.console import Console

from muninn_cli.arguments.parser import ALIASES, suggest, to_params, verb_parser
from muninn_cli.exit_codes import MEANINGS, exit_code
from muninn_cli.help import manual
from muninn_cli.main import run, split
from muninn_cli.proxies.options import read_options
from muninn_core import __version__, errors
from muninn_core.protocol.catalogue import FAMILIES, GROUPS, METHODS, decode_params


@pytest.mark.parametrize(
    ("argv", "word", "rest"),
    [
        (["recall", "x"], "recall", ["x"]),
        (["--repo", "d", "recall", "x"], "recall", ["--repo", "d", "x"]),
        (["--repo=d", "--json", "status"], "status", ["--repo=d", "--json"]),
        ([], "", []),
        (["--json"], "", ["--json"]),
    ],
)
def test_options_of_every_verb_may_stand_before_it(argv: list[str], word: str, rest: list[str]) -> None:
    assert split(argv) == (word, rest)


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"muninn {__version__}\n"


@pytest.mark.parametrize("argv", [["help"], ["help", "all"], ["--help"], ["-h"]])
def test_help_lists_all_verbs_within_80_columns(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(argv) == 0
    out = capsys.readouterr().out
    assert all(f"  {code}" in out for code in MEANINGS)
    assert "  recall" in out
    assert [line for line in out.splitlines() if len(line) > 80] == []


def test_without_arguments_a_page_of_everyday_verbs_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 16
    assert max(map(len, lines)) <= 80
    listed = [line.split()[0] for line in lines if line.startswith("  ")]
    assert listed[:4] == ["init", "remember", "recall", "context"]
    assert {"show", "edit", "doctor"} <= {*listed}
    assert not {*listed} & {"redact", "purge", "forget", "shutdown", "prune", "undo", "relink", "hook"}


@pytest.mark.parametrize("word", ["recall", "daemon", "doctor", "completion", "lsp", "hook", "help"])
def test_help_explains_a_verb_or_command(word: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["help", word]) in (0, 2)  # a hook's own usage is told as the error that it is
    captured = capfd.readouterr()
    assert "usage: muninn" in captured.out + captured.err


@pytest.mark.parametrize("verb", METHODS)
def test_the_help_of_each_verb_has_an_example_that_parses(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    method = METHODS[verb]
    assert run(["help", *method.words.split()]) == 0
    page = capsys.readouterr().out.replace(" \\\n    ", " ")  # an option may begin a line
    command = re.search(r"^example:\n  (muninn .*)$", page, re.MULTILINE)
    assert command is not None
    words = shlex.split(command[1])[1 + len(method.words.split()) :]
    assert decode_params(method, to_params(method, verb_parser(method).parse(words))) is not None


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("query", "recall"),
        ("add", "remember"),
        ("rm", "forget"),
        ("delete", "forget"),
        ("ui", "open"),
        ("stop", "daemon stop"),
        ("setup", "install"),
        ("shwo", "show"),
    ],
)
def test_words_that_people_try_lead_to_the_verb(word: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([word]) == 2
    assert f"`muninn {words}`" in capsys.readouterr().err


@pytest.mark.parametrize("alias", [alias for method in METHODS.values() for alias in method.aliases])
def test_an_alias_runs_its_verb(alias: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):  # argparse ends the process after its help
        run([*alias.split(), "--help"])
    assert f"usage: muninn {ALIASES[alias].words}" in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["redact", "purge", "forget", "shutdown", "prune", "undo"])
def test_a_verb_that_loses_or_stops_something_is_never_suggested(verb: str) -> None:
    for word in (verb[:-1], verb + "s", verb[1:], verb[0] + verb):
        assert suggest(word, manual.COMMANDS) != verb


def test_no_synonym_is_a_verb_or_means_two_verbs() -> None:
    synonyms = [word for method in METHODS.values() for word in (*method.synonyms, *method.aliases)]
    assert len(synonyms) == len(set(synonyms))
    assert not set(synonyms) & {*METHODS, *GROUPS, *manual.COMMANDS}


def test_the_help_of_context_names_what_else_it_does_with_context_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "context"]) == 0
    shown = capsys.readouterr().out
    assert "muninn context new" in shown
    assert "muninn context render" in shown
    assert run(["help", "context", "new"]) == 0
    assert "--template" in capsys.readouterr().out


@pytest.mark.parametrize("argv", [["recal", "x"], ["help", "recal"]])
def test_an_unknown_verb_names_the_nearest(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(argv) == 2
    assert "recall" in capsys.readouterr().err


def test_a_word_that_resembles_no_verb_names_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["foo"]) == 2
    assert "Did you mean" not in capsys.readouterr().err


def test_every_kind_of_error_has_an_exit_code_with_a_meaning() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.MuninnError)]
    assert len(kinds) > 10
    assert {exit_code(kind("x")) for kind in kinds} <= set(MEANINGS)


def test_an_error_of_an_unknown_kind_is_a_plain_error() -> None:
    assert exit_code(errors.from_plain({"message": "x", "data": {"kind": "of tomorrow"}})) == 1


@pytest.mark.parametrize(
    ("protocol", "options", "environ", "folder"),
    [
        ("lsp", [], {}, "."),
        ("lsp", ["--stdio"], {"CLAUDE_PROJECT_DIR": "/p"}, "."),
        ("lsp", ["--repo", "d"], {}, "d"),
        ("mcp", [], {"CLAUDE_PROJECT_DIR": "/p"}, "/p"),
        ("mcp", ["--repo=d"], {"CLAUDE_PROJECT_DIR": "/p"}, "d"),
        ("mcp", [], {}, "."),
    ],
)
def test_a_proxy_finds_its_repository(protocol: str, options: list[str], environ: dict[str, str], folder: str) -> None:
    assert read_options(protocol, options, environ).repo == folder


@pytest.mark.parametrize("options", [["--repo"], ["--verbose"], ["--tools", "all"], ["--http"]])
def test_unknown_options_of_a_proxy_are_refused(options: list[str]) -> None:
    with pytest.raises(ValueError, match="--"):
        read_options("lsp", options, {})


@pytest.mark.parametrize(
    "options",
    [["--port", "8000"], ["--print-config"], ["--http", "--port", "0"], ["--http", "--port=x"], ["--tools"]],
)
def test_options_of_http_that_mean_nothing_are_refused(options: list[str]) -> None:
    with pytest.raises(ValueError, match=r"port|--"):
        read_options("mcp", options, {})


def test_sets_of_tools_are_named_with_commas_or_one_by_one() -> None:
    wishes = read_options("mcp", ["--tools", "core,all", "--tools=mnemosyne", "--http", "--port=8000"], {})
    assert (wishes.tools, wishes.http, wishes.port) == (["core", "all", "mnemosyne"], True, 8000)


def test_commands_that_connect_clients_have_machine_readable_output(shell: Shell) -> None:
    lines = shell.json("install", "--list")["lines"]
    assert any(line.startswith("claude-code ") for line in lines)
    assert "nothing would change" not in shell.json("install", "codex", "--dry-run")["lines"]
    for words, code in ((("codx",), 2), (("codex", "--bogus"), 2), (("codex", "--repo", "missing"), 4)):
        assert shell.failure("install", *words)[0] == code


@pytest.mark.parametrize("width", [40, 60, 100])
def test_the_help_ends_no_line_within_a_verb(width: int) -> None:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    manual._plumbing(console)
    assert isinstance(console.file, io.StringIO)
    rows = console.file.getvalue().splitlines()
    assert max(map(len, rows)) <= width
    told = {verb.strip() for row in rows for verb in re.split(r",|  +", row)}
    plumbing = [each for family in FAMILIES if family.plumbing for each in family.methods]
    assert {each.words for each in plumbing if not each.everyday} <= told
