"""Markdown for an editor's hover: the memories about a place in code, and why each is shown.

Pure functions of the search result; they use no editor and no index. All texts are escaped or quoted, so that they can
not pass for the editor's own text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from muninn_core.context.hover import describe_mention, facts, headline, provenance, shorten
from muninn_core.context.staleness import warning
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.protocol.inspection import Mention
from muninn_core.source.document import Document

SHOWN = 5
"""The number of entries in a hover. Longer hovers are not read."""

TEXT_LENGTH = 300
"""The maximum number of characters of a memory's text. A link leads to the full text."""

NAME_LENGTH = 60
"""The maximum number of characters of a title in an address."""

_STRANGE = re.compile(r"[^\w .-]+")
_MARKS = re.compile(r"([\\`*\[\]<|]|(?<![^\W_])_|_(?![^\W_]))")
"""Characters with a meaning in markdown. An underscore within a word has none (CommonMark 0.31, 6.2)."""

_STARTS = re.compile(r"^([ \t]*)([#>])", re.MULTILINE)
"""Headings and quotations, which have these characters at the start of a line (CommonMark 0.31, 4.2 and 5.1)."""

_RULES = ("constraint", "decision")

Link = Callable[[str, str], str]
"""Returns the address of a target: ("memory", id), ("file", path), ("commit", sha) or ("notes", path); "" for a target
without an address.
"""


class Shown(NamedTuple):
    """A memory or a decision document, and the reason why it is shown at the place."""

    why: str
    memory: Memory | None = None
    document: Document | None = None
    citations: Sequence[Citation] = ()


def about_markdown(
    found: Sequence[Shown],
    path: str,
    link: Link,
    now: datetime,
    *,
    origin: str = "",
    mentions: Sequence[Mention] = (),
    more: int = 0,
) -> str:
    """Return the entries, in the given order, as markdown; "" when there is nothing to show.

    Ages are those at `now`. `origin` is the knowledge pack that the file belongs to. `mentions` in other tools'
    memories come last. `more` counts further memories about the same file.
    """
    source = [escape(" · ".join(provenance("outside", origin)))] if origin else []
    also = (
        ["\n".join(["**Also in**", "", *(f"- {escape(describe_mention(each))}" for each in mentions)])]
        if mentions
        else []
    )
    parts = [entry(each, link, now) for each in found[:SHOWN]]
    if not parts:
        return "\n\n".join([*source, *also])
    more += max(0, len(found) - SHOWN)
    rest = f"… and {more} more about this file"
    parts += [markdown_link(rest, link("notes", path))] if more else []
    return "\n\n".join([*source, "\n\n---\n\n".join(parts), *also])


def entry(shown: Shown, link: Link, now: datetime) -> str:
    """Return the markdown of one entry: headline, facts, reason, warning, text and links."""
    if shown.document is not None:
        document = shown.document
        state = document.status_text or document.phase
        lines = [
            f"**{escape(document.title or document.name)}**  ",
            escape(f"decision {document.name} · {state}"),
        ]
        lines += [f"*{escape(shown.why)}*", "", markdown_link(document.path, link("file", document.path))]
        return "\n".join(lines)
    memory = shown.memory
    assert memory is not None
    lines = [
        f"**{escape(headline(memory))}**  ",
        escape(" · ".join(page_facts(memory, now))) + "  ",
        f"*{escape(shown.why)}*",
    ]
    stale = warning(shown.citations)
    lines += ["", f"⚠ {escape(stale)}"] if stale else []
    text = shorten(_beyond(memory.text, headline(memory)), TEXT_LENGTH)
    lines += ["", f"> {escape(text)}"] if text else []
    further = _further(memory, link)
    return "\n".join([*lines, "", " · ".join(further)] if further else lines)


def _beyond(text: str, headline: str) -> str:
    """Return the part of a text behind its headline, which is often the first sentence of the text."""
    whole, begin = text.strip(), headline.rstrip(".")
    rest = whole.removeprefix(begin)
    return rest.lstrip(".!? \n") if whole.startswith(begin) and rest[:1] in {"", *".!?\n"} else whole


def page_facts(memory: Memory, now: datetime) -> list[str]:
    """Return the facts of a memory, and "in force" for a constraint or decision that is active and not expired."""
    found = facts(memory, now)
    found[1:1] = ["in force"] if memory.type in _RULES and memory.active and not memory.expired else []
    return found


def _further(memory: Memory, link: Link) -> list[str]:
    addresses = [("record", link("memory", address_part(memory.id, headline(memory))))]
    addresses += [(f"commit {memory.commit[:8]}", link("commit", memory.commit))] if memory.commit else []
    return [markdown_link(text, address) for text, address in addresses if address]


def address_part(identity: str, title: str) -> str:
    """Return the last part of a memory's address: the id, a slash and the title.

    Editors show the last part as the title of a tab or peek. A long title is cut after a whole word.
    """
    name = " ".join(_STRANGE.sub(" ", title).split())
    if len(name) > NAME_LENGTH:
        name = name[: NAME_LENGTH + 1].rpartition(" ")[0] or name[:NAME_LENGTH]
    name = name.strip(" .")
    return f"{identity}/{name}" if name else identity


def markdown_link(text: str, address: str) -> str:
    """Return a markdown link, or the escaped text alone for an empty address."""
    return f"[{escape(text)}]({address})" if address else escape(text)


def escape(text: str) -> str:
    """Escape the characters that have a meaning in markdown."""
    return _STARTS.sub(r"\1\\\2", _MARKS.sub(r"\\\1", text))
