"""A repository of six files that a word in its history alone tells apart."""

from __future__ import annotations

from pathlib import Path

from repositories import git

NAMES = ("pump", "valve", "gauge", "wheel", "crank", "lever")


def machine_parts(root: Path) -> Path:
    """Make a repository at `root` with one file for each of `NAMES`, all in one commit, and return `root`."""
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for name in NAMES:
        (root / f"{name}.py").write_text(f"def {name}():\n    return 0\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Begin")
    return root
