"""Contexts on the command line: pipes in and out, short ids, and errors with hints."""

from __future__ import annotations

import json
import subprocess
from xml.etree import ElementTree

import pytest
from muninn_shell import HARBOUR, Shell


def bundle_of(shell: Shell, *words: str) -> str:
    bundle: str = shell.json("context", *words)["bundle"]
    return bundle


def test_the_text_alone_goes_to_stdout_in_the_format_that_is_asked_for(shell: Shell) -> None:
    made = {style: shell.run("context", "moor a ship", "--format", style) for style in ("markdown", "json", "xml")}
    assert {done.returncode for done in made.values()} == {0}
    assert {done.stderr for done in made.values()} == {""}
    assert made["markdown"].stdout.startswith("# Context: moor a ship\n")
    (item,) = [each for each in json.loads(made["json"].stdout)["items"] if each["path"] == "src/harbour.py"]
    assert item["text"] == HARBOUR.rstrip("\n")
    assert ElementTree.fromstring(made["xml"].stdout).get("query") == "moor a ship"


def test_a_patch_comes_through_a_pipe_and_the_work_trees_change_by_name(shell: Shell) -> None:
    file = shell.repo / "src" / "harbour.py"
    file.write_text(HARBOUR.replace('"{name}@{berth}"', '"{name} at {berth}"'))
    try:
        patch = subprocess.run(["git", "diff"], cwd=shell.repo, check=True, capture_output=True, text=True).stdout
        piped = shell.json("context", "--diff", "-", stdin=patch)
        named = shell.json("context", "--diff")
        assert [item["path"] for item in piped["items"] if item["tier"] == "hand"] == ["src/harbour.py"]
        assert (named["inputs"]["diff"], named["question"]) == ("HEAD", piped["question"])
    finally:
        file.write_text(HARBOUR)
        shell.run("index", "--wait")  # the next test must not see the change


def test_paths_are_relative_to_the_current_folder(shell: Shell) -> None:
    done = shell.run("context", "--cursor", "harbour.py:2:5", "--json", cwd=shell.repo / "src")
    answer = json.loads(done.stdout)
    assert answer["inputs"]["cursor"] == "src/harbour.py:2:5"
    assert answer["items"][0]["path"] == "src/harbour.py"


def test_a_context_is_explained_and_given_once_more(shell: Shell) -> None:
    bundle = bundle_of(shell, "moor a ship")
    text = shell.run("context", "moor a ship").stdout
    assert shell.run("replay", bundle).stdout == text
    explained = shell.run("why", bundle).stdout
    assert "src/harbour.py:1-3" in explained
    assert "words" in explained
    assert shell.run("why", bundle, "--item", "src/weather").stdout.count("[Code]") <= 1
    fresh = shell.run("replay", bundle, "--fresh")
    assert (fresh.stdout, fresh.stderr) == (text, "built again, the text is the same\n")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("why", "c-0000000000000000"), 3, "is stored here"),
        (("why", "harbour"), 2, "is not a context id"),
        (("replay",), 2, "needs BUNDLE"),
        (("context",), 2, "nothing to gather context for"),
        (("context", "x", "--budget", "0"), 2, "budget"),
        (("context", "x", "--budget", "-5"), 2, "budget"),
        (("context", "x", "--budget", "10000000"), 2, "budget"),
        (("context", "x", "--format", "yaml"), 2, "yaml"),
        (("context", "--cursor", "src/harbour.py"), 2, "not a place in a file"),
        (("context", "--diff", "nowhere"), 3, "no commit 'nowhere'"),
        (("context", "--diff", "-"), 2, "no patch on stdin"),
    ],
)
def test_an_unanswerable_call_exits_with_its_code(
    shell: Shell, words: tuple[str, ...], code: int, message: str
) -> None:
    found, error = shell.failure(*words)
    assert found == code
    assert message in error["message"]
