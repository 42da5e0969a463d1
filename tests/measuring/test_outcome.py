"""The paired benchmark of agents with and without Muninn: its tasks, its figures, and a pair with a real agent."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from bench.outcome import history
from bench.outcome.clients import Ran, find
from bench.outcome.main import order
from bench.outcome.report import sign_test, table
from bench.outcome.run import ARMS, Given, Outcome, run
from bench.outcome.scripts import of_task
from bench.outcome.tasks import KINDS, Task, lay_out, load
from repositories import git
from workbench import installed

TEST = "from area import area\n\n\ndef test_area():\n    assert area(2, 3) == 6\n"


def test_a_task_is_resolved_by_what_memory_says_and_not_by_the_usual(tmp_path: Path) -> None:
    tasks = load()
    assert {task.kind for task in tasks} == set(KINDS) - {"history"}
    for number, task in enumerate(tasks):
        usual, right = tmp_path / f"{number}-usual", tmp_path / f"{number}-right"
        lay_out(task, usual)
        for earlier in task.earlier:
            assert not earlier.shell or history.succeeds(earlier.shell, usual), task.name
        shutil.copytree(usual, right)
        history.succeeds(task.scripted.usual, usual)
        assert history.is_resolved(task, usual) is (task.scripted.usual == task.scripted.right), task.name
        assert history.succeeds(task.scripted.right, right), task.name
        assert history.is_resolved(task, right), task.name


def test_the_scripted_model_follows_what_it_reads() -> None:
    task = next(task for task in load() if task.name == "separator that changed")
    choose = of_task(task.scripted).choose
    assert choose is not None
    old, new = (
        "The columns are separated by semicolons, because the German Excel expects them.",
        "The columns are separated by tabs.",
    )
    assert choose("") == task.scripted.usual
    assert choose(old) == task.scripted.wrong
    assert choose(f"{old}\n{new}") == task.scripted.right


@pytest.fixture
def past(tmp_path: Path) -> Path:
    """A repository with a fix and its test, a change without a test, and a test that never failed."""
    root = tmp_path / "past"
    (root / "tests").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")

    def change(title: str, **files: str) -> None:
        for name, text in files.items():
            (root / name.replace("__", "/")).with_suffix(".py").write_text(text)
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", title)

    change("Begin", area="def area(a, b):\n    return a + b\n")
    change("Multiply the sides", area="def area(a, b):\n    return a * b\n", tests__test_area=TEST)
    change("Say what it is", area='def area(a, b):\n    """Multiply."""\n    return a * b\n')
    change(
        "Test more", area="def area(a, b):\n    return b * a\n", tests__test_area=TEST + "    assert area(1, 1) == 1\n"
    )
    return root


def test_a_commit_of_the_history_is_a_task_when_its_test_fails_without_its_code(past: Path, tmp_path: Path) -> None:
    (task,) = history.tasks(past, 10, "PYTHONPATH=. python3 -c 'import tests.test_area as t; t.test_area()'")
    assert "Multiply the sides" in task.prompt
    root = tmp_path / "copy"
    lay_out(task, root)
    assert git(root, "log", "--all", "--format=%s").split("\n") == ["Begin", ""]  # nothing of what comes
    assert not history.is_resolved(task, root)
    assert not (root / "tests").joinpath("test_area.py").exists()
    history.succeeds(task.scripted.usual, root)
    assert history.is_resolved(task, root)


class Absent:
    name = "absent"

    def run(self, *_: object) -> Ran:
        raise AssertionError


def test_the_order_pairs_the_arms_and_depends_on_the_seed_alone() -> None:
    tasks = load()
    runs = [order(tasks, [Absent()], 2, seed) for seed in (1, 1, 2)]
    assert runs[0][0][0] == runs[1][0][0]
    names = [[(task.name, repeat, arm) for task, _, repeat, arm in each] for each in runs]
    assert names[0] == names[1] != names[2]
    assert sorted(names[0]) == sorted(names[2])
    assert all({first[2], second[2]} == set(ARMS) for first, second in zip(names[0][::2], names[0][1::2], strict=True))


def test_the_report_compares_pairs_and_names_failures() -> None:
    def pair(task: str, without: bool, with_: bool) -> list[Outcome]:
        told = Given(memories=3, tokens=50, told=True)
        bare = Outcome(task, "convention", "codex", "without", 0, without, 1000, 10, 4, 2.0)
        return [bare, Outcome(task, "convention", "codex", "with", 0, with_, 1200, 10, 2, 3.0, told)]

    alone = Outcome("d", "convention", "codex", "with", 0, error="no end within 9 s")
    said = table([*pair("a", False, True), *pair("b", True, True), *pair("c", True, False), alone])
    assert "| codex | convention | 3 | 2 / 2 | 1000 / 1200 | 10 / 10 | 4 / 2 | 2 / 3 | 3 | 50 | 3 | 0 |" in said
    assert "1 resolved in both arms, 1 only with Muninn, 1 only without, 0 in neither; p = 1.000" in said
    assert said.endswith("Failed: codex, d, with: no end within 9 s")
    assert sign_test(6, 0) == 2 / 64
    assert sign_test(0, 0) == 1.0


@pytest.mark.slow
@pytest.mark.client("Claude Code")
def test_a_real_agent_resolves_a_task_with_memory_and_not_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNINN_HOOK_SECONDS", "60")
    installed("Claude Code", "claude")
    task: Task = next(task for task in load() if task.name == "tax per line")
    agent = find("claude-code", "", 300)
    outcomes = [run(task, agent, arm, 0, scripted=True) for arm in ARMS]
    assert [(each.error, each.resolved, each.calls) for each in outcomes] == [("", False, 1), ("", True, 1)]
    assert outcomes[1].given.told
    assert outcomes[1].tokens_in > outcomes[0].tokens_in > 0
