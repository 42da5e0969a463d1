"""Resolves the references of a file, with previews for hovers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from muninn_core.context.editor.preview import memory_preview, question_preview, text_preview
from muninn_core.engine.answer import recall
from muninn_core.engine.file.lint import names_of, text_of
from muninn_core.engine.file.pointers import pointers
from muninn_core.engine.file.record_locations import RecordLocations
from muninn_core.engine.file.reference_index import ReferenceIndex, ReferenceTarget
from muninn_core.errors import NotFoundError, UsageError
from muninn_core.protocol.families.reference import Meaning, ReferencesParams, ReferencesResult
from muninn_core.protocol.families.search import RecallParams
from muninn_core.source.documents.muninn_file import own_kind
from muninn_core.source.documents.references import MAX_LINE_LENGTH, Reference, find_references
from muninn_core.source.files.classify import language_of
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.citations.citations import Citations
from muninn_core.worktree.knowledge.origins import Origins
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

FOUND_BY_QUESTION = 5
"""The most hits in the preview of a question."""
MAX_REFERENCES = 1_000
"""The most references of a file that are resolved."""


def resolve(workspace: Workspace, params: ReferencesParams, call: CallContext, now: datetime) -> ReferencesResult:
    """Return the targets of a file's references, or of those in `params.line`, which then have previews.

    For a line of markdown it also resolves ids, decisions and tasks in plain text.
    """
    path = relative_path(params.path, workspace.layout.root)
    text = text_of(workspace.layout.root, path, params.text)
    names = names_of(workspace, call.buffers)
    meanings = []
    file = _File(workspace, path, names, RecordLocations(workspace), call, now)
    for reference in find_references(text, own_kind(path))[:MAX_REFERENCES]:
        if params.line in (0, reference.line + 1):
            call.raise_if_cancelled()
            meanings.append(file.meaning(reference, shown=params.line > 0))
    if params.line and path.endswith(".md"):
        for reference in _plain(text, params.line, names):
            if not any(each.column - 1 < reference.end and reference.start < each.end - 1 for each in meanings):
                meanings.append(file.meaning(reference, shown=True))
    return ReferencesResult(path=path, references=tuple(meanings), saw=workspace.read_state())


def _plain(text: str, line: int, names: ReferenceIndex) -> Iterator[Reference]:
    """Yield the names in a line that are not in brackets."""
    lines = text.split("\n")
    if line <= len(lines) and len(lines[line - 1]) <= MAX_LINE_LENGTH:
        for each in pointers(lines[line - 1], names.memories, names.library):
            at, to = each.start, each.end
            target = lines[line - 1][at:to]
            if names.named(target) is not None:
                yield Reference(kind="name", line=line - 1, start=at, end=to, target=target, at=at, to=to)


@dataclass(frozen=True, slots=True)
class _File:
    """A file whose references are resolved: where names and records are found, and the call that asks."""

    workspace: Workspace
    path: str
    names: ReferenceIndex
    places: RecordLocations
    call: CallContext
    now: datetime

    def meaning(self, reference: Reference, *, shown: bool) -> Meaning:
        """Return what a reference means, with a preview if it is `shown`."""
        place: dict[str, Any] = {"line": reference.line + 1, "column": reference.start + 1, "end": reference.end + 1}
        if reference.kind == "query":
            markdown = _question_markdown(self.workspace, reference.target, self.call, self.now) if shown else ""
            return Meaning(kind="question", text=reference.target, title=reference.target, markdown=markdown, **place)
        found = self.names.find(reference, self.path)
        if found is None:
            near = self.names.nearest(reference, self.path) if shown else ""
            kind = "" if reference.certain else "prose"
            many = self.names.several(reference.target) if reference.kind in ("name", "value") else ""
            problem = many or "nothing has this name"
            return Meaning(kind=kind, text=reference.target, problem=problem, near="" if many else near, **place)
        where, start = (found.path, found.start)
        if found.kind == "memory":
            where, start = self.places.locate(found.id)
        return Meaning(
            kind=found.kind,
            text=reference.target,
            title=found.title,
            path=where,
            start=start,
            last=found.end or start,
            id=found.id,
            markdown=preview(self.workspace.origins, self.workspace.citations, self.names, found, self.now)
            if shown
            else "",
            problem=found.problem,
            near=found.near,
            **place,
        )


def preview(
    origins: Origins, citations: Citations, names: ReferenceIndex, found: ReferenceTarget, now: datetime
) -> str:
    """Return the preview of a target as markdown."""
    if found.kind == "memory":
        memory = names.memories[found.id]
        return memory_preview(memory, citations.checker().judge(memory), now)
    if found.kind == "folder":
        return f"`{found.path}/`"
    page = names.page(found.path)
    if page is None:
        return f"`{found.path}`"
    start, end = found.start or 1, found.end or page.length
    origin = origins.origin_of(found.path)
    document = names.library.at_path(found.path)
    notes = [*([document.status_text] if document and document.status_text else []), *([origin] if origin else [])]
    language = language_of(found.path)
    shown = "markdown" if found.path.endswith(".md") else "" if language == "text" else language
    return text_preview(found.path, page.span(start, end), start, shown, notes)


def _question_markdown(workspace: Workspace, question: str, call: CallContext, now: datetime) -> str:
    params = RecallParams(query=question, limit=FOUND_BY_QUESTION)
    try:
        return question_preview(question, recall.recall(workspace, params, call, now).hits)
    except (UsageError, NotFoundError) as error:  # an invalid query
        return error.message
