"""Backlinks: the references to a target, and the edits that keep links valid when files are renamed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from muninn_core.context.memory_summary import headline
from muninn_core.engine.file.lint import MAX_BYTES, names_of
from muninn_core.engine.file.record_locations import RecordLocations
from muninn_core.engine.file.reference_index import ReferenceIndex, ReferenceTarget, rooted
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.protocol.families.reference import (
    Backlink,
    BacklinksParams,
    BacklinksResult,
    Edit,
    RelinkParams,
    RelinkResult,
)
from muninn_core.source.documents.muninn_file import KINDS_WITH_REFERENCES, own_kind
from muninn_core.source.documents.references import Reference, find_references
from muninn_core.source.files.text import Text, read_text
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

MAX_BACKLINKS = 1_000
"""The most backlinks of an answer."""

_FEW = 50
"""The most moved files for which texts are searched for the names first; with more, every reference is resolved."""


def backlinks(workspace: Workspace, params: BacklinksParams, call: CallContext) -> BacklinksResult:
    """Find the references to a target. Raises NotFoundError for an unknown target."""
    names = names_of(workspace, call.buffers)
    found = _target(names, params)
    words = _words(names, found)
    links: list[Backlink] = []
    for path, text in _texts(workspace, names, call):
        call.raise_if_cancelled()
        if not any(word in text.casefold() for word in words):
            continue
        lines = text.split("\n")
        for each in find_references(text, own_kind(path)):
            target = names.find(each, path)
            if target is not None and (target.path, target.id) == (found.path, found.id):
                line_text = lines[each.line].strip()[:200]
                place: dict[str, Any] = {"line": each.line + 1, "column": each.start + 1, "end": each.end + 1}
                links.append(Backlink(path=path, text=line_text, **place))
    links = links[:MAX_BACKLINKS]
    links += _memories(workspace, names, found, MAX_BACKLINKS - len(links))
    return BacklinksResult(target=found.id or found.path, backlinks=tuple(links), saw=workspace.read_state())


def relink(workspace: Workspace, params: RelinkParams, call: CallContext) -> RelinkResult:
    """Return the edits that keep links valid after files are moved. Files of packs are not edited.

    `moves` lists the old and the new path of each file in turn. Raises BadParams for an odd number.
    """
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
        destination = moved(path, moves)
        if path.startswith(".muninn/packs/") or not (destination or any(word in text.casefold() for word in words)):
            continue
        for each in find_references(text, own_kind(path)):
            new = _renamed(names, each, path, destination or path, moves)
            if new is not None and new != each.target:
                shown = quote(new, safe="/~+@!$&'*,;=:") if each.kind == "link" else each.with_target(new)
                edits.append(Edit(path=path, line=each.line + 1, column=each.at + 1, end=each.to + 1, text=shown))
    edits.sort(key=lambda edit: (edit.path, edit.line, edit.column))
    return RelinkResult(edits=tuple(edits), saw=workspace.read_state())


def moved(path: str, moves: Mapping[str, str]) -> str:
    """Return the new path of a file that moves, itself or with a folder; "" for one that stays."""
    at = path
    while at:
        if at in moves:
            return moves[at] + path[len(at) :]
        at = posixpath.dirname(at)
    return ""


def _renamed(
    names: ReferenceIndex, each: Reference, path: str, destination: str, moves: Mapping[str, str]
) -> str | None:
    """Return the new target of a reference in the file at `path`, which moves to `destination`; None when it stays
    valid.
    """
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
                if not new and not (relative and destination != path):
                    return None
                target = (new or old).removesuffix(ending) if ending else (new or old)
                return _relative(target, destination, each) if relative else _lead(each) + target
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


def _relative(target: str, destination: str, each: Reference) -> str:
    shown = posixpath.relpath(target, posixpath.dirname(destination) or ".")
    return f"./{shown}" if each.kind != "link" and not shown.startswith("../") else shown


def _lead(each: Reference) -> str:
    return "/" if each.target.startswith("/") else ""


def _target(names: ReferenceIndex, params: BacklinksParams) -> ReferenceTarget:
    given = params.target.strip()
    for each in find_references(given, "context"):
        target = names.find(each, params.path)
        if target is not None:
            return target
    found = names.named(given.removeprefix("@"), params.path)
    if found is None:
        raise NotFoundError(f"there is nothing called '{given}'", hint="`muninn names` shows what can be named.")
    return found


def _words(names: ReferenceIndex, found: ReferenceTarget) -> list[str]:
    """Return words, in lower case, of which a text must contain one to refer to the target."""
    if found.id:
        return [found.id[:6]]
    document = names.library.at_path(found.path)
    words = [posixpath.basename(found.path).removesuffix(".md").casefold()]
    if document is not None:
        number = [] if document.number is None else [str(document.number)]
        words += [*number, *(word.casefold() for word in (document.short_code, document.title, document.id) if word)]
        words += re.findall(r"\d+", document.short_code)
    return words


def _texts(workspace: Workspace, names: ReferenceIndex, call: CallContext) -> Iterator[tuple[str, str]]:
    """Yield path and text of all files that may contain references, by path, with unsaved texts of the client's editor.

    Edits apply to the unsaved text, so columns of the saved one would be wrong.
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
        read = read_text(root, path, MAX_BYTES)
        if isinstance(read, Text):
            yield path, read.text


def _memories(workspace: Workspace, names: ReferenceIndex, found: ReferenceTarget, most: int) -> Iterator[Backlink]:
    """Yield at most `most` memories that link to a memory, or cite or name a file."""
    places = RecordLocations(workspace)
    for identity in names.ids:
        if most <= 0:
            return
        memory = names.memories[identity]
        linked = any(link.target == found.id for link in memory.links) if found.id else False
        about = found.path in memory.files or any(cite.path == found.path for cite in memory.cites)
        if memory.active and (linked if found.id else about):
            most -= 1
            path, line = places.locate(identity)
            yield Backlink(path=path, line=line, column=1, end=1, text=headline(memory), id=identity)
