"""The graph across repositories: which places of other repositories import what this one publishes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from muninn_core.federation.dependents import Dependencies, Dependent, Published, dependents
from muninn_core.protocol.families.code import GraphEdge
from muninn_core.retrieval.graphs.code_graph import Node
from muninn_core.source.code.definition import Import
from muninn_core.source.code.resolve import FileIndex, resolve_import
from muninn_core.source.packages import MANIFESTS

WHOLE = "."
"""The start that means the repository: everything that it publishes."""


class Own(NamedTuple):
    """A repository: the packages that it publishes, its files by their names, and their paths."""

    packages: Sequence[Published]
    code: FileIndex
    paths: Sequence[str]


class Importing(NamedTuple):
    """The edges from other repositories, the names of the packages that they lead to, and why there can be none."""

    edges: list[GraphEdge]
    names: str
    note: str = ""


def importing(own: Own, node: Node | None, others: Mapping[str, Dependencies]) -> Importing:
    """Return the edges from other repositories to a file or definition, or to all packages without a node."""
    if not own.packages:
        return Importing([], WHOLE, f"This repository publishes no package: none of {', '.join(MANIFESTS)} names one.")
    edges = [
        _edge(each, node.label if node is not None else each.published.package.name)
        for each in dependents(own.packages, others)
        if node is None or _means(each, node, own)
    ]
    return Importing(edges, ", ".join(dict.fromkeys(each.package.name for each in own.packages)))


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


def _means(found: Dependent, node: Node, own: Own) -> bool:
    """Whether an import means the file of a node, and its definition if it names definitions."""
    statement = found.statement
    if statement is None or node.path not in _files(found.published, statement, own):
        return False
    if node.definition is None:
        return True
    names = {node.definition.name, node.definition.qualified.partition(".")[0]}
    return not statement.names or bool(names.intersection(statement.names))


def _files(published: Published, statement: Import, own: Own) -> set[str]:
    """Return the files of this repository that an import in another one means."""
    package, folder = published.package, published.folder
    if package.ecosystem == "python":
        importer = f"{folder}/_.py" if folder else "_.py"  # no file of this name needs to exist
        return set(resolve_import(importer, "python", statement, own.code))
    inner = statement.module.removeprefix(package.module).strip("/:").replace("::", "/")
    if package.ecosystem == "go":
        return set(own.code.folder("/".join(part for part in (folder, inner) if part)))
    stems = {"/".join(part for part in (folder, base, inner) if part) for base in ("", "src", "lib")}
    wanted = {f"{stem}{end}".lstrip("/") for stem in stems for end in ("", "/index", "/mod", "/lib")}
    return {path for path in own.paths if path.rpartition(".")[0] in wanted}
