"""The metadata of published packages that depends on where the repository is: addresses, and the README for PyPI.

Hatch runs the hook when it builds. The address is `tool.muninn.repository` in pyproject.toml, or the environment's
MUNINN_REPOSITORY. Without one the packages have no addresses, and their README has no pictures and no relative links.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:)([^()\s]+)\)")
"""A relative link or picture of markdown."""


class PublishingHook(MetadataHookInterface):
    """Sets `urls` and `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        root = Path(self.root)
        address = repository(root)
        metadata["readme"] = {"content-type": "text/markdown", "text": readme(root, address)}
        metadata["urls"] = urls(address)


def get_metadata_hook() -> type[MetadataHookInterface]:
    """Return the hook: hatch looks for this function."""
    return PublishingHook


def repository(root: Path) -> str:
    """Return the address of the repository on the web without a slash at its end, "" for none."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    return str(os.environ.get("MUNINN_REPOSITORY") or project["tool"]["muninn"]["repository"]).rstrip("/")


def urls(address: str) -> dict[str, str]:
    """Return the addresses that PyPI lists; none without a repository."""
    if not address:
        return {}
    return {
        "Homepage": address,
        "Documentation": f"{address}/tree/HEAD/docs",
        "Changelog": f"{address}/blob/HEAD/CHANGELOG.md",
        "Issues": f"{address}/issues",
        "Source": address,
    }


def readme(root: Path, address: str) -> str:
    """Return the README with absolute links, because PyPI shows it elsewhere."""

    def absolute(match: re.Match[str]) -> str:
        picture, words, target = match.groups()
        if target.startswith("#"):
            return match[0]
        if not address:
            return "" if picture else words
        return f"{picture}[{words}]({address}/{'raw' if picture else 'blob'}/HEAD/{target})"

    text = _LINK.sub(absolute, (root / "README.md").read_text("utf-8"))
    return re.sub(r"\n{3,}", "\n\n", text)
