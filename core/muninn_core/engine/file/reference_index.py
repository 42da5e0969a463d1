"""Resolves references to memories, documents, files, definitions and headings, and suggests the nearest names.

It reads the current work tree; the index only provides suggestions. `source.references` finds references in texts.
"""

from __future__ import annotations

import os
import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from muninn_core.context.memory_summary import headline
from muninn_core.model.counting import number_of
from muninn_core.model.memory import KINDS, Memory
from muninn_core.model.value import Value
from muninn_core.near_match import NAMES, likeness, nearest
from muninn_core.reconcile.citations.file_source import Unknown
from muninn_core.source.chunks.line_index import LineIndex
from muninn_core.source.documents.document import Document
from muninn_core.source.documents.markup import headings
from muninn_core.source.documents.references import Reference
from muninn_core.worktree.knowledge.documents import SteeringDocuments

FoundKind = Literal["memory", "document", "knowledge", "file", "folder", "symbol"]

_DECISION = re.compile(r"(?i)adr[ _-]?0*(\d{1,6})")
_ID = re.compile(r"^id:[ \t]*(?P<id>\S.*)$", re.M)
_COUNTED = re.compile(r"(?P<slug>.+)-(?P<number>\d{1,3})")
"""A slug with the number of an earlier heading of the same words."""

_DIGITS = re.compile(r"\d+")
_HEAD = 2_000
"""How many characters of a file are searched for its `id`."""
_MAX_LENGTH_DIFFERENCE = 4
"""The most letters by which the length of a misspelt file name may differ."""

_ALIKE = 0.7
"""The lowest likeness of a misspelt file name."""
_MIN_PREFIX_LENGTH = 6
"""The shortest prefix of an id; shorter ones are as often words."""

_CLOSED = (".git", ".muninn/local", ".muninn/cache")
"""Folders that references cannot reach: private or internal files."""


class ReferenceTarget(Value):
    """The target of a reference. `path` is relative to the root; lines are 1-based, 0 for a whole file.

    `id` is a memory's id, `title` its label. `problem` says which part of the reference does not exist, and `near`
    suggests a name for that part.
    """

    kind: FoundKind
    title: str
    path: str = ""
    start: int = 0
    end: int = 0
    id: str = ""
    problem: str = ""
    near: str = ""


