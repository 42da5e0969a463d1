"""How to add an extra of the package to this installation."""

from __future__ import annotations

import sys
from pathlib import Path


def install_command(extra: str) -> str:
    """Return the command that installs an extra: for uv and pipx, which own this environment, or else for pip."""
    wanted = f"'muninn-memory[{extra}]'"
    parts = Path(sys.prefix).parts
    if "uv" in parts and "tools" in parts:
        return f"uv tool install {wanted}"
    if "pipx" in parts:
        return f"pipx install --force {wanted}"
    return f"pip install {wanted}"
