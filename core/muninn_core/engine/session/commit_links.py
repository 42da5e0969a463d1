"""What a commit has to do with what is remembered: links to memories of the same files, or that say the like."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from muninn_core.engine.answer.touched_decisions import touched
from muninn_core.engine.memory.scopes import visible
from muninn_core.engine.session.reminder_search import related_memories
from muninn_core.errors import MuninnError
from muninn_core.model.memory import Link, Memory
from muninn_core.model.value import replace
from muninn_core.protocol.memory import MemoryDraft
from muninn_core.retrieval.decay import is_recallable
from muninn_core.worktree.workspace import Workspace

MOST = 4
"""Links of one commit: those that somebody would follow."""

FILES = 0.35
"""What it counts that all files of a memory are among those of the commit."""

LEAST = 0.3
"""How sure a link must be."""

IMPLEMENTS = 0.6
"""How sure it must be that a commit does what a decision says."""

_LINKED = frozenset(
    {"attempt", "bug_fix", "configuration", "constraint", "decision", "insight", "pattern", "reference"}
)


def related(workspace: Workspace, draft: MemoryDraft, now: datetime) -> MemoryDraft:
    """Return a commit's draft with its links and the decision records that it touches."""
    seen = visible(workspace.memory, "project", draft.session)

    def fit(memory: Memory) -> bool:
        return memory.type in _LINKED and memory.scope == "project" and not memory.private and seen(memory)

    sure: dict[str, float] = {}
    why: dict[str, list[str]] = {}
    known: Mapping[str, Memory] = workspace.memory.all()
    for memory in workspace.memory.index.by_files(draft.files):
        if fit(memory) and is_recallable(memory, now):
            named = {*memory.files, *(cite.path for cite in memory.cites)}
            common = sorted(named.intersection(draft.files))
            sure[memory.id] = FILES * len(common) / len(named)
            why[memory.id] = [f"both about {common[0]}" + (f" and {len(common) - 1} more" if common[1:] else "")]
    try:
        for one in related_memories(workspace, f"{draft.title}\n{draft.text}", fit, now):
            sure[one.memory.id] = sure.get(one.memory.id, 0.0) + one.sure
            why.setdefault(one.memory.id, []).append("says the like")
    except MuninnError:
        pass  # the index is being opened: files alone tell then
    best = sorted((each for each in sure if sure[each] >= LEAST), key=lambda each: (-round(sure[each], 4), each))
    links = tuple(
        Link(
            relation="implements" if known[each].type == "decision" and sure[each] >= IMPLEMENTS else "references",
            target=each,
            strength=round(min(1.0, sure[each]), 2),
            reason=", ".join(why[each]),
            by="hook",
        )
        for each in best[:MOST]
    )
    records = [one.document.path for one in touched(workspace.documents.read(), draft.files, (), ())]
    details = {**draft.details, **({"decisions": records} if records else {})}
    return replace(draft, links=(*draft.links, *links), details=details)
