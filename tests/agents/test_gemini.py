"""A real Gemini CLI, installed into a scratch repository by `muninn install gemini`, with a scripted model.

Nothing leaves the machine: the model is on loopback, the home folder is the test's own.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from content_model import Call, ContentModel, Request, Turn
from workbench import Connected, installed

NAME = "Gemini CLI"
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"disableAutoUpdate": True, "disableUpdateNag": True},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}

pytestmark = [pytest.mark.client(NAME), pytest.mark.slow]


class Gemini(Connected):
    """Gemini CLI with Muninn's hooks and server."""

    def __init__(self, program: Path, repo: Path, home: Path, environ: dict[str, str]) -> None:
        super().__init__("gemini", repo, home, environ)
        self.program = program
        (home / ".gemini").mkdir()
        (home / ".gemini" / "settings.json").write_text(json.dumps(SETTINGS))
        (home / ".gemini" / "trustedFolders.json").write_text(json.dumps({str(repo): "TRUST_FOLDER"}))

    def work(self, script: Sequence[Turn], prompt: str) -> list[Request]:
        """Let Gemini CLI work on a prompt, and return what its model was asked."""
        node = shutil.which("node")
        assert node
        with ContentModel(script) as model:
            env = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model.url, "NO_BROWSER": "1"}
            words = ("-m", "gemini-2.5-flash", "--yolo", "-p", prompt)
            self.run(Path(node), str(self.program), *words, **env)
        return model.requests


@pytest.fixture(scope="session")
def program() -> Path:
    """The pinned Gemini CLI."""
    return installed(NAME, "gemini")


@pytest.fixture
def gemini(program: Path, repo: Path, tmp_path: Path, environ: dict[str, str]) -> Gemini:
    """Gemini CLI in a repository that remembers one decision."""
    return Gemini(program, repo, tmp_path / "home", environ)


def test_a_session_gets_the_brief_commits_fails_and_is_summed_up(gemini: Gemini) -> None:
    subject = "Introduce quotas: a token bucket instead of a counter"
    author = "-c user.name=Ada -c user.email=ada@example.org"  # its shell does not read the user's settings of git
    command = f"echo '# bucket' >> src/users.py && git {author} commit -qam '{subject}'"
    check = "sh -c 'test -f src/quota.txt || { echo error: no quota is set; exit 3; }'"
    script: list[Turn] = [
        [Call("run_shell_command", {"command": command})],
        [Call("run_shell_command", {"command": "make nothing"})],
        [Call("mcp_muninn_recall", {"query": "where do sessions live"})],
        [Call("run_shell_command", {"command": check})],
        [Call("write_file", {"file_path": str(gemini.repo / "src/quota.txt"), "content": "3\n"})],
        [Call("run_shell_command", {"command": check})],
        ["Done."],
    ]
    first, second, third, fourth, *_ = gemini.work(script, "Please commit.")
    assert "Sessions live in Postgres, not in Redis." in first.text
    assert "mcp_muninn_recall" in first.tools
    assert f"<hook_context>Remembered: {subject}</hook_context>" in second.text
    assert "make: ***" in third.text
    assert "memory decision" in fourth.text
    (memory,) = gemini.call("memories", tag="commit")["memories"]
    assert (memory["title"], memory["agent"], memory["sealed"]) == (subject, "gemini", True)
    fired = [entry["event"] for entry in gemini.events()]
    (turn,) = gemini.turns(memory["session"])
    assert (turn[0], turn[-2:], turn.count("tool_call"), turn.count("usage")) == ("prompt", ["answer", "usage"], 6, 7)
    (found,) = gemini.call("candidate.list")["candidates"]
    assert found["text"].startswith(f"`{check}` failed: error: no quota is set\n")
    assert (found["kind"], found["files"], found["agent"]) == ("fixed", ["src/quota.txt"], "gemini")
    assert (fired[0], fired.count("post-failure"), fired[-1]) == ("session-start", 2, "session-end")
    assert gemini.failures() == []


def test_after_uninstalling_gemini_the_model_gets_no_memory(gemini: Gemini) -> None:
    gemini.muninn("uninstall", "gemini")
    assert not (gemini.repo / ".gemini").exists()
    (first,) = gemini.work([["I don't know."]], "Where do sessions live?")
    assert "Postgres" not in first.text
    assert not any("muninn" in name for name in first.tools)
