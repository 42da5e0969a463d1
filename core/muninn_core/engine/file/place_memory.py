"""The memories about a place in a file, the nearest first, with the reason why each is shown.

A repository's daemon and an organisation's server make the value `Remembered` of a file in their own way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from muninn_core.context.editor.hover import Shown
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.source.chunks.line_index import LineIndex
from muninn_core.source.code.extent import Extent
from muninn_core.worktree.knowledge.documents import SteeringDocuments
from muninn_core.worktree.memories.memory_index import names_of

MAX_NAMED = 20
"""A symbol name in more memories is too common; none of them is looked up by it."""

Citations = Mapping[str, Sequence[Citation]]
ByName = Callable[[str], Iterable[Memory]]
"""Returns the memories that a question sees and that cite or name a definition."""

_Found = tuple[tuple[int, int, str], Shown]
"""An entry with its sort key: nearness, number of lines, id or path."""


class Remembered(NamedTuple):
    """The memories about a file, newest first, with their citations, the file's lines and the documents.

    `names` are its current and former paths. `judge` returns the citations of a memory that is about another file.
    `late` are the citations that were not judged in time, `pending` is how often they were needed. `omitted` counts
    memories beyond the most of an answer.
    """

    path: str
    names: frozenset[str]
    memories: list[Memory]
    citations: Citations
    page: LineIndex | None
    library: SteeringDocuments
    judge: Callable[[Memory], Sequence[Citation]]
    late: Collection[Citation] = ()
    omitted: int = 0
    pending: int = 0

    def here(self, memory: Memory) -> list[Citation]:
        """Return the citations of a memory that are in this file, or were before their code was deleted."""
        return [
            citation
            for citation in self.citations.get(memory.id, ())
            if citation.path == self.path or citation.path in self.names
        ]


def nearest_first(found: Remembered, line: int, name: str, by_name: ByName) -> tuple[list[Shown], int]:
    """Return what is remembered about a line or a name, and how many memories are about the rest of the file.

    For a line it is what cites the line, what cites or names the definition that begins there, and what names `name`.
    What is about the whole file is there for the file and its first line only; elsewhere it is counted. Among equally
    near entries the newest comes first and text from outside last.
    """
    near = dict[str, _Found]()
    for rank, shown in (*_placed(found, line), *_named(found, line, name, by_name)):
        key = shown.memory.id if shown.memory is not None else shown.document.path if shown.document else ""
        near.setdefault(key, (rank, shown))
    if line <= 1:
        for rank, shown in _whole(found):
            near.setdefault(rank[2], (rank, shown))
    newest = sorted(near.values(), key=lambda entry: entry[0][2], reverse=True)
    ordered = [shown for _, shown in sorted(newest, key=lambda entry: (*entry[0][:2], _is_outside(entry[1])))]
    return ordered, 0 if line <= 1 else sum(memory.id not in near for memory in found.memories)


def of_file(found: Remembered) -> list[Shown]:
    """Return everything remembered about a file: pinned memories, memories of the whole file, then memories that cite
    lines.
    """
    return [shown for _, shown in sorted(_whole(found), key=lambda one: one[0])]


def _around(extents: Sequence[Extent], line: int) -> list[Extent]:
    """Return the definitions that contain a line, the innermost first."""
    return sorted(
        (extent for extent in extents if extent.start <= line <= extent.end),
        key=lambda extent: (extent.end - extent.start, extent.start),
    )


def _is_outside(shown: Shown) -> bool:
    return shown.memory is not None and shown.memory.trust == "outside"


def _placed(found: Remembered, line: int) -> Iterator[_Found]:
    """Yield memories that cite the line, each with its narrowest span."""
    for memory in found.memories:
        spans = [
            citation
            for citation in found.here(memory)
            if 0 < citation.start <= line <= citation.end and citation.state != "gone"
        ]
        if spans:
            citation = min(spans, key=lambda citation: citation.end - citation.start)
            why = _cites("this line" if citation.start == citation.end else "these lines", citation)
            yield (0, citation.end - citation.start, memory.id), _shown(found, memory, why)


def _named(found: Remembered, line: int, given: str, by_name: ByName) -> Iterator[_Found]:
    """Yield memories and documents of any file that cite or name the name, or the definition that begins on the
    line.
    """
    extents = found.page.extents if found.page else ()
    starting = [item.name for item in _around(extents, line) if item.start == line]
    names = dict.fromkeys(name.rpartition(".")[2] for name in (given, *starting) if name)
    for name in names:
        for memory in sorted(by_name(name), key=lambda item: (item.ts, item.id), reverse=True)[:MAX_NAMED]:
            cited = any((cite.symbol or "").rpartition(".")[2] == name for cite in memory.cites)
            if cited or name in names_of(memory):
                yield (
                    (1 if cited else 2, 0, memory.id),
                    _shown(found, memory, f"{'cites' if cited else 'names'} {name}"),
                )
        for document in found.library:
            if name in document.symbols and (document.in_force or document.retired):
                yield (2 if document.in_force else 4, 0, document.path), Shown(f"names {name}", document=document)


def _whole(found: Remembered) -> Iterator[_Found]:
    pins = [*filter(lambda memory: memory.pinned, found.memories)]
    rest = [memory for memory in found.memories if not memory.pinned]
    for number, memory in enumerate((*pins, *rest)):
        spans = [citation for citation in found.here(memory) if citation.start]
        why = _cites("lines of this file", spans[0]) if spans else "is about this file"
        yield (4 if spans else 3, number, memory.id), _shown(found, memory, why)
    for document in found.library:
        if document.in_force and found.path in document.files:
            yield (3, 0, document.path), Shown("names this file", document=document)


def _cites(what: str, citation: Citation) -> str:
    return f"cites {what}" + (" · unchanged" if citation.state == "fresh" else "")  # the card shows any other state


def _shown(found: Remembered, memory: Memory, why: str) -> Shown:
    citations: Sequence[Citation] | None = found.citations.get(memory.id)
    return Shown(why, memory=memory, citations=found.judge(memory) if citations is None else citations)