class ReferenceIndex:
    """All names at one moment. `page` reads a file's text, `files` lists the known paths."""

    def __init__(
        self,
        root: Path,
        memories: Mapping[str, Memory],
        library: SteeringDocuments,
        *,
        page: Callable[[str], LineIndex | None],
        files: Callable[[], Iterable[str]],
    ) -> None:
        self.root = root
        self.memories = memories
        self.library = library
        self.page = page
        self._files = files

    def find(self, reference: Reference, path: str) -> ReferenceTarget | None:
        """Return the target of a reference in the file at `path`; None for an unknown target or a question."""
        if reference.kind == "query":
            return None
        if reference.kind == "name" or (reference.kind == "value" and reference.key != "files"):
            return self.named(reference.target, path)
        found = self._place(rooted(reference.target, path, linked=reference.kind == "link"))
        if found is None and reference.kind in ("file", "link"):
            again = rooted(reference.target, path, linked=reference.kind != "link")
            found = self._place(again)
        return self._narrow(found, reference) if found is not None else None

    def named(self, name: str, path: str = "") -> ReferenceTarget | None:
        """Return the target of a name: a memory, document, knowledge file or other file, in this order."""
        memory = self.memories.get(name)
        if memory is not None:
            return _memory_target(memory)
        document = self._document(name)
        if document is not None:
            return ReferenceTarget(kind="document", title=document.title or document.name, path=document.path)
        for candidate in (name, f"{name}.md"):
            for place in (rooted(candidate, path), rooted(candidate, path, linked=True)):
                found = self._place(place)
                if found is not None and found.kind != "folder":
                    return found
        stems = self.stems.get(name.casefold(), ())
        if len(stems) == 1:
            return self._place(stems[0])
        return self._by_prefix(name)

    def nearest(self, reference: Reference, path: str) -> str:
        """Return a suggestion for an unknown target, "" for none."""
        if reference.kind == "name" or (reference.kind == "value" and reference.key != "files"):
            if _DECISION.fullmatch(reference.target):
                return ""  # another number is another decision, not a misspelling
            called = self._id_of_title(reference.target)
            if called:
                return called
            known = [*self.stems, *(each.name for each in self.library), *self._similar_ids(reference.target)]
            found = nearest(reference.target, known, NAMES)
            return self._shown(found) if found else ""
        wanted = rooted(reference.target, path, linked=reference.kind == "link")
        near = self._near_path(wanted) if wanted else ""
        if not near or reference.kind != "link":
            return near
        return posixpath.relpath(near, posixpath.dirname(path) or ".")

    def several(self, name: str) -> str:
        """Return a message about an ambiguous name, "" for any other name."""
        paths = self.stems.get(name.casefold(), ())
        if len(paths) > 1:
            return f"{len(paths)} files are called '{name}': name one by its path"
        wanted = name.lower()
        at = bisect_left(self.ids, wanted)
        if len(name) < _MIN_PREFIX_LENGTH or not all(
            each.startswith(wanted) for each in (self.ids[at : at + 2] or [""])
        ):
            return ""
        return f"several memories begin with '{name}': write more of the one that is meant"

    def _id_of_title(self, title: str) -> str:
        """Return the id of the one memory with a title, "" for none or several."""
        found = self._titles.get(title.casefold().rstrip("."), set())
        return next(iter(found)) if len(found) == 1 else ""

    @cached_property
    def _titles(self) -> dict[str, set[str]]:
        """The ids of active memories by title, in lower case."""
        found: dict[str, set[str]] = {}
        for each in self.memories.values():
            if each.active:
                for called in (each.title, headline(each)):
                    found.setdefault(called.casefold().rstrip("."), set()).add(each.id)
        return found

    @cached_property
    def stems(self) -> dict[str, list[str]]:
        """The knowledge, pack and context files by file name without ending, in lower case."""
        found: dict[str, list[str]] = {}
        for folder in ("knowledge", "packs", "context"):
            for file in sorted((self.root / ".muninn" / folder).rglob("*.md")):
                found.setdefault(file.stem.casefold(), []).append(file.relative_to(self.root).as_posix())
        return found

    @cached_property
    def declared(self) -> dict[str, list[str]]:
        """The knowledge files by the `id` of their frontmatter."""
        found: dict[str, list[str]] = {}
        for path in sorted({each for paths in self.stems.values() for each in paths}):
            page = self.page(path) if not path.startswith(".muninn/context/") else None
            match = _ID.search(page.text[:_HEAD]) if page is not None and page.text.startswith("---") else None
            if match:
                found.setdefault(match["id"].strip().strip("\"'"), []).append(path)
        return found

    @cached_property
    def kinds(self) -> set[str]:
        """The memory types: built-in ones and those in use."""
        return {*KINDS, *(memory.type for memory in self.memories.values())}

    @cached_property
    def ids(self) -> list[str]:
        """The ids of all memories, sorted."""
        return sorted(self.memories)

    @cached_property
    def files(self) -> list[str]:
        """The known paths, sorted."""
        return sorted(self._files())

    @cached_property
    def _files_by_ending(self) -> dict[tuple[str, str], list[tuple[str, str]]]:
        """The known files by ending and first letter, each with its name without ending, in lower case."""
        found: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for path in self.files:
            name = posixpath.basename(path)
            found.setdefault(_ending_key(name), []).append((posixpath.splitext(name.casefold())[0], path))
        return found

    def known_folder(self, path: str) -> str:
        """Return the deepest existing folder above a path, "" for the root."""
        folder = posixpath.dirname(path)
        while folder and not (self.root / folder).is_dir():
            folder = posixpath.dirname(folder)
        return folder

    def _place(self, path: str) -> ReferenceTarget | None:
        if not path or any(path == closed or path.startswith(f"{closed}/") for closed in _CLOSED):
            return None
        where = self.root / path
        try:
            real = os.path.realpath(where)
        except OSError:
            return None
        root = os.path.realpath(self.root)
        if not os.path.lexists(where) or not (real == root or real.startswith(root.rstrip(os.sep) + os.sep)):
            return None
        document = self.library.at_path(path)
        if where.is_dir():
            return ReferenceTarget(kind="folder", title=path, path=path)
        if document is not None:
            return ReferenceTarget(kind="document", title=document.title or document.name, path=path)
        kind: FoundKind = "knowledge" if path.startswith((".muninn/knowledge/", ".muninn/packs/")) else "file"
        return ReferenceTarget(kind=kind, title=path, path=path)

    def _narrow(self, target: ReferenceTarget, reference: Reference) -> ReferenceTarget:
        """Narrow a file to the symbol, heading or lines of the reference."""
        if not (reference.symbol or reference.first) or target.kind == "folder":
            return target
        page = self.page(target.path)
        shared: dict[str, Any] = {"title": target.title, "path": target.path}
        if page is None:
            return ReferenceTarget(kind="file", problem="this file has no text", **shared)
        if reference.first:
            if not 1 <= reference.first <= reference.last <= page.length:
                problem = f"{target.path} has {number_of(page.length, 'line')}"
                return ReferenceTarget(kind="file", problem=problem, **shared)
            return ReferenceTarget(kind=target.kind, start=reference.first, end=reference.last, **shared)
        sections = section_names(page) if target.path.endswith(".md") else []
        place = _section(sections, reference.symbol.lower())
        if place is not None:
            return ReferenceTarget(
                kind="symbol", title=reference.symbol, path=target.path, start=place[0], end=place[1]
            )
        symbol = reference.symbol.replace("::", ".")
        extents = [extent for extent in page.find_named(symbol) if f".{extent.name}".endswith(f".{symbol}")]
        if extents:
            return ReferenceTarget(
                kind="symbol", title=extents[0].name, path=target.path, start=extents[0].start, end=extents[0].end
            )
        if reference.kind == "link" and not sections:
            return target  # the file has no markdown headings to check
        if sections and re.search(rf"""\b(?:id|name)=["']{re.escape(reference.symbol)}["']""", page.text):
            return target  # an HTML anchor, whose end is unknown
        known = [name for name, _, _ in sections] + [extent.name for extent in page.extents]
        near = nearest(reference.symbol, known)
        what = f"there is no section '{reference.symbol}'" if sections else f"'{reference.symbol}' is not defined"
        problem = f"{what} in {target.path}"
        return ReferenceTarget(kind="file", problem=problem, near=near or "", **shared)

    def _document(self, name: str) -> Document | None:
        document = self.library.with_code(name)
        if document is not None:
            return document
        number = _DECISION.fullmatch(name)
        wanted = name.casefold()
        for each in self.library:
            if wanted in (each.name.casefold(), posixpath.basename(each.path).casefold(), each.title.casefold()):
                return each
            if number and each.level == "adr" and each.number == int(number[1]):
                return each
        return None

    def _by_prefix(self, name: str) -> ReferenceTarget | None:
        wanted = name.lower()
        at = bisect_left(self.ids, wanted)
        if len(name) < _MIN_PREFIX_LENGTH or at == len(self.ids) or not self.ids[at].startswith(wanted):
            return None
        if at + 1 < len(self.ids) and self.ids[at + 1].startswith(wanted):
            return None
        return _memory_target(self.memories[self.ids[at]])

    def _similar_ids(self, name: str) -> Iterator[str]:
        """Yield ids with the same first characters as a name; comparing all ids would be slow."""
        prefix = name[:_MIN_PREFIX_LENGTH].lower()
        for identity in self.ids[bisect_left(self.ids, prefix) :][:200] if len(prefix) == _MIN_PREFIX_LENGTH else ():
            if identity.startswith(prefix):
                yield identity

    def _shown(self, near: str) -> str:
        paths = self.stems.get(near)
        return posixpath.basename(paths[0]).removesuffix(".md") if paths else near

    def _near_path(self, path: str) -> str:
        name = posixpath.basename(path)
        stem = posixpath.splitext(name.casefold())[0]
        kin = self._files_by_ending.get(_ending_key(name), ())
        same = [known for other, known in kin if other == stem]
        alike = same or [known for other, known in kin if _is_misspelling(stem, other)]
        folder = self.known_folder(path)
        beside = [known for known in alike if known.startswith(f"{folder}/")] if folder else []
        return nearest(path, beside or alike, alike=0.0) or ""


