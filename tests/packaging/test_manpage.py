"""The manual page has every verb, and no line that roff reads as a request by accident."""

from __future__ import annotations

import re
from pathlib import Path

from muninn_cli.exit_codes import MEANINGS
from muninn_cli.help.manual import COMMANDS
from muninn_core.protocol.catalogue import METHODS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "man" / "muninn.1").read_text("ascii")


def test_every_verb_command_and_exit_code_is_on_the_page():
    for method in METHODS.values():
        assert f".SS muninn {method.words}\n" in PAGE
    for word in (*COMMANDS, *map(str, MEANINGS)):
        assert f".TP\n\\fB{word}\\fR\n" in PAGE


def test_each_request_is_one_of_the_man_macros():
    requests = {line.split()[0] for line in PAGE.splitlines() if line.startswith((".", "'"))}
    assert requests <= {'.\\"', ".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I"}
    assert re.findall(r"\\(?![-efP&\[])", PAGE.partition("\n")[2]) == []
