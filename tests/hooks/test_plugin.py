"""The plugin of Claude Code as it lies in the package, and the ways in which it can't be installed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from muninn_cli.command import run_command
from muninn_core import __version__
from muninn_core.protocol.catalogue import METHODS
from muninn_hooks import install, plugin
from muninn_hooks.connect.clients import CLAUDE_CODE_HOOKS

PLUGIN = Path(plugin.folder())


def read(name: str) -> Any:
    return json.loads((PLUGIN / name).read_text("utf-8"))


def test_the_plugin_has_the_hooks_and_the_server_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "muninn").write_text("#!/bin/sh\n")
    (tmp_path / "muninn").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run_command(install.main, ["install", "claude-code", "--repo", str(tmp_path)]) == 0
    settings = json.loads((tmp_path / ".claude/settings.local.json").read_text())
    assert read("hooks/hooks.json")["hooks"] == settings["hooks"]
    assert list(settings["hooks"]) == [row[0] for row in CLAUDE_CODE_HOOKS]
    assert read(".mcp.json") == json.loads((tmp_path / ".mcp.json").read_text())


def test_both_plugins_have_the_version_of_the_package() -> None:
    for name in (".claude-plugin/plugin.json", "lsp/.claude-plugin/plugin.json"):
        assert read(name)["version"] == __version__


def test_the_language_server_claims_markdown_and_nothing_of_code() -> None:
    assert read("lsp/.lsp.json")["muninn"]["extensionToLanguage"] == {".md": "markdown"}


@pytest.mark.parametrize("name", ["recall", "remember", "brief", "reconcile"])
def test_a_skill_says_when_to_use_it_and_names_commands_that_exist(name: str) -> None:
    text = (PLUGIN / "skills" / name / "SKILL.md").read_text("utf-8")
    head, body = text.split("---\n", 2)[1:]
    fields = yaml.safe_load(head)
    assert fields["name"] == name
    assert "Use it" in fields["description"]
    assert len(fields["description"]) <= 1024
    named = set(re.findall(r"`muninn (\w+)", body)) | set(re.findall(r"`mcp__muninn__(\w+)`", body))
    assert named
    assert named <= set(METHODS)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return tmp_path / "repo"


def refused(capsys: pytest.CaptureFixture[str], repo: Path, *words: str) -> str:
    assert run_command(install.main, [*words, "--repo", str(repo)]) in (1, 2)
    return capsys.readouterr().err


def test_without_claude_code_the_commands_are_named(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, repo, "install", "claude-code", "--plugin")
    assert "'claude' is not on your PATH" in said
    assert f"claude plugin marketplace add {PLUGIN} && claude plugin install muninn@muninn" in said
    assert run_command(install.main, ["install", "claude-code", "--plugin", "--print", "--repo", str(repo)]) == 0
    assert "claude plugin install muninn@muninn" in capsys.readouterr().out


def test_beside_hooks_in_the_settings_there_is_no_plugin(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_command(install.main, ["install", "claude-code", "--project", "--repo", str(repo)])
    said = refused(capsys, repo, "install", "claude-code", "--plugin")
    assert re.search(rf"{repo}/\S+ has Muninn already", said)


def test_only_claude_code_has_a_plugin(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no plugin of codex" in refused(capsys, repo, "install", "codex", "--plugin")


def test_errors_of_claude_code_are_reported(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = repo.parent / "bin" / "claude"
    program.write_text('#!/bin/sh\necho "no marketplaces today" >&2\nexit 1\n')
    program.chmod(0o755)
    assert "failed: no marketplaces today" in refused(capsys, repo, "install", "claude-code", "--plugin")
