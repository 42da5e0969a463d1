"""Sparkline, bars and diagrams."""

from __future__ import annotations

import pytest
from muninn_shell import Shell

from muninn_cli.show.diagrams import diagram
from muninn_cli.terminal.console import bar, sparkline


def test_a_sparkline_has_the_lowest_column_for_zero_alone() -> None:
    assert sparkline([0, 1, 50, 100]) == "▁▂▅█"
    assert sparkline([0, 0]) == "▁▁"
    assert sparkline([]) == ""


@pytest.mark.parametrize(("value", "shown"), [(0, "    "), (1, "▌   "), (4, "██  "), (8, "████")])
def test_a_bar_is_as_long_as_its_value(value: float, shown: str) -> None:
    assert bar(value, 8, 4) == shown


def test_labels_can_not_leave_their_quotes() -> None:
    hostile = 'a"]; B --> C\n<img src=x> `x` #quot;\\'
    mermaid = diagram("mermaid", {"a": hostile}, [("a", 'says "no"', "b")])
    assert mermaid.count('"') == 6
    assert "<" not in mermaid.replace("-->", "")
    assert len(mermaid.splitlines()) == 4
    dot = diagram("dot", {"a": hostile}, [("a", "x", "b")])
    assert 'label="a\\"]; B --> C <img src=x> `x` #quot;\\\\"' in dot


def test_links_and_relations_are_printed_as_diagrams(shell: Shell) -> None:
    older = shell.json("remember", "Ships pay at noon.", "--type", "decision")["ids"][0]
    newer = shell.json("remember", "Ships pay at dawn.", "--type", "decision", "--link", f"supersedes:{older}")["ids"][
        0
    ]
    assert shell.run("links", newer, "--format", "mermaid").stdout == (
        'flowchart LR\n  n0["decision: Ships pay at dawn"]\n  n1["decision: Ships pay at noon"]\n'
        '  n0 -->|"supersedes"| n1\n'
    )
    drawn = shell.run("graph", "src/harbour.py", "definitions", "--format", "dot").stdout
    assert drawn.startswith("digraph muninn {")
    assert 'n0 -> n1 [label="defines"];' in drawn


def test_the_overview_shows_weeks_types_and_files(shell: Shell) -> None:
    shell.json("remember", "Tides are listed in the weather module.", "--file", "src/weather.py")
    printed = shell.run("overview").stdout
    assert "Weeks  ▁▁▁▁▁▁▁▁▁▁▁█" in printed
    assert "Files with the most memory\n  src/weather.py  ████" in printed


def test_json_states_the_version_of_its_form(shell: Shell) -> None:
    assert shell.json("status")["schema_version"] == 1
    done = shell.run("show", "zzzz", "--json")
    assert done.stdout.startswith('{"schema_version":1,"error":')
