"""The code map: definitions by name, the outline of a file, and the relations of a file or definition."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from muninn_core.engine.answer import package_graph
from muninn_core.engine.answer.search_context import FIRST_SECONDS, OPEN_SECONDS
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.federation.asked import NOBODY, Asked
from muninn_core.index.snapshot import Snapshot
from muninn_core.model.answer import ReadState
from muninn_core.model.value import replace
from muninn_core.near_match import did_you_mean, nearest, nearest_path
from muninn_core.protocol.code import (
    CodeSymbol,
    GraphEdge,
    GraphParams,
    GraphResult,
    OutlineParams,
    OutlineResult,
    SymbolsParams,
    SymbolsResult,
)
from muninn_core.retrieval.filters import language_named
from muninn_core.retrieval.graph import RELATIONS, Edge, Graph, Node, is_constructor
from muninn_core.retrieval.symbol_search import find_across
from muninn_core.source.classify import LANGUAGES, language_of
from muninn_core.source.definition import KINDS, Definition
from muninn_core.worktree.index_updater import FIRST_LOOK
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

CHANGES = "changes"
"""The relation to the files that the same commits changed."""

IMPORTERS = ("importers", "neighbours")
"""The relations that are followed into other repositories."""

_SHOWN = 120
"""The most characters of a name that an error repeats."""

_CANDIDATES = 8
"""The most definitions that an error about an ambiguous name lists."""

_LESSER = frozenset({"prototype", "key", "heading", "field", "variable", "property"})
"""Kinds of definitions that a name means only when no other kind has it."""


def symbols(workspace: Workspace, params: SymbolsParams, asked: Asked = NOBODY) -> SymbolsResult:
    """Find definitions by name, also in the `asked` repositories. Raises BadParams for an unknown language or kind."""
    snapshot, saw = read_index(workspace)
    language = language_named(params.language or "") or params.language
    _check("language", language, sorted(set(LANGUAGES.values())))
    _check("kind", params.kind, KINDS)
    found, total = find_across(
        {"": snapshot.code, **{part.name: part.snapshot.code for part in asked.parts}},
        params.query,
        limit=params.limit,
        kind=params.kind,
        language=language,
        path=params.path,
    )
    return SymbolsResult(
        symbols=tuple(replace(_symbol(symbol.path, symbol.definition), repository=name) for name, symbol in found),
        total=total + asked.more,
        repositories=asked.repositories,
        saw=asked.noted(saw),
    )


def outline(workspace: Workspace, params: OutlineParams) -> OutlineResult:
    """Return the definitions of a file as a tree. Raises NotFoundError for a file that is not indexed."""
    path = relative_path(params.path, workspace.layout.root)
    snapshot, saw = read_index(workspace)
    if snapshot.file(path) is None:
        raise _no_file(path, snapshot)
    chunks = list(snapshot.chunks_of(path).values())
    comment = chunks[0].comment if chunks else ""
    found = snapshot.code.outline(path)
    first = found[0].comment if found else ""
    return OutlineResult(
        path=path,
        language=language_of(path),
        symbols=_tree(path, found),
        comment="" if not comment or comment == first else comment.partition("\n")[0],
        saw=saw,
    )


def graph(workspace: Workspace, params: GraphParams, asked: Asked = NOBODY) -> GraphResult:
    """Return the relations of a file or definition, and its importers in the `asked` repositories.

    Raises NotFoundError for an unknown target, with the nearest name, and BadParams for a name with several
    definitions, with all of them.
    """
    _check("relation", params.relation, ("neighbours", *RELATIONS, CHANGES))
    if params.repos and params.relation not in IMPORTERS:
        raise BadParams(
            f"'repos' finds importers, not {params.relation}", hint="Leave `relation` out, or ask for `importers`."
        )
    snapshot, saw = read_index(workspace)
    whole = bool(params.repos) and params.start == package_graph.WHOLE
    node = None if whole else _node(snapshot, params.start, workspace.layout.root)
    if node is not None and params.relation == CHANGES:
        found = _changes(workspace, snapshot, node)
        omitted = max(0, len(found) - params.limit)
    else:
        edges, omitted = _around(snapshot, node, params) if node is not None else ([], 0)
        found = list(map(_edge, edges))
    target = node.label if node is not None else params.start
    if params.repos:
        importing = package_graph.importing(snapshot, workspace.layout.root, node, asked)
        found += importing.edges
        omitted += max(0, len(found) - params.limit)
        saw = asked.noted(replace(saw, note=importing.note))
        target = importing.names if node is None else target
    return GraphResult(
        target=target,
        symbol=_symbol(node.path, node.definition) if node is not None and node.definition else None,
        relation=params.relation,
        edges=tuple(found[: params.limit]),
        omitted=omitted,
        repositories=asked.repositories,
        saw=saw,
    )


def _changes(workspace: Workspace, snapshot: Snapshot, node: Node) -> list[GraphEdge]:
    """Return the files of the index that changed together with the node's file in at least two commits."""
    return [
        GraphEdge(
            depth=1,
            relation=CHANGES,
            origin=node.path,
            path=path,
            how=f"{common} of {commits} commits",
        )
        for path, common, commits in workspace.evolution.current().changed_with(node.path)
        if snapshot.file(path) is not None
    ]


def _around(snapshot: Snapshot, node: Node, params: GraphParams) -> tuple[list[Edge], int]:
    """Return the edges around a node in this repository, and the number of those beyond the limit."""
    relations = [relation for relation in RELATIONS if params.relation in (relation, "neighbours")]
    if params.relation == "neighbours":
        relations.remove("definitions")
    if node.definition is not None and params.relation == "neighbours":
        relations = [relation for relation in relations if relation not in ("imports", "importers")]
    return Graph(snapshot.code).around(node, relations, params.depth, params.limit)


