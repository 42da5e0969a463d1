"""Resolves what a new memory cites: places in files become cites with symbol and mark.

`files` may name a place: `path:LINE`, `path:START-END`, `path#symbol`. A file named alone is not cited, so its changes
do not make the memory stale.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from muninn_core.errors import BadParams
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Cite, Memory
from muninn_core.model.value import replace, to_plain
from muninn_core.near_match import did_you_mean
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.reconcile.citations.file_source import Unknown
from muninn_core.reconcile.citations.judgement import make_cite
from muninn_core.source.chunks.line_index import LineIndex, make_mark
from muninn_core.source.code.extent import Extent
from muninn_core.worktree.citations.citations import CitationCheck, CitationFiles, cites_of

MAX_NAMED = 8
"""The most definitions that `entities` can cite; a draft that names more cites none of them."""

LARGE = 120
"""Lines. Of a longer definition only the first line is cited, so that not every change in a class makes a
memory stale.
"""

_LINES = re.compile(r"^(?P<path>.+?):(?P<start>[1-9]\d{0,6})(?:-(?P<end>[1-9]\d{0,6}))?$")
_SYMBOL = re.compile(r"^(?P<path>.+?)#(?P<symbol>[^\s#/]+)$")
_NAME = re.compile(r"^[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*$")


def anchor(
    draft: MemoryDraft, citations: CitationFiles, inside: Callable[[str], str], commit: str | None
) -> MemoryDraft:
    """Return a draft with plain paths in `files`, and with cites of the named places as they are in the work tree.

    `inside` makes a path relative to the root, or raises. Raises BadParams for missing lines and symbols. A missing
    file is accepted, since it may exist on another branch.
    """
    places = [_place(file, citations.root) for file in draft.files]
    files = tuple(dict.fromkeys(inside(path) for path, _, _, _ in places))
    stated = [replace(cite, path=inside(cite.path)) for cite in draft.cites]
    stated += [
        Cite(path=inside(path), start=start, end=end, symbol=symbol)
        for path, start, end, symbol in places
        if start or symbol
    ]
    cites = [_filled(cite, citations, commit) for cite in stated]
    paths = dict.fromkeys((*files, *(cite.path for cite in cites)))
    known = {(cite.path, cite.start, cite.end) for cite in cites}
    cites += [
        cite
        for cite in _from_entities(draft.entities, paths, citations, commit)
        if (cite.path, cite.start, cite.end) not in known
    ]
    return replace(draft, files=files, cites=tuple(dict.fromkeys(cites)))


def files_now(memory: Memory, checker: CitationCheck) -> tuple[str, ...]:
    """Return the files that a memory names, those that have moved by their present paths."""
    renamed = {
        cite.path: now.path
        for cite, now in zip(cites_of(memory), checker.cites(memory), strict=True)
        if now.state == "moved" and not checker.exists(cite.path)
    }
    renamed |= {file.was: file.path for file in checker.files(memory) if file.state == "moved"}
    return tuple(dict.fromkeys(renamed.get(path, path) for path in memory.files))


def slim_cites(cites: Iterable[Cite]) -> list[dict[str, Any]]:
    """Return cites as a record has them: without empty fields."""
    return [{name: part for name, part in to_plain(cite).items() if part not in (None, "")} for cite in cites]


def _place(text: str, root: Path) -> tuple[str, int, int, str | None]:
    """Split a place into path, first line, last line and symbol. An existing file of that name takes precedence."""
    lines, symbol = _LINES.match(text), _SYMBOL.match(text)
    if not (lines or symbol) or os.path.lexists(root / text):
        return text, 0, 0, None
    if lines:
        start = int(lines["start"])
        end = int(lines["end"] or start)
        if end < start:
            raise BadParams(f"'{text}' ends before it starts", hint="Write it as path:START-END.")
        return lines["path"], start, end, None
    assert symbol is not None
    return symbol["path"], 0, 0, symbol["symbol"]


def _filled(cite: Cite, citations: CitationFiles, commit: str | None) -> Cite:
    """Return a cite with missing fields filled in; one with a mark, or of another commit, stays unchanged."""
    if cite.hash or cite.commit or not (cite.start or cite.symbol):
        return cite
    if cite.start and cite.end < cite.start:
        cite = replace(cite, end=cite.start)
    page = _page(cite.path, citations)
    if page is None:
        return replace(cite, commit=commit)
    if cite.start:
        if cite.end > page.length:
            raise BadParams(
                f"'{cite.path}' has {number_of(page.length, 'line')}, and {_lines(cite.start, cite.end)} cited",
                hint="Cite lines that are there, or only name the file.",
            )
        found = make_cite(cite.path, page, cite.start, cite.end, commit)
        return replace(found, symbol=cite.symbol or found.symbol)
    definitions = _definitions(page, cite.symbol or "")
    if not definitions:
        names = [extent.name for extent in page.extents]
        raise BadParams(
            f"'{cite.symbol}' is not defined in {cite.path}",
            hint=did_you_mean(cite.symbol or "", names, f"Name lines in place of it: {cite.path}:START-END."),
        )
    return _definition(page, definitions[0], commit)


def _from_entities(
    entities: tuple[str, ...], paths: dict[str, None], citations: CitationFiles, commit: str | None
) -> list[Cite]:
    """Return cites of definitions that `entities` name, where a named file defines the name once."""
    names = [name for entity in entities if _NAME.match(name := entity.removesuffix("()").replace("::", "."))]
    found = []
    for path in paths if names else ():
        page = _page(path, citations)
        for name in names if page else ():
            definitions = _definitions(page, name) if page else []
            found += [_definition(page, definitions[0], commit)] if page and len(definitions) == 1 else []
    return found if len(found) <= MAX_NAMED else []


def _definitions(page: LineIndex, symbol: str) -> list[Extent]:
    """Return the definitions of a name; a dotted name must match in all its parts."""
    return [extent for extent in page.find_named(symbol) if f".{extent.name}".endswith(f".{symbol}")]


def _definition(page: LineIndex, extent: Extent, commit: str | None) -> Cite:
    end = extent.end if extent.end - extent.start < LARGE else extent.start
    mark = make_mark(page.span(extent.start, end))
    return Cite(path=page.path, start=extent.start, end=end, symbol=extent.name, hash=mark, commit=commit)


def _page(path: str, citations: CitationFiles) -> LineIndex | None:
    try:
        return citations.page(path)
    except Unknown:
        return None


def _lines(start: int, end: int) -> str:
    return f"lines {start}-{end} are" if end > start else f"line {start} is"
