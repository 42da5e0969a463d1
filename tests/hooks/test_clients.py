"""Every client of the table: install, reinstall and uninstall restore the client's files byte for byte."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from muninn_cli.command import run_command
from muninn_hooks import install
from muninn_hooks.connect.clients import CLIENTS, snippet
from muninn_hooks.connect.fragments import COMMAND, Item, is_ours
from muninn_hooks.main import EVENTS
from muninn_hooks.payload import AGENTS, OPENCODE

WITH_FILES = [name for name, client in CLIENTS.items() if any(file.here for file in client().files)]
PRINTED = [name for name, make in CLIENTS.items() if not make().files]
DOCS = Path(__file__).resolve().parents[2] / "docs"

JSON = """\
{
    // chosen with care
    "$schema": "https://example.org/schema.json",
    "version": 1, /* no other */
    "mcpServers": {
        "other": { "command": "x" }
    },
    "hooks": {
        "Notification": [{ "hooks": [{ "type": "command", "command": "say done" }] }],
    },
}
"""
TOML = """\
# chosen with care
model = "big"   # not small

[mcp_servers.other]
command = "x"

[projects."/src"]
trust_level = "trusted"


# the end
"""
MARKDOWN = "# Rules\n\nWrite tests.\n"
HELD = {".json": JSON, ".toml": TOML, ".md": MARKDOWN}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, `muninn` on the PATH, and an empty home folder."""
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    program = tmp_path / "bin" / "muninn"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "NVIM_APPNAME"):
        monkeypatch.delenv(name, raising=False)
    return root


def run(word: str, client: str, repo: Path, *more: str) -> int:
    return run_command(install.main, [word, client, "--repo", str(repo), *more])


def everything(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def written(repo: Path, client: str) -> list[Path]:
    """Install into an empty repository, take that out again, and return the files that were there."""
    before = everything(repo)
    run("install", client, repo)
    paths = [repo / name for name in everything(repo) if name not in before]
    run("uninstall", client, repo)
    return paths


@pytest.mark.parametrize("client", WITH_FILES)
def test_a_client_that_was_not_there_leaves_no_trace(repo: Path, client: str) -> None:
    before = sorted(repo.rglob("*"))
    assert run("install", client, repo) == 0
    assert len(sorted(repo.rglob("*"))) > len(before)
    assert run("uninstall", client, repo) == 0
    assert sorted(repo.rglob("*")) == before


@pytest.mark.parametrize("client", [name for name in WITH_FILES if name != "agents-md"])
def test_everywhere_means_the_home_folder_and_no_trace_of_it_is_left(repo: Path, client: str) -> None:
    home = repo.parent / "home"
    before = everything(repo)
    assert run("install", client, repo, "--global") == 0
    assert everything(repo) == before
    assert everything(home) != {}
    assert run("uninstall", client, repo, "--global") == 0
    assert everything(home) == {}


def test_a_plugin_of_an_editor_belongs_to_the_user_in_every_scope_and_leaves_no_trace(
    repo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = repo.parent / "home"
    before = everything(repo)
    assert run("install", "neovim", repo) == 0
    plugin = home / ".local/share/nvim/site/pack/muninn/start/muninn"
    assert (plugin / "plugin/muninn.lua").is_file()
    assert "\n:MuninnPick\tmuninn.txt\t/*:MuninnPick*\n" in (plugin / "doc/tags").read_text("utf-8")
    assert everything(repo) == before
    assert run("install", "neovim", repo, "--project") == 2
    assert "Leave --project out." in capsys.readouterr().err
    assert run("uninstall", "neovim", repo) == 0
    assert [path for path in home.rglob("*") if "pack" in path.parts] == []


@pytest.mark.parametrize("client", WITH_FILES)
def test_files_with_comments_keep_them_and_come_back_to_the_byte(repo: Path, client: str) -> None:
    held = {}
    for path in written(repo, client):
        if path.suffix in HELD:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(HELD[path.suffix], "utf-8")
            held[path] = HELD[path.suffix].splitlines()
    before = everything(repo)
    assert run("install", client, repo) == 0
    for path, lines in held.items():
        now = path.read_text("utf-8")
        assert "muninn" in now
        assert [line for line in lines if line.rstrip(",") not in now] == []
    again = everything(repo)
    assert run("install", client, repo) == 0
    assert everything(repo) == again
    assert run("uninstall", client, repo) == 0
    assert everything(repo) == before


@pytest.mark.parametrize("client", WITH_FILES)
def test_without_its_backup_a_file_loses_only_what_is_ours(repo: Path, client: str) -> None:
    for path in written(repo, client):
        if path.suffix in HELD:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(HELD[path.suffix], "utf-8")
    before = everything(repo)
    run("install", client, repo)
    for backup in repo.rglob("*.muninn-backup"):
        backup.unlink()
    run("uninstall", client, repo)
    after = everything(repo)
    assert {name: b"".join(text.split()) for name, text in after.items()} == {
        name: b"".join(text.split()) for name, text in before.items()
    }


def test_keys_added_later_to_a_toml_table_survive_uninstall(repo: Path) -> None:
    config = repo / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text(TOML, "utf-8")
    run("install", "codex", repo)
    config.write_text(config.read_text("utf-8").replace('model = "big"', 'model = "bigger"'), "utf-8")
    run("uninstall", "codex", repo)
    assert config.read_text("utf-8").strip() == TOML.replace('"big"', '"bigger"').strip()
    assert (repo / ".codex/config.toml.muninn-backup").read_text("utf-8") == TOML


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { other = { command = "x" } }\n',
        'mcp_servers.other.command = "x"\n[z]\nq = 1\n',
        '[mcp_servers.a]\ncommand = "x"\r\n[z]\r\nq = 1\r\n[mcp_servers.b]\r\ncommand = "y"\r\n',
        'model = "no end of line"',
    ],
)
def test_odd_forms_of_toml_are_edited_and_come_back(repo: Path, text: str) -> None:
    config = repo / ".codex/config.toml"
    config.parent.mkdir()
    config.write_bytes(text.encode())
    assert run("install", "codex", repo) == 0
    before = tomllib.loads(text.replace("\r\n", "\n"))
    now = tomllib.loads(config.read_text("utf-8"))
    server = now["mcp_servers"].pop("muninn")
    assert (server["command"], server["args"]) == ("muninn", ["mcp"])
    assert "MUNINN_RUNTIME_DIR" in server["env_vars"]
    assert {"mcp_servers": {}, **now} == {"mcp_servers": {}, **before}
    assert run("uninstall", "codex", repo) == 0
    assert config.read_bytes() == text.encode()


