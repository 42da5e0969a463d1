"""The code map: definitions by name, the outline of a file, and the relations of a file or definition."""

from __future__ import annotations

from collections.abc import Iterable

from muninn_core.engine.answer.code import package_graph
from muninn_core.engine.answer.code.definitions import (
    check,
    checked_kind,
    checked_language,
    edges_around,
    find_node,
    outlined,
    symbol_of,
)
from muninn_core.engine.answer.search_context import FIRST_SECONDS, OPEN_SECONDS
from muninn_core.engine.answer.unknown_file import unknown_file
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.federation.dependents import packages_of
from muninn_core.federation.searched_repositories import NO_REPOSITORIES, SearchedRepositories
from muninn_core.index.snapshot import Snapshot
from muninn_core.model.answer import ReadState
from muninn_core.model.counting import number_of
from muninn_core.model.value import replace
from muninn_core.protocol.families.code import (
    GraphEdge,
    GraphParams,
    GraphResult,
    OutlineParams,
    OutlineResult,
    SymbolsParams,
    SymbolsResult,
)
from muninn_core.retrieval.graphs.code_graph import RELATIONS, Node
from muninn_core.retrieval.graphs.symbol_search import find_across
from muninn_core.worktree.indexing.index_updater import FIRST_SCAN
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

CHANGES = "changes"
"""The relation to the files that the same commits changed."""

IMPORTERS = ("importers", "neighbours")
"""The relations that are followed into other repositories."""


class _IndexedFiles:
    """The files of an index."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def has(self, path: str) -> bool:
        """Whether a file is indexed."""
        return self._snapshot.file(path) is not None

    def paths(self) -> Iterable[str]:
        """Return all paths."""
        return self._snapshot.files()


def symbols(
    workspace: Workspace, params: SymbolsParams, others: SearchedRepositories = NO_REPOSITORIES
) -> SymbolsResult:
    """Find definitions by name, also in the `others` repositories. Raises BadParams for an unknown language or kind."""
    snapshot, saw = read_index(workspace)
    language, kind = checked_language(params.language), checked_kind(params.kind)
    found, total = find_across(
        {"": snapshot.code, **{part.name: part.snapshot.code for part in others.parts}},
        params.query,
        limit=params.limit,
        kind=kind,
        language=language,
        path=params.path,
    )
    return SymbolsResult(
        symbols=tuple(symbol_of(symbol.path, symbol.definition, repository=name) for name, symbol in found),
        total=total + others.more,
        repositories=others.repositories,
        saw=others.noted(saw),
    )


def outline(workspace: Workspace, params: OutlineParams) -> OutlineResult:
    """Return the definitions of a file as a tree. Raises NotFoundError for a file that is not indexed."""
    path = relative_path(params.path, workspace.layout.root)
    snapshot, saw = read_index(workspace)
    files = _IndexedFiles(snapshot)
    if not files.has(path):
        if saw.index.lag and (workspace.layout.root / path).is_file():
            raise with_index_lag(NotFoundError(f"{path} is not in the index"), saw)
        raise unknown_file(workspace.layout.root, path, files.paths())
    chunks = list(snapshot.chunks_of(path).values())
    return outlined(path, snapshot.code.outline(path), chunks[0].comment if chunks else "", saw)


def with_index_lag(error: NotFoundError, saw: ReadState) -> NotFoundError:
    """Return the error for what the index does not have. While it lags behind the files, the error says so."""
    if not saw.index.lag:
        return error
    hint = "The index is not complete: `muninn index --wait` waits for it."
    return NotFoundError(f"{error.message} so far", hint=hint, data=error.data)


def graph(workspace: Workspace, params: GraphParams, others: SearchedRepositories = NO_REPOSITORIES) -> GraphResult:
    """Return the relations of a file or definition, and its importers in the `others` repositories.

    Raises NotFoundError for an unknown target, with the nearest name, and BadParams for a name with several
    definitions, with all of them.
    """
    check("relation", params.relation, ("neighbours", *RELATIONS, CHANGES))
    if params.repos and params.relation not in IMPORTERS:
        raise BadParams(
            f"'repos' finds importers, not {params.relation}", hint="Leave `relation` out, or ask for `importers`."
        )
    snapshot, saw = read_index(workspace)
    whole = bool(params.repos) and params.start == package_graph.WHOLE
    root = workspace.layout.root
    node = None
    if not whole:
        try:
            node = find_node(
                snapshot.code, _IndexedFiles(snapshot), params.start, lambda path: relative_path(path, root)
            )
        except NotFoundError as error:
            raise with_index_lag(error, saw) from None
    if node is not None and params.relation == CHANGES:
        found = _changes(workspace, snapshot, node)
        omitted = max(0, len(found) - params.limit)
    else:
        found, omitted = edges_around(snapshot.code, node, params) if node is not None else ([], 0)
    target = node.label if node is not None else params.start
    if params.repos:
        own = package_graph.Own(packages_of(snapshot, root), snapshot.code, [path for path, _, _ in snapshot.paths()])
        importing = package_graph.importing(own, node, others.dependencies())
        found += importing.edges
        omitted += max(0, len(found) - params.limit)
        saw = others.noted(replace(saw, note=importing.note))
        target = importing.names if node is None else target
    return GraphResult(
        target=target,
        symbol=symbol_of(node.path, node.definition) if node is not None and node.definition else None,
        relation=params.relation,
        edges=tuple(found[: params.limit]),
        omitted=omitted,
        repositories=others.repositories,
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
            how=f"{common} of {number_of(commits, 'commit')}",
        )
        for path, common, commits in workspace.evolution.current().changed_with(node.path)
        if snapshot.file(path) is not None
    ]


def read_index(workspace: Workspace) -> tuple[Snapshot, ReadState]:
    """Return the index's snapshot and what an answer from it saw. In a new repository, wait for the first files."""
    index = workspace.updater.wait_open(OPEN_SECONDS)
    if workspace.updater.scans == 0 and not index.snapshot().counts()["files"]:
        workspace.updater.wait_files(FIRST_SCAN, FIRST_SECONDS)
    snapshot = index.snapshot()
    saw = workspace.read_state()
    return snapshot, replace(saw, index=replace(saw.index, generation=snapshot.generation))
