"""`muninn install git-hooks` with real git: memory travels in the commit, and other hooks go on working."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from repositories import git

from muninn_cli.command import run_command
from muninn_core.client import connect
from muninn_hooks import git_hooks, hook_log
from muninn_hooks.install import main as install_main

SEGMENTS = ".muninn/memory/sessions"


class Project:
    """A repository with memory and the hook, whose git runs with the tests' runtime directory."""

    def __init__(self, root: Path, environ: dict[str, str]) -> None:
        self.root = root
        self.environ = environ

    def remember(self, text: str, at: Path | None = None, **params: Any) -> str:
        """Store a memory and return its id."""
        with connect(str(at or self.root), self.environ) as client:
            stored = client.call("remember", {"text": text, **params})
        identity: str = stored["ids"][0]
        return identity

    def run(self, *arguments: str, at: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        """Run git as a person does, hooks included."""
        author = ["-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]
        return subprocess.run(
            ["git", *author, *arguments],
            cwd=at or self.root,
            env={**self.environ, **more},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def commit(self, *arguments: str, at: Path | None = None) -> list[str]:
        """Commit, and return the paths that the commit changed."""
        done = self.run("commit", "-q", *arguments, at=at)
        assert done.returncode == 0, done.stderr
        return git(at or self.root, "show", "--format=", "--name-only", "HEAD").split()

    def edit(self, name: str = "README.md", at: Path | None = None) -> None:
        """Change a file."""
        with ((at or self.root) / name).open("a") as file:
            file.write("More.\n")

    def status(self) -> str:
        """What git says is not committed."""
        return git(self.root, "status", "--porcelain", "-uall")

    def failures(self) -> list[str]:
        """The errors in the hooks' log."""
        path = Path(hook_log.log_path(str(self.root)))
        return [json.loads(line)["error"] for line in path.read_text("utf-8").splitlines()] if path.exists() else []


@pytest.fixture
def program(tmp_path: Path) -> str:
    """A `muninn` of this installation, under a name with a blank in it."""
    path = tmp_path / "the bin" / "muninn"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -m muninn_cli.main "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def project(repo: Path, environ: dict[str, str], program: str) -> Project:
    git_hooks.install(str(repo), program)
    return Project(repo, environ)


def segments(paths: list[str]) -> list[str]:
    return [path for path in paths if path.startswith(SEGMENTS) and path.endswith(".jsonl")]


def test_memory_travels_in_the_commit_that_it_was_made_for(project: Project) -> None:
    identity = project.remember("Sessions live in Postgres.")
    project.edit()
    project.run("add", "README.md")
    changed = project.commit("-m", "Change")
    assert changed == [*segments(changed), "README.md"]
    (segment,) = segments(changed)
    assert identity in git(project.root, "show", f"HEAD:{segment}")
    assert project.status() == ""
    assert project.failures() == []


def test_a_commit_of_all_changes_takes_memory_along(project: Project) -> None:
    project.remember("Sessions live in Postgres.")
    project.edit()
    assert len(segments(project.commit("-a", "-m", "Change"))) == 1
    assert project.status() == ""


def test_only_new_segments_are_staged(project: Project) -> None:
    project.remember("Sessions live in Postgres.")
    project.edit()
    (project.root / "scratch.txt").write_text("mine\n")
    (project.root / SEGMENTS / "x.jsonl.tmp").write_text("half\n")
    (project.root / SEGMENTS / "notes.txt").write_text("mine\n")
    project.run("add", "README.md")
    changed = project.commit("-m", "Change")
    assert len(changed) == 2
    assert project.status().splitlines() == [f"?? {SEGMENTS}/notes.txt", "?? scratch.txt"]


def test_memories_sealed_at_a_sessions_end_go_into_the_next_commit(project: Project) -> None:
    project.remember("Sessions live in Postgres.", session="s1")
    with connect(str(project.root), project.environ) as client:
        (segment,) = client.call("seal")["segments"]
    project.edit()
    assert segment in project.commit("-am", "Change")


def test_a_commit_of_named_paths_holds_these_alone_and_memory_waits(project: Project) -> None:
    identity = project.remember("Sessions live in Postgres.")
    project.edit()
    project.edit("src/users.py")
    assert project.commit("-m", "Part", "README.md") == ["README.md"]
    assert project.status() == " M src/users.py\n"
    (segment,) = segments(project.commit("-am", "Rest"))
    assert identity in (project.root / segment).read_text()


def test_an_amended_commit_takes_memory_along_when_it_changes_content(project: Project) -> None:
    project.edit()
    project.commit("-am", "Change")
    project.remember("Sessions live in Postgres.")
    assert segments(project.commit("--amend", "-m", "Change, reworded")) == []
    project.edit()
    assert len(segments(project.commit("--amend", "-am", "Change, amended"))) == 1
    assert git(project.root, "rev-list", "--count", "HEAD").strip() == "3"


def test_memory_alone_makes_no_commit(project: Project) -> None:
    project.remember("Sessions live in Postgres.")
    assert project.run("commit", "-m", "Nothing").returncode == 1
    assert project.status() == ""


def test_the_first_commit_of_a_repository_takes_memory_along(
    tmp_path: Path, environ: dict[str, str], program: str
) -> None:
    from repositories import stop_daemon

    root = tmp_path / "new"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    project = Project(root, environ)
    try:
        with connect(str(root), environ) as client:
            client.call("init")
        git_hooks.install(str(root), program)
        project.remember("Sessions live in Postgres.")
        git(root, "add", ".muninn/config.yaml")
        changed = project.commit("-m", "Begin")
        assert len(segments(changed)) == 1
        assert set(changed) >= {f".muninn/{name}" for name in (".gitattributes", ".gitignore", "memory/main.jsonl")}
        assert project.status() == "?? .muninn/knowledge/README.md\n"
    finally:
        stop_daemon(root, environ)


def test_a_linked_work_tree_seals_its_own_memory(project: Project, tmp_path: Path) -> None:
    side = tmp_path / "side"
    git(project.root, "worktree", "add", "-q", "-b", "side", str(side))
    project.remember("On main.")
    there = project.remember("On the side.", at=side)
    project.edit(at=side)
    (segment,) = segments(project.commit("-am", "Change", at=side))
    assert there in (side / segment).read_text()
    assert list((project.root / SEGMENTS).glob("*.jsonl")) == []


def test_while_a_rebase_stops_at_a_conflict_nothing_is_sealed(project: Project) -> None:
    git(project.root, "checkout", "-q", "-b", "feature")
    project.edit()
    project.commit("-am", "Feature")
    git(project.root, "checkout", "-q", "main")
    (project.root / "README.md").write_text("Other.\n")
    project.commit("-am", "Main")
    git(project.root, "checkout", "-q", "feature")
    assert project.run("rebase", "main").returncode != 0
    identity = project.remember("Sessions live in Postgres.")
    (project.root / "README.md").write_text("Both.\n")
    git(project.root, "add", "README.md")
    assert segments(project.commit("-m", "Resolved")) == []
    assert project.run("rebase", "--continue").returncode == 0
    project.edit()
    (segment,) = segments(project.commit("-am", "After"))
    assert identity in (project.root / segment).read_text()


def test_a_merge_that_a_person_concludes_takes_memory_along(project: Project) -> None:
    git(project.root, "checkout", "-q", "-b", "feature")
    project.edit()
    project.commit("-am", "Feature")
    git(project.root, "checkout", "-q", "main")
    (project.root / "README.md").write_text("Other.\n")
    project.commit("-am", "Main")
    assert project.run("merge", "feature").returncode == 1
    project.remember("Sessions live in Postgres.")
    (project.root / "README.md").write_text("Both.\n")
    git(project.root, "add", "README.md")
    project.commit("--no-edit")
    assert len(segments(git(project.root, "ls-files", SEGMENTS).split())) == 1


def test_a_failing_hook_lets_the_commit_pass_and_logs_the_error(project: Project) -> None:
    project.remember("Sessions live in Postgres.")
    project.edit()
    project.run("add", "README.md")
    done = project.run("commit", "-qm", "Change", MUNINN_RUNTIME_DIR=str(project.root / "README.md"))
    assert (done.returncode, done.stdout) == (0, "")
    assert git(project.root, "log", "-1", "--format=%s").strip() == "Change"
    assert segments(git(project.root, "ls-files").split()) == []
    (failure,) = project.failures()
    assert failure


def test_without_the_program_or_the_folder_the_commit_passes_in_silence(project: Project, program: str) -> None:
    Path(program).unlink()
    project.edit()
    done = project.run("commit", "-qam", "Change")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_client_without_the_path_of_a_shell_takes_memory_along(project: Project, program: str) -> None:
    git_hooks.uninstall(str(project.root))
    git_hooks.install(str(project.root), "no-such-muninn", program=program)
    project.remember("Sessions live in Postgres.")
    project.edit()
    done = project.run("commit", "-qam", "Change", PATH="/usr/bin:/bin")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(segments(git(project.root, "show", "--format=", "--name-only", "HEAD").split())) == 1
    git_hooks.uninstall(str(project.root))
    assert not (project.root / ".git/hooks/pre-commit").exists()


# --- the hook's file ---


def everything(root: Path) -> dict[str, tuple[bytes, int] | str]:
    found: dict[str, tuple[bytes, int] | str] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = str(path.readlink())
        elif path.is_file():
            found[name] = (path.read_bytes(), path.stat().st_mode)
        else:
            found[name] = "folder"
    return found


def _write(path: Path, text: str, mode: int = 0o755) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def _nothing(_root: Path) -> None:
    pass


def _no_folder(root: Path) -> None:
    for path in (root / ".git" / "hooks").iterdir():
        path.unlink()
    (root / ".git" / "hooks").rmdir()


def _shell(root: Path) -> None:
    _write(root / ".git/hooks/pre-commit", "#!/bin/sh -e\necho ran > ran.txt\n")


def _bash_without_an_end(root: Path) -> None:
    _write(root / ".git/hooks/pre-commit", "#!/usr/bin/env bash\nset -euo pipefail\nexec touch ran.txt", 0o750)


def _python(root: Path) -> None:
    _write(root / ".git/hooks/pre-commit", f"#!{sys.executable}\nopen('ran.txt', 'w').close()\n")


def _link(root: Path) -> None:
    _write(root / "tools/check.sh", "#!/bin/sh\ntouch ran.txt\n")
    (root / ".git/hooks").mkdir(exist_ok=True)
    (root / ".git/hooks/pre-commit").symlink_to("../../tools/check.sh")


def _switched_off(root: Path) -> None:
    _write(root / ".git/hooks/pre-commit", "#!/bin/sh\ntouch must-not-run.txt\n", 0o644)


def _husky(root: Path) -> None:
    """As husky 9 lays itself out: a generated folder whose scripts look for their namesake one folder up."""
    _write(root / ".husky/_/h", 'n=$(basename "$0")\ns=$(dirname "$(dirname "$0")")/$n\nsh -e "$s" "$@"\n')
    _write(root / ".husky/_/pre-commit", '#!/usr/bin/env sh\n. "$(dirname "$0")/h"')
    _write(root / ".husky/pre-commit", "touch ran.txt\n", 0o644)
    git(root, "config", "core.hooksPath", ".husky/_")


def _pre_commit(root: Path) -> None:
    """Write a hook as the pre-commit framework does: it calls the previous hook, which lies beside it."""
    _write(root / ".git/hooks/pre-commit.legacy", "#!/bin/sh\ntouch ran.txt\n")
    _write(
        root / ".git/hooks/pre-commit",
        "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n"
        'HERE="$(cd "$(dirname "$0")" && pwd)"\nexec "$HERE/pre-commit.legacy" "$@"\n',
    )


def _tracked_folder(root: Path) -> None:
    _write(root / ".githooks/pre-commit", "#!/bin/sh\ntouch ran.txt\n")
    git(root, "config", "core.hooksPath", ".githooks")


HOOKS = [
    *(_nothing, _no_folder, _shell, _bash_without_an_end, _python, _link, _switched_off),
    *(_husky, _pre_commit, _tracked_folder),
]


@pytest.mark.parametrize("lay_out", HOOKS, ids=lambda one: one.__name__.strip("_"))
def test_the_hook_that_was_there_runs_beside_ours_and_is_there_again_to_the_byte(
    repo: Path, environ: dict[str, str], program: str, lay_out: Any
) -> None:
    lay_out(repo)
    project = Project(repo, environ)
    before = everything(repo / ".git" / "hooks"), everything(repo / ".husky"), everything(repo / ".githooks")
    assert any("wrote" in line for line in git_hooks.install(str(repo), program))
    once = everything(repo / ".git" / "hooks"), everything(repo / ".husky"), everything(repo / ".githooks")
    assert "up to date" in git_hooks.install(str(repo), program)[0]
    again = everything(repo / ".git" / "hooks"), everything(repo / ".husky"), everything(repo / ".githooks")
    assert again == once != before
    project.remember("Sessions live in Postgres.")
    project.edit()
    assert len(segments(project.commit("-am", "Change"))) == 1
    assert (repo / "ran.txt").exists() == (lay_out not in (_nothing, _no_folder, _switched_off))
    assert not (repo / "must-not-run.txt").exists()
    assert "removed" in git_hooks.uninstall(str(repo))[0]
    after = everything(repo / ".git" / "hooks"), everything(repo / ".husky"), everything(repo / ".githooks")
    assert after == before
    assert "nothing" in git_hooks.uninstall(str(repo))[0]


def test_a_hook_that_refuses_still_refuses(project: Project) -> None:
    hook = project.root / ".git/hooks/pre-commit"
    git_hooks.uninstall(str(project.root))
    _write(hook, "#!/bin/sh\nexit 3\n")
    git_hooks.install(str(project.root), "muninn")
    project.edit()
    assert project.run("commit", "-qam", "Change").returncode != 0


def test_another_program_is_written_in_the_place_of_the_first_and_what_others_added_stays(project: Project) -> None:
    hook = project.root / ".git/hooks/pre-commit"
    hook.write_text(hook.read_text() + "echo mine\n")
    assert "up to date" in git_hooks.install(str(project.root), "/opt/new/muninn")[0]
    assert hook.read_text().count("/opt/new/muninn") == 2
    git_hooks.uninstall(str(project.root))
    assert hook.read_text() == "#!/bin/sh\necho mine\n"


def test_a_hook_that_was_installed_before_hooks_moved_elsewhere_is_found(project: Project) -> None:
    git(project.root, "config", "core.hooksPath", ".githooks")
    assert "removed" in git_hooks.uninstall(str(project.root))[0]
    assert not (project.root / ".git/hooks/pre-commit").exists()


@pytest.mark.parametrize("lay_out", [_nothing, _python], ids=["alone", "with_another"])
def test_a_hook_that_the_pre_commit_framework_moved_runs_once_and_is_taken_out(
    repo: Path, environ: dict[str, str], program: str, lay_out: Any
) -> None:
    lay_out(repo)
    hooks = repo / ".git/hooks"
    before = everything(hooks)
    git_hooks.install(str(repo), program)
    (hooks / "pre-commit").rename(hooks / "pre-commit.legacy")  # as `pre-commit install` does
    framework = (
        "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n"
        'HERE="$(cd "$(dirname "$0")" && pwd)"\nexec "$HERE/pre-commit.legacy" "$@"\n'
    )
    _write(hooks / "pre-commit", framework)
    assert git_hooks.is_installed(str(repo))
    assert git_hooks.install(str(repo), program)[0] == f"{hooks / 'pre-commit.legacy'} is up to date"
    assert (hooks / "pre-commit").read_text() == framework
    project = Project(repo, environ)
    project.remember("Sessions live in Postgres.")
    project.edit()
    assert len(segments(project.commit("-am", "Change"))) == 1
    assert (repo / "ran.txt").exists() == (lay_out is _python)
    assert git_hooks.uninstall(str(repo)) == [f"removed Muninn from {hooks / 'pre-commit.legacy'}"]
    (hooks / "pre-commit").unlink()
    if lay_out is _python:
        (hooks / "pre-commit.legacy").rename(hooks / "pre-commit")  # as `pre-commit uninstall` does
    assert everything(hooks) == before


def test_hooks_that_are_switched_off_are_named_as_the_reason(
    plain_repo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(plain_repo, "config", "core.hooksPath", os.devnull)
    for more in ([], ["--dry-run"]):
        assert run_command(install_main, ["install", "git-hooks", "--repo", str(plain_repo), *more]) == 1
        said = capsys.readouterr().err
        assert f"git runs no hooks here: it looks for them in {os.devnull}" in said
        assert "git config --show-origin core.hooksPath" in said
    assert run_command(install_main, ["uninstall", "git-hooks", "--repo", str(plain_repo)]) == 0


@pytest.mark.parametrize(("shared", "scope"), [(False, "--local"), (True, "--local"), (False, "--project")])
def test_only_a_hook_of_this_machine_has_the_path_of_the_program(
    plain_repo: Path, program: str, monkeypatch: pytest.MonkeyPatch, shared: bool, scope: str
) -> None:
    monkeypatch.setenv("PATH", f"{Path(program).parent}:{os.environ['PATH']}")
    if shared:
        git(plain_repo, "config", "core.hooksPath", "hooks")
    assert run_command(install_main, ["install", "git-hooks", "--repo", str(plain_repo), scope]) == 0
    hook = (plain_repo / ("hooks" if shared else ".git/hooks") / "pre-commit").read_text()
    assert "then muninn hook git-pre-commit" in hook
    assert (program in hook) is (not shared and scope == "--local")


def test_the_command_line_installs_and_says_where_it_can_not(
    plain_repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(install_main, ["install", "git-hooks", "--repo", str(plain_repo)]) == 0
    assert "wrote" in capsys.readouterr().out
    assert os.access(plain_repo / ".git/hooks/pre-commit", os.X_OK)
    assert run_command(install_main, ["uninstall", "git-hooks", "--repo", str(plain_repo)]) == 0
    assert not (plain_repo / ".git/hooks/pre-commit").exists()
    assert run_command(install_main, ["install", "git-hooks", "--user"]) == 2
    (tmp_path / "plain").mkdir()
    assert run_command(install_main, ["install", "git-hooks", "--repo", str(tmp_path / "plain")]) == 4
    assert "not a git repository" in capsys.readouterr().err
