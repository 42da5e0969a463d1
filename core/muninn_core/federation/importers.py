"""Which files of an organisation's repositories import packages: the request to its server, and the answer.

The values travel as JSON.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set

from muninn_core.federation.dependents import Published
from muninn_core.model.value import Value
from muninn_core.source.code.definition import Import
from muninn_core.source.packages import Package

MAX_PACKAGES = 200
"""The most packages that a question may name, and the most modules of a package."""


class ImportedPackage(Value):
    """A package by its ecosystem and name, and the names by which code imports it."""

    ecosystem: str
    name: str
    modules: tuple[str, ...]


class ImportersParams(Value):
    """A question for the files that import or declare packages."""

    packages: tuple[ImportedPackage, ...]


class ListedImporter(Value):
    """A place that imports a module of a package, or declares the package: then `module` is ""."""

    repository: str
    path: str
    line: int
    ecosystem: str
    package: str
    module: str = ""
    names: tuple[str, ...] = ()


class ListedDependencies:
    """The listed places of one repository. The server leaves out packages that the repository itself publishes."""

    def __init__(self, importers: Sequence[ListedImporter]) -> None:
        self._importers = importers

    def published(self) -> Set[Package]:
        """Return no package: see above."""
        return frozenset()

    def declarations(self, packages: Collection[Package]) -> Iterator[tuple[str, int, Package]]:
        """Yield (path, line, package) of the manifests that declare some packages as dependencies."""
        for each in self._importers:
            package = Package(each.ecosystem, each.package)
            if not each.module and package in packages:
                yield each.path, each.line, package

    def imports(self, wanted: Published) -> Iterator[tuple[str, Import]]:
        """Yield (path, import) of the imports of a package's modules, or of parts of them."""
        for each in self._importers:
            is_of_package = Package(each.ecosystem, each.package) == wanted.package
            if each.module and is_of_package and _is_part(each.module, wanted.modules):
                yield each.path, Import(each.line, each.module, each.names)


def _is_part(module: str, modules: Collection[str]) -> bool:
    """Whether a module is one of some, or a part of one."""
    return any(module == each or module.startswith((f"{each}.", f"{each}/", f"{each}:")) for each in modules)


def importers_params(own: Sequence[Published]) -> ImportersParams | None:
    """Return what a server is asked for the importers of packages, None without a package."""
    found = tuple(
        ImportedPackage(
            ecosystem=each.package.ecosystem,
            name=each.package.name,
            modules=tuple(sorted(each.modules)[:MAX_PACKAGES]),
        )
        for each in own[:MAX_PACKAGES]
    )
    return ImportersParams(packages=found) if found else None
