"""What references mean: which memory, document, file, definition or heading, and what comes nearest when there is none.

It looks at the work tree as it is; the index only helps to guess. It reads no reference out of a text.
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

from muninn_core.context.hover import headline
from muninn_core.model.memory import KINDS, Memory
from muninn_core.model.value import Value
from muninn_core.near_match import NAMES, likeness, nearest
from muninn_core.reconcile.file_source import Unknown
from muninn_core.source.document import Document
from muninn_core.source.line_index import LineIndex
from muninn_core.source.markup import headings
from muninn_core.source.references import Reference
from muninn_core.worktree.documents import SteeringDocuments

FoundKind = Literal["memory", "document", "knowledge", "file", "folder", "symbol"]

_DECISION = re.compile(r"(?i)adr[ _-]?0*(\d{1,6})")
_ID = re.compile(r"^id:[ \t]*(?P<id>\S.*)$", re.M)
_COUNTED = re.compile(r"(?P<slug>.+)-(?P<number>\d{1,3})")
"""The slug of a heading when others before it have the same words."""

_DIGITS = re.compile(r"\d+")
_HEAD = 2_000
_SLIPS = 4
"""Letters by which the length of a name may differ from that of what was meant."""

_ALIKE = 0.7
_SHORTEST_PREFIX = 6
"""Characters of an id: fewer are words as often as ids."""

_CLOSED = (".git", ".muninn/local", ".muninn/cache")
"""Folders whose files are private, or none of a person's."""


class ReferenceTarget(Value):
    """What a reference means. `path` is relative to the root; lines are 1-based, 0 for the whole of a file.

    `id` is a memory's; `title` what people call it. `problem` says what of the reference is not there, and `near` what
    may have been meant by that part.
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
    """All names of one moment. `page` reads a file's text, `files` lists the paths that are known."""

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
        """Return what a reference in the file at `path` means; None when nothing answers to it, or it asks."""
        if reference.kind == "query":
            return None
        if reference.kind == "name" or (reference.kind == "value" and reference.key != "files"):
            return self.named(reference.target, path)
        found = self._place(rooted(reference.target, path, linked=reference.kind == "link"))
        if found is None and reference.kind in ("file", "link"):
            again = rooted(reference.target, path, linked=reference.kind != "link")
            found = self._place(again)
        return self._pointed(found, reference) if found is not None else None

    def named(self, name: str, path: str = "") -> ReferenceTarget | None:
        """Return what a name means: a memory, a document, a file of knowledge, a file; in this order."""
        memory = self.memories.get(name)
        if memory is not None:
            return _of_memory(memory)
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
        """Return what should stand in the place of a target that nothing answers to, "" when nothing comes near."""
        if reference.kind == "name" or (reference.kind == "value" and reference.key != "files"):
            if _DECISION.fullmatch(reference.target):
                return ""  # another number is another decision, not a slip
            called = self._titled(reference.target)
            if called:
                return called
            known = [*self.stems, *(each.name for each in self.library), *self._alike(reference.target)]
            found = nearest(reference.target, known, NAMES)
            return self._shown(found) if found else ""
        wanted = rooted(reference.target, path, linked=reference.kind == "link")
        near = self._near_path(wanted) if wanted else ""
        if not near or reference.kind != "link":
            return near
        return posixpath.relpath(near, posixpath.dirname(path) or ".")

    def several(self, name: str) -> str:
        """Return what there are several of for a name that nothing else answers to, "" where it is not that."""
        paths = self.stems.get(name.casefold(), ())
        if len(paths) > 1:
            return f"{len(paths)} files are called '{name}': name one by its path"
        wanted = name.lower()
        at = bisect_left(self.ids, wanted)
        if len(name) < _SHORTEST_PREFIX or not all(each.startswith(wanted) for each in (self.ids[at : at + 2] or [""])):
            return ""
        return f"several memories begin with '{name}': write more of the one that is meant"

    def _titled(self, title: str) -> str:
        """Return the id of the one memory that is called so, "" for none or several."""
        found = self._titles.get(title.casefold().rstrip("."), set())
        return next(iter(found)) if len(found) == 1 else ""

    @cached_property
    def _titles(self) -> dict[str, set[str]]:
        """The ids of the memories that speak, by what they are called, in lower case."""
        found: dict[str, set[str]] = {}
        for each in self.memories.values():
            if each.active:
                for called in (each.title, headline(each)):
                    found.setdefault(called.casefold().rstrip("."), set()).add(each.id)
        return found

    @cached_property
    def stems(self) -> dict[str, list[str]]:
        """The knowledge files by their names without ending, in lower case."""
        found: dict[str, list[str]] = {}
        for folder in ("knowledge", "packs", "context"):
            for file in sorted((self.root / ".muninn" / folder).rglob("*.md")):
                found.setdefault(file.stem.casefold(), []).append(file.relative_to(self.root).as_posix())
        return found

    @cached_property
    def declared(self) -> dict[str, list[str]]:
        """The files of knowledge by the `id` that their frontmatter gives them."""
        found: dict[str, list[str]] = {}
        for path in sorted({each for paths in self.stems.values() for each in paths}):
            page = self.page(path) if not path.startswith(".muninn/context/") else None
            match = _ID.search(page.text[:_HEAD]) if page is not None and page.text.startswith("---") else None
            if match:
                found.setdefault(match["id"].strip().strip("\"'"), []).append(path)
        return found

    @cached_property
    def kinds(self) -> set[str]:
        """The kinds of memory that there are, built in or used."""
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
    def _kin(self) -> dict[tuple[str, str], list[tuple[str, str]]]:
        """The known files by ending and first letter, each with its name without ending, in lower case."""
        found: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for path in self.files:
            name = posixpath.basename(path)
            found.setdefault(_kin(name), []).append((posixpath.splitext(name.casefold())[0], path))
        return found

    def known_folder(self, path: str) -> str:
        """Return the longest beginning of a path that is a folder, "" for the root."""
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

    def _pointed(self, found: ReferenceTarget, reference: Reference) -> ReferenceTarget:
        """Narrow a file to the symbol, heading or lines that are meant."""
        if not (reference.symbol or reference.first) or found.kind == "folder":
            return found
        page = self.page(found.path)
        told: dict[str, Any] = {"title": found.title, "path": found.path}
        if page is None:
            return ReferenceTarget(kind="file", problem="this file has no text to look into", **told)
        if reference.first:
            if not 1 <= reference.first <= reference.last <= page.length:
                said = f"{found.path} has {page.length} lines"
                return ReferenceTarget(kind="file", problem=said, **told)
            return ReferenceTarget(kind=found.kind, start=reference.first, end=reference.last, **told)
        sections = section_names(page) if found.path.endswith(".md") else []
        place = _section(sections, reference.symbol.lower())
        if place is not None:
            return ReferenceTarget(kind="symbol", title=reference.symbol, path=found.path, start=place[0], end=place[1])
        symbol = reference.symbol.replace("::", ".")
        meant = [one for one in page.find_named(symbol) if f".{one.name}".endswith(f".{symbol}")]
        if meant:
            return ReferenceTarget(
                kind="symbol", title=meant[0].name, path=found.path, start=meant[0].start, end=meant[0].end
            )
        if reference.kind == "link" and not sections:
            return found  # its headings are of another form
        if sections and re.search(rf"""\b(?:id|name)=["']{re.escape(reference.symbol)}["']""", page.text):
            return found  # an anchor in HTML, whose end nobody knows
        known = [name for name, _, _ in sections] + [one.name for one in page.extents]
        near = nearest(reference.symbol, known)
        what = f"there is no section '{reference.symbol}'" if sections else f"'{reference.symbol}' is not defined"
        said = f"{what} in {found.path}"
        return ReferenceTarget(kind="file", problem=said, near=near or "", **told)

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
        if len(name) < _SHORTEST_PREFIX or at == len(self.ids) or not self.ids[at].startswith(wanted):
            return None
        if at + 1 < len(self.ids) and self.ids[at + 1].startswith(wanted):
            return None
        return _of_memory(self.memories[self.ids[at]])

    def _alike(self, name: str) -> Iterator[str]:
        """Yield ids that begin like a name: comparing all of many would take long."""
        begun = name[:_SHORTEST_PREFIX].lower()
        for identity in self.ids[bisect_left(self.ids, begun) :][:200] if len(begun) == _SHORTEST_PREFIX else ():
            if identity.startswith(begun):
                yield identity

    def _shown(self, near: str) -> str:
        paths = self.stems.get(near)
        return posixpath.basename(paths[0]).removesuffix(".md") if paths else near

    def _near_path(self, path: str) -> str:
        name = posixpath.basename(path)
        stem = posixpath.splitext(name.casefold())[0]
        kin = self._kin.get(_kin(name), ())
        same = [known for other, known in kin if other == stem]
        alike = same or [known for other, known in kin if _is_slip(stem, other)]
        folder = self.known_folder(path)
        beside = [known for known in alike if known.startswith(f"{folder}/")] if folder else []
        return nearest(path, beside or alike, alike=0.0) or ""


