"""Completion: lists the memories, documents, knowledge, contexts, files, symbols and tags that a text can name."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from muninn_core.context.editor.preview import memory_preview
from muninn_core.context.memory_summary import facts, headline, shorten
from muninn_core.engine.file.lint import names_of
from muninn_core.engine.file.record_locations import RecordLocations
from muninn_core.engine.file.reference_index import ReferenceIndex, section_names
from muninn_core.engine.memory.drafting.scopes import visible
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.reference import Name, NamesParams, NamesResult
from muninn_core.source.documents import frontmatter
from muninn_core.source.documents.muninn_file import OwnKind, own_kind
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

USUAL = ("memory", "document", "knowledge", "context")
"""The default kinds: those that double brackets can name."""

DETAILED = 20
"""The most memories of an answer that have a preview."""


class _Candidate(NamedTuple):
    """A name: the text to insert, the label, and a function that builds the whole entry."""

    insert: str
    name: str
    build: Callable[[], Name]


def names(workspace: Workspace, params: NamesParams, call: CallContext, now: datetime) -> NamesResult:
    """Return names that contain a text: prefix matches first, then in the order of `kinds`, then newest first
    or A-Z.
    """
    known = names_of(workspace, call.buffers)
    wanted = params.text.strip().casefold()
    found: list[tuple[int, int, _Candidate]] = []
    for order, kind in enumerate(dict.fromkeys(params.kinds or USUAL)):
        best = 0
        for candidate in _LISTERS[kind](workspace, known, params, now):
            rank = _rank(candidate, wanted)
            if rank is not None:
                found.append((rank, order, candidate))
                best += rank == 0
                if best > params.limit:
                    break  # later candidates of this kind cannot rank higher
    found.sort(key=lambda entry: entry[:2])  # stable: within a kind the lister's order stays
    chosen = [candidate.build() for _, _, candidate in found[: params.limit]]
    return NamesResult(
        names=tuple(_detailed(workspace, known, chosen, now)),
        more=len(found) > params.limit,
        saw=workspace.read_state(),
    )


def _rank(each: _Candidate, wanted: str) -> int | None:
    """Return 0 for a prefix match, 1 for a prefix match of a path's last part, 2 for another match, None for none."""
    if not wanted:
        return 0
    insert, name = each.insert.casefold(), each.name.casefold()
    if wanted not in insert and wanted not in name:
        return None
    if insert.startswith(wanted) or name.startswith(wanted):
        return 0
    return 1 if posixpath.basename(insert).startswith(wanted) else 2


def _detailed(workspace: Workspace, known: ReferenceIndex, chosen: Iterable[Name], now: datetime) -> Iterator[Name]:
    places, checker = RecordLocations(workspace), workspace.citations.checker()
    left = DETAILED
    for name in chosen:
        if name.kind != "memory":
            yield name
            continue
        path, line = places.locate(name.id)
        memory = known.memories[name.id]
        markdown = memory_preview(memory, checker.judge(memory), now) if left > 0 else ""
        left -= 1
        yield replace(name, path=path, line=line, markdown=markdown)


def _memories(workspace: Workspace, known: ReferenceIndex, params: NamesParams, now: datetime) -> Iterator[_Candidate]:
    for memory in filter(visible(workspace.memory, None, None), workspace.memory.active.newest(now)):
        yield _Candidate(memory.id, memory.title or memory.text, partial(_memory_name, memory, now))


def _memory_name(memory: Memory, now: datetime) -> Name:
    detail = " · ".join(facts(memory, now)[:2])
    return Name(kind="memory", name=headline(memory), insert=memory.id, detail=detail, id=memory.id)


def _documents(workspace: Workspace, known: ReferenceIndex, params: NamesParams, now: datetime) -> Iterator[_Candidate]:
    for each in known.library:
        detail = " · ".join(part for part in (each.level, each.status_text or each.phase) if part)
        title = f"{each.name}: {each.title}" if each.title else each.name
        yield _plain(Name(kind="document", name=title, insert=each.name, detail=detail, path=each.path, line=1))


