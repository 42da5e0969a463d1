"""The README of the knowledge folder. As `init` writes it, it has no content about the project and is not indexed."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING

from muninn_core.regular_file import read_regular

if TYPE_CHECKING:
    from pathlib import Path

PATH = ".muninn/knowledge/README.md"

KNOWLEDGE_README = """\
# Knowledge

Markdown files in this folder are what the project's people have written down: conventions, decisions, a glossary.
Muninn finds them by words and by meaning.

A file may begin with frontmatter:

    ---
    type: convention          # convention, decision, glossary, guide or a word of your own
    domain: error-handling    # what it is about
    confidence: high          # high, medium or low
    source: team-decision     # where it comes from
    ---
"""
"""The first file of `knowledge`. Its text must stay: where it has these very bytes it is not indexed, and in no
pack."""


def readme_blobs() -> frozenset[str]:
    """Return the ids that git gives to the explanation as `init` writes it, by SHA-1 and SHA-256."""
    content = KNOWLEDGE_README.encode()
    blob = b"blob %d\0%b" % (len(content), content)
    return frozenset((hashlib.sha1(blob, usedforsecurity=False).hexdigest(), hashlib.sha256(blob).hexdigest()))


def is_unchanged_readme(root: Path, path: str, size: int) -> bool:
    """Whether a file of a work tree is the explanation as `init` wrote it."""
    if path != PATH or size != len(KNOWLEDGE_README):
        return False
    with suppress(OSError):  # its reader reports it
        return read_regular(root / path, size, follow=False) == KNOWLEDGE_README.encode()
    return False