def _check(name: str, value: str | None, known: Sequence[str]) -> None:
    if value is None or value in known:
        return
    raise BadParams(f"there is no {name} '{value}'", hint=did_you_mean(value, known, f"There are {', '.join(known)}."))


def read_index(workspace: Workspace) -> tuple[Snapshot, ReadState]:
    """Return the index's snapshot and what an answer from it saw. In a new repository, wait for the first files."""
    index = workspace.updater.wait_open(OPEN_SECONDS)
    if workspace.updater.scans == 0 and not index.snapshot().counts()["files"]:
        workspace.updater.wait_files(FIRST_LOOK, FIRST_SECONDS)
    snapshot = index.snapshot()
    saw = workspace.read_state()
    return snapshot, replace(saw, index=replace(saw.index, generation=snapshot.generation))


def _node(snapshot: Snapshot, target: str, root: Path) -> Node:
    path, mark, symbol = target.partition("#")
    if not mark and snapshot.file(target.removeprefix("./")) is not None:
        return Node(target.removeprefix("./"))
    _, dot, last = target.rpartition(".")
    if not mark and ("/" in target or (dot and last in LANGUAGES and not snapshot.code.named(last))):
        path = relative_path(target, root)
        if snapshot.file(path) is None:
            raise _no_file(path, snapshot)
        return Node(path)
    if mark:
        path = relative_path(path, root)
        if snapshot.file(path) is None:
            raise _no_file(path, snapshot)
    return _definition(snapshot, path if mark else "", symbol if mark else target)


def _definition(snapshot: Snapshot, path: str, symbol: str) -> Node:
    wanted = symbol.replace("::", ".").removesuffix("()")
    name = wanted.rpartition(".")[2]
    named = _named(snapshot, name, path)
    known = [each for each in named if each.definition and f".{each.definition.qualified}".endswith(f".{wanted}")]
    matching = [each for each in known if each.definition and each.definition.kind not in _LESSER] or known
    matching = [each for each in matching if not is_constructor(each.definition)] or matching
    if not matching:
        raise _no_definition(snapshot, path, symbol, name)
    labels = list(dict.fromkeys(each.label for each in matching))
    if len(labels) > 1:
        shown = ", ".join(labels[:_CANDIDATES]) + (" …" if len(labels) > _CANDIDATES else "")
        raise BadParams(
            f"'{symbol}' means {len(labels)} definitions", hint=f"Name one: {shown}", data={"candidates": labels}
        )
    return max(matching, key=_length)  # overloads share a name: the one with a body shows what it is


def _named(snapshot: Snapshot, name: str, path: str) -> list[Node]:
    return [Node(one.path, one.definition) for one in snapshot.code.named(name) if path in ("", one.path)]


def _length(node: Node) -> int:
    return node.definition.end - node.definition.start if node.definition else 0


def _no_definition(snapshot: Snapshot, path: str, symbol: str, name: str) -> NotFoundError:
    """Return the error for an unknown definition. Its suggestions are names that `graph` takes."""
    names = {one.name for one in snapshot.code.outline(path)} if path else set(snapshot.code.names())
    near = name if name in names else nearest(name, sorted(names))
    labels = list(dict.fromkeys(each.label for each in _named(snapshot, near or "", path)))
    few = ", ".join(f"'{each}'" for each in labels[:_CANDIDATES]) + (" …" if len(labels) > _CANDIDATES else "")
    return NotFoundError(
        f"'{symbol[:_SHOWN]}' is not defined in {path or 'this repository'}",
        hint=f"Did you mean {few}?" if labels else "`muninn symbols` finds definitions by parts of their names.",
        data={"nearest": labels[0], "candidates": labels} if labels else {},
    )


def _no_file(path: str, snapshot: Snapshot) -> NotFoundError:
    near = nearest_path(path, snapshot.files())
    return NotFoundError(
        f"{path} is not in the index",
        hint=f"Did you mean {near}?" if near else "`muninn status` says whether the index is complete.",
        data={"nearest": near} if near else {},
    )


def _symbol(path: str, definition: Definition, children: tuple[CodeSymbol, ...] = ()) -> CodeSymbol:
    return CodeSymbol(
        name=definition.name,
        kind=definition.kind,
        container=definition.container,
        path=path,
        start_line=definition.start,
        end_line=definition.end,
        signature=definition.signature,
        comment=definition.comment,
        children=children,
    )


def _tree(
    path: str, definitions: Sequence[Definition], start: int = 0, end: int | None = None
) -> tuple[CodeSymbol, ...]:
    """Return definitions `start` to `end` as a tree: a definition within the lines of an earlier one is its child."""
    end = len(definitions) if end is None else end
    symbols: list[CodeSymbol] = []
    while start < end:
        definition, after = definitions[start], start + 1
        while (
            after < end
            and definitions[after].start <= definition.end
            and definitions[after].container.startswith(_inner(definition))
        ):
            after += 1
        symbols.append(_symbol(path, definition, _tree(path, definitions, start + 1, after)))
        start = after
    return tuple(symbols)


def _inner(definition: Definition) -> str:
    separator = " > " if definition.kind == "heading" else "."
    return f"{definition.container}{separator}{definition.name}" if definition.container else definition.name


def _edge(edge: Edge) -> GraphEdge:
    definition = edge.node.definition
    return GraphEdge(
        depth=edge.depth,
        relation=edge.relation,
        origin=edge.origin.label,
        path=edge.node.path,
        name=definition.qualified if definition else "",
        kind=definition.kind if definition else "",
        start_line=definition.start if definition else 0,
        end_line=definition.end if definition else 0,
        signature=definition.signature if definition else "",
        at_path=edge.path,
        at_line=edge.line,
        how=edge.how,
    )
