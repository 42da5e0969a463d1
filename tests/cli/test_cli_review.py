"""Reviewing on the command line: what people see, the exit codes that scripts lean on, and processes left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from muninn_shell import Shell, make_repo
from repositories import daemon_pid, git


@pytest.fixture(scope="module")
def origin(environ: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one memory and the branch `feature`, which tests only clone. No daemon serves it."""
    origin = Shell(make_repo(tmp_path_factory.mktemp("origin") / "repo"), environ)
    origin.json("init")
    origin.json("remember", "Berths start at one.", "--file", "src/harbour.py")
    origin.json("seal")
    git(origin.repo, "add", "-A")
    git(origin.repo, "commit", "-q", "-m", "Memory")
    git(origin.repo, "checkout", "-q", "-b", "feature")
    origin.json("remember", "Cranes are yellow.")
    origin.json("seal")
    git(origin.repo, "add", "-A")
    git(origin.repo, "commit", "-q", "-m", "Cranes")
    git(origin.repo, "checkout", "-q", "main")
    origin.run("daemon", "stop")
    return origin.repo


@pytest.fixture
def fresh(origin: Path, environ: dict[str, str], tmp_path: Path) -> Shell:
    """A shell in a clone that no daemon serves."""
    git(tmp_path, "clone", "-q", str(origin), "clone")
    return Shell(tmp_path / "clone", environ)


def test_check_and_diff_in_a_fresh_clone_start_no_daemon_and_leave_nothing(fresh: Shell) -> None:
    done = fresh.run("check")
    assert (done.returncode, done.stderr) == (0, "")
    assert "0 errors · 0 warnings" in done.stdout
    text = fresh.run("diff", "main..origin/feature").stdout
    assert "Added (1)" in text
    assert "Cranes are yellow." in text
    assert daemon_pid(fresh.repo, fresh.environ) is None
    assert git(fresh.repo, "status", "--porcelain", "--ignored") == ""


def test_check_exits_with_1_on_errors_and_names_the_place(fresh: Shell) -> None:
    segment = next((fresh.repo / ".muninn/memory/sessions").glob("*.jsonl"))
    segment.write_text(segment.read_text() + ">>>>>>> feature\n")
    done = fresh.run("check")
    assert done.returncode == 1
    place = f"{segment.relative_to(fresh.repo).as_posix()}:2: error: "
    assert any(line.startswith(place) and line.endswith("[malformed]") for line in done.stdout.splitlines())
    told = fresh.run("check", "--json")
    assert told.returncode == 1
    assert json.loads(told.stdout)["errors"] == 1


def test_strict_makes_warnings_fail(fresh: Shell) -> None:
    git(fresh.repo, "rm", "-q", "src/harbour.py")
    assert fresh.run("check").returncode == 0
    assert fresh.run("check", "--strict").returncode == 1


def test_diff_as_markdown_goes_to_stdout_as_it_is(fresh: Shell) -> None:
    done = fresh.run("diff", "main..origin/feature", "--format", "markdown")
    assert done.stdout.startswith("### Memory\n")
    answer = fresh.json("diff", "main..origin/feature", "--format", "markdown")
    assert answer["text"] == done.stdout
    assert [memory["text"] for memory in answer["added"]] == ["Cranes are yellow."]


def test_a_revision_that_is_not_there_exits_with_3_and_a_hint(fresh: Shell) -> None:
    code, error = fresh.failure("diff", "origin/featrue")
    assert code == 3
    assert "'origin/feature'" in error["data"]["hint"]


def test_check_without_memory_exits_with_4(environ: dict[str, str], tmp_path: Path) -> None:
    assert Shell(make_repo(tmp_path / "bare"), environ).failure("check")[0] == 4


