"""The map of a repository: its folders, what they hold, and which of them import each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from weakref import WeakKeyDictionary

from muninn_core.engine.answer.code.code_map import read_index
from muninn_core.engine.answer.code.file_tree import folder_within
from muninn_core.engine.memory.drafting.scopes import visible
from muninn_core.errors import NotFoundError
from muninn_core.index.snapshot import Snapshot
from muninn_core.near_match import nearest_path
from muninn_core.protocol.families.code import MapFolder, MapImport, MapParams, MapResult
from muninn_core.retrieval.graphs.code_graph import Graph
from muninn_core.source.files.classify import language_of, path_traits
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace

CENTRAL = 10
"""The most files that are listed as central."""

IMPORTED = 5
"""The most folders that are listed as imported by one folder."""

_imports_of: WeakKeyDictionary[Snapshot, Mapping[str, Iterable[str]]] = WeakKeyDictionary()
"""The imported files of each file, by the index that they were read from."""


def repository_map(workspace: Workspace, params: MapParams, call: CallContext) -> MapResult:
    """Return the folders of a repository, or of one of its folders. Raises NotFoundError for an unknown folder."""
    top = folder_within(params.path, workspace)
    snapshot, saw = read_index(workspace)
    sizes = {path: count for path, count in snapshot.code.sizes().items() if not path.startswith(".muninn/")}
    within = [path for path in sizes if not top or path.startswith(f"{top}/")]
    if top and not within:
        folders = {path.rpartition("/")[0]: None for path in sizes}
        near = nearest_path(top, {each: None for each in folders if each})
        hint = f"Did you mean {near}?" if near else "`muninn map` shows all folders."
        raise NotFoundError(f"{top} is no folder with indexed files", hint=hint)
    areas = {path: _area(path, top, params.depth) for path in within}
    imports = _imports(snapshot, sizes, call)
    memories = _memories(workspace.memory, areas)
    found = [_folder(area, areas, sizes, imports, memories[area], params.depth) for area in set(areas.values())]
    found.sort(key=lambda folder: (-folder.files, folder.path))
    languages = Counter(language_of(path) for path in within)
    return MapResult(
        path=top or ".",
        files=len(within),
        definitions=sum(sizes[path] for path in within),
        languages=_counted(languages),
        folders=tuple(found[: params.limit]),
        central=_central(imports, set(within)),
        omitted=max(0, len(found) - params.limit),
        saw=saw,
    )


def _area(path: str, top: str, depth: int) -> str:
    """Return the folder that a file counts for: at most `depth` levels below `top`, "." for the root."""
    inner = path[len(top) + 1 :] if top else path
    folders = inner.split("/")[:-1][:depth]
    return "/".join([*([top] if top else []), *folders]) or "."


def _imports(snapshot: Snapshot, paths: Iterable[str], call: CallContext) -> Mapping[str, Iterable[str]]:
    known = _imports_of.get(snapshot)
    if known is None:
        graph = Graph(snapshot.code)
        found: dict[str, Iterable[str]] = {}
        for path in paths:
            call.raise_if_cancelled()
            found[path] = tuple(graph.imported_files(path))
        known = _imports_of[snapshot] = found
    return known


def _memories(store: MemoryStore, areas: Mapping[str, str]) -> Counter[str]:
    """Return {folder: number of recallable memories that name or cite one of its files}."""
    seen = visible(store, None, None)
    counts: Counter[str] = Counter()
    for memory in store.recallable().values():
        if seen(memory):
            paths = {*memory.files, *(cite.path for cite in memory.cites)}
            counts.update({areas[path] for path in paths if path in areas})
    return counts


def _folder(
    area: str,
    areas: Mapping[str, str],
    sizes: Mapping[str, int],
    imports: Mapping[str, Iterable[str]],
    memories: int,
    depth: int,
) -> MapFolder:
    files = [path for path, its in areas.items() if its == area]
    needed: Counter[str] = Counter()
    for path in files:
        targets = {areas.get(target) or _area(target, "", depth) for target in imports[path]}
        needed.update(targets - {area})
    ranked = sorted(needed.items(), key=lambda pair: (-pair[1], pair[0]))[:IMPORTED]
    return MapFolder(
        path=area,
        files=len(files),
        definitions=sum(sizes[path] for path in files),
        languages=_counted(Counter(map(language_of, files))),
        memories=memories,
        imports=tuple(MapImport(path=path, files=count) for path, count in ranked),
    )


def _central(imports: Mapping[str, Iterable[str]], within: set[str]) -> tuple[MapImport, ...]:
    counts = Counter(
        target
        for path, targets in imports.items()
        if "test" not in path_traits(path)
        for target in targets
        if target in within
    )
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:CENTRAL]
    return tuple(MapImport(path=path, files=count) for path, count in ranked if count > 1)


def _counted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