@pytest.mark.parametrize(("client", "deaf"), [("claude-code", 1), ("codex", 1), ("gemini", 0)])
def test_the_installation_warns_that_a_client_ignores_files_with_comments(
    repo: Path, capsys: pytest.CaptureFixture[str], client: str, deaf: int
) -> None:
    first = next(path for path in written(repo, client) if path.suffix == ".json")
    run("install", client, repo)
    assert "ignores" not in capsys.readouterr().out
    first.write_text("// chosen with care\n" + first.read_text())
    run("install", client, repo)
    assert capsys.readouterr().out.count(f"ignores {first.resolve()} until its comments") == deaf


def test_a_byte_order_mark_and_windows_line_ends_survive(repo: Path) -> None:
    text = b'\xef\xbb\xbf{\r\n  "servers": {}\r\n}\r\n'
    path = repo / ".vscode/mcp.json"
    path.parent.mkdir()
    path.write_bytes(text)
    run("install", "vscode", repo)
    now = path.read_bytes()
    assert now.startswith(b"\xef\xbb\xbf{\r\n")
    assert b"\n" not in now.replace(b"\r\n", b"")
    run("uninstall", "vscode", repo)
    assert path.read_bytes() == text


def test_a_dry_run_shows_the_difference_and_writes_nothing(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repo / ".gemini").mkdir()
    (repo / ".gemini/settings.json").write_text(JSON)
    before = everything(repo)
    assert run("install", "gemini", repo, "--dry-run") == 0
    assert everything(repo) == before
    shown = capsys.readouterr().out
    assert f"--- {repo}/.gemini/settings.json" in shown
    assert '+        "muninn": {' in shown
    assert run("uninstall", "gemini", repo, "--dry-run") == 0
    assert capsys.readouterr().out == "nothing would change\n"


def test_installed_servers_and_hooks_keep_keys_that_the_user_added(repo: Path) -> None:
    run("install", "gemini", repo)
    path = repo / ".gemini/settings.json"
    changed = path.read_text().replace('"mcp"\n', '"mcp",\n        "--tools",\n        "all"\n')
    changed = changed.replace('"command": "muninn",', '"command": "/old/muninn",\n      "env": { "A": "b" },')
    path.write_text(changed)
    run("install", "gemini", repo)
    server = json.loads(path.read_text())["mcpServers"]["muninn"]
    assert server == {"command": "muninn", "env": {"A": "b"}, "args": ["mcp", "--tools", "all"]}