def test_people_see_revisions_branches_and_histories(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    shell.json("init")
    number = shell.json("remember", "Berths start at one.")["ids"][0]
    shell.json("seal")
    git(shell.repo, "add", "-A")
    git(shell.repo, "commit", "-q", "-m", "Memory")
    git(shell.repo, "checkout", "-q", "-b", "feature")
    shell.json("remember", "Cranes are yellow.")
    shell.json("seal")
    git(shell.repo, "add", "-A")
    git(shell.repo, "commit", "-q", "-m", "Cranes")
    git(shell.repo, "checkout", "-q", "main")
    assert "only on feature" in shell.run("memories", "--branches").stdout
    assert "only on feature" in shell.run("recall", "cranes", "--branches").stdout
    assert "As of feature (" in shell.run("recall", "cranes", "--at", "feature").stdout
    assert "Cranes" not in shell.run("recall", "cranes", "--at", "main").stdout
    shell.json("forget", number, "--reason", "Zero now.")
    lines = shell.run("history", number).stdout.splitlines()
    assert any("remembered as insight" in line for line in lines)
    assert any("archived it: Zero now." in line for line in lines)


def test_a_link_is_told_in_words(shell: Shell) -> None:
    first, second = (shell.json("remember", f"Crane {number} lifts a ton.")["ids"][0] for number in (1, 2))
    shell.json("update", second, "--link", f"extends:{first}")
    told = shell.run("history", second).stdout
    assert f"linked: {second} extends {first}" in told
    assert "{" not in told
    assert "1 link away: insight" in shell.run("links", second).stdout
    assert "No upkeep is due." in shell.run("evolve").stdout


def test_the_sample_workflow_runs_verbs_and_options_that_exist() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "ci.md").read_text()
    commands = [
        line.split("muninn ", 1)[1]
        for line in page.splitlines()
        if line.strip().startswith(("run: muninn", "$ muninn", "muninn "))
    ]
    assert len(commands) >= 3
    from muninn_cli.arguments.parser import verb_parser
    from muninn_core.protocol.catalogue import METHODS

    for command in commands:
        verb, *words = command.split("|")[0].split(">")[0].split("#")[0].replace('"', "").split()
        verb_parser(METHODS[verb]).parse(words)


def test_unapproved_memories_are_marked_and_a_person_decides(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    shell.json("init")
    (shell.repo / ".muninn" / "config.yaml").write_text("review: {pending: [assistant]}\n")
    shell.run("daemon", "stop")
    done = shell.run("remember", "Anchors weigh two tons.", "--actor", "assistant", "--question", "How heavy are they?")
    assert "waits for approval" in done.stdout
    assert "answers How heavy are they?" in shell.run("memories", "--pending").stdout  # a person approves it as well
    one = shell.json("memories", "--pending")["memories"][0]["id"]
    other = shell.json("remember", "Anchors are blue.", "--actor", "assistant")["ids"][0]
    assert "2 waiting for approval" in shell.run("status").stdout
    assert "Approved 1 memory" in shell.run("approve", one, "--note", "weighed").stdout
    done = shell.run("reject", other, "--reason", "They are grey.")
    assert "rejected" in done.stdout
    assert "They are grey." in shell.run("memories", "--id", other).stdout
    assert shell.failure("approve")[0] == 2
    code, error = shell.failure("reject", other)
    assert (code, "--reason" in error["message"]) == (2, True)


def test_a_shell_of_an_agent_acts_as_the_agent(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    shell.json("init")
    (shell.repo / ".muninn" / "config.yaml").write_text("review: {pending: [assistant]}\n")
    shell.run("daemon", "stop")
    agent = Shell(shell.repo, {**shell.environ, "CLAUDECODE": "1"})
    memory = agent.json("remember", "Anchors weigh two tons.")["memory"]
    assert (memory["actor"], memory["agent"], memory["review"]) == ("assistant", "claude-code", "pending")
    code, error = agent.failure("approve", memory["id"])
    assert (code, "approve its own" in error["message"]) == (7, True)
    assert shell.json("approve", memory["id"])["memories"][0]["review"] == "approved"
