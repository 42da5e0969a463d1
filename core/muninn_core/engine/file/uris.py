"""Addresses that clients can open: `muninn:` documents, and files on disk."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from muninn_core.context.editor.markdown import Link

SCHEME = "muninn"


def address(kind: str, what: str) -> str:
    """Return the address of a document; `kind` is memory, notes or commit."""
    return f"{SCHEME}:/{kind}/{quote(what)}.md"


def linker(root: Path, *, virtual: bool) -> Link:
    """Return a function that builds addresses; for documents "" unless `virtual`, so unless the client can open
    them.
    """

    def link(kind: str, what: str) -> str:
        if kind == "file":
            return Path(root, what).as_uri()
        if kind == "line":
            path, _, line = what.rpartition(":")
            return f"{Path(root, path).as_uri()}#L{line}"
        return address(kind, what) if virtual else ""

    return link
