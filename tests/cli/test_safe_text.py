"""Texts of other people reach a terminal without what it obeys or hides."""

from __future__ import annotations

import argparse
import contextlib
import io
import json

import pytest

from muninn_cli.command import print_json
from muninn_cli.show.search.context_files import render
from muninn_cli.terminal.console import line, output, paragraph, verbatim
from muninn_cli.terminal.safe_text import safe, safe_json

UNSAFE = [
    *map(chr, (*range(9), *range(11, 32), *range(127, 160))),
    *map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)),
    *"\u200b\u2060\ufeff\u00ad\u180e\u2028\u2029\U000e0041",
]
"""Controls of both ranges, those of bidirectional text, and what has no width."""

HOSTILE = "\x1b]0;title\x07\x1b[2J\x9b31m\u202etxt.exe\u2066 ze\u200bro wi\u200ddth \U000e0049\n"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("char", UNSAFE, ids=lambda char: f"U+{ord(char):04X}")
def test_control_and_invisible_characters_are_replaced(char):
    assert safe(f"a{char}b") == "a\N{REPLACEMENT CHARACTER}b"
    assert json.loads(safe_json(json.dumps(char, ensure_ascii=False))) == char
    assert safe_json(json.dumps(f"ä{char}", ensure_ascii=False)).isprintable()


@pytest.mark.parametrize("text", ["plain\ttext\n", "größer, 漢字, 🧨", "👩\u200d👩\u200d👧", "می\u200cخواهم"])
def test_text_of_any_language_stays(text):
    assert safe(text) == safe_json(text) == text


def test_a_joiner_beside_ascii_is_replaced():
    assert safe("pass\u200dword") == "pass\N{REPLACEMENT CHARACTER}word"


def test_no_way_of_printing_lets_them_through(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")  # no colours, whose sequences would be among the text
    with contextlib.redirect_stdout(_Terminal()) as terminal:
        console = output()
        line(console, (HOSTILE, ""))
        paragraph(console, (HOSTILE, ""))
        verbatim(console, HOSTILE)
        result = {"text": HOSTILE, "tokens": 1, "budget": 2, "cut": False, "references": ()}
        render(console, result, argparse.Namespace())
        print_json({"text": HOSTILE})
    shown = terminal.getvalue()
    assert shown.count("title") == 5
    assert not set(shown) & set(UNSAFE)


def test_a_program_gets_json_as_it_is(capsys):
    print_json({"text": "\u202e"})
    assert capsys.readouterr().out == '{"schema_version":1,"text":"\u202e"}\n'