def rooted(target: str, path: str, *, linked: bool = False) -> str:
    """Return the path relative to the root of a target in the file at `path`, "" for one outside the root.

    Targets of links and those with `./` or `../` are relative to the file's folder, others to the root.
    """
    near = linked or target.startswith(("./", "../"))
    whole = posixpath.join(posixpath.dirname(path), target) if near and not target.startswith("/") else target
    plain = posixpath.normpath(whole.lstrip("/"))
    return "" if plain.startswith("..") or plain == "." or "\0" in plain else plain


def section_names(page: LineIndex) -> list[tuple[str, int, int]]:
    """Return (slug, first line, last line) of the sections of a markdown file; lines are 1-based."""
    return [(each.slug, each.line + 1, each.last + 1) for each in headings(page.text)]


def _ending_key(name: str) -> tuple[str, str]:
    """Return the parts of a file name that a misspelling keeps: its ending and first letter, in lower case."""
    return posixpath.splitext(name.casefold())[1], name[:1].casefold()


def _is_misspelling(stem: str, known: str) -> bool:
    """Whether a name may be a misspelling of a known one; numbers must be equal."""
    if abs(len(stem) - len(known)) > _MAX_LENGTH_DIFFERENCE or _DIGITS.findall(stem) != _DIGITS.findall(known):
        return False
    return likeness(stem, known) >= _ALIKE


def _section(sections: list[tuple[str, int, int]], slug: str) -> tuple[int, int] | None:
    """Return first and last line of the section with a slug; None for none."""
    counted = _COUNTED.fullmatch(slug)
    for wanted, number in ((slug, 0), *([(counted["slug"], int(counted["number"]))] if counted else [])):
        places = [(first, last) for name, first, last in sections if name == wanted]
        if number < len(places):
            return places[number]
    return None


def quiet(read: Callable[[str], LineIndex | None]) -> Callable[[str], LineIndex | None]:
    """Return `read` with None in place of its error for an unreadable file."""

    def page(path: str) -> LineIndex | None:
        try:
            return read(path)
        except Unknown:
            return None

    return page


def _memory_target(memory: Memory) -> ReferenceTarget:
    return ReferenceTarget(kind="memory", title=headline(memory), id=memory.id)
