"""Which files import and declare packages: the answer to a daemon's question. `package_names` has the stored names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from muninn_core.errors import BadParams
from muninn_core.federation.dependents import line_of
from muninn_core.federation.importers import MAX_PACKAGES, ImportedPackage, ImportersParams, ListedImporter
from muninn_core.org.ingestion.package_names import is_manifest, parts_of_module
from muninn_core.org.reading.branches import repository_of
from muninn_core.org.reading.file_rows import FileRows
from muninn_core.source.code.definition import Syntax
from muninn_core.source.files.classify import language_of
from muninn_core.source.files.qualified import split
from muninn_core.source.packages import LANGUAGES, declared

_MAX_FILES = 2_000
"""The most files of an answer."""

_Place = tuple[int, ImportedPackage, str, tuple[str, ...]]
"""The line of a file, the package, and the module and names that it imports; the module is "" for a declaration."""


def importers(stored: FileRows, params: ImportersParams) -> tuple[list[ListedImporter], str]:
    """Return places that import or declare packages, by repository, path and line, and what the answer lacks.

    A repository that publishes a package of the same name means its own. Raises BadParams for too many names.
    """
    packages = params.packages
    if max([len(packages), *(len(each.modules) for each in packages)]) > MAX_PACKAGES:
        raise BadParams("the question names too many packages", hint=f"At most {MAX_PACKAGES} are answered.")
    own = stored.publishers([f"publishes {each.ecosystem} {each.name}" for each in packages])
    names = [
        (name, number)
        for number, each in enumerate(packages)
        for name in (
            f"declares {each.ecosystem} {each.name}",
            *(f"imports {each.ecosystem} {module}" for module in each.modules),
        )
    ]
    held = stored.naming(names, own, _MAX_FILES + 1)
    files = list(dict.fromkeys(file for file, _, _ in held))
    known, texts = stored.syntax(files), stored.texts([file for file, _, path in held if is_manifest(split(path)[1])])
    places = {file: _places(path, texts.get(file, ""), known[file], packages) for file, _, path in held}
    outside = {(branch, packages[number].ecosystem, packages[number].name) for number, branch in own}
    found = {
        ListedImporter(
            repository=repository_of(path), path=split(path)[1] or path, line=line, ecosystem=package.ecosystem,
            package=package.name, module=module, names=names_of_import,
        )
        for file, branch, path in held[:_MAX_FILES]
        for line, package, module, names_of_import in places[file]
        if (branch, package.ecosystem, package.name) not in outside
    }  # fmt: skip
    notes = [f"Only the first {_MAX_FILES:,} files of the organisation are listed."] * (len(held) > _MAX_FILES)
    if stale := stored.cut_before():
        notes.append(
            f"{stale} of the organisation's branches were pushed before its server was upgraded: their importers are "
            "found after their next push."
        )
    return sorted(found, key=lambda each: (each.repository, each.path, each.line, each.package)), " ".join(notes)


def _places(path: str, text: str, syntax: Syntax, packages: Sequence[ImportedPackage]) -> list[_Place]:
    """Return the places of a file that import or declare packages."""
    bare = split(path)[1] or path
    known = declared(bare.rpartition("/")[2], text)
    found: list[_Place] = [
        (line_of(each.name, text), each, "", ()) for each in packages if (each.ecosystem, each.name) in known
    ]
    language = language_of(bare)
    modules: dict[str, list[ImportedPackage]] = {}
    for each in packages:
        if language in LANGUAGES.get(each.ecosystem, ()):
            for module in each.modules:
                modules.setdefault(module, []).append(each)
    for statement in syntax.imports if modules else ():
        meant = _packages_of(statement.module, modules)
        found += [(statement.line, each, statement.module, statement.names) for each in meant]
    return found


def _packages_of(module: str, modules: Mapping[str, Sequence[ImportedPackage]]) -> Iterator[ImportedPackage]:
    """Yield the packages that an import means, each once."""
    named = {id(each): each for part in parts_of_module(module) for each in modules.get(part, ())}
    yield from named.values()
