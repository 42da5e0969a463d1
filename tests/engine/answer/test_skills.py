"""Skills of a work tree and of the user's home, for a task and in a context."""

from __future__ import annotations

from pathlib import Path

import pytest

from muninn_core.context.packs.tokens import count_tokens
from muninn_core.context.results.text import render
from muninn_core.errors import BadParams

pytest_plugins = ["engines"]

PARSERS = """\
---
name: parser-tests
description: How to write tests for a parser. Use when a grammar changes.
---
# Parser tests

Put the golden files beside the grammar.
"""
DEPLOY = "---\nname: deploy\ndescription: Roll out a service to production with a canary.\n---\nAsk first.\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def skilled(plain_repo, start, tmp_path):
    home = tmp_path / "home"
    write(plain_repo / ".claude/skills", "parser-tests", PARSERS)
    write(home / ".claude/skills", "deploy", DEPLOY)
    write(home / ".claude/skills", "parser-tests", PARSERS.replace("golden", "silver"))
    muninn = start(plain_repo, home=home)
    muninn.call("init")
    muninn.call("index", wait=True)  # scores depend on how rare the words are in the index
    return muninn


def test_skills_are_listed_with_the_one_that_is_taken(skilled, tmp_path):
    listed = skilled.call("skills.list").skills
    assert [(one.name, one.local, one.hidden_by) for one in listed] == [
        ("deploy", False, ""),
        ("parser-tests", True, ""),
        ("parser-tests", False, ".claude/skills/parser-tests/SKILL.md"),
    ]
    assert listed[0].path == f"{tmp_path}/home/.claude/skills/deploy/SKILL.md"
    assert listed[1].tokens == count_tokens(PARSERS)


def test_a_task_gets_the_skills_that_have_to_do_with_it_and_their_texts(skilled):
    answer = skilled.call("skills.match", task="write tests for the new expression parser")
    (one,) = answer.skills
    assert (one.name, one.path, one.text) == ("parser-tests", ".claude/skills/parser-tests/SKILL.md", PARSERS)
    assert round(sum(reason.contribution for reason in one.why), 4) == one.score
    assert answer.tokens == one.tokens == count_tokens(PARSERS)
    assert answer.skills == skilled.call("skills.match", task="write tests for the new expression parser").skills
    told = render(answer)
    assert told.startswith(
        f"1. parser-tests (.claude/skills/parser-tests/SKILL.md) [{one.score:.2f}]\n\n---\nname: parser"
    )
    assert told.endswith("Put the golden files beside the grammar.\n")
    cake = skilled.call("skills.match", task="bake a cake with plums")
    assert (cake.skills, render(cake)) == ((), "No skill matches.")
    with pytest.raises(BadParams, match="needs a task"):
        skilled.call("skills.match", task=" ")


def test_seven_are_the_most_and_none_is_over_a_third_less_of_the_budget(skilled):
    folder = skilled.root / ".claude/skills"
    for number in range(9):
        text = f"---\nname: parser-{number}\ndescription: Write a parser of kind {number}.\n---\n"
        write(folder, f"parser-{number}", text + "Word by word. " * 40)
    answer = skilled.call("skills.match", task="write a parser", budget=100_000)
    assert len(answer.skills) == 7
    assert {one.reason for one in answer.left_out} == {"behind the best 7"}
    little = skilled.call("skills.match", task="write a parser", budget=2_000)
    assert little.share == 600
    assert little.tokens == sum(one.tokens for one in little.skills) <= 600
    assert 0 < len(little.skills) < 7
    assert "over what is left of 600 tokens" in {one.reason for one in little.left_out}
    assert "\nLeft out: parser-" in render(little)


def test_each_question_looks_at_the_files_first(skilled):
    path = write(skilled.root / ".claude/skills", "bees", "---\nname: bees\ndescription: Keep bees in a hive.\n---\n")
    assert [one.name for one in skilled.call("skills.match", task="keep bees in a hive").skills] == ["bees"]
    path.write_text("---\nname: wasps\ndescription: Chase wasps off the terrace.\n---\n")
    assert [one.name for one in skilled.call("skills.match", task="chase wasps off").skills] == ["wasps"]
    path.unlink()
    assert skilled.call("skills.match", task="chase wasps off").skills == ()


def test_faults_are_reported_and_other_skills_work(skilled):
    folder = skilled.root / ".claude/skills"
    write(folder, "broken", "---\nname: [x\n---\nBody.\n")
    write(folder, "huge", "x" * 200_001)
    (folder / "latin").mkdir()
    (folder / "latin/SKILL.md").write_bytes(b"caf\xe9")
    told = {one.name: one.problems[0] for one in skilled.call("skills.list", problems=True).skills}
    assert sorted(told) == ["broken", "huge", "latin"]
    assert told["broken"].startswith("line 3: not valid YAML")
    assert told["huge"] == "it has 200001 bytes; 200000 are read"
    assert told["latin"] == "it can't be read: it is not UTF-8"
    assert len(skilled.call("skills.match", task="write tests for a parser").skills) == 1


def test_a_context_has_skills_when_it_is_asked_to(skilled):
    without = skilled.call("context", query="write tests for the expression parser", budget=2000)
    assert "skill" not in {item.tier for item in without.items}
    given = skilled.call("context", query="write tests for the expression parser", budget=2000, skills=True)
    (item,) = [item for item in given.items if item.tier == "skill"]
    assert (item.path, item.title) == (".claude/skills/parser-tests/SKILL.md", "parser-tests")
    assert "## Skills\n" in given.text
    assert "Put the golden files beside the grammar." in given.text
    assert given.tokens <= 2000


def test_the_folders_can_be_configured_and_a_repository_opens_no_others(skilled, tmp_path):
    config = skilled.root / ".muninn/config.yaml"
    config.write_text('skills: {paths: [docs/skills, "~/.claude/skills"]}\n')
    skilled.touch(".muninn/config.yaml")
    assert {one.path for one in skilled.call("skills.list").skills if one.local} == set()
    config.write_text("skills: {paths: [/etc]}\n")
    skilled.touch(".muninn/config.yaml")
    problems = [one.message for one in skilled.call("status").problems]
    assert any("'skills.paths': '/etc' is neither below the root" in message for message in problems)
    assert {one.name for one in skilled.call("skills.list").skills} == {"deploy", "parser-tests"}


@pytest.mark.parametrize("budget", [1000, 4000, 20_000])
def test_skills_take_at_most_three_tenths_of_a_context_even_when_there_is_room(skilled, budget):
    for number in range(9):
        text = f"---\nname: parser-{number}\ndescription: How to write tests for a parser, part {number}.\n---\n"
        steps = "".join(f"Write the test {step} of the parser {number}.\n" for step in range(20 * (number + 1)))
        write(skilled.root / ".claude/skills/deep/deeper", f"parser-{number}", text + steps)
    given = skilled.call("context", query="write tests for a parser", budget=budget, skills=True)
    taken = [item for item in given.items if item.tier == "skill"]
    assert 0 < len(taken) <= 7
    assert sum(item.tokens for item in taken) <= 0.3 * budget
    assert budget > 4000 or [one for one in given.left_out if one.tier == "skill"]
