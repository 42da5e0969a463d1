from __future__ import annotations

import argparse
import re
import subprocess
import sys
from typing import Any

import pytest

from muninn_cli.arguments.parameters import Parameter, parameters
from muninn_cli.arguments.parser import read_cite, read_link, read_pair, to_params, verb_parser
from muninn_cli.help import manual
from muninn_cli.help.manual import COMMANDS
from muninn_cli.show import RENDERERS
from muninn_core.errors import UsageError
from muninn_core.protocol.catalogue import FAMILIES, GROUPS, METHODS, decode_params

EVERY = [(verb, parameter) for verb in METHODS for parameter in parameters(METHODS[verb])]

WORDS: dict[str, tuple[str, Any]] = {
    "text": ("some words", "some words"),
    "texts": ("a", ["a"]),
    "integer": ("60", 60),
    "number": ("0.5", 0.5),
    "table": ("why=it rained", {"why": "it rained"}),
    "labels": ("session=7", {"session": "7"}),
    "cites": ("src/a.py:3-5", [{"path": "src/a.py", "start": 3, "end": 5}]),
    "links": ("extends:m1", [{"relation": "extends", "target": "m1"}]),
    "drafts": ("notes.jsonl", "notes.jsonl"),
}


def sample(parameter: Parameter) -> tuple[list[str], Any]:
    """Return words that give a parameter, and the value that they mean."""
    if parameter.shape == "switch":
        flag = parameter.flags[0]
        return ([flag.replace("--", "--no-")], False) if parameter.default else ([flag], True)
    word, value = (parameter.choices[0],) * 2 if parameter.shape == "choice" else WORDS[parameter.shape]
    return ([word] if parameter.positional else [parameter.flags[0], word]), value


def required_words(verb: str, but: str) -> list[str]:
    given = [parameter for parameter in parameters(METHODS[verb]) if parameter.required and parameter.name != but]
    return [word for parameter in given for word in sample(parameter)[0]]


@pytest.mark.parametrize(("verb", "parameter"), EVERY, ids=lambda value: getattr(value, "name", value))
def test_every_parameter_of_every_verb_can_be_given(verb: str, parameter: Parameter) -> None:
    words, value = sample(parameter)
    others = required_words(verb, parameter.name)
    needed = [other for other in parameters(METHODS[verb]) if other.positional and other.required]
    given = verb_parser(METHODS[verb]).parse([*words, *others] if parameter in needed[:1] else [*others, *words])
    assert to_params(METHODS[verb], given)[parameter.name] == value


@pytest.mark.parametrize("verb", METHODS)
def test_omitted_options_are_not_sent(verb: str) -> None:
    given = verb_parser(METHODS[verb]).parse(required_words(verb, ""))
    required = {parameter.name for parameter in parameters(METHODS[verb]) if parameter.required}
    assert set(to_params(METHODS[verb], given)) == required


@pytest.mark.parametrize("verb", METHODS)
def test_every_verb_takes_repo_and_json(verb: str) -> None:
    given = verb_parser(METHODS[verb]).parse([*required_words(verb, ""), "--repo", "elsewhere", "--json"])
    assert (given.repo, given.json) == ("elsewhere", True)


@pytest.mark.parametrize("verb", METHODS)
def test_the_required_parameters_are_enough_for_the_core(verb: str) -> None:
    given = verb_parser(METHODS[verb]).parse(required_words(verb, ""))
    decode_params(METHODS[verb], to_params(METHODS[verb], given))


@pytest.mark.parametrize("flag", ["--file", "--files"])
def test_a_list_takes_the_singular_and_the_plural(flag: str) -> None:
    given = verb_parser(METHODS["remember"]).parse(["text", flag, "a.py", "--file", "b.py"])
    assert to_params(METHODS["remember"], given)["files"] == ["a.py", "b.py"]


def test_the_manual_lists_every_verb_and_command_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert manual.main([]) == 0
    page = capsys.readouterr().out
    assert max(map(len, page.splitlines())) <= 80
    people, plumbing = page.split("For programs, agents and editors\n")
    for family in FAMILIES:
        for method in family.methods:
            if family.plumbing and not method.everyday:
                assert len(re.findall(rf"\b{method.words}(,|$)", plumbing, re.MULTILINE)) == 1, method.words
            else:
                assert len(re.findall(rf"^  {method.words} +\S", people, re.MULTILINE)) == 1, method.words
    for word in COMMANDS:
        assert len(re.findall(rf"^  {word} +\S|^  Servers .*\b{word}(?:,|$)", page, re.MULTILINE)) == 1, word


