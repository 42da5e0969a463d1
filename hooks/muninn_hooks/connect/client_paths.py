"""The paths of a client's files, in a repository or in the home folder.

The only module of this package that reads environment variables, which it takes as an argument.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from muninn_core.errors import UsageError
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import home_directory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muninn_hooks.connect.clients import Client, File

HERE, SHARED, EVERYWHERE = "local", "project", "global"

FOLDERS = (
    *(
        ".claude",
        ".codex",
        "plugins",
        ".opencode",
        "opencode",
        ".cursor",
        ".gemini",
        ".qwen",
        ".github",
        ".copilot",
        "hooks",
        ".vscode",
    ),
    *("plugin", "doc", "lua", "muninn", "start", "pack"),
)
"""Folders that are created for Muninn's files, and removed when they are empty."""


def path_of(file: File, client: Client, scope: str, repo: str, environ: Mapping[str, str]) -> str:
    """Return the path of a client's file. Raises UsageError if the scope has none, and NotARepository for `repo`."""
    if scope == SHARED and not file.here:
        raise UsageError(f"{client.title} has no settings of a repository", hint="Leave --project out.")
    if scope == EVERYWHERE or not file.here:
        if not file.everywhere:
            raise UsageError(f"{client.title} belongs to a repository", hint="Leave --global out.")
        path = file.everywhere.format(**_homes(environ))
    else:
        location = locate(repo)
        path = (file.shared if scope == SHARED and file.shared else file.here).format(
            root=location.root, main=location.main
        )
    folder = os.path.dirname(path)
    others = (other for name in file.names if os.path.exists(other := os.path.join(folder, name)))
    return path if os.path.exists(path) else next(others, path)


def _homes(environ: Mapping[str, str]) -> dict[str, str]:
    home = home_directory(environ)
    claude = environ.get("CLAUDE_CONFIG_DIR")
    config = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return {
        "home": home,
        "claude": claude or os.path.join(home, ".claude"),
        "claude_json": os.path.join(claude or home, ".claude.json"),
        "codex": environ.get("CODEX_HOME") or os.path.join(home, ".codex"),
        "copilot": environ.get("COPILOT_HOME") or os.path.join(home, ".copilot"),
        "config": config,
        "neovim": _neovim(home, environ),
        "vscode": os.path.join(_code(home, config, environ), "Code", "User"),
    }


def _neovim(home: str, environ: Mapping[str, str]) -> str:
    """Return the folder of Neovim's data, its `stdpath("data")`."""
    name = environ.get("NVIM_APPNAME") or "nvim"
    if os.name == "nt":
        return os.path.join(environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local"), f"{name}-data")
    return os.path.join(environ.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share"), name)


def _code(home: str, config: str, environ: Mapping[str, str]) -> str:
    """Return the folder that contains VS Code's."""
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    return environ.get("APPDATA") or config if os.name == "nt" else config
