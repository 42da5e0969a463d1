"""Which files of other repositories import the packages that this repository publishes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from muninn_core.regular_file import read_regular
from muninn_core.source.files.classify import language_of, path_traits
from muninn_core.source.files.path_containment import is_inside
from muninn_core.source.packages import LANGUAGES, MANIFESTS, Package, declared, published

if TYPE_CHECKING:
    from muninn_core.index.snapshot import Snapshot
    from muninn_core.source.code.definition import Import

MAX_MANIFESTS = 200
"""The most manifests of a repository that are read, those nearest to the root first."""

_MAX_BYTES = 1_000_000
_NO_PACKAGE = frozenset({"test", "tests", "docs", "doc", "examples", "example", "scripts", "bench", "benchmarks"})
_INIT = re.compile(r"(?:src/)?([^/.]+)/__init__\.pyi?")


class Published(NamedTuple):
    """A package of this repository, the folder of its manifest ("" for the root), and what code imports it as."""

    package: Package
    folder: str
    modules: frozenset[str]


class Dependent(NamedTuple):
    """A place in another repository that depends on a package; `statement` is None for a line of a manifest."""

    repository: str
    path: str
    line: int
    published: Published
    statement: Import | None


class Dependencies(Protocol):
    """What another repository imports, declares and publishes."""

    def published(self) -> Set[Package]:
        """Return the packages that it publishes."""

    def declarations(self, packages: Collection[Package]) -> Iterable[tuple[str, int, Package]]:
        """Return (path, line, package) of the manifests that declare some packages as dependencies."""

    def imports(self, wanted: Published) -> Iterable[tuple[str, Import]]:
        """Return (path, import) of the imports of a package's modules, or of parts of them."""


class IndexedDependencies:
    """The dependencies of a repository of this machine: of its index, and of its manifests."""

    def __init__(self, snapshot: Snapshot, root: Path) -> None:
        self._snapshot = snapshot
        self._manifests = list(_manifests(snapshot, root))

    def published(self) -> Set[Package]:
        """Return the packages that it publishes."""
        found = (published(path.rpartition("/")[2], text) for path, text in self._manifests)
        return {each for each in found if each is not None}

    def declarations(self, packages: Collection[Package]) -> Iterator[tuple[str, int, Package]]:
        """Yield (path, line, package) of the manifests that declare some packages as dependencies."""
        for path, text in self._manifests:
            known = declared(path.rpartition("/")[2], text).intersection(packages)
            yield from ((path, line_of(each.name, text), each) for each in sorted(known))

    def imports(self, wanted: Published) -> Iterator[tuple[str, Import]]:
        """Yield (path, import) of the imports of a package's modules, or of parts of them."""
        languages = LANGUAGES[wanted.package.ecosystem]
        for path, statement in self._snapshot.code.importing_modules(sorted(wanted.modules)):
            if language_of(path) in languages:
                yield path, statement


def packages_of(snapshot: Snapshot, root: Path) -> list[Published]:
    """Return the packages that a repository of this machine publishes; see `packages`."""
    return packages(_manifests(snapshot, root), [path for path, _, _ in snapshot.paths()])


def packages(manifests: Iterable[tuple[str, str]], paths: Sequence[str]) -> list[Published]:
    """Return the packages that manifests publish, in their order. `paths` are those of all files of the repository."""
    found = []
    for path, text in manifests:
        folder, _, name = path.rpartition("/")
        package = published(name, text)
        if package is not None:
            found.append(Published(package, folder, frozenset(_modules(paths, package, folder))))
    return found


def manifest_paths(paths: Iterable[str]) -> list[str]:
    """Return the manifests among some paths that are read, those nearest to the root first. Tests are left out."""
    found = [path for path in paths if path.rpartition("/")[2] in MANIFESTS]
    found = [path for path in found if path_traits(path).isdisjoint(("test", "vendored", "example"))]
    return sorted(found, key=lambda each: (each.count("/"), each))[:MAX_MANIFESTS]


def dependents(own: Sequence[Published], others: Mapping[str, Dependencies]) -> list[Dependent]:
    """Return the places in other repositories that import or declare packages, by repository, path and line.

    A repository that publishes a package of the same name means its own.
    """
    return [
        each
        for name, other in sorted(others.items())
        for each in sorted(_in_repository(own, name, other), key=lambda one: one[1:3])
    ]


def _in_repository(own: Sequence[Published], name: str, other: Dependencies) -> Iterator[Dependent]:
    same = other.published()
    wanted = [each for each in own if each.package not in same]
    for path, line, package in other.declarations({each.package for each in wanted}):
        yield from (Dependent(name, path, line, each, None) for each in wanted if each.package == package)
    for each in wanted:
        yield from (Dependent(name, path, found.line, each, found) for path, found in other.imports(each))


def _manifests(snapshot: Snapshot, root: Path) -> Iterator[tuple[str, str]]:
    """Yield (path, text) of the manifests of a repository."""
    for path in manifest_paths(path for path, _, _ in snapshot.paths()):
        if is_inside(root, path):
            try:
                yield path, read_regular(root / path, _MAX_BYTES).decode("utf-8")
            except (OSError, UnicodeDecodeError):
                continue


def _modules(paths: Sequence[str], package: Package, folder: str) -> Iterable[str]:
    """Return the names by which code imports a package: for Python also those of its top-level packages."""
    if package.ecosystem != "python":
        return [package.module]
    first = f"{folder}/" if folder else ""
    inits = (_INIT.fullmatch(path.removeprefix(first)) for path in paths if path.startswith(first))
    return [package.module, *(found[1] for found in inits if found is not None and found[1] not in _NO_PACKAGE)]


def line_of(name: str, text: str) -> int:
    """Return the number of the first line that has a name, ignoring its case and punctuation; 1 without one."""
    wanted = re.compile("[-_.]+".join(map(re.escape, re.split("[-_.]+", name))), re.IGNORECASE)
    found = wanted.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 1
