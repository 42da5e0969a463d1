"""Notices about new memories: missing files and links, a text that is stored already, and what a memory contradicts."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import islice

from muninn_core.context.memory_summary import headline
from muninn_core.engine.memory.drafting.contradicted_memories import age, contradicted
from muninn_core.model.memory import SHORT_ID, Memory
from muninn_core.near_match import nearest_path
from muninn_core.store.folding.lazy_mapping import getter
from muninn_core.worktree.workspace import Workspace

MAX_NOTICES = 5
"""The most notices of one answer."""

_COMPARED = 2000
"""The newest memories that a text is compared with, so that storing takes the same time in a large log."""


def remember_notices(
    workspace: Workspace, stored: Sequence[Memory], before: Mapping[str, Memory], now: datetime
) -> tuple[str, ...]:
    """Return sentences for the caller about stored memories. `before` are the memories before they were stored.

    Of a large batch only the first memories are compared with what they may contradict.
    """
    texts = _texts([memory for memory in stored if memory.id not in before], before)
    known = workspace.memory.all()
    notices: dict[str, None] = {}
    for number, memory in enumerate(stored):
        notices |= dict.fromkeys(missing_files(workspace, memory))
        for target in dict.fromkeys(link.target for link in memory.links if link.target not in known):
            notices[f"No memory has the id {target}: the link has no effect until one does."] = None
        if memory.id not in before:
            same = texts.get(_words(memory.text))
            notices |= dict.fromkeys(
                _duplicate(same)
                if same
                else (_contradicted(workspace, memory, before, now) if number < MAX_NOTICES else ())
            )
    return tuple(notices)[:MAX_NOTICES]


def _indexed(workspace: Workspace) -> Collection[str]:
    index = workspace.updater.index
    return index.snapshot().files() if index is not None else ()


def missing_files(workspace: Workspace, memory: Memory) -> tuple[str, ...]:
    """Return a sentence for each file that a memory names or cites and that does not exist."""
    paths = dict.fromkeys((*memory.files, *(cite.path for cite in memory.cites)))
    return tuple(missing(path, workspace) for path in paths if not os.path.lexists(workspace.layout.root / path))


def missing(path: str, workspace: Workspace) -> str:
    """Return the sentence for a path that does not exist, with the nearest one of the index."""
    near = nearest_path(path, _indexed(workspace))
    return f"{path} does not exist here" + (f"; did you mean {near}?" if near else ".")


def _texts(stored: Sequence[Memory], before: Mapping[str, Memory]) -> dict[str, str]:
    """Return {words: id of the first} of those active memories whose text begins as one of the stored ones.

    Only the newest `_COMPARED` memories are looked at.
    """
    heads = {_words(memory.text)[:1] for memory in stored}
    found: dict[str, str] = {}
    newest = islice(before, max(0, len(before) - _COMPARED), None) if heads else ()
    for other in filter(None, map(getter(before), newest)):
        head = other.text[:1]  # most differ in it, and this runs for thousands
        if head.isspace() or head.casefold()[:1] in heads:
            words = _words(other.text)
            if words[:1] in heads and other.active:
                found.setdefault(words, other.id)
    return found


def _duplicate(identity: str) -> list[str]:
    return [f"The same text is stored as {identity[-SHORT_ID:]}; `muninn reconcile` merges the two."]


def _contradicted(workspace: Workspace, memory: Memory, before: Mapping[str, Memory], now: datetime) -> list[str]:
    links = {link.target for link in memory.links if link.relation in ("supersedes", "contradicts")}
    found = contradicted(workspace, memory, before)
    if found is None or found.memory.id in links:
        return []
    other = found.memory
    new, old = memory.id[-SHORT_ID:], other.id[-SHORT_ID:]
    relation, reason = (
        ("contradict", found.reason) if found.reason else ("repeat or update", "both seem to state one fact")
    )
    return [
        f"{new} may {relation} {old}, “{headline(other)}” ({age(other.ts, now)} old): {reason}. "
        f"If it replaces that memory: `muninn update {new} --link supersedes:{old}`."
    ]


def _words(text: str) -> str:
    return " ".join(text.casefold().split())
