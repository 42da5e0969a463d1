"""The kinds of files that a person edits for Muninn, by path: configuration, memory, knowledge, packs, context files.

Paths are relative to the root, with slashes.
"""

from __future__ import annotations

import re
from typing import Literal

from muninn_core.source.documents.steering import is_steering_document

OwnKind = Literal["", "config", "records", "manifest", "knowledge", "context", "instructions", "document"]
"""The kind of a file. `context` files have frontmatter of Muninn. `instructions` are an agent's own (`.claude/*.md`).

They may contain references, but their frontmatter is not checked. `document` is a Metis document or an ADR.
"""

CONTEXT_FOLDER = ".muninn/context"

_KINDS: tuple[tuple[OwnKind, re.Pattern[str]], ...] = (
    ("config", re.compile(r"\.muninn/config\.yaml")),
    ("records", re.compile(r"\.muninn/(?:memory|local/spool|local/private)/(?:[^/]+/)*[^/]+\.jsonl")),
    ("manifest", re.compile(r"\.muninn/packs/[^/]+/pack\.json")),
    ("knowledge", re.compile(r"\.muninn/(?:knowledge|packs)/(?:[^/]+/)*[^/]+\.md")),
    ("context", re.compile(r"\.muninn/context/(?:[^/]+/)*[^/]+\.md")),
    ("instructions", re.compile(r"\.claude/[^/]+\.md")),
)

KINDS_WITH_REFERENCES: tuple[OwnKind, ...] = ("context", "instructions")
"""The kinds of files in which `@path`, `[[name]]` and `?query` are references."""


def own_kind(path: str) -> OwnKind:
    """Return the kind of a file, "" for other files of the repository."""
    for kind, pattern in _KINDS:
        if pattern.fullmatch(path):
            return kind
    return "document" if is_steering_document(path) else ""