def test_an_installation_does_not_overwrite_a_foreign_file(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plugin = repo / ".opencode/plugins/muninn.ts"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("export const Mine = 1\n")
    before = everything(repo)
    assert run("install", "opencode", repo) == 1
    assert "muninn.ts: this file is not Muninn's" in capsys.readouterr().err
    assert run("uninstall", "opencode", repo) == 0
    assert everything(repo) == before


def test_the_settings_of_opencode_are_found_under_their_other_name(repo: Path) -> None:
    (repo / "opencode.jsonc").write_text('{ // mine\n  "share": "disabled"\n}\n')
    run("install", "opencode", repo)
    assert not (repo / "opencode.json").exists()
    assert '"muninn": {' in (repo / "opencode.jsonc").read_text()


def test_a_block_whose_last_line_is_missing_takes_no_line_of_the_user_along(repo: Path) -> None:
    page = repo / "AGENTS.md"
    run("install", "agents-md", repo)
    page.write_text(page.read_text("utf-8").replace("<!-- muninn: end -->", "Run the tests before a push."), "utf-8")
    for word in ("install", "install", "uninstall"):
        assert run(word, "agents-md", repo) == 0
        page.write_text(page.read_text("utf-8") + f"After {word}.\n", "utf-8")
        assert "Run the tests before a push." in page.read_text("utf-8")
    assert "muninn: end" not in page.read_text("utf-8")
    assert "After install.\nAfter install.\nAfter uninstall.\n" in page.read_text("utf-8").replace("\n\n", "\n")


@pytest.mark.parametrize(
    ("client", "name", "content", "words"),
    [
        ("codex", ".codex/config.toml", "a = \n", "(at line 1, column 5)"),
        ("codex", ".codex/config.toml", "mcp_servers = 3\n", "'mcp_servers' is not an object"),
        ("gemini", ".gemini/settings.json", '{\n  "hooks": {\n', "in line 3, column 1"),
        ("cursor", ".cursor/hooks.json", '{"hooks": {"sessionStart": {}}}', "'hooks.sessionStart' is not a list"),
        ("vscode", ".vscode/mcp.json", '{"servers": {"muninn": {"url": "x"}}}', "'servers.muninn' exists"),
        ("agents-md", "AGENTS.md", b"\xff\xfe", "is not UTF-8"),
    ],
)
def test_an_invalid_file_is_reported_with_its_position_and_nothing_is_written(
    repo: Path, client: str, name: str, content: str | bytes, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (repo / name).parent.mkdir(exist_ok=True)
    (repo / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    before = everything(repo)
    assert run("install", client, repo) == 1
    assert everything(repo) == before
    said = capsys.readouterr().err
    assert name in said
    assert words in said


@pytest.fixture
def read_only_folder(repo: Path) -> Iterator[Path]:
    """A folder of the repository that is mounted for reading only."""
    folder = repo / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(TOML, "utf-8")
    if subprocess.run(["/bin/mount", "--bind", folder, folder], capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a folder for reading only needs root")
    subprocess.run(["/bin/mount", "-o", "remount,bind,ro", folder], check=True)
    yield folder
    subprocess.run(["/bin/umount", folder], check=True)


def test_a_place_that_takes_no_files_is_an_error(
    repo: Path, read_only_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything(repo)
    assert run("install", "codex", repo) == 5
    assert f"{read_only_folder}/hooks.json can't be written: Read-only file system" in capsys.readouterr().err
    assert everything(repo) == before


def test_when_the_second_file_can_not_be_written_the_first_is_as_it_was(repo: Path, tmp_path: Path) -> None:
    (repo / "opencode.json").write_text("{}")
    plugins = tmp_path / "elsewhere"
    plugins.mkdir()
    (repo / ".opencode").mkdir()
    (repo / ".opencode/plugins").symlink_to(plugins)
    if subprocess.run(["/bin/mount", "--bind", plugins, plugins], capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a folder for reading only needs root")
    subprocess.run(["/bin/mount", "-o", "remount,bind,ro", plugins], check=True)
    try:
        before = everything(repo)
        assert run("install", "opencode", repo) == 5
        assert everything(repo) == before
    finally:
        subprocess.run(["/bin/umount", plugins], check=True)


def test_an_unknown_client_is_answered_with_the_nearest(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("install", "codx", repo) == 2
    assert capsys.readouterr().err == "error: there is no client 'codx'\nDid you mean 'codex'?\n"
    assert run_command(install.main, ["install"]) == 2
    assert "which client?" in capsys.readouterr().err


def test_the_list_says_what_there_is_and_what_is_installed(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("install", "codex", repo)
    run("install", "claude-code", repo, "--project")
    run("install", "gemini", repo, "--global")
    (repo / ".vscode").mkdir()
    (repo / ".vscode/mcp.json").write_text("{,}")
    capsys.readouterr()
    assert run_command(install.main, ["install", "--list", "--repo", str(repo)]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert sorted(lines) == sorted(install.NAMES)
    assert lines["codex"].endswith(" here")
    assert lines["claude-code"].endswith(" here, for everybody")
    assert lines["gemini"].endswith(" everywhere")
    assert lines["cursor"].endswith(" -")
    assert ".vscode/mcp.json: it is not JSON" in lines["vscode"]
    assert "install emacs --print" in lines["emacs"]


@pytest.mark.parametrize("client", PRINTED)
def test_settings_that_muninn_does_not_write_are_printed(
    repo: Path, client: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("install", client, repo, "--print") == 0
    assert capsys.readouterr().out == snippet(CLIENTS[client]().snippet)
    assert run("install", client, repo) == 2
    assert f"muninn install {client} --print` shows what to add" in capsys.readouterr().err
    assert run("uninstall", client, repo) == 2
    assert "remove that by hand" in capsys.readouterr().err


def test_settings_that_muninn_writes_can_be_printed(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("install", "codex", repo, "--print") == 0
    shown = capsys.readouterr().out
    assert '.codex/config.toml:\n\n[mcp_servers.muninn]\ncommand = "muninn"\nargs = ["mcp"]\n' in shown
    assert '"command": "muninn hook session-start --agent codex"' in shown
    assert everything(repo) == {".git/HEAD": b"ref: refs/heads/main\n"}


def test_every_hook_in_the_table_is_a_muninn_event() -> None:
    handlers = [
        (client, one)
        for client, make in CLIENTS.items()
        for file in make().files
        for piece in file.content.pieces
        if isinstance(piece, Item)
        for one in piece.value.get("hooks", [piece.value])
    ]
    lines = [(client, " ".join((one["command"], *one.get("args", []))).split()) for client, one in handlers]
    assert {(client, *line[:2], *line[3:]) for client, line in lines} == {
        (agent, COMMAND, "hook", "--agent", agent) for agent in AGENTS if agent != OPENCODE
    }
    assert {line[2] for _, line in lines} == set(EVENTS)


@pytest.mark.parametrize(
    ("client", "path", "added"),
    [
        ("claude-code", ".claude/settings.local.json", re.compile(r',\s*"--agent",\s*"claude-code"')),
        ("codex", ".codex/hooks.json", re.compile(" --agent codex")),
        ("cursor", ".cursor/hooks.json", re.compile(" --agent cursor")),
        ("gemini", ".gemini/settings.json", re.compile(" --agent gemini")),
    ],
)
def test_an_installation_without_the_name_of_the_agent_is_brought_up_to_date(
    repo: Path, client: str, path: str, added: re.Pattern[str]
) -> None:
    run("install", client, repo)
    today = (repo / path).read_text("utf-8")
    (repo / path).write_text(added.sub("", today), "utf-8")
    assert json.loads((repo / path).read_text("utf-8")) != json.loads(today)
    run("install", client, repo)
    assert json.loads((repo / path).read_text("utf-8")) == json.loads(today)


@pytest.mark.parametrize(
    ("value", "ours"),
    [
        ({"command": "muninn", "args": ["hook", "stop"]}, True),
        ({"command": "'/my tools/muninn' hook stop"}, True),
        ({"command": ["C:\\bin\\Muninn.exe", "mcp"]}, True),
        ({"command": "muninn status"}, False),
        ({"command": "unclosed ' muninn hook"}, False),
        ({"command": "huginn", "args": ["mcp"]}, False),
        ({"command": 3}, False),
        ("muninn hook stop", False),
    ],
)
def test_a_handler_is_ours_by_its_program_and_the_word_behind_it(value: object, ours: bool) -> None:
    assert is_ours(value) is ours


def test_a_program_with_a_blank_in_its_path_is_quoted_for_a_shell(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = repo.parent / "my tools" / "muninn"
    monkeypatch.setattr(install, "resolve_command", lambda *_: (str(odd), []))
    run("install", "codex", repo)
    hooks = json.loads((repo / ".codex/hooks.json").read_text())["hooks"]
    assert hooks["Stop"][0]["hooks"][0]["command"] == f"'{odd}' hook stop --agent codex"
    assert tomllib.loads((repo / ".codex/config.toml").read_text())["mcp_servers"]["muninn"]["command"] == str(odd)
    run("uninstall", "codex", repo)
    assert not (repo / ".codex").exists()


@pytest.mark.parametrize("name", ["helix.toml", "zed.json"])
def test_the_page_about_editors_shows_what_is_printed(name: str) -> None:
    assert f"\n{snippet(name)}```" in (DOCS / "editors.md").read_text("utf-8")


@pytest.mark.parametrize("client", [name for name in PRINTED if name != "mcp"])
def test_the_page_about_editors_names_the_command_that_prints_what_each_needs(client: str) -> None:
    assert f"muninn install {client} --print" in (DOCS / "editors.md").read_text("utf-8")
