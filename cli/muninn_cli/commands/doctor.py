"""`muninn doctor`: checks the installation and the repository. Each check prints a line, and a problem has a hint.

It changes nothing. Most checks need no daemon, so they work if none can be started.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from muninn_cli.arguments.parser import new_parser
from muninn_cli.command import print_json, run_command
from muninn_cli.commands.hook_health import check_hooks
from muninn_cli.exit_codes import ERROR, OK
from muninn_cli.help.manual import COMMANDS, EXAMPLES
from muninn_cli.show.formatting import lagging
from muninn_core import __version__, client
from muninn_core.config import load_config
from muninn_core.errors import MuninnError
from muninn_core.git.run import run
from muninn_core.launch.repository_location import RepositoryLocation, locate, nested_advice
from muninn_core.launch.runtime import SOCKET_PATH_LIMIT, Address, home_directory, runtime_directory
from muninn_core.model.counting import number_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Verdict = Literal["ok", "warn", "fail"]

_NEEDED = ("muninn_server", "muninn_hooks", "faiss", "fastembed", "mcp", "pygls", "tantivy", "watchdog")
"""Modules that the daemon needs. A broken installation lacks some."""

CONNECTED = "hooks are in"
PLUGIN = "muninn@muninn"


class Check(NamedTuple):
    """The result of one check. `hint` says what to do, "" if there is nothing to do."""

    name: str
    verdict: Verdict
    message: str
    hint: str = ""


def main(argv: list[str]) -> int:
    """Run `muninn doctor`. Returns 1 if a check failed."""
    return run_command(_run, argv)


def checks(repo: str) -> Iterator[Check]:
    """Yield all checks; each depends only on earlier ones. Raises NotARepository."""
    location = locate(repo)
    yield _python()
    yield _git(location)
    yield from _runtime(location)
    yield from _config(location)
    yield from _daemon(location)
    claude, codex = _claude(location), _codex(location)
    yield _hooks(location, connected=any(each.message.startswith(CONNECTED) for each in (claude, codex)))
    yield claude
    yield codex


def _run(argv: list[str]) -> int:
    options = new_parser("doctor", COMMANDS["doctor"], example=EXAMPLES["doctor"]).parse(argv)
    found: list[Check] = []
    for check in checks(options.repo):
        found.append(check)
        if not options.json:
            _print(check)
    if options.json:
        print_json({"checks": [check._asdict() for check in found]})
    return ERROR if any(check.verdict == "fail" for check in found) else OK


def _print(check: Check) -> None:
    from muninn_cli.terminal.console import output, paragraph

    console = output()
    style = {"ok": "good", "warn": "warn", "fail": "bad"}[check.verdict]
    paragraph(console, (f"{check.verdict:<5}", style), (f"{check.name:<9}", "name"), (check.message, ""))
    if check.hint:
        paragraph(console, (check.hint, "hint"), indent=14)


def _python() -> Check:
    held = f"{platform.python_version()}, muninn {__version__}, {sys.prefix}"
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        return Check("python", "fail", f"{held}: no {', '.join(missing)}", "Install muninn-memory again.")
    return Check("python", "ok", held)


def _git(location: RepositoryLocation) -> Check:
    program = shutil.which("git")
    if program is None:
        return Check("git", "fail" if location.git_dir else "warn", "git is not on the PATH", "Install git.")
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    version = answer.stdout.strip() or answer.stderr.strip()
    if not location.git_dir:
        return _without_git(location)
    try:
        run(location.root, "rev-parse", "--git-dir")
    except MuninnError as error:
        return Check("git", "fail", error.message, error.hint)
    return Check("git", "ok", f"{version}, {location.root}" + (" (linked work tree)" if location.linked else ""))


def _without_git(location: RepositoryLocation) -> Check:
    if Path(location.root, ".git").exists():
        hint = "Run `git worktree repair` in the main work tree if this one was moved."
        return Check("git", "warn", f"the .git of {location.root} does not lead to a repository", hint)
    return Check("git", "warn", f"{location.root} is not a git repository", "Memory works here, but can't be shared.")


def _runtime(location: RepositoryLocation) -> Iterator[Check]:
    try:
        directory = runtime_directory(os.environ)
    except MuninnError as error:
        yield Check("runtime", "fail", error.message, error.hint)
        return
    socket = Address(directory, location.identity).socket
    if len(os.fsencode(socket)) > SOCKET_PATH_LIMIT:
        hint = "Set MUNINN_RUNTIME_DIR to a shorter folder."
        yield Check("runtime", "fail", f"the socket's path is longer than {SOCKET_PATH_LIMIT} bytes: {socket}", hint)
        return
    yield Check("runtime", "ok", directory)


def _config(location: RepositoryLocation) -> Iterator[Check]:
    folder = Path(location.root, ".muninn")
    if not folder.is_dir():
        yield Check("config", "warn", "this work tree has no .muninn", location.not_initialised().hint)
        return
    _, problems = load_config(folder / "config.yaml")
    for problem in problems:
        yield Check("config", "fail", f".muninn/config.yaml:{problem.line}: {problem.message}", problem.hint)
    if not problems:
        yield Check("config", "ok", ".muninn/config.yaml")


def _daemon(location: RepositoryLocation) -> Iterator[Check]:
    try:
        status = client.call(location.root, os.environ, "status", {}, repeatable=True, name="muninn doctor")
    except MuninnError as error:
        yield Check("daemon", "fail", error.message, error.hint)
        return
    yield Check("daemon", "ok", f"pid {status['pid']}, {number_of(status['clients'], 'client')}, {status['mode']}")
    if status["mode"] == "uninitialised":
        return  # reported above
    yield _index(status["index"])
    if nested := status["index"]["repositories"]:
        held = f"not indexed here: {', '.join(nested[:5])}" + (f" and {len(nested) - 5:,} more" if nested[5:] else "")
        yield Check("nested", "ok", f"{held}; each is a repository of its own", nested_advice(nested[0]))
    yield _log(status["log"])
    for problem in status["problems"]:
        if problem["kind"] == "config":
            continue  # reported above, without the daemon
        where = ":".join(str(part) for part in (problem["path"], problem["line"]) if part)
        yield Check(
            "problem", "warn", f"{where}: {problem['message']}" if where else problem["message"], problem["hint"]
        )


def _index(index: dict[str, Any]) -> Check:
    size = f"{number_of(index['files'], 'file')}, {number_of(index['chunks'], 'chunk')}"
    held = f"{index['state']}, {size}, {index['model']}"
    if index["state"] == "failed":
        hint = "The problem is listed below. Fix it and run `muninn index`, or `muninn index --rebuild`."
        return Check("index", "fail", held, hint)
    if index["state"] in ("opening", "building"):  # the daemon has just started
        return Check("index", "ok", held, "`muninn index --wait` returns when it is up to date.")
    if index["state"] == "absent" or index["lag"]:
        return Check(
            "index", "warn", ", ".join(filter(None, (held, lagging(index)))), "`muninn index` brings it up to date."
        )
    return Check("index", "ok", held)


def _log(log: dict[str, Any]) -> Check:
    held = f"{number_of(log['memories'], 'memory', 'memories')}, {number_of(log['records'], 'record')}"
    if log["malformed"]:
        lines = number_of(log["malformed"], "malformed line")
        return Check(
            "memory", "warn", f"{held}, {lines}", "They are skipped and kept. The problems below say what to do."
        )
    return Check("memory", "ok", held)


def _hooks(location: RepositoryLocation, *, connected: bool) -> Check:
    try:
        found = check_hooks(location, connected, os.environ)
    except OSError as error:
        return Check("hooks", "warn", f"the log can't be read: {error}", "Check its permissions.")
    return Check("hooks", "ok" if found.ok else "warn", found.message, found.hint)


def _claude(location: RepositoryLocation) -> Check:
    """Check the settings that Claude Code reads for this project for Muninn's hooks."""
    broken = []
    for path in _settings_files(location):
        try:
            settings = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            broken.append(f"{path}: {error}")
            continue
        if _mentions_hooks(settings):
            return Check("claude", "ok", f"{CONNECTED} {path}")
    if broken:
        hint = "Correct the file. Claude Code, too, ignores a file with comments or trailing commas."
        return Check("claude", "fail", f"the settings can't be read: {'; '.join(broken)}", hint)
    return Check("claude", "ok", "not connected", "`muninn install claude-code` connects Claude Code.")


