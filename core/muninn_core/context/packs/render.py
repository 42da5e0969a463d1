"""Renders a pack as markdown for people, JSON for programs, or tagged text for models.

Text from outside is labelled in each format, so that models do not mistake it for
instructions.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from muninn_core.context.invisible_characters import name_hidden
from muninn_core.context.memory_summary import branch_facts, provenance, shorten
from muninn_core.context.staleness import warning
from muninn_core.model.citation import lines, place
from muninn_core.model.memory import SHORT_ID
from muninn_core.model.title import own_title
from muninn_core.model.value import Value, encode_json
from muninn_core.protocol.families.search import PackItem
from muninn_core.source.files.qualified import bare, shown

Format = Literal["markdown", "json", "xml"]
FORMATS: tuple[Format, ...] = ("markdown", "json", "xml")

NO_BUNDLE = "c-0000000000000000"
"""A placeholder of the same length as a bundle's id, which depends on the rest of the content."""

HEADINGS = {
    "pin": "Pinned",
    "task": "Task",
    "hand": "At hand",
    "explored": "Explored",
    "skill": "Skills",
    "memory": "Remembered",
    "knowledge": "Knowledge",
    "code": "Code",
}

_CALLED = 120
"""The maximum number of characters of an item's name."""

_NAMED = 50
"""The same for an item that is shown by its location alone."""

NOTHING = "Nothing in this repository's code, knowledge or memory matches."


class Sheet(Value):
    """The content of a pack: beginning of the question, items grouped by tier, number of left-out candidates.

    `foot`: the markdown ends with the id of the bundle. Packs with a small budget do without.
    """

    heading: str
    items: tuple[PackItem, ...] = ()
    omitted: int = 0
    bundle: str = NO_BUNDLE
    foot: bool = False


def render_sheet(sheet: Sheet, style: Format) -> str:
    """Return the text of a pack in a format."""
    if style == "json":
        return _json(sheet)
    return _xml(sheet) if style == "xml" else _markdown(sheet)


def render_one(item: PackItem, style: Format) -> str:
    """Return one item as it appears in the text of a pack."""
    if style == "json":
        return encode_json(_plain(item)).decode() + ",\n"
    return _element(item) if style == "xml" else render_item(item)


def own_title_of(item: PackItem) -> str:
    """Return the title of a memory, "" if it repeats the beginning of the text, which may be cut."""
    cut = item.form == "part" and item.title.startswith(item.text.removesuffix(" …"))
    return "" if cut else own_title(item.title, item.text)


def signature(item: PackItem) -> str:
    """Return the type, the author and the day of a memory."""
    return ", ".join(part for part in (item.type.replace("_", " "), item.author, item.ts[:10]) if part)


def _name_of(item: PackItem) -> str:
    """Return the name of a piece: what encloses it, and what it defines: `Basket: add total`."""
    return f"{item.title}: {item.symbol}" if item.symbol and item.symbol != item.title else item.title


def marks(item: PackItem) -> tuple[str, ...]:
    """Return the notes on an item: origin, trust, branch, staleness, status, subject and scope."""
    subject = next((reason.note for reason in item.why if reason.signal == "subject"), "")
    limit = item.scope if item.scope != "project" else "private" if item.private else ""
    found = [*provenance(item.trust, item.origin), *branch_facts(item.elsewhere, item.work), warning(item.cites)]
    return tuple(mark for mark in (*found, item.status, subject, limit) if mark)


def _markdown(sheet: Sheet) -> str:
    parts = [f"# Context: {sheet.heading}\n"]
    tier = ""
    for item in sheet.items:
        if item.tier != tier:
            tier = item.tier
            parts.append(f"\n## {HEADINGS[tier]}\n")
        parts.append(render_item(item))
    if not sheet.items:
        parts.append(f"\n{NOTHING if not sheet.omitted else 'No item fits into the budget.'}\n")
    if sheet.foot:
        left = f"{sheet.omitted} left out: " if sheet.omitted else ""
        parts.append(f"\n({left}`muninn why {sheet.bundle}`)\n")
    return "".join(parts)


def render_item(item: PackItem) -> str:
    """Return the markdown of one item: its location, then its text."""
    if item.form == "headline":
        name = name_hidden(shorten(_name_of(item), _NAMED))
        return f"\n- {_place(item)}{f' {name}' if name else ''} (not shown)\n"
    if item.kind == "memory":
        return _remembered(item)
    title = f" — {shorten(_name_of(item), _CALLED)}" if item.title else ""
    subject = next((reason.note for reason in item.why if reason.signal == "subject"), "")
    came_from = provenance(item.trust, item.origin) if item.trust != "outside" else ()
    known = "; ".join(part for part in (", ".join(came_from), item.status, subject, _cut(item)) if part)
    head = f"\n### {_place(item)}{title}{f' [{known}]' if known else ''}\n\n"
    if item.kind == "knowledge":
        return (
            head
            + (_quoted(item) if item.trust == "outside" else _close_fence(name_hidden(item.text.strip("\n"))))
            + "\n"
        )
    fence = _fence(item.text)
    return f"{head}{fence}\n{item.text.rstrip()}\n{fence}\n"


