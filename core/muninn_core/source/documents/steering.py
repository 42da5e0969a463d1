"""Steering documents: Metis visions, initiatives, tasks and decisions, and ADRs of other forms."""

from __future__ import annotations

import re

from muninn_core.source.documents import adr, metis
from muninn_core.source.documents.document import Document

ADR_FOLDERS: tuple[str, ...] = tuple(
    f"{parent}{name}"
    for parent in ("", "doc/", "docs/", "doc/architecture/", "docs/architecture/")
    for name in ("adr", "adrs", "decisions")
)
"""Folders in which projects store decision records, relative to the root."""

_NO_ADR = re.compile(r"(?i)^(readme|index|template|adr-template|_.*)\.md$")


def is_steering_document(path: str) -> bool:
    """Whether a path (relative to the root, with slashes) is that of a steering document."""
    if not path.endswith(".md"):
        return False
    if path.startswith(".metis/"):
        return True
    folder, _, name = path.rpartition("/")
    return folder in ADR_FOLDERS and not _NO_ADR.match(name)


def read_steering_document(path: str, text: str) -> Document | None:
    """Return the document in a file, parsed leniently; None when the path is not that of one."""
    if not is_steering_document(path):
        return None
    return metis.read_metis(path, text) if path.startswith(".metis/") else adr.read_adr(path, text)
