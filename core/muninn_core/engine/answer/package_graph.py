"""The graph across repositories: which places of other repositories import what this one publishes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from muninn_core.federation.asked import Asked
from muninn_core.federation.dependents import Dependent, Published, dependents, packages
from muninn_core.index.snapshot import Snapshot
from muninn_core.protocol.code import GraphEdge
from muninn_core.retrieval.graph import Node
from muninn_core.source.definition import Import
from muninn_core.source.packages import MANIFESTS
from muninn_core.source.resolve import resolve_import

WHOLE = "."
"""The start that means the repository: everything that it publishes."""


class Importing(NamedTuple):
    """The edges from other repositories, the names of the packages that they lead to, and why there can be none."""

    edges: list[GraphEdge]
    names: str
    note: str = ""


def importing(snapshot: Snapshot, root: Path, node: Node | None, asked: Asked) -> Importing:
    """Return the edges from other repositories to a file or definition, or to all packages without a node."""
    own = packages(snapshot, root)
    if not own:
        return Importing([], WHOLE, f"This repository publishes no package: none of {', '.join(MANIFESTS)} names one.")
    edges = [
        _edge(each, node.label if node is not None else each.published.package.name)
        for each in dependents(own, asked.dependencies())
        if node is None or _means(each, node, snapshot)
    ]
    return Importing(edges, ", ".join(dict.fromkeys(each.package.name for each in own)))


def _edge(found: Dependent, origin: str) -> GraphEdge:
    name = found.published.package.name
    how = f"imports {found.statement.module}" if found.statement is not None else f"declares {name} as a dependency"
    return GraphEdge(
        depth=1,
        relation="importers",
        origin=origin,
        path=found.path,
        at_path=found.path,
        at_line=found.line,
        how=how,
        repository=found.repository,
    )


def _means(found: Dependent, node: Node, snapshot: Snapshot) -> bool:
    """Whether an import means the file of a node, and its definition if it names definitions."""
    statement = found.statement
    if statement is None or node.path not in _files(found.published, statement, snapshot):
        return False
    if node.definition is None:
        return True
    names = {node.definition.name, node.definition.qualified.partition(".")[0]}
    return not statement.names or bool(names.intersection(statement.names))


def _files(published: Published, statement: Import, snapshot: Snapshot) -> set[str]:
    """Return the files of this repository that an import in another one means."""
    package, folder = published.package, published.folder
    if package.ecosystem == "python":
        importer = f"{folder}/_.py" if folder else "_.py"  # no file of this name needs to exist
        return set(resolve_import(importer, "python", statement, snapshot.code))
    inner = statement.module.removeprefix(package.module).strip("/:").replace("::", "/")
    if package.ecosystem == "go":
        return set(snapshot.code.folder("/".join(part for part in (folder, inner) if part)))
    stems = {"/".join(part for part in (folder, base, inner) if part) for base in ("", "src", "lib")}
    wanted = {f"{stem}{end}".lstrip("/") for stem in stems for end in ("", "/index", "/mod", "/lib")}
    return {path for path, _, _ in snapshot.paths() if path.rpartition(".")[0] in wanted}