def _remembered(item: PackItem) -> str:
    named = f"{item.repository}:{item.path}" if item.repository and item.path else item.path or item.repository
    facts = [signature(item), named, *branch_facts(item.elsewhere, item.work)]
    known = "; ".join(fact for fact in (*facts, *provenance(item.trust, item.origin), item.status) if fact)
    where = f" ({name_hidden(known)})" if known else ""
    stale = warning(item.cites)
    where += f" [{stale}]" if stale else ""
    head = name_hidden(own_title_of(item))
    text = _close_fence(name_hidden(item.text.strip()))
    limit = item.scope if item.scope != "project" else "private" if item.private else ""
    before, after = f"**{head}** " if head else "", f"{where} `{item.id[-SHORT_ID:]}`{f' ({limit})' if limit else ''}"
    if item.trust == "outside":
        before, after = f"{before}“", f"”{after}"
    # The marks of a block of code stand alone on their lines.
    begins = "\n" if before and _MARK.match(text) else ""
    ends = "\n" if _MARK.match(text.rpartition("\n")[2]) else ""
    return "\n- " + f"{before}{begins}{text}{ends}{after.lstrip() if ends else after}".replace("\n", "\n  ") + "\n"


def _cut(item: PackItem) -> str:
    return f"part of {item.id.rpartition(':')[2]}" if item.form == "part" else ""


def _place(item: PackItem) -> str:
    return place(shown(item.path), item.start_line, item.end_line)


def _quoted(item: PackItem) -> str:
    """Return a text from outside as a quotation under its origin, so that models do not mistake it for
    instructions.
    """
    quoted = "\n".join(f"> {line}".rstrip() for line in name_hidden(item.text.strip("\n")).splitlines())
    return f"({'; '.join(provenance(item.trust, item.origin))})\n\n{quoted}"


def _close_fence(text: str) -> str:
    """Return markdown with its last code block closed. A piece cut inside a block would enclose what follows."""
    fence = ""
    for line in text.split("\n"):
        mark = _MARK.match(line)
        if mark is not None and not fence:
            fence = mark[1]
        elif mark is not None and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
    return f"{text}\n{fence}" if fence else text


_MARK = re.compile(r" {0,3}(`{3,}|~{3,})")
"""The beginning or end of a fenced block (CommonMark 0.31, 4.5)."""


def _fence(text: str) -> str:
    """Return a fence that is longer than any run of backticks in the text (CommonMark 0.31, 4.5)."""
    fence = "```"
    while fence in text:
        fence += "`"
    return fence


def _json(sheet: Sheet) -> str:
    """Return a JSON object (RFC 8259) with one item per line."""
    head = {"bundle": sheet.bundle, "query": _clean(sheet.heading), "left_out": sheet.omitted}
    items = ",\n".join(encode_json(_plain(item)).decode() for item in sheet.items)
    return f'{encode_json(head).decode()[:-1]},"items":[\n{items}\n]}}\n'


def _facts(item: PackItem) -> dict[str, str]:
    """Return the fields of an item beside its text, without empty ones and those that follow from others."""
    if item.kind == "memory":
        identity, title = item.id[-SHORT_ID:], own_title_of(item)
    else:
        identity, title = item.id if item.form != "whole" else "", shorten(_name_of(item), _CALLED)
    facts = {
        "tier": item.tier,
        "kind": item.kind if item.kind != item.tier else "",
        "id": identity,
        **({"type": item.type, "author": item.author, "date": item.ts[:10]} if item.kind == "memory" else {}),
        "repository": item.repository,
        "path": bare(item.path),
        "lines": lines(item.start_line, item.end_line) if item.start_line else "",
        "title": title,
        "form": item.form if item.form != "whole" else "",
        "trust": item.trust or "",
    }
    return {name: value for name, value in facts.items() if value}


def _plain(item: PackItem) -> dict[str, Any]:
    fields: dict[str, Any] = {name: _clean(value) for name, value in _facts(item).items()}
    noted = [_clean(mark) for mark in marks(item)]
    fields |= {"notes": noted} if noted else {}
    return fields | {"text": _clean(item.text)} if item.form != "headline" else fields


def _xml(sheet: Sheet) -> str:
    """Return tagged text that is valid XML 1.0. Texts with markup are CDATA sections and thus unescaped."""
    head = _attributes({"bundle": sheet.bundle, "query": sheet.heading, "left_out": str(sheet.omitted)})
    return "".join([f"<context{head}>\n", *(_element(item) for item in sheet.items), "</context>\n"])


def _element(item: PackItem) -> str:
    head = f"<item{_attributes({**_facts(item), 'notes': '; '.join(marks(item))})}"
    return f"{head}/>\n" if item.form == "headline" else f"{head}>\n{_content(item.text)}\n</item>\n"


def _attributes(facts: dict[str, str]) -> str:
    return "".join(f' {name}="{_escaped(value)}"' for name, value in facts.items() if value)


def _escaped(text: str) -> str:
    if _BARE.fullmatch(text):
        return text  # ids, paths and kinds, the most frequent values
    plain = " ".join(_clean(text).split())
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _content(text: str) -> str:
    """Return a text as the content of an element. A CDATA section is split where the text contains its end
    marker.
    """
    clean = _clean(text.strip("\n"))
    if not any(mark in clean for mark in "&<>"):
        return clean
    return f"<![CDATA[{clean.replace(']]>', ']]]]><![CDATA[>')}]]>"


_BARE = re.compile(r"[\w./:-]+", re.ASCII)
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]")
"""Characters that XML 1.0 forbids (production 2), and carriage returns, which XML parsers would change."""


def _clean(text: str) -> str:
    return text if text.isprintable() else _UNFIT.sub("\ufffd", text)