def _settings_files(location: RepositoryLocation) -> tuple[Path, ...]:
    home = os.environ.get("CLAUDE_CONFIG_DIR")
    folders = Path(location.root, ".claude"), Path(home or Path(home_directory(os.environ), ".claude"))
    own = (folders[0] / "settings.local.json", folders[0] / "settings.json")
    main = (Path(location.main, ".claude", "settings.local.json"),) if location.linked else ()
    return (*own, *main, folders[1] / "settings.json")


def _codex(location: RepositoryLocation) -> Check:
    """Check the files that Codex reads for this work tree: hooks of the main checkout, configuration of its own folder.

    Codex CLI 0.169 runs hooks in a linked work tree only when that has a `.codex/config.toml` too.
    """
    home = Path(os.environ.get("CODEX_HOME") or Path(home_directory(os.environ), ".codex"))
    own, main = Path(location.root, ".codex", "hooks.json"), Path(location.main, ".codex", "hooks.json")
    try:
        found = [path for path in dict.fromkeys((main, own, home / "hooks.json")) if _has_hooks(path)]
    except (OSError, ValueError) as error:
        return Check("codex", "fail", f"the hooks can't be read: {error}", "Correct the file.")
    if not found:
        return Check("codex", "ok", "not connected", "`muninn install codex` connects Codex.")
    remedy = "Run `muninn install codex` in this work tree, and trust its folder and hooks in Codex."
    if found == [own] and location.linked:
        return Check("codex", "warn", f"no hook runs: in a linked work tree Codex reads {main}, not {own}", remedy)
    config = Path(location.root, ".codex", "config.toml")
    if main in found and location.linked and not config.exists():
        return Check("codex", "warn", f"no hook of {main} runs in this linked work tree: it has no {config}", remedy)
    return Check("codex", "ok", f"{CONNECTED} {found[0]}")


def _has_hooks(path: Path) -> bool:
    try:
        return _mentions_hooks(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return False


def _mentions_hooks(settings: Any) -> bool:
    """Whether a handler runs `muninn hook`, as one string or with `args`, or Muninn's plugin is enabled."""
    if isinstance(settings, list):
        return any(_mentions_hooks(item) for item in settings)
    if not isinstance(settings, dict):
        return False
    enabled = settings.get("enabledPlugins")
    if isinstance(enabled, dict) and enabled.get(PLUGIN) is True:
        return True
    command = str(settings.get("command", ""))
    args = settings.get("args")
    if "muninn" in command and ("hook" in command or (isinstance(args, list) and "hook" in args)):
        return True
    return any(_mentions_hooks(item) for item in settings.values())
