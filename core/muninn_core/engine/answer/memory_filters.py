"""The filters of lists of memories, for a repository's daemon and an organisation's server."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from muninn_core.errors import BadParams
from muninn_core.model.memory import Memory
from muninn_core.model.role import importance_for
from muninn_core.near_match import NAMES, nearest
from muninn_core.protocol.families.inspection import MemoriesParams
from muninn_core.retrieval.decay import is_recallable
from muninn_core.retrieval.query.filters import compile_filters, wrong_value
from muninn_core.retrieval.query.query_language import Filter
from muninn_core.source.documents.shortcode import same_code

_MAX_NAMES = 20_000
"""The most values that a misspelt one is compared with."""


def changed_since(given: str | None, now: datetime) -> Callable[[Memory], bool]:
    """Return a predicate: whether a memory changed since a time or a span ago. Raises BadParams for an invalid
    value.
    """
    if given is None:
        return lambda _memory: True
    wrong = wrong_value("since", given, ())
    if wrong:
        raise BadParams(f"'since' is not a time: '{given}'", hint="Write 12h, 3d, 2w or 2026-01-31.")
    return compile_filters((Filter(key="since", values=(given,), source=f"since:{given}"),), now).memory


def unmatched(params: MemoriesParams, memories: Iterable[Memory]) -> tuple[str, ...]:
    """Return a sentence for each tag, task and session of the parameters that no memory has, with the nearest one."""
    known: dict[str, set[str]] = {"tag": set(), "task": set(), "session": set()}
    for memory in memories:
        known["tag"].update(memory.tags)
        known["task"].update(filter(None, (memory.task,)))
        known["session"].update(filter(None, (memory.session, *memory.sessions)))
    notes = []
    for name, values in known.items():
        given = getattr(params, name)
        if given and given not in values and not (name == "task" and any(same_code(each, given) for each in values)):
            near = nearest(given, sorted(values)[:_MAX_NAMES], NAMES)
            notes.append(f"no memory has the {name} '{given}'" + (f"; did you mean '{near}'?" if near else ""))
    return tuple(notes)


def importance(memory: Memory, params: MemoriesParams) -> int:
    """Return the importance of a memory, which the caller's role may raise."""
    return importance_for(params.role or "", memory.type, memory.importance)


def passes(memory: Memory, params: MemoriesParams, paths: frozenset[str], now: datetime) -> bool:
    """Whether a memory passes the filters. `paths` are the present and former ones of the wanted file."""
    if params.pending or memory.waits:  # `pending` lists pending memories only; no other list has them
        if not (params.pending and memory.waits):
            return False
    elif not (params.archived or is_recallable(memory, now)):
        return False
    if params.type is not None and memory.type != params.type:
        return False
    if importance(memory, params) < params.min_importance:
        return False
    if params.tag is not None and params.tag not in memory.tags:
        return False
    if params.without_questions and memory.questions:
        return False
    if params.session is not None and params.session not in (memory.session, *memory.sessions):
        return False
    if paths and paths.isdisjoint(memory.files) and all(cite.path not in paths for cite in memory.cites):
        return False
    if params.text is not None:
        wanted = params.text.casefold()
        return wanted in memory.text.casefold() or wanted in memory.title.casefold()
    return True
