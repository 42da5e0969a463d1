"""What an editor shows when the pointer rests on code: what is remembered about that place, and why, as markdown.

A pure function of what was found. It knows no editor and no index. Texts are quoted, so that none of them can pass for
the editor's own words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from muninn_core.context.hover import facts, headline, mentioned, provenance, shorten
from muninn_core.context.staleness import warning
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.protocol.inspection import Mention
from muninn_core.source.document import Document

SHOWN = 5
"""A hover with more than this is not read."""

TEXT_LENGTH = 300
"""Characters of a memory's text; the whole of it is a link away."""

NAME_LENGTH = 60
"""Characters of a title in an address."""

_STRANGE = re.compile(r"[^\w .-]+")
_MARKS = re.compile(r"([\\`*_\[\]<>#|])")
_RULES = ("constraint", "decision")

Link = Callable[[str, str], str]
"""Makes the address of a thing: ("memory", id), ("file", path), ("commit", sha); "" for one that can't be opened."""


class Shown(NamedTuple):
    """A memory or a decision document, and why it has to do with the place."""

    why: str
    memory: Memory | None = None
    document: Document | None = None
    citations: Sequence[Citation] = ()


def about_markdown(
    found: Sequence[Shown], path: str, link: Link, *, origin: str = "", mentions: Sequence[Mention] = (), more: int = 0
) -> str:
    """Return what was found, in the given order, as markdown; "" for nothing.

    `origin` is the pack that the file belongs to; `mentions` of other tools come last. `more` counts what is remembered
    about the file beside it.
    """
    source = [plain(" · ".join(provenance("outside", origin)))] if origin else []
    also = ["\n".join(["**Also in**", "", *(f"- {plain(mentioned(each))}" for each in mentions)])] if mentions else []
    parts = [entry(each, link) for each in found[:SHOWN]]
    if not parts:
        return "\n\n".join([*source, *also])
    more += max(0, len(found) - SHOWN)
    rest = f"… and {more} more about this file"
    parts += [linked(rest, link("notes", path))] if more else []
    return "\n\n".join([*source, "\n\n---\n\n".join(parts), *also])


def entry(shown: Shown, link: Link) -> str:
    """Return one thing: its headline, what it is worth, why it is here, its text, and where to read on."""
    if shown.document is not None:
        document = shown.document
        state = document.status_text or document.phase
        lines = [f"**{plain(document.title or document.name)}**  ", plain(f"decision {document.name} · {state}")]
        lines += [f"*{plain(shown.why)}*", "", linked(document.path, link("file", document.path))]
        return "\n".join(lines)
    memory = shown.memory
    assert memory is not None
    lines = [f"**{plain(headline(memory))}**  ", plain(" · ".join(worth(memory))) + "  ", f"*{plain(shown.why)}*"]
    stale = warning(shown.citations)
    lines += ["", f"⚠ {plain(stale)}"] if stale else []
    text = shorten(_beyond(memory.text, headline(memory)), TEXT_LENGTH)
    lines += ["", f"> {plain(text)}"] if text else []
    further = _further(memory, link)
    return "\n".join([*lines, "", " · ".join(further)] if further else lines)


def _beyond(text: str, said: str) -> str:
    """Return what a text says beyond its headline, which was often made of its first sentence."""
    whole, begin = text.strip(), said.rstrip(".")
    rest = whole.removeprefix(begin)
    return rest.lstrip(".!? \n") if whole.startswith(begin) and rest[:1] in {"", *".!?\n"} else whole


def worth(memory: Memory) -> list[str]:
    """Return what a reader weighs a memory by; of a rule also that it is in force."""
    told = facts(memory)
    told[1:1] = ["in force"] if memory.type in _RULES and memory.active and not memory.expired else []
    return told


def _further(memory: Memory, link: Link) -> list[str]:
    addresses = [("record", link("memory", named(memory.id, headline(memory))))]
    addresses += [(f"commit {memory.commit[:8]}", link("commit", memory.commit))] if memory.commit else []
    return [linked(text, address) for text, address in addresses if address]


def named(identity: str, title: str) -> str:
    """Return an id with a title behind it, as an address has it: the last part is what a tab or a peek shows.

    A long title ends after a whole word.
    """
    name = " ".join(_STRANGE.sub(" ", title).split())
    if len(name) > NAME_LENGTH:
        name = name[: NAME_LENGTH + 1].rpartition(" ")[0] or name[:NAME_LENGTH]
    name = name.strip(" .")
    return f"{identity}/{name}" if name else identity


def linked(text: str, address: str) -> str:
    """Return a link, or the words alone when there is nowhere to go."""
    return f"[{plain(text)}]({address})" if address else plain(text)


def plain(text: str) -> str:
    """Take the meaning from the characters that markdown gives one."""
    return _MARKS.sub(r"\\\1", text)
