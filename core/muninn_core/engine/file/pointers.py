"""Finds ids, decisions and tasks that a text names, so that editors can open them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

from muninn_core.engine.file.uris import address
from muninn_core.model.memory import Memory
from muninn_core.model.note import Pointer
from muninn_core.worktree.knowledge.documents import SteeringDocuments

MAX_NAMES = 500
"""The most names of each form in one file that are looked up."""

_NAMES = (
    ("muninn:/", re.compile(r"\b(?P<uri>muninn:/[\w./%?=&+-]*[\w/])")),
    ("01", re.compile(r"(?<!\w)(?P<id>01[0-9a-hjkmnp-tv-z]{24})(?!\w)")),
    ("ADR", re.compile(r"\bADR[ -]?(?P<number>\d{1,5})\b")),
    ("-", re.compile(r"\b(?P<code>[A-Z][A-Z0-9]*(?:-[A-Z])?-\d{1,6})\b")),
)
"""A substring that each form contains, as a quick test, and the form's pattern."""

_DOCUMENTS = 2
"""The index in `_NAMES` from which the names are those of documents."""


def pointers(text: str, memories: Mapping[str, Memory], library: SteeringDocuments) -> list[Pointer]:
    """Return the known names in a text, in order. Unknown names are skipped. Columns are 0-based."""
    kinds = _NAMES if library.documents else _NAMES[:_DOCUMENTS]
    found: dict[tuple[int, int], re.Match[str]] = {}
    for part, form in kinds:
        for match in islice(form.finditer(text), MAX_NAMES) if part in text else ():
            if not any(begin <= match.start() < end for begin, end in found):
                found[match.span()] = match
    known = []
    for _, match in sorted(found.items()):
        uri, path = _target(match.groupdict(), memories, library)
        if uri or path:
            start = match.start() - (text.rfind("\n", 0, match.start()) + 1)
            line = text.count("\n", 0, match.start()) + 1
            known.append(Pointer(line=line, start=start, end=start + len(match[0]), uri=uri, path=path))
    return known


def _target(found: Mapping[str, str], memories: Mapping[str, Memory], library: SteeringDocuments) -> tuple[str, str]:
    if "uri" in found:
        return found["uri"], ""
    if "id" in found:
        return (address("memory", found["id"]), "") if found["id"] in memories else ("", "")
    if "number" in found:
        named = [each for each in library if each.level == "adr" and each.number == int(found["number"])]
        return "", named[0].path if len(named) == 1 else ""
    document = library.with_code(found["code"])
    return "", document.path if document is not None else ""