def _knowledge(workspace: Workspace, known: ReferenceIndex, params: NamesParams, now: datetime) -> Iterator[_Candidate]:
    for path, insert in _stems(known, "knowledge"):
        stem = posixpath.basename(path).removesuffix(".md")
        detail = workspace.origins.origin_of(path) or posixpath.dirname(path)
        yield _plain(Name(kind="knowledge", name=stem, insert=insert, detail=detail, path=path, line=1))


def _contexts(workspace: Workspace, known: ReferenceIndex, params: NamesParams, now: datetime) -> Iterator[_Candidate]:
    for path, insert in _stems(known, "context"):
        stem = posixpath.basename(path).removesuffix(".md")
        page = known.page(path)
        fields = frontmatter.read_frontmatter(page.text)[0] if page is not None else {}
        parts = [str(fields[key]) for key in ("title", "description") if fields.get(key)]
        detail = shorten(": ".join(parts), 80) or posixpath.dirname(path)
        yield _plain(Name(kind="context", name=stem, insert=insert, detail=detail, path=path, line=1))


def _stems(known: ReferenceIndex, kind: OwnKind) -> Iterator[tuple[str, str]]:
    """Yield (path, shortest unambiguous name) of the files of a kind."""
    for paths in known.stems.values():
        for path in paths:
            if own_kind(path) == kind:
                yield path, posixpath.basename(path).removesuffix(".md") if len(paths) == 1 else path


def _files(workspace: Workspace, known: ReferenceIndex, params: NamesParams, now: datetime) -> Iterator[_Candidate]:
    for path in known.files:
        yield _Candidate(path, "", partial(_file_name, path))


def _file_name(path: str) -> Name:
    return Name(kind="file", name=posixpath.basename(path), insert=path, detail=posixpath.dirname(path), path=path)


def _symbols(workspace: Workspace, known: ReferenceIndex, params: NamesParams, now: datetime) -> Iterator[_Candidate]:
    if not params.file:
        return
    path = relative_path(params.file, workspace.layout.root)
    page = known.page(path)
    if page is None:
        return
    for extent in page.extents:
        detail = shorten(page.lines[extent.start - 1], 80)
        yield _plain(
            Name(kind="symbol", name=extent.name, insert=extent.name, detail=detail, path=path, line=extent.start)
        )
    if path.endswith(".md"):
        for slug, first, _ in section_names(page):
            yield _plain(Name(kind="symbol", name=slug, insert=slug, detail="heading", path=path, line=first))


def _tags(workspace: Workspace, known: ReferenceIndex, params: NamesParams, now: datetime) -> Iterator[_Candidate]:
    memories = Counter(tag for memory in workspace.memory.recallable().values() for tag in memory.tags)
    files = Counter(tag for paths in known.stems.values() for path in paths for tag in _written_tags(known, path))
    for tag, _ in sorted((memories + files).items(), key=lambda pair: (-pair[1], pair[0])):
        counts = [number_of(memories[tag], "memory", "memories")] if memories[tag] else []
        counts += [number_of(files[tag], "file")] if files[tag] else []
        yield _plain(Name(kind="tag", name=tag, insert=tag, detail=", ".join(counts)))


def _written_tags(known: ReferenceIndex, path: str) -> set[str]:
    """Return the tags in the frontmatter of a knowledge file."""
    page = known.page(path)
    tags = frontmatter.read_frontmatter(page.text)[0].get("tags") if page is not None else None
    return {str(tag) for tag in (tags if isinstance(tags, list) else [tags] if isinstance(tags, str) else ())}


def _plain(name: Name) -> _Candidate:
    return _Candidate(name.insert, name.name, lambda: name)


_Lister = Callable[[Workspace, ReferenceIndex, NamesParams, datetime], Iterator[_Candidate]]
_LISTERS: Mapping[str, _Lister] = MappingProxyType(
    {
        "memory": _memories,
        "document": _documents,
        "knowledge": _knowledge,
        "context": _contexts,
        "file": _files,
        "symbol": _symbols,
        "tag": _tags,
    }
)
