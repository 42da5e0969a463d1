"""Packs on the command line: two words a verb, paths from the current folder, and what people see."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from muninn_shell import Shell


@pytest.fixture(scope="module")
def author(new_shell: Callable[[], Shell]) -> Shell:
    shell = new_shell()
    shell.json("init")
    knowledge = shell.repo / ".muninn" / "knowledge"
    (knowledge / "mooring.md").write_text("# Mooring\n\nA ship is moored with two ropes.\n")
    return shell


@pytest.fixture
def reader(new_shell: Callable[[], Shell]) -> Shell:
    shell = new_shell()
    shell.json("init")
    return shell


def test_a_pack_goes_from_one_repository_to_another(author: Shell, reader: Shell, tmp_path: Path) -> None:
    done = author.run(
        *("pack", "export", "harbour-rules", "--version", "1.0.0", "rules.tar.gz", "--description", "How we moor."),
        *("--repo", str(author.repo)),
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Exported harbour-rules 1.0.0  1 file" in done.stdout
    done = reader.run("pack", "add", "rules.tar.gz", "--repo", str(reader.repo), cwd=tmp_path)
    assert "Added harbour-rules 1.0.0" in done.stdout
    assert (reader.repo / ".muninn/packs/harbour-rules/mooring.md").is_file()
    reader.run("index")
    assert "pack harbour-rules 1.0.0 · from outside" in reader.run("recall", "moored with two ropes").stdout
    (reader.repo / ".muninn/packs/harbour-rules/mooring.md").write_text("Mine.\n")
    listed = reader.run("pack", "list").stdout
    assert "harbour-rules 1.0.0" in listed
    assert "How we moor." in listed
    assert "edited here: mooring.md" in listed


def test_an_update_is_shown_before_it_is_made(author: Shell, reader: Shell, tmp_path: Path) -> None:
    for version in ("1.0.0", "1.1.0"):
        (author.repo / ".muninn/knowledge/tides.md").write_text(f"# Tides\n\nTable {version}.\n")
        author.json("pack", "export", "rules", str(tmp_path / version), "--version", version)
    reader.json("pack", "add", str(tmp_path / "1.0.0"))
    dry = reader.run("pack", "update", str(tmp_path / "1.1.0"), "--dry-run").stdout
    assert "Would update rules 1.0.0 → 1.1.0" in dry
    assert "~ tides.md" in dry
    assert "Updated rules 1.0.0 → 1.1.0" in reader.run("pack", "update", str(tmp_path / "1.1.0")).stdout
    assert "Up to date" in reader.run("pack", "update", str(tmp_path / "1.1.0")).stdout
    code, error = reader.failure("pack", "update", str(tmp_path / "1.0.0"))
    assert (code, "older" in error["message"]) == (2, True)
    assert "Removed rules 1.1.0" in reader.run("pack", "remove", "rules").stdout
    assert "No packs." in reader.run("pack", "list").stdout
    assert reader.run("pack").stdout == reader.run("pack", "list").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("pack", "lst"), "Did you mean `muninn pack list`?"),
        (("pakc",), "Did you mean `muninn pack`?"),
        (("pack", "add"), "`muninn pack add` needs PATH"),
        (("pack", "add", "https://example.org/rules.git"), "git clone"),
        (("pack", "list", "--jsn"), "Did you mean '--json'?"),
    ],
)
def test_a_mistake_says_what_to_do(author: Shell, words: tuple[str, ...], said: str) -> None:
    done = author.run(*words)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


@pytest.mark.parametrize("words", [("pack", "--help"), ("help", "pack")])
def test_the_help_of_the_family_lists_its_verbs(author: Shell, words: tuple[str, ...]) -> None:
    done = author.run(*words)
    assert done.returncode == 0
    assert all(f"muninn pack {verb}" in done.stdout for verb in ("export", "add", "list", "update", "remove"))
    assert "--dry-run" in author.run("help", "pack", "update").stdout


def test_options_may_stand_before_the_words(author: Shell) -> None:
    assert author.run("--json", "pack", "list").stdout.startswith('{"schema_version"')
    assert author.run("pack", "--json", "list").stdout.startswith('{"schema_version"')
