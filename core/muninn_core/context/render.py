"""Writes a pack as markdown, once for every face."""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.context.hover import provenance, shorten, whereabouts
from muninn_core.context.standing import warning
from muninn_core.protocol.results import PackItem

HEADING_CHARS = 100
"""A question may be a whole task's text; its heading must not use up the budget."""

_HEADINGS = {
    "pin": "Pinned",
    "task": "Task",
    "memory": "Remembered",
    "knowledge": "Knowledge",
    "code": "Code",
}


def render_pack(query: str, items: Sequence[PackItem]) -> str:
    """Return the markdown of a pack; items come grouped by tier."""
    parts = [f"# Context: {shorten(query, HEADING_CHARS)}\n"]
    tier = ""
    for item in items:
        if item.tier != tier:
            tier = item.tier
            parts.append(f"\n## {_HEADINGS[tier]}\n")
        parts.append(render_item(item))
    if not items:
        parts.append("\nNothing in this repository's code, knowledge or memory matches.\n")
    return "".join(parts)


def render_item(item: PackItem) -> str:
    """Return the markdown of one item: where it is from, then what it says."""
    if item.kind == "memory":
        facts = [*([item.path] if item.path else []), *whereabouts(item.elsewhere, item.work)]
        facts += provenance(item.trust, item.origin)
        where = f" ({'; '.join(facts)})" if facts else ""
        stale = warning(item.cites)
        where += f" [{stale}]" if stale else ""
        head = item.title if item.text.strip() != item.title.strip() else ""
        body = item.text.strip().replace("\n", "\n  ")
        lead = f"**{head}** " if head and not item.text.startswith(head.rstrip("…")) else ""
        limit = item.scope if item.scope != "project" else "private" if item.private else ""
        return f"\n- {lead}{body}{where} `{item.id}`{f' ({limit})' if limit else ''}\n"
    title = f" — {item.title}" if item.title else ""
    subject = next((reason.note for reason in item.why if reason.signal == "subject"), "")
    came_from = provenance(item.trust, item.origin) if item.trust != "outside" else ()
    marks = "; ".join(part for part in (", ".join(came_from), item.status, subject) if part)
    title += f" [{marks}]" if marks else ""
    place = f"\n### {item.path}:{item.start_line}-{item.end_line}{title}\n\n"
    if item.kind == "knowledge":
        return place + (_quoted(item) if item.trust == "outside" else item.text.strip("\n")) + "\n"
    fence = _fence(item.text)
    return f"{place}{fence}\n{item.text.rstrip()}\n{fence}\n"


def _quoted(item: PackItem) -> str:
    """Return a text from outside as a quotation under its origin, so that it passes for nobody's instruction."""
    said = "\n".join(f"> {line}".rstrip() for line in item.text.strip("\n").splitlines())
    return f"({'; '.join(provenance(item.trust, item.origin))})\n\n{said}"


def _fence(text: str) -> str:
    """Return a fence that is longer than any run of backticks in the text (CommonMark 0.31, 4.5)."""
    fence = "```"
    while fence in text:
        fence += "`"
    return fence
