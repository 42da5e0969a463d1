"""Which files import and declare packages: the answer to a daemon's question. `package_names` has the stored names."""

from __future__ import annotations

from collections.abc import Iterator

from muninn_core.errors import BadParams
from muninn_core.federation.dependents import line_of
from muninn_core.federation.importers import MOST_PACKAGES, ImportersParams, ListedImporter, SoughtPackage, is_part
from muninn_core.org.reader import PostgresReader, repository_of
from muninn_core.source.classify import language_of
from muninn_core.source.packages import LANGUAGES, MANIFESTS, declared
from muninn_core.source.qualified import split

_MOST_FILES = 2_000
"""The most files of an answer."""


def importers(reader: PostgresReader, params: ImportersParams) -> tuple[list[ListedImporter], int]:
    """Return places that import or declare packages, by repository, path and line, and the number of files left out.

    A repository that publishes a package of the same name means its own. Raises BadParams for too many packages.
    """
    if len(params.packages) > MOST_PACKAGES:
        raise BadParams(f"{len(params.packages)} packages are too many", hint=f"At most {MOST_PACKAGES} are answered.")
    names = {f"publishes {each.ecosystem} {each.name}": each for each in params.packages}
    own = {(repository, names[name].ecosystem, names[name].name) for name, repository in reader.publishers(list(names))}
    wanted = {f"declares {each.ecosystem} {each.name}" for each in params.packages}
    wanted.update(f"imports {each.ecosystem} {module}" for each in params.packages for module in each.modules)
    paths, left = reader.files_naming(sorted(wanted), _MOST_FILES)
    manifests = {path for path in paths.values() if path.rpartition("/")[2] in MANIFESTS}
    found = [each for path in manifests for each in _declarations(reader, path, params)]
    for file, syntax in reader.syntax(list(paths)).items():
        language = language_of(split(paths[file])[1])
        for package in params.packages:
            if language in LANGUAGES.get(package.ecosystem, ()):
                found += [
                    _importer(paths[file], each.line, package, each.module, each.names)
                    for each in syntax.imports
                    if is_part(each.module, package.modules)
                ]
    found = [each for each in found if (each.repository, each.ecosystem, each.package) not in own]
    return sorted(found, key=lambda each: (each.repository, each.path, each.line, each.package)), left


def _declarations(reader: PostgresReader, path: str, params: ImportersParams) -> Iterator[ListedImporter]:
    text = "".join(chunk.text for chunk in reader.chunks_of(path).values())
    known = declared(path.rpartition("/")[2], text)
    for package in params.packages:
        if (package.ecosystem, package.name) in known:
            yield _importer(path, line_of(package.name, text), package)


def _importer(
    path: str, line: int, package: SoughtPackage, module: str = "", names: tuple[str, ...] = ()
) -> ListedImporter:
    return ListedImporter(
        repository=repository_of(path), path=split(path)[1] or path, line=line, ecosystem=package.ecosystem,
        package=package.name, module=module, names=names,
    )  # fmt: skip
