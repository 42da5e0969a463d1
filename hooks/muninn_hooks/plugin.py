"""`muninn install claude-code --plugin`: installs Claude Code's plugin with Claude Code's own command.

The package contains the plugin: `claude_code` beside this module, or `hooks/claude-code` in a checkout. Its folder is
registered as a marketplace, so an update of the package updates the plugin.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from muninn_core.errors import MuninnError
from muninn_core.launch.repository_location import locate

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "muninn@muninn"
MARKETPLACE = "muninn"
SECONDS = 120.0
"""The timeout of a Claude Code command, which usually takes half a second."""


def folder() -> str:
    """Return the folder of the plugin, which is also its marketplace. Raises MuninnError if it is missing."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (os.path.join(here, "claude_code"), os.path.join(os.path.dirname(here), "claude-code")):
        if os.path.isfile(os.path.join(path, ".claude-plugin", "marketplace.json")):
            return path
    raise MuninnError("the plugin is missing in this installation", hint="Install muninn-memory again.")


def install(scope: str, repo: str, environ: Mapping[str, str]) -> list[str]:
    """Register the marketplace and install the plugin; `scope` is local, project or user.

    Returns the lines to print. Raises MuninnError if Claude Code is missing or refuses.
    """
    root, place = locate(repo).root, folder()
    _claude(["marketplace", "add", place], root, environ)
    _claude(["install", NAME, "--scope", scope], root, environ)
    lines = [f"installed the plugin {NAME} from {place} ({scope})"]
    if shutil.which("muninn", path=environ.get("PATH", "")) is None:
        lines.append("note: 'muninn' is not on your PATH; the plugin needs it there")
    if scope == "project":
        lines.append("note: everyone who shares these settings adds the marketplace once; `--print` shows how")
    return lines


def uninstall(scope: str, repo: str, environ: Mapping[str, str]) -> list[str]:
    """Remove the plugin, and the marketplace if no other scope uses it. Raises MuninnError as `install`."""
    root = locate(repo).root
    before = _claude(["list"], root, environ)
    if NAME not in before:
        return [f"the plugin {NAME} is not installed"]
    _claude(["uninstall", NAME, "--scope", scope], root, environ)
    if scope != "user":
        _remove_empty(os.path.join(root, ".claude", "settings.json" if scope == "project" else "settings.local.json"))
    lines = [f"removed the plugin {NAME} ({scope})"]
    if f"@{MARKETPLACE}" not in _claude(["list"], root, environ):
        _claude(["marketplace", "remove", MARKETPLACE], root, environ)
        lines.append(f"removed the marketplace {MARKETPLACE}")
    return lines


def _claude(words: list[str], root: str, environ: Mapping[str, str]) -> str:
    program = shutil.which("claude", path=environ.get("PATH", ""))
    if program is None:
        raise MuninnError(
            "'claude' is not on your PATH",
            hint=f"Where it is available, run: {' && '.join(manual_commands('install'))}",
        )
    try:
        done = subprocess.run(
            [program, "plugin", *words],
            cwd=root,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise MuninnError(f"`claude plugin {words[0]}` took more than {SECONDS:g} s") from None
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise MuninnError(f"`claude plugin {' '.join(words)}` failed: {said[-1] if said else done.returncode}")
    return done.stdout


def _remove_empty(path: str) -> None:
    """Remove an empty settings file: Claude Code leaves the table that listed the plugin."""
    with suppress(OSError, ValueError):
        with open(path, encoding="utf-8") as file:
            left = json.load(file)
        if left == {"enabledPlugins": {}}:
            os.unlink(path)
            os.rmdir(os.path.dirname(path))


def manual_commands(word: str) -> list[str]:
    """Return the equivalent Claude Code commands."""
    if word == "uninstall":
        return [f"claude plugin uninstall {NAME}", f"claude plugin marketplace remove {MARKETPLACE}"]
    return [f"claude plugin marketplace add {folder()}", f"claude plugin install {NAME}"]
