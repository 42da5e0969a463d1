"""Reads architecture decision records of the common forms.

MADR (adr.github.io/madr) says status and date in frontmatter, or as list items below the title in its older form.
Nygard's form (cognitect.com/blog/2011/11/15/documenting-architecture-decisions) has a section `Status`. Both say
`superseded by` and a link or number there. A file without any status is taken as decided: that is what people file.
"""

from __future__ import annotations

import re
from datetime import date, datetime

from muninn_core.source import frontmatter
from muninn_core.source.document import Document, Flaw, mentions

_HEADING = re.compile(r"^# +(.+?)\s*#*\s*$", re.M)
_SECTION = re.compile(r"^## +status\s*$(.*?)(?=^#{1,2} |\Z)", re.M | re.S | re.I)
_ITEM = re.compile(r"^[*-] *\**status\**:? *\**:?\** *(.+)$", re.M | re.I)
_DATE_ITEM = re.compile(r"^(?:[*-] *)?\**date\**:? *\**:?\** *(\d{4}-\d\d-\d\d)", re.M | re.I)
_NUMBER = re.compile(r"(?:^|/)(?:adr[-_]?)?0*(\d+)(?=[-_.])", re.I)
_NUMBERED = re.compile(r"^(?:ADR[- ]?)?\d+[.:)]?[ :-]+", re.I)
_BY = re.compile(r"(?i)supersed(?:ed|ing) by:?\s+(.*)")
_OTHER = re.compile(r"\[(?:ADR[- ]?)?0*(\d+)\b|(?:ADR[- ]?|\b)0*(\d+)\b", re.I)
_OLDER = re.compile(r"(?im)^\W*supersedes:?\s+(.*)$")
_STATES = {
    "superseded": "superseded",
    "deprecated": "deprecated",
    "rejected": "rejected",
    "withdrawn": "rejected",
    "accepted": "decided",
    "approved": "decided",
    "decided": "decided",
    "implemented": "decided",
    "proposed": "proposed",
    "draft": "proposed",
    "pending": "proposed",
}
"""The status that the first of these words in a file's own status stands for; those that end a decision come first."""


def read(path: str, text: str) -> Document:
    """Return the decision at a path. What can't be read of its frontmatter is among its flaws."""
    fields, after = frontmatter.read(text)
    body = "\n".join(text.split("\n")[after:])
    said = str(fields.get("status") or "") or _said(body)
    heading = _HEADING.search(body)
    number = _NUMBER.search(path)
    named = mentions(path, body)
    older = "\n".join(_OLDER.findall(f"{said}\n{_said(body)}"))
    by = _BY.search(said)
    title = str(fields.get("title") or "") or (heading[1] if heading else "")
    return Document(
        path=path,
        level="adr",
        title=_NUMBERED.sub("", title),
        number=int(number[1]) if number else None,
        phase=said.split("\n")[0].strip(),
        status=_status(said),
        decided=_date(fields.get("date")) or "".join(_DATE_ITEM.findall(body)[:1]),
        supersedes=tuple(_numbers(older)),
        superseded_by=next(iter(_numbers(by[1])), "") if by else "",
        codes=named.codes,
        files=named.files,
        symbols=named.symbols,
        flaws=tuple(Flaw(line=fault.line, message=fault.message) for fault in frontmatter.faults(text)),
    )


def _said(body: str) -> str:
    section = _SECTION.search(body)
    item = _ITEM.search(body)
    return section[1].strip() if section else item[1].strip() if item else ""


def _status(said: str) -> str:
    words = re.findall(r"[a-z]+", said.casefold())
    return next((state for word, state in _STATES.items() if word in words), "decided")


def _numbers(text: str) -> list[str]:
    return list(dict.fromkeys(f"ADR {int(first or second)}" for first, second in _OTHER.findall(text)))


def _date(value: object) -> str:
    return value.isoformat()[:10] if isinstance(value, datetime | date) else str(value or "")
