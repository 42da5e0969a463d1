"""A memory as a card: its sentences, author and age, doubts, code, actions and details.

Hovers, peeks and pages show the same card. A rich card is for editors that run `command:` links and show HTML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from textwrap import fill
from typing import NamedTuple

from muninn_core.context.editor.markdown import (
    Link,
    address_part,
    command_link,
    escape,
    folded,
    markdown_link,
    paragraphs,
    quoted,
)
from muninn_core.context.memory_summary import facts, headline, one_line, shorten
from muninn_core.context.staleness import STATES, warning
from muninn_core.model.citation import Citation
from muninn_core.model.detail import detail_text
from muninn_core.model.memory import SHORT_ID, Memory
from muninn_core.model.title import own_title
from muninn_core.model.value import replace

TEXT_LENGTH = 300
"""The maximum number of characters of the text of a short card. A link leads to the full text."""

HEADING = 200
"""The maximum number of characters of a sentence that is a heading."""

PLACES = 3
"""The maximum number of places that a short card links."""

WIDTH = 72
"""The width of the lines of a plain card."""

_SENTENCE = re.compile(r"(\S[^\n]*?)(?:[.!?](?=\s|$)|(?=\n|$))")

_ONE_LINE = re.compile(r":(\d+)-\1(?!\d)")

_RULES = ("constraint", "decision")


class Style(NamedTuple):
    """How a card is shown.

    `rich`: actions are `command:` links, and details are folded with HTML. `short`: text and places are cut.
    `page`: the card begins a page, which has the details and the history below it.
    """

    rich: bool = False
    short: bool = False
    page: bool = False


def card(
    memory: Memory,
    citations: Sequence[Citation],
    link: Link,
    now: datetime,
    style: Style,
    *,
    why: str = "",
    against: Sequence[Memory] = (),
) -> list[str]:
    """Return the paragraphs of a card, in markdown.

    Ages are those at `now`. `why` says why the memory is shown. `against` are the memories that it is in conflict with.
    """
    title, text = _heading(memory)
    text = shorten(one_line(replace(memory, text=text)), TEXT_LENGTH) if style.short else text
    begun = title.endswith("…") and not own_title(title, memory.text)  # the text has all of it
    parts = [f"# {escape(title)}"] if style.page else [] if begun else [f"**{escape(title)}**"]
    parts += [paragraphs(text) if style.rich else quoted(text)] if text else []
    told = [escape(each) for each in page_facts(memory, now, is_disputed=bool(against))]
    told += [] if style.rich or style.page else [f"`{memory.id[-SHORT_ID:]}`"]  # those have it among the details
    parts += [" · ".join(told) + (f"  \n*{escape(why)}*" if why else "")]
    parts += [f"⚠ in conflict with: {_linked(other, link)}" for other in against]
    parts += _stale(citations, link, style)
    parts += _code(memory, citations, link, style)
    parts += _actions(memory, citations, link, style)
    parts += [folded("Details", details(memory, link, short=style.short))] if style.rich and not style.page else []
    return parts


def plain_card(memory: Memory, citations: Sequence[Citation], now: datetime, *, is_disputed: bool = False) -> str:
    """Return a card as text without markdown, in lines of at most `WIDTH` characters, to compare it with another."""
    title, text = headline(memory), memory.text or "(redacted)"
    paragraphs = [title, text.strip()] if own_title(title, text) else [text.strip()]
    parts = [_wrapped(line) for each in paragraphs for line in each.split("\n")]
    places = [each.place for each in citations] or list(memory.files)
    told = page_facts(memory, now, is_disputed=is_disputed)
    return "\n".join([*parts, "", " · ".join(told), *filter(None, [warning(citations)]), *places]) + "\n"


def _heading(memory: Memory) -> tuple[str, str]:
    """Return the heading of a card and the text below it. A sentence that the title cuts is the heading as a whole."""
    title = headline(memory)
    if not memory.text:
        return title, "(redacted)"
    first = _SENTENCE.match(memory.text.strip())
    if first and title.endswith("…") and not own_title(title, memory.text) and len(first[1]) <= HEADING:
        title = first[1]
    return title, beyond(memory.text, title)


def _wrapped(line: str) -> str:
    return fill(line, WIDTH, break_long_words=False, break_on_hyphens=False)


def beyond(text: str, headline: str) -> str:
    """Return the part of a text behind its headline, which is often the first sentence of the text."""
    whole, begin = text.strip(), headline.rstrip(".")
    rest = whole.removeprefix(begin)
    return rest.lstrip(".!? \n") if whole.startswith(begin) and rest[:1] in {"", *".!?\n"} else whole


def page_facts(memory: Memory, now: datetime, *, is_disputed: bool = False) -> list[str]:
    """Return the facts of a memory, and "in force" for a constraint or decision that is active, not expired and in no
    conflict.
    """
    found = [memory.type.replace("_", " "), *facts(memory, now)[1:]]
    holds = memory.type in _RULES and memory.active and not memory.expired and not is_disputed
    found[1:1] = ["in force"] if holds else []
    return found


def details(memory: Memory, link: Link, *, short: bool = False) -> str:
    """Return what is rarely needed as a list: questions, id, importance, confidence, task, branch, commit, tags, other
    fields. With `short`, questions are left out.
    """
    asked = [f"  - {paragraphs(' '.join(each.split()))}" for each in memory.questions]
    head = ["- answers:", *asked] if asked and not short else []
    rows = [
        ("id", f"`{memory.id}`"),
        ("importance", f"{memory.importance} of 10"),
        ("confidence", f"{memory.confidence}"),
    ]
    rows += [("task", escape(memory.task))] if memory.task else []
    rows += [("branch", escape(memory.branch))] if memory.branch else []
    rows += [("commit", markdown_link(memory.commit[:12], link("commit", memory.commit)))] if memory.commit else []
    rows += [("tags", escape(", ".join(memory.tags)))] if memory.tags else []
    rows += [(escape(name), escape(detail_text(value))) for name, value in sorted(memory.details.items())]
    return "\n".join([*head, *(f"- {name}: {value}" for name, value in rows)])


def _stale(citations: Sequence[Citation], link: Link, style: Style) -> list[str]:
    """Return a warning that names the cited code that has changed, with links, and the code that is gone."""
    parts = []
    for state, words in STATES.items():
        rows = list(dict.fromkeys(_place(each, link) for each in citations if each.state == state))
        parts += [f"{words}: {', '.join(_counted(rows, style))}"] if rows else []
    return [f"⚠ {'; '.join(parts)}"] if parts else []


def _code(memory: Memory, citations: Sequence[Citation], link: Link, style: Style) -> list[str]:
    """Return the cited lines and the named files as links, without those that the warning names.

    The former path of a file that has moved is named beside the present one only.
    """
    rows = [_place(each, link) for each in citations if each.state not in STATES]
    for path in memory.files:
        told = any(path == each.path or each.was == path or each.was.startswith(f"{path}:") for each in citations)
        rows += [] if told else [markdown_link(path, link("file", path))]
    if style.page:
        return ["\n".join(f"- {row}" for row in rows)] if rows else []
    return [" · ".join(_counted(rows, style))] if rows else []


def _counted(rows: list[str], style: Style) -> list[str]:
    """Return the rows that a card has room for, and the number of the others."""
    shown = rows[:PLACES] if style.short else rows
    return [*shown, f"{len(rows) - PLACES} more"] if len(rows) > len(shown) else shown


def _linked(memory: Memory, link: Link) -> str:
    return markdown_link(headline(memory), link("memory", address_part(memory.id, headline(memory))))


def _place(citation: Citation, link: Link) -> str:
    name = f" {escape(citation.symbol)}" if citation.symbol else ""
    if citation.state == "gone":
        return escape(_shown_place(citation.place)) + name
    target = ("line", f"{citation.path}:{citation.start}") if citation.start else ("file", citation.path)
    was = _shown_place(citation.was)
    notes = {"moved": f"moved from {was}", "drifted": f"was {was}" if was else "", "unchecked": citation.note}
    note = notes.get(citation.state, "")
    return markdown_link(_shown_place(citation.place), link(*target)) + name + (f" ({escape(note)})" if note else "")


def _shown_place(words: str) -> str:
    """Return words with `path:8-8` as `path:8`."""
    return _ONE_LINE.sub(r":\1", words)


def _actions(memory: Memory, citations: Sequence[Citation], link: Link, style: Style) -> list[str]:
    found = []
    if style.rich:
        doubtful = any(each.state in ("drifted", "moved") for each in citations)
        one = {"id": memory.id}
        found += [command_link("Confirm", "muninn.confirm", one)] if doubtful else []
        found += [command_link("Supersede", "muninn.write", {"type": memory.type, "supersedes": memory.id})]
        found += [command_link("Forget", "muninn.forget", one)] if not memory.archived else []
    if not style.page:
        history = link("memory", address_part(memory.id, headline(memory)))
        found += [markdown_link("History", history)] if history else []
        commit = memory.commit if not style.rich else ""  # a rich card has it among its details
        address = link("commit", commit) if commit else ""
        found += [markdown_link(f"commit {commit[:8]}", address)] if commit and address else []
    # A terminal wraps a line by its text with the addresses, also when they are not shown: a line for each link.
    return [(" · " if style.rich else "  \n").join(found)] if found else []
