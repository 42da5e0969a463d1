from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from muninn_shell import Shell
from repositories import git

from muninn_cli.commands.hook_health import MANY_COMMITS, check_hooks
from muninn_core.launch.repository_location import locate


def verdicts(shell: Shell, *, code: int = 0) -> dict[str, dict[str, Any]]:
    done = shell.run("doctor", "--json")
    assert done.returncode == code, done.stdout
    return {check["name"]: check for check in json.loads(done.stdout)["checks"]}


def test_a_sound_repository_has_nothing_to_mend(shell: Shell) -> None:
    found = verdicts(shell)
    assert {"python", "git", "runtime", "config", "daemon", "index", "memory", "hooks", "claude", "codex"} <= set(found)
    assert {check["verdict"] for check in found.values()} == {"ok"}


def test_each_check_is_a_line_for_people(shell: Shell) -> None:
    lines = shell.run("doctor").stdout.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == ["ok"] * 10


@pytest.fixture(scope="module")
def ailing(new_shell: Callable[[], Shell]) -> Shell:
    """A repository in which everything that a person can break is broken."""
    made = new_shell()
    made.json("init")
    made.json("remember", "The pier is closed in winter.")
    made.json("seal")
    muninn = made.repo / ".muninn"
    (muninn / "config.yaml").write_text("index:\n  modle: x\n")
    (segment,) = (muninn / "memory" / "sessions").glob("*.jsonl")
    (muninn / "memory" / "sessions" / "broken-1.jsonl").write_text(segment.read_text() + "{half a li\n")
    (muninn / "local" / "hooks.log").write_text(
        '{"ts": "2026-01-02T03:04:05Z", "event": "session-start", "error": "no answer within 2 s"}\nnot json\n'
    )
    (made.repo / ".claude").mkdir()
    (made.repo / ".claude" / "settings.json").write_text("{broken")
    made.run("daemon", "stop")
    return made


@pytest.mark.parametrize(
    ("name", "verdict", "said"),
    [
        ("config", "fail", "config.yaml:2: "),
        ("memory", "warn", "1 malformed line"),
        ("hooks", "warn", "2 failures"),
        ("claude", "fail", "settings.json"),
    ],
)
def test_faults_are_reported_with_a_hint(ailing: Shell, name: str, verdict: str, said: str) -> None:
    check = verdicts(ailing, code=1)[name]
    assert check["verdict"] == verdict
    assert said in check["message"]
    assert check["hint"]


