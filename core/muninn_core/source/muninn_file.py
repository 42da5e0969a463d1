"""Which files a person edits for Muninn, by their path: its configuration, memory, knowledge, packs and context files.

It looks at no content. Paths are relative to the root, with slashes.
"""

from __future__ import annotations

import re
from typing import Literal

from muninn_core.source.steering import is_document

OwnKind = Literal["", "config", "records", "manifest", "knowledge", "context", "instructions", "document"]
"""What a file is to Muninn. `context` has frontmatter of ours; `instructions` are an agent's own (`.claude/*.md`) and
may hold references, but their frontmatter is the agent's affair; `document` is Metis's or an ADR."""

CONTEXT_FOLDER = ".muninn/context"

_KINDS: tuple[tuple[OwnKind, re.Pattern[str]], ...] = (
    ("config", re.compile(r"\.muninn/config\.yaml")),
    ("records", re.compile(r"\.muninn/(?:memory|local/spool|local/private)/(?:[^/]+/)*[^/]+\.jsonl")),
    ("manifest", re.compile(r"\.muninn/packs/[^/]+/pack\.json")),
    ("knowledge", re.compile(r"\.muninn/(?:knowledge|packs)/(?:[^/]+/)*[^/]+\.md")),
    ("context", re.compile(r"\.muninn/context/(?:[^/]+/)*[^/]+\.md")),
    ("instructions", re.compile(r"\.claude/[^/]+\.md")),
)

REFERRING: tuple[OwnKind, ...] = ("context", "instructions")
"""The kinds of files in which `@path`, `[[name]]` and `?question` are references."""


def kind_of(path: str) -> OwnKind:
    """Return what the file at a path is to Muninn, "" for any other file of the repository."""
    for kind, pattern in _KINDS:
        if pattern.fullmatch(path):
            return kind
    return "document" if is_document(path) else ""
