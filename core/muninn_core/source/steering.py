"""Documents that steer a project: Metis's visions, initiatives, tasks and decisions, and ADRs of other forms.

Which files are such, and which form reads them.
"""

from __future__ import annotations

import re

from muninn_core.source import adr, metis
from muninn_core.source.document import Document

ADR_FOLDERS: tuple[str, ...] = tuple(
    f"{above}{name}"
    for above in ("", "doc/", "docs/", "doc/architecture/", "docs/architecture/")
    for name in ("adr", "adrs", "decisions")
)
"""Where projects keep decisions as files of their own, relative to the root."""

_NO_ADR = re.compile(r"(?i)^(readme|index|template|adr-template|_.*)\.md$")


def is_document(path: str) -> bool:
    """Whether a path (relative to the root, with slashes) is a steering document's."""
    if not path.endswith(".md"):
        return False
    if path.startswith(".metis/"):
        return True
    folder, _, name = path.rpartition("/")
    return folder in ADR_FOLDERS and not _NO_ADR.match(name)


def read_document(path: str, text: str) -> Document | None:
    """Read a document of any form, leniently; None for a file that is none."""
    if not is_document(path):
        return None
    return metis.read(path, text) if path.startswith(".metis/") else adr.read(path, text)