def test_an_index_that_the_daemon_is_opening_is_no_fault(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    shell.json("init")
    shell.run("index", "--wait")
    shell.run("daemon", "stop")
    index = verdicts(shell)["index"]
    assert index["verdict"] == "ok"
    assert ("muninn index --wait" in index["hint"]) is not index["message"].startswith("ready")


def test_a_failing_hook_is_told_with_its_words(ailing: Shell) -> None:
    told = verdicts(ailing, code=1)["hooks"]["message"]
    assert "2026-01-02T03:04:05Z session-start: no answer within 2 s" in told
    assert "not json" in told


@pytest.mark.parametrize(
    "handler",
    [
        {"type": "command", "command": "muninn", "args": ["hook", "session-start"]},
        {"type": "command", "command": "/opt/bin/muninn hook session-start"},
    ],
)
def test_hooks_are_found_in_the_settings_of_claude_code(
    new_shell: Callable[[], Shell], handler: dict[str, Any]
) -> None:
    shell = new_shell()
    (shell.repo / ".claude").mkdir()
    settings = {"hooks": {"SessionStart": [{"hooks": [handler]}]}}
    (shell.repo / ".claude" / "settings.json").write_text(json.dumps(settings))
    assert "hooks are in" in verdicts(shell)["claude"]["message"]


def test_settings_are_looked_for_where_claude_code_has_them(new_shell: Callable[[], Shell], tmp_path: Path) -> None:
    shell = new_shell()
    settings = tmp_path / "settings.json"
    settings.write_text('{"hooks": {"Stop": [{"hooks": [{"command": "muninn hook stop"}]}]}}')
    elsewhere = Shell(shell.repo, {**shell.environ, "CLAUDE_CONFIG_DIR": str(tmp_path)})
    assert verdicts(elsewhere)["claude"]["message"] == f"hooks are in {settings}"
    settings.write_text("// mine\n" + settings.read_text())
    assert "Claude Code, too, ignores a file with comments" in verdicts(elsewhere, code=1)["claude"]["hint"]


def test_a_folder_without_git_is_a_warning_that_status_and_seal_repeat(
    shell: Shell, tmp_path_factory: pytest.TempPathFactory
) -> None:
    plain = Shell(tmp_path_factory.mktemp("plain"), shell.environ)
    found = verdicts(plain)
    assert plain.run("init").returncode == plain.run("remember", "Ships moor at berth two.").returncode == 0
    status, seal = plain.run("status").stdout, plain.run("seal").stdout
    plain.run("daemon", "stop")
    assert "\n  git     no repository\n" in status
    assert seal.splitlines()[-1].startswith("This folder is in no git repository: `git init` makes one")
    assert found["git"]["verdict"] == "warn"
    assert found["config"]["verdict"] == "warn"


def test_an_enabled_plugin_counts_as_connected(shell: Shell) -> None:
    settings = shell.repo / ".claude" / "settings.local.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"enabledPlugins": {"muninn@muninn": true}}')
    assert verdicts(shell)["claude"]["message"] == f"hooks are in {settings.resolve()}"
    settings.write_text('{"enabledPlugins": {"muninn@muninn": false}}')
    assert verdicts(shell)["claude"]["message"] == "not connected"


LONG_AGO = "2026-01-02T03:04:05Z"


def log_of(shell: Shell, *entries: dict[str, Any]) -> None:
    path = shell.repo / ".muninn" / "local" / "hooks.log"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))


def judged(shell: Shell, home: Path) -> tuple[bool, str]:
    found = check_hooks(locate(str(shell.repo)), True, {"CLAUDE_CONFIG_DIR": str(home)})
    return found.ok, found.message


def test_a_failure_counts_until_the_same_event_has_gone_well(shell: Shell, tmp_path: Path) -> None:
    failed = {"ts": LONG_AGO, "event": "stop", "error": "no answer"}
    log_of(shell, failed, {"ts": LONG_AGO, "event": "user-prompt", "ms": 20})
    assert judged(shell, tmp_path) == (
        False,
        f"1 failure since the last success, the newest: {LONG_AGO} stop: no answer",
    )
    log_of(shell, failed, {"ts": LONG_AGO, "event": "stop", "ms": 20})
    assert judged(shell, tmp_path) == (True, f"2 runs, the last at {LONG_AGO}, 1 failure before")


def test_a_session_without_hooks_shows_that_capture_has_stopped(shell: Shell, tmp_path: Path) -> None:
    log_of(shell)
    assert judged(shell, tmp_path) == (True, "none has run yet")
    folder = tmp_path / "projects" / re.sub(r"[^A-Za-z0-9]", "-", os.path.realpath(shell.repo))
    folder.mkdir(parents=True)
    (folder / "s1.jsonl").touch()
    fine, message = judged(shell, tmp_path)
    assert (fine, message.split(", ")[1]) == (False, "and no hook has run ever")
    log_of(shell, {"ts": LONG_AGO, "event": "stop", "ms": 20})
    assert f"no hook has run since {LONG_AGO}" in judged(shell, tmp_path)[1]
    log_of(shell, {"ts": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), "event": "stop", "ms": 20})
    assert judged(shell, tmp_path)[0]


def test_many_commits_without_a_hook_are_worth_a_question(shell: Shell, tmp_path: Path) -> None:
    log_of(shell, {"ts": LONG_AGO, "event": "stop", "ms": 20})
    assert judged(shell, tmp_path)[0]
    for number in range(MANY_COMMITS):
        git(shell.repo, "commit", "-q", "--allow-empty", "-m", f"Change {number}")
    assert judged(shell, tmp_path) == (False, f"{MANY_COMMITS} commits or more, and no hook has run since {LONG_AGO}")