def rooted(target: str, path: str, *, linked: bool = False) -> str:
    """Return the path relative to the root that a target in the file at `path` means, "" for one outside of it.

    `./` and `../`, and every target of a link, are meant from the file's folder; others from the root.
    """
    near = linked or target.startswith(("./", "../"))
    whole = posixpath.join(posixpath.dirname(path), target) if near and not target.startswith("/") else target
    plain = posixpath.normpath(whole.lstrip("/"))
    return "" if plain.startswith("..") or plain == "." or "\0" in plain else plain


def section_names(page: LineIndex) -> list[tuple[str, int, int]]:
    """Return the sections of a markdown file by their slugs, with first and last line (1-based)."""
    return [(each.slug, each.line + 1, each.last + 1) for each in headings(page.text)]


def _kin(name: str) -> tuple[str, str]:
    """Return what a slip in the name of a file leaves as it is: its ending and its first letter."""
    return posixpath.splitext(name.casefold())[1], name[:1].casefold()


def _is_slip(stem: str, known: str) -> bool:
    """Whether one name may be a slip for another; another number is another thing."""
    if abs(len(stem) - len(known)) > _SLIPS or _DIGITS.findall(stem) != _DIGITS.findall(known):
        return False
    return likeness(stem, known) >= _ALIKE


def _section(sections: list[tuple[str, int, int]], slug: str) -> tuple[int, int] | None:
    """Return first and last line of the section that a slug means; None for none."""
    counted = _COUNTED.fullmatch(slug)
    for wanted, number in ((slug, 0), *([(counted["slug"], int(counted["number"]))] if counted else [])):
        places = [(first, last) for name, first, last in sections if name == wanted]
        if number < len(places):
            return places[number]
    return None


def quiet(read: Callable[[str], LineIndex | None]) -> Callable[[str], LineIndex | None]:
    """Return `read` for readers that don't mind why a file has no text."""

    def page(path: str) -> LineIndex | None:
        try:
            return read(path)
        except Unknown:
            return None

    return page


def _of_memory(memory: Memory) -> ReferenceTarget:
    return ReferenceTarget(kind="memory", title=headline(memory), id=memory.id)
