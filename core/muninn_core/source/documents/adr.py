"""Reads architecture decision records of the common forms.

MADR (adr.github.io/madr) has status and date in frontmatter, or in list items in its older form. Nygard's form
(cognitect.com/blog/2011/11/15/documenting-architecture-decisions) has a section `Status`. Both write `superseded by`
with a link or number there. A file without a status counts as decided.
"""

from __future__ import annotations

import re
from datetime import date, datetime

from muninn_core.source.documents import frontmatter
from muninn_core.source.documents.document import Document, DocumentProblem, find_mentions
from muninn_core.source.documents.markup import heading_text

_HEADING = re.compile(r"^# +(.+)$", re.M)
_SECTION = re.compile(r"^## +status\s*$(.*?)(?=^#{1,2} |\Z)", re.M | re.S | re.I)
_ITEM = re.compile(r"^[*-] *\**status\**:? *\**:?\** *(.+)$", re.M | re.I)
_DATE_ITEM = re.compile(r"^(?:[*-] *)?\**date[*: ]*(\d{4}-\d\d-\d\d)", re.M | re.I)
_NUMBER = re.compile(r"(?:^|/)(?:adr[-_]?)?0*(\d+)(?=[-_.])", re.I)
_NUMBERED = re.compile(r"^(?:ADR[- ]?)?\d+[.:)]?[ :-]+", re.I)
_SUPERSEDED_BY = re.compile(r"(?i)supersed(?:ed|ing) by:?\s+(.*)")
_ADR_NUMBER = re.compile(r"\[(?:ADR[- ]?)?0*(\d+)\b|(?:ADR[- ]?|\b)0*(\d+)\b", re.I)
_SUPERSEDES = re.compile(r"(?im)^\W*supersedes:?\s+(.*)$")
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
"""The normalised status of each word. The first of these words that a status contains decides."""


def read_adr(path: str, text: str) -> Document:
    """Return the decision in a file. Frontmatter errors are in `flaws`."""
    fields, after = frontmatter.read_frontmatter(text)
    body = "\n".join(text.split("\n")[after:])
    status_text = str(fields.get("status") or "") or _status_text(body)
    heading = _HEADING.search(body)
    number = _NUMBER.search(path)
    mentioned = find_mentions(path, body)
    superseded_text = "\n".join(_SUPERSEDES.findall(f"{status_text}\n{_status_text(body)}"))
    superseded_by = _SUPERSEDED_BY.search(status_text)
    title = str(fields.get("title") or "") or (heading_text(heading[1]) if heading else "")
    return Document(
        path=path,
        level="adr",
        title=_NUMBERED.sub("", title),
        number=int(number[1]) if number else None,
        phase=status_text.split("\n")[0].strip(),
        status=_status(status_text),
        decided=_date(fields.get("date")) or "".join(_DATE_ITEM.findall(body)[:1]),
        supersedes=tuple(_numbers(superseded_text)),
        superseded_by=next(iter(_numbers(superseded_by[1])), "") if superseded_by else "",
        codes=mentioned.codes,
        files=mentioned.files,
        symbols=mentioned.symbols,
        flaws=tuple(
            DocumentProblem(line=fault.line, message=fault.message) for fault in frontmatter.syntax_errors(text)
        ),
    )


def _status_text(body: str) -> str:
    section = _SECTION.search(body)
    item = _ITEM.search(body)
    return section[1].strip() if section else item[1].strip() if item else ""


def _status(status_text: str) -> str:
    words = re.findall(r"[a-z]+", status_text.casefold())
    return next((state for word, state in _STATES.items() if word in words), "decided")


def _numbers(text: str) -> list[str]:
    return list(dict.fromkeys(f"ADR {int(first or second)}" for first, second in _ADR_NUMBER.findall(text)))


def _date(value: object) -> str:
    return value.isoformat()[:10] if isinstance(value, datetime | date) else str(value or "")
