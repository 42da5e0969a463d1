"""Lists contradictions and their decisions, with the code that both sides cite."""

from __future__ import annotations

from pathlib import Path

from muninn_core.config import Config
from muninn_core.engine.memory.lookup import conflicts
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Cite, Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.reconciliation import CitedCode, Conflict, ConflictsParams, ConflictsResult
from muninn_core.source.chunks.line_index import LineIndex
from muninn_core.source.files.text import Text, read_text
from muninn_core.store.files.spool import unreconciled_sessions
from muninn_core.worktree.workspace import Workspace

_SPANS, _SPAN_LINES, _SPAN_CHARS = 4, 20, 2_000
"""The most spans of each side, and the most lines and characters of each span."""


def list_conflicts(workspace: Workspace, params: ConflictsParams) -> ConflictsResult:
    """Return the wanted conflicts, oldest first, with the code that their sides cite. Raises NotFoundError."""
    found = tuple(
        replace(
            conflict, code=_cited_code(workspace.config, workspace.layout.root, conflict), **_sides(workspace, conflict)
        )
        for conflict in conflicts(workspace.memory.log.state, params.id, decided=params.decided)
    )
    sides = {memory.id: memory for conflict in found for memory in (conflict.left, conflict.right)}
    citations = workspace.citations.checker().judge_all(sides.values())
    return ConflictsResult(
        conflicts=found,
        citations=citations,
        unreconciled=0 if params.id else unreconciled_sessions(workspace.layout),
        saw=workspace.read_state(),
    )


def _sides(workspace: Workspace, conflict: Conflict) -> dict[str, Memory]:
    return dict(zip(("left", "right"), workspace.first_authors.label((conflict.left, conflict.right)), strict=True))


def _cited_code(config: Config, root: Path, conflict: Conflict) -> tuple[CitedCode, ...]:
    """Return the first spans that each side of a conflict cites."""
    return tuple(
        _span(root, config, side, cite)
        for side, memory in (("left", conflict.left), ("right", conflict.right))
        for cite in memory.cites[:_SPANS]
    )


def _span(root: Path, config: Config, side: str, cite: Cite) -> CitedCode:
    read = read_text(root, cite.path, config.index.max_file_bytes)
    if not isinstance(read, Text):
        return CitedCode(side=side, path=cite.path, start=cite.start, end=cite.end, problem=read)
    page = LineIndex(cite.path, read.text)
    start = max(1, cite.start)
    end = min(cite.end if cite.start else page.length, page.length)
    if start > page.length:
        problem = f"the file has {number_of(page.length, 'line')}"
        return CitedCode(side=side, path=cite.path, start=cite.start, end=cite.end, problem=problem)
    shown = page.span(start, min(end, start - 1 + _SPAN_LINES))
    return CitedCode(side=side, path=cite.path, start=start, end=end, text="\n".join(shown)[:_SPAN_CHARS])
