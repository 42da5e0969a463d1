"""Renders an editor's hover: the memories about a place in code, and why each is shown.

Pure functions of the search result; they use no editor and no index. All texts are escaped or quoted, so that they can
not pass for the editor's own text.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from muninn_core.context.editor.markdown import Link, escape, markdown_link
from muninn_core.context.editor.memory_card import Style, card
from muninn_core.context.memory_summary import describe_mention, provenance
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.inspection import Mention
from muninn_core.source.documents.document import Document

SHOWN = 5
"""The number of entries in a hover. Longer hovers are not read."""


class Shown(NamedTuple):
    """A memory or a decision document, and the reason why it is shown at the place.

    `against` are the memories that the memory is in conflict with.
    """

    why: str
    memory: Memory | None = None
    document: Document | None = None
    citations: Sequence[Citation] = ()
    against: Sequence[Memory] = ()


def about_markdown(
    found: Sequence[Shown],
    path: str,
    link: Link,
    now: datetime,
    *,
    origin: str = "",
    mentions: Sequence[Mention] = (),
    more: int = 0,
    rich: bool = False,
) -> str:
    """Return the entries, in the given order, as markdown; "" when there is nothing to show.

    Ages are those at `now`. `origin` is the knowledge pack that the file belongs to. `mentions` in other tools'
    memories come last. `more` counts further memories about the same file. `rich` is that of the cards.
    """
    source = [escape(" · ".join(provenance("outside", origin)))] if origin else []
    also = (
        ["\n".join(["**Also in**", "", *(f"- {escape(describe_mention(each))}" for each in mentions)])]
        if mentions
        else []
    )
    parts = [entry(each, link, now, rich=rich) for each in found[:SHOWN]]
    if not parts:
        return "\n\n".join([*source, *also])
    more += max(0, len(found) - SHOWN)
    rest = f"… and {more} more about this file"
    parts += [markdown_link(rest, link("notes", path))] if more else []
    return "\n\n".join([*source, "\n\n---\n\n".join(parts), *also])


def entry(shown: Shown, link: Link, now: datetime, *, rich: bool = False) -> str:
    """Return the markdown of one entry: the card of a memory, or title, state, reason and link of a document."""
    if shown.memory is not None:
        style = Style(rich=rich, short=True)
        return "\n\n".join(card(shown.memory, shown.citations, link, now, style, why=shown.why, against=shown.against))
    assert shown.document is not None
    document = shown.document
    state = document.status_text or document.phase
    lines = [f"**{escape(document.title or document.name)}**  ", escape(f"decision {document.name} · {state}")]
    lines += [f"*{escape(shown.why)}*", "", markdown_link(document.path, link("file", document.path))]
    return "\n".join(lines)
