"""Claude Code for the tests here: the pinned program, and a repository that it works in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from claude_code import NAME, ClaudeCode
from repositories import PATIENCE
from workbench import installed

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program() -> Path:
    """The pinned Claude Code; installed when it is not here."""
    return installed(NAME, "claude")


@pytest.fixture
def bare(program: Path, repo: Path, tmp_path: Path, environ: dict[str, str]) -> ClaudeCode:
    """Claude Code without Muninn installed, in a repository with one stored decision."""
    return ClaudeCode(program, repo, tmp_path / "home", environ)


@pytest.fixture
def claude(bare: ClaudeCode) -> ClaudeCode:
    """The same with Muninn's hooks and server. A hook may take as long as a busy machine needs."""
    bare.muninn("install", "claude-code")
    settings = bare.repo / ".claude" / "settings.local.json"
    text, changed = re.subn(r'"timeout": \d+', f'"timeout": {PATIENCE:.0f}', settings.read_text("utf-8"))
    assert changed >= 5
    settings.write_text(text, "utf-8")
    return bare
