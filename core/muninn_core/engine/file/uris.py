"""The addresses of things that a reader can open: `muninn:` documents, and files as they are on the disk."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from muninn_core.context.about import Link

SCHEME = "muninn"


def address(kind: str, what: str) -> str:
    """Return the address of a document: of a memory, a file's notes, a commit."""
    return f"{SCHEME}:/{kind}/{quote(what)}.md"


def linker(root: Path, *, virtual: bool) -> Link:
    """Return what makes addresses; those of documents only for a client that can open them."""

    def link(kind: str, what: str) -> str:
        if kind == "file":
            return Path(root, what).as_uri()
        return address(kind, what) if virtual else ""

    return link
