"""`muninn install claude-code` and its way back."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from muninn_cli.command import run_command
from muninn_hooks import install

OTHERS = """{
    "model": "opus",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
        "PostToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "/opt/audit"}]}
        ]
    },
    "note": "größer"
}"""


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    program = bin_folder / "muninn"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(bin_folder))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return root


def run(word: str, repo: Path, *more: str) -> int:
    return run_command(install.main, [word, "claude-code", "--repo", str(repo), *more])


def everything(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def test_a_fresh_repository_gets_the_hooks_and_the_server(repo: Path) -> None:
    assert run("install", repo) == 0
    hooks = json.loads((repo / ".claude/settings.local.json").read_text())["hooks"]
    events = [
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "Stop",
        "SessionEnd",
    ]
    assert list(hooks) == events
    assert hooks["PostToolUse"] == [
        {
            "matcher": "Bash",
            "hooks": [
                {
                    "type": "command",
                    "command": "muninn",
                    "args": ["hook", "post-commit", "--agent", "claude-code"],
                    "timeout": 10,
                    "if": "Bash(git *)",
                }
            ],
        }
    ]
    server = json.loads((repo / ".mcp.json").read_text())["mcpServers"]["muninn"]
    assert server == {"type": "stdio", "command": "muninn", "args": ["mcp"], "alwaysLoad": True}


def test_uninstalling_from_a_fresh_repository_leaves_no_trace(repo: Path) -> None:
    before = everything(repo)
    run("install", repo)
    assert run("uninstall", repo) == 0
    assert everything(repo) == before
    assert not (repo / ".claude").exists()


def test_foreign_settings_survive_install_and_uninstall_byte_for_byte(repo: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude/settings.local.json").write_text(OTHERS, "utf-8")
    (repo / ".mcp.json").write_text('{"mcpServers":{"other":{"command":"x"}}}\r\n', newline="")
    before = everything(repo)
    run("install", repo)
    merged = json.loads((repo / ".claude/settings.local.json").read_text("utf-8"))
    assert list(merged) == ["model", "hooks", "note"]
    assert [group["hooks"][0]["command"] for group in merged["hooks"]["PostToolUse"]] == ["/opt/audit", "muninn"]
    assert list(json.loads((repo / ".mcp.json").read_text())["mcpServers"]) == ["other", "muninn"]
    assert run("uninstall", repo) == 0
    assert everything(repo) == before


@pytest.mark.parametrize("odd", ["", "{}", '{"hooks": {}}', '{"hooks":{"SessionStart":[]}, "x": [] }'])
def test_an_empty_file_comes_back_as_it_was(repo: Path, odd: str) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude/settings.local.json").write_text(odd)
    before = everything(repo)
    run("install", repo)
    run("uninstall", repo)
    assert everything(repo) == before


def test_installing_again_changes_nothing(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude/settings.local.json").write_text(OTHERS, "utf-8")
    run("install", repo)
    settings = repo / ".claude/settings.local.json"
    later = json.loads(settings.read_text("utf-8"))
    later["hooks"]["SessionStart"].append({"hooks": [{"type": "command", "command": "late"}]})
    settings.write_text(json.dumps(later))
    before = everything(repo)
    capsys.readouterr()
    assert run("install", repo) == 0
    assert everything(repo) == before
    assert "is up to date" in capsys.readouterr().out


def test_the_backup_is_the_file_from_before_the_first_installation(repo: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude/settings.local.json").write_text(OTHERS, "utf-8")
    run("install", repo)
    settings = repo / ".claude/settings.local.json"
    settings.write_text(settings.read_text("utf-8").replace('"timeout": 10', '"timeout": 11'), "utf-8")
    run("install", repo)
    assert '"timeout": 11' not in settings.read_text("utf-8")
    backup = repo / ".claude/settings.local.json.muninn-backup"
    assert backup.read_text("utf-8") == OTHERS


def test_settings_added_after_the_installation_survive_uninstall(repo: Path) -> None:
    (repo / ".claude").mkdir()
    settings = repo / ".claude/settings.local.json"
    settings.write_text(OTHERS, "utf-8")
    run("install", repo)
    later = json.loads(settings.read_text("utf-8"))
    later["theme"] = "dark"
    later["hooks"]["SessionStart"].append({"hooks": [{"type": "command", "command": "late"}]})
    settings.write_text(json.dumps(later, indent=1))
    run("uninstall", repo)
    expected = json.loads(OTHERS)
    expected["theme"] = "dark"
    expected["hooks"]["SessionStart"] = [{"hooks": [{"type": "command", "command": "late"}]}]
    assert json.loads(settings.read_text("utf-8")) == expected
    assert settings.read_text("utf-8").startswith('{\n "model"')


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (".claude/settings.local.json", '{"hooks": {,}}', "is not JSON"),
        (".claude/settings.local.json", "[]", "not a JSON object"),
        (".claude/settings.local.json", '{"hooks": []}', "'hooks' is not an object"),
        (".claude/settings.local.json", '{"hooks": {"Stop": {}}}', "'hooks.Stop' is not a list"),
        (".mcp.json", '{"mcpServers": # mine\n{}}', "line 1, column 16"),
        (".mcp.json", '{"mcpServers": {"muninn": {"command": "other"}}}', "'mcpServers.muninn' exists"),
    ],
)
def test_a_file_that_is_not_understood_is_an_error_and_nothing_is_written(
    repo: Path, name: str, content: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (repo / name).parent.mkdir(exist_ok=True)
    (repo / name).write_text(content)
    before = everything(repo)
    assert run("install", repo) == 1
    assert everything(repo) == before
    said = capsys.readouterr().err
    assert name in said
    assert words in said


def test_without_muninn_on_the_path_its_own_place_is_written(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable))
    run("install", repo)
    hooks = json.loads((repo / ".claude/settings.local.json").read_text())["hooks"]
    command = hooks["SessionEnd"][0]["hooks"][0]["command"]
    assert command == os.path.join(os.path.dirname(sys.executable), "muninn")
    run("uninstall", repo)
    assert not (repo / ".claude").exists()


def test_shared_settings_contain_no_path_of_this_machine(
    repo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert run("install", repo, "--project") == 0
    assert '"command": "muninn"' in (repo / ".claude/settings.json").read_text()
    assert "not on your PATH" in capsys.readouterr().out
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable))
    assert run("install", repo, "--project") == 0
    assert "only in the virtual environment" in capsys.readouterr().out
    assert not (repo / ".claude/settings.local.json").exists()


def test_the_users_own_settings_are_in_the_home_folder(repo: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".claude.json").write_text('{"numStartups": 3}')
    before = everything(repo)
    assert run("install", repo, "--user") == 0
    assert "SessionStart" in json.loads((home / ".claude/settings.json").read_text())["hooks"]
    merged = json.loads((home / ".claude.json").read_text())
    assert merged["numStartups"] == 3
    assert merged["mcpServers"]["muninn"]["args"] == ["mcp"]
    run("uninstall", repo, "--user")
    assert everything(home) == {".claude.json": b'{"numStartups": 3}'}
    assert everything(repo) == before


def test_a_linked_settings_file_stays_a_link_and_keeps_its_mode(repo: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text(OTHERS, "utf-8")
    real.chmod(0o600)
    (repo / ".claude").mkdir()
    (repo / ".claude/settings.local.json").symlink_to(real)
    run("install", repo)
    assert (repo / ".claude/settings.local.json").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    run("uninstall", repo)
    assert real.read_text("utf-8") == OTHERS


def test_uninstalling_without_an_installation_is_reported(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("uninstall", repo) == 0
    assert capsys.readouterr().out.count("contains nothing of Muninn") == 2


def test_a_folder_that_is_not_there_is_an_error(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("install", repo / "missing") == 4
    assert "does not exist" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_the_new_content_and_the_backup_of_a_private_file_are_private_from_the_start(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = repo / ".claude" / "settings.local.json"
    settings.parent.mkdir()
    settings.write_text(OTHERS, "utf-8")
    settings.chmod(0o600)
    modes: list[int] = []
    flush = os.fsync

    def note_mode(handle: int) -> None:
        modes.append(stat.S_IMODE(os.fstat(handle).st_mode))
        flush(handle)

    monkeypatch.setattr(os, "fsync", note_mode)
    assert run("install", repo) == 0
    assert modes[:2] == [0o600, 0o600]
    assert stat.S_IMODE(settings.stat().st_mode) == 0o600
