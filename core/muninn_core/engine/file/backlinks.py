"""Who refers to what: the files that name a thing, and the edits that keep links right when files get other names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from muninn_core.context.hover import headline
from muninn_core.engine.file.lint import MOST_BYTES, names_of
from muninn_core.engine.file.record_locations import RecordLocations
from muninn_core.engine.file.reference_index import ReferenceIndex, ReferenceTarget, rooted
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.protocol.reference import Backlink, BacklinksParams, BacklinksResult, Edit, RelinkParams, RelinkResult
from muninn_core.source.muninn_file import KINDS_WITH_REFERENCES, own_kind
from muninn_core.source.references import Reference, find_references
from muninn_core.source.text import Text, read_text
from muninn_core.worktree.call import Call
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

MOST = 1_000
"""Places that are told."""

_FEW = 50
"""Names that a text is searched for before its references are looked at."""


def backlinks(workspace: Workspace, params: BacklinksParams, call: Call) -> BacklinksResult:
    """Find what refers to something. Raises NotFoundError when nothing has that name."""
    names = names_of(workspace, call.buffers)
    found = _target(names, params)
    words = _words(names, found)
    told: list[Backlink] = []
    for path, text in _texts(workspace, names, call):
        call.raise_if_cancelled()
        if not any(word in text.casefold() for word in words):
            continue
        lines = text.split("\n")
        for each in find_references(text, own_kind(path)):
            meant = names.find(each, path)
            if meant is not None and (meant.path, meant.id) == (found.path, found.id):
                said = lines[each.line].strip()[:200]
                place: dict[str, Any] = {"line": each.line + 1, "column": each.start + 1, "end": each.end + 1}
                told.append(Backlink(path=path, text=said, **place))
    told = told[:MOST]
    told += _memories(workspace, names, found, MOST - len(told))
    return BacklinksResult(target=found.id or found.path, backlinks=tuple(told), saw=workspace.read_state())


def relink(workspace: Workspace, params: RelinkParams, call: Call) -> RelinkResult:
    """Say which edits keep links right. Raises BadParams. Files of packs stay: they are as their authors made them."""
    root = workspace.layout.root
    if len(params.moves) % 2:
        raise BadParams("'moves' are pairs", hint="Give the old path, then the new one, for each file.")
    pairs = zip(params.moves[::2], params.moves[1::2], strict=True)
    moves = {relative_path(old, root): relative_path(new, root) for old, new in pairs}
    names = names_of(workspace, call.buffers)
    words = [posixpath.basename(old).removesuffix(".md").casefold() for old in moves] if len(moves) <= _FEW else [""]
    edits: list[Edit] = []
    for path, text in _texts(workspace, names, call):
        call.raise_if_cancelled()
        goes = moved(path, moves)
        if path.startswith(".muninn/packs/") or not (goes or any(word in text.casefold() for word in words)):
            continue
        for each in find_references(text, own_kind(path)):
            new = _renamed(names, each, path, goes or path, moves)
            if new is not None and new != each.target:
                shown = quote(new, safe="/~+@!$&'*,;=:") if each.kind == "link" else each.with_target(new)
                edits.append(Edit(path=path, line=each.line + 1, column=each.at + 1, end=each.to + 1, text=shown))
    edits.sort(key=lambda edit: (edit.path, edit.line, edit.column))
    return RelinkResult(edits=tuple(edits), saw=workspace.read_state())


def moved(path: str, moves: Mapping[str, str]) -> str:
    """Return the new path of what moves, or lies in a folder that does; "" for what stays."""
    at = path
    while at:
        if at in moves:
            return moves[at] + path[len(at) :]
        at = posixpath.dirname(at)
    return ""


def _renamed(names: ReferenceIndex, each: Reference, path: str, goes: str, moves: Mapping[str, str]) -> str | None:
    """Return what a reference in the file at `path`, which will be at `goes`, must say; None where it stays."""
    if each.kind == "query" or (each.kind == "value" and each.key != "files" and "/" not in each.target):
        return _renamed_stem(names, each, moves) if each.kind == "value" else None
    if each.kind == "name" and each.target in names.memories:
        return None
    called = _renamed_stem(names, each, moves) if each.kind == "name" and "/" not in each.target else None
    if called is not None:
        return called
    linked = each.kind == "link"
    bare = each.kind in ("name", "value") and not each.target.endswith(".md")
    for ending in ("", ".md") if bare else ("",):
        for near in (linked, not linked):
            old = rooted(each.target + ending, path, linked=near)
            new = moved(old, moves) if old else ""
            if new or (old and (names.root / old).exists()):
                relative = (near and not each.target.startswith("/")) or each.target.startswith(("./", "../"))
                if not new and not (relative and goes != path):
                    return None
                told = (new or old).removesuffix(ending) if ending else (new or old)
                return _relative(told, goes, each) if relative else _lead(each) + told
    return _renamed_stem(names, each, moves) if each.kind == "name" else None


def _renamed_stem(names: ReferenceIndex, each: Reference, moves: Mapping[str, str]) -> str | None:
    wanted = each.target.casefold()
    for old, new in moves.items():
        stem = posixpath.basename(old).removesuffix(".md")
        if old.endswith(".md") and stem.casefold() == wanted and own_kind(old) in ("knowledge", "context"):
            others = [path for path in names.stems.get(wanted, ()) if path != old]
            fresh = posixpath.basename(new).removesuffix(".md")
            return None if others else new if names.stems.get(fresh.casefold()) and fresh != stem else fresh
    return None


def _relative(target: str, goes: str, each: Reference) -> str:
    shown = posixpath.relpath(target, posixpath.dirname(goes) or ".")
    return f"./{shown}" if each.kind != "link" and not shown.startswith("../") else shown


def _lead(each: Reference) -> str:
    return "/" if each.target.startswith("/") else ""


def _target(names: ReferenceIndex, params: BacklinksParams) -> ReferenceTarget:
    given = params.target.strip()
    for each in find_references(given, "context"):
        meant = names.find(each, params.path)
        if meant is not None:
            return meant
    found = names.named(given.removeprefix("@"), params.path)
    if found is None:
        raise NotFoundError(f"there is nothing called '{given}'", hint="`muninn names` shows what can be named.")
    return found


def _words(names: ReferenceIndex, found: ReferenceTarget) -> list[str]:
    """Return what a text must contain, whatever the case, to refer to a thing."""
    if found.id:
        return [found.id[:6]]
    document = names.library.at_path(found.path)
    told = [posixpath.basename(found.path).removesuffix(".md").casefold()]
    if document is not None:
        number = [] if document.number is None else [str(document.number)]
        told += [*number, *(word.casefold() for word in (document.short_code, document.title, document.id) if word)]
        told += re.findall(r"\d+", document.short_code)
    return told


def _texts(workspace: Workspace, names: ReferenceIndex, call: Call) -> Iterator[tuple[str, str]]:
    """Yield path and text of all files that may refer to something, by path; the client's own text where it edits one.

    An edit goes into the text that an editor has: at the places of an older one it would spoil it.
    """
    root = workspace.layout.root
    unsaved = call.buffers.unsaved(workspace.citations) if call.buffers is not None else {}
    paths = {path for paths in names.stems.values() for path in paths} | {each.path for each in names.library}
    paths |= {file.relative_to(root).as_posix() for file in (root / ".claude").glob("*.md")}
    paths |= {path for path in unsaved if own_kind(path) in ("knowledge", "document", *KINDS_WITH_REFERENCES)}
    for path in sorted(paths):
        if path in unsaved:
            yield path, unsaved[path].text.replace("\r\n", "\n")
            continue
        read = read_text(root, path, MOST_BYTES)
        if isinstance(read, Text):
            yield path, read.text


def _memories(workspace: Workspace, names: ReferenceIndex, found: ReferenceTarget, most: int) -> Iterator[Backlink]:
    """Yield at most so many memories that link to a memory, or are about a file."""
    places = RecordLocations(workspace)
    for identity in names.ids:
        if most <= 0:
            return
        memory = names.memories[identity]
        linked = any(link.target == found.id for link in memory.links) if found.id else False
        about = found.path in memory.files or any(cite.path == found.path for cite in memory.cites)
        if memory.active and (linked if found.id else about):
            most -= 1
            path, line = places.of(identity)
            yield Backlink(path=path, line=line, column=1, end=1, text=headline(memory), id=identity)
