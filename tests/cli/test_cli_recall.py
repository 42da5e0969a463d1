"""Asking from the shell: mistakes shown at their column, notes, files, likeness, pages and highlighted lines."""

from __future__ import annotations

import re

from muninn_shell import Shell

from muninn_cli.show.search.answers import MAX_LINES, _marked, _rest_of_sentence


def test_a_mistake_is_shown_with_a_line_that_points_at_it(shell: Shell) -> None:
    done = shell.run("recall", "ship tpye:decision")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "error: column 6: there is no filter 'tpye:'",
        "  ship tpye:decision",
        "       ^^^^",
        'Did you mean type:decision? To search for the words themselves, put them in quotes: "tpye:decision".',
    ]
    code, error = shell.failure("recall", "ship tpye:decision")
    assert (code, error["data"]["column"], error["data"]["length"]) == (2, 6, 4)


def test_filters_are_options_as_well(shell: Shell) -> None:
    shell.run("index")
    found = shell.json("recall", "ship wind", "--path", "src/**", "--lang", "python", "--path", "lib/")
    assert {hit["path"] for hit in found["hits"]} == {"src/harbour.py", "src/weather.py"}
    done = shell.run("recall", "ship", "--path", "scr/**")
    assert done.stdout.splitlines() == [
        "Nothing found.",
        "no indexed file or memory matches path:scr/**; did you mean path:src/**?",
    ]


def test_a_question_of_filters_alone_shows_no_scores(shell: Shell) -> None:
    shell.run("index")
    listed = shell.run("recall", "path:src/**", "--kind", "code").stdout
    assert re.search(r"(?m)^ {7}python src/harbour\.py:", listed)
    assert not re.search(r"\d\.\d{3}|█", listed)
    assert re.search(r"(?m)^ *\d\.\d{3} █+ *python src/harbour\.py:", shell.run("recall", "moor path:src/**").stdout)


def test_the_reasons_of_a_memory_that_answers_begin_with_its_certainty(shell: Shell) -> None:
    shell.run("remember", "The ferry waits for the train because commuters missed it.")
    why = shell.run("recall", "why does the ferry wait for the train?", "--why").stdout
    assert re.search(r"(?m)^ +0\.\d{3} certainty 0\.44 or more is listed first$", why)
    assert why.index("certainty 0") < why.index("importance")


def test_a_list_goes_on_where_it_ended(shell: Shell) -> None:
    shell.run("index")
    first = shell.run("recall", "station berth knots", "--limit", "1", "--kind", "code")
    cursor = re.search(r"more: muninn recall --page (\w+)", first.stdout)
    assert cursor is not None
    second = shell.json("recall", "--page", cursor[1])
    assert len(second["hits"]) == 1
    assert second["hits"][0]["path"] not in first.stdout
    assert second["next"] == ""
    code, error = shell.failure("recall", "--page", "gone")
    assert (code, error["data"]["kind"]) == (3, "not_found")


def test_files_and_likeness_are_asked_for_by_options(shell: Shell) -> None:
    shell.run("index")
    rows = shell.json("recall", "ship", "--files")["hits"]
    assert rows[0]["path"] == "src/harbour.py"
    alike = shell.json("recall", "--like", "src/harbour.py:2", "--kind", "code")
    assert "src/harbour.py" not in {hit["path"] for hit in alike["hits"]}


def test_lines_are_shown_with_their_numbers(shell: Shell) -> None:
    shell.run("index")
    done = shell.run("recall", "berth", "--limit", "1")
    assert "     1 def moor_ship(name: str, berth: int) -> str:" in done.stdout.splitlines()


def test_an_excerpt_of_a_memory_has_its_title_and_ends_with_a_sentence(shell: Shell) -> None:
    text = "\n".join(
        [
            "Move file serving to Werkzeug",
            "",
            "Nothing of it is specific to Flask.",
            *(f"Part {number} of this paragraph is told." for number in range(5)),
            "",
            "The option cache_timeout is renamed to max_age, the name",
            "that Werkzeug has for it. Its default changes, so",
            "that browsers ask before they use a stored answer: a",
            "conditional request has no",
            "delay of twelve hours, which",
            "was the default before.",
            "",
            "Closes the old requests.",
        ]
    )
    shell.run("remember", text, "--type", "decision")
    out = shell.run("recall", "cache_timeout max_age Werkzeug", "--kind", "memory").stdout
    assert "Move file serving to Werkzeug" in out
    assert "was the default before." in out
    assert "Closes the old requests" not in out
    assert "Part 1" not in out


def test_the_rest_of_a_sentence_that_does_not_end_is_cut() -> None:
    rows = ["word"] * 9
    assert _rest_of_sentence(rows, 2) == ["word"] * MAX_LINES + ["…"]
    assert _rest_of_sentence(["It is so", "- an entry"], 1) == []
    assert _rest_of_sentence(["It is so.", "Another"], 1) == []
    for block in ("1. an entry", "```", "> quoted", "| a | b |", "## Heading"):
        assert _rest_of_sentence(["It is so", block], 1) == []
    for further in ("*always* the case", "-O2 is set", "#12 is open", "1.5 seconds long"):
        assert _rest_of_sentence(["It is so when", further], 1) == [further]


def test_marks_count_utf_16_code_units() -> None:
    marks = [{"start": 3, "end": 8}]
    assert _marked("\N{ROCKET} token", marks) == [("\N{ROCKET} ", ""), ("token", "mark"), ("", "")]