def test_a_repository_that_git_does_not_trust_is_told_with_the_remedy(shell: Shell) -> None:
    wary = Shell(shell.repo, {**shell.environ, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})  # git's own way to try it
    found = verdicts(wary, code=1)["git"]
    assert found["verdict"] == "fail"
    assert "dubious ownership" in found["message"]
    assert f"`git config --global --add safe.directory {shell.repo}`" in found["hint"]


def test_a_git_file_that_leads_nowhere_is_told(new_shell: Callable[[], Shell], tmp_path: Path) -> None:
    lost = Shell(tmp_path, new_shell().environ)
    (tmp_path / ".git").write_text("gitdir: /nowhere/at/all\n")
    found = verdicts(lost)["git"]
    assert found["verdict"] == "warn"
    assert "does not lead to a repository" in found["message"]
    lost.run("daemon", "stop")


def test_hooks_that_codex_does_not_run_in_a_linked_work_tree_are_reported(
    new_shell: Callable[[], Shell], tmp_path: Path
) -> None:
    shell = new_shell()
    shell = Shell(shell.repo, {**shell.environ, "CODEX_HOME": str(tmp_path / "codex"), "HOME": str(tmp_path)})
    linked = tmp_path / "linked"
    git(shell.repo, "worktree", "add", "-q", "-b", "linked", str(linked))
    there = Shell(linked, shell.environ)
    assert verdicts(there)["codex"]["message"] == "not connected"
    (linked / ".codex").mkdir()
    (linked / ".codex" / "hooks.json").write_text('{"hooks": {"Stop": [{"hooks": [{"command": "muninn hook stop"}]}]}}')
    assert "reads " + str(shell.repo / ".codex" / "hooks.json") in verdicts(there)["codex"]["message"]
    (linked / ".codex" / "hooks.json").unlink()
    shell.run("install", "codex")
    assert "it has no " in verdicts(there)["codex"]["message"]
    assert there.run("install", "codex").returncode == 0
    assert not (linked / ".codex" / "hooks.json").exists()
    assert verdicts(there)["codex"]["message"] == f"hooks are in {shell.repo / '.codex' / 'hooks.json'}"


def test_repositories_inside_this_one_are_named_with_what_to_do(new_shell: Callable[[], Shell]) -> None:
    made = new_shell()
    for name in ("charts", "tools"):
        inner = made.repo / "vendor" / name
        inner.mkdir(parents=True)
        git(inner, "init", "-q")
        (inner / "depths.py").write_text("def depth_of_harbour():\n    return 9\n")
        git(inner, "add", ".")
        git(inner, "commit", "-q", "-m", "depths")
    commit = git(made.repo / "vendor" / "charts", "rev-parse", "HEAD").strip()
    git(made.repo, "update-index", "--add", "--cacheinfo", f"160000,{commit},vendor/charts")
    git(made.repo, "worktree", "add", "-q", "-b", "side", str(made.repo / "side"))
    said = made.run("init").stdout
    assert "vendor/charts  a repository of its own" in said
    assert "`muninn repos add vendor/charts`" in said
    made.run("index", "--wait")
    status = made.json("status")["index"]
    assert status["repositories"] == ["vendor/charts", "vendor/tools"]
    assert (status["skipped"]["another repository"], status["skipped"]["another work tree"]) == (2, 1)
    assert "vendor/charts, vendor/tools" in verdicts(made)["nested"]["message"]
    assert "muninn repos add vendor/charts" in made.run("status").stdout
    recalled = made.json("recall", "depth of harbour path:vendor/charts/**")
    assert "vendor/charts is a repository of its own" in recalled["notes"][0]
    for words in (("read", "vendor/tools/depths.py"), ("recall", "--like", "vendor/tools/depths.py:1")):
        _, error = made.failure(*words)
        assert "vendor/tools is a repository of its own" in error["message"]
        assert "muninn repos add vendor/tools" in error["data"]["hint"]
    asked = made.run("context", "depth", "--file", "vendor/charts/depths.py", "--budget", "100")
    assert "vendor/charts is a repository of its own" in asked.stderr
