"""Skills on the command line."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from muninn_shell import Shell

SKILL = "---\nname: parser-tests\ndescription: How to write tests for a parser.\n---\nUse golden files.\n"


@pytest.fixture(scope="module")
def shell(new_shell: Callable[[], Shell]) -> Shell:
    shell = new_shell()
    shell.json("init")
    for name, text in (("parser-tests", SKILL), ("loud", SKILL.replace("parser-tests", "LOUD"))):
        folder = shell.repo / ".claude" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(text)
    return shell


def test_a_family_alone_lists_what_there_is(shell: Shell) -> None:
    listed = shell.run("skills")
    assert listed.returncode == 0
    assert listed.stdout == shell.run("skills", "list").stdout
    assert "parser-tests  " in listed.stdout
    assert "  How to write tests for a parser.\n" in listed.stdout
    wrong = shell.run("skills", "--problems").stdout
    assert "its name 'LOUD' is not in lower case" in wrong
    assert "parser-tests  " not in wrong


def test_a_match_says_why_how_long_and_where(shell: Shell) -> None:
    matched = shell.run("skills", "match", "write tests for the new parser").stdout
    assert "parser-tests  26 tokens · " in matched
    assert ": meaning " in matched
    assert ", local 0." in matched
    assert "  .claude/skills/parser-tests/SKILL.md\n" in matched
    assert " of 6,000 tokens" in matched
    assert shell.json("skills", "match", "write tests for the new parser")["skills"][0]["text"]
    assert shell.run("skills", "match", "bake a plum cake").stdout.startswith("No skill matches.\n")


def test_a_task_without_a_verb_gets_a_suggestion(shell: Shell) -> None:
    done = shell.run("skills", "mtch", "x")
    assert done.returncode == 2
    assert "Did you mean `muninn skills match`?" in done.stderr
    assert shell.run("skills", "match").returncode == 2