@pytest.mark.parametrize("words", [*(method.words for method in METHODS.values()), *GROUPS, *COMMANDS])
def test_the_help_of_a_verb_has_an_example_and_fits_80_columns(
    words: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if words in ("help", "version"):
        pytest.skip("their help is the page of all verbs")
    monkeypatch.setenv("COLUMNS", "80")
    if words == "org":  # replaces its process
        page = subprocess.run(
            [sys.executable, "-m", "muninn_cli.main", "help", "org"], capture_output=True, text=True, check=True
        ).stdout
    else:
        assert manual.main(words.split()) == 0
        captured = capfd.readouterr()
        page = captured.out or captured.err
    assert re.search(rf"^example:\n  muninn {words.split()[0]}", page, re.MULTILINE)
    assert [line for line in page.splitlines() if len(line) > 80] == []


def test_every_verb_has_a_renderer() -> None:
    assert set(RENDERERS) == set(METHODS)


def test_an_unknown_option_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        verb_parser(METHODS["recall"]).parse(["ships", "--limt", "3"])
    assert caught.value.hint == "Did you mean '--limit'?"
    with pytest.raises(UsageError) as caught:
        verb_parser(METHODS["recall"]).parse(["ships", "-k", "3"])
    assert caught.value.hint == "See `muninn recall --help`."


def test_the_limit_has_a_short_option() -> None:
    for verb in ("recall", "memories", "log"):
        given = verb_parser(METHODS[verb]).parse([*required_words(verb, ""), "-n", "3"])
        assert to_params(METHODS[verb], given)["limit"] == 3


def test_words_without_quotes_are_explained() -> None:
    with pytest.raises(UsageError) as caught:
        verb_parser(METHODS["recall"]).parse(["where", "are", "ships"])
    assert "quotes" in caught.value.hint


def test_an_option_is_never_abbreviated() -> None:
    with pytest.raises(UsageError):
        verb_parser(METHODS["recall"]).parse(["ships", "--lim", "3"])


@pytest.mark.parametrize(
    ("word", "cite"),
    [
        ("a.py", {"path": "a.py", "start": 0, "end": 0}),
        ("a.py:7", {"path": "a.py", "start": 7, "end": 7}),
        ("odd:name.py:7-9", {"path": "odd:name.py", "start": 7, "end": 9}),
        ("odd:0", {"path": "odd:0", "start": 0, "end": 0}),
    ],
)
def test_a_cite_is_a_path_and_its_lines(word: str, cite: dict[str, Any]) -> None:
    assert read_cite(word) == cite


@pytest.mark.parametrize("word", ["", "a.py:9-7"])
def test_a_cite_that_is_none_is_refused(word: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        read_cite(word)


@pytest.mark.parametrize("word", ["m1", ":m1", "extends:"])
def test_a_link_needs_a_relation_and_an_id(word: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        read_link(word)


@pytest.mark.parametrize(
    ("word", "pair"),
    [
        ("status=accepted", ("status", "accepted")),
        ("exit_status=1", ("exit_status", 1)),
        ("version=1.10", ("version", "1.10")),
        ("flaky=true", ("flaky", True)),
        ('alternatives=["a", "b"]', ("alternatives", ["a", "b"])),
        ("command=make test=1", ("command", "make test=1")),
        ("ratio=NaN", ("ratio", "NaN")),
        ("note=", ("note", "")),
    ],
)
def test_a_detail_is_taken_as_json_unless_that_changes_it(word: str, pair: tuple[str, Any]) -> None:
    assert read_pair(word) == pair


def test_a_key_that_is_given_twice_is_refused() -> None:
    parser = verb_parser(METHODS["event.append"])
    options = parser.parse_args(["deploy", "--payload", "a=1", "--payload", "b=2", "--payload", "a=3"])
    with pytest.raises(UsageError, match="'a' is given twice"):
        to_params(METHODS["event.append"], options)


@pytest.mark.parametrize("word", ["status", "=accepted"])
def test_a_detail_needs_a_key_and_a_value(word: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        read_pair(word)
