"""The names of packages that a push stores of a file, by which importers are found.

A file has the name "imports ECOSYSTEM MODULE" for each module that it imports, and for each module that this one is a
part of. A manifest has "declares ECOSYSTEM PACKAGE" for its dependencies and "publishes ECOSYSTEM PACKAGE".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from muninn_core.org.cutting import CutFile
from muninn_core.source.classify import path_traits
from muninn_core.source.packages import LANGUAGES, MANIFESTS, declared, published

_PART = re.compile(r"[./:]+")
_ASIDE = ("test", "vendored", "example")
"""The traits of manifests that say nothing about their repository."""


def names_of_packages(file: CutFile) -> set[str]:
    """Return the names of the modules and packages that a file imports, declares and publishes."""
    found = {
        f"imports {ecosystem} {part}"
        for ecosystem, languages in LANGUAGES.items()
        if file.language in languages
        for statement in file.syntax.imports
        for part in _parts(statement.module)
    }
    name = file.path.rpartition("/")[2]
    if name in MANIFESTS and path_traits(file.path).isdisjoint(_ASIDE):
        text = "".join(piece.chunk.text for piece in file.chunks)
        found.update(f"declares {each.ecosystem} {each.name}" for each in declared(name, text))
        if own := published(name, text):
            found.add(f"publishes {own.ecosystem} {own.name}")
    return {each for each in found if "\0" not in each}


def _parts(module: str) -> Iterator[str]:
    """Yield a module and what it is a part of; nothing for a module of the same repository."""
    if not module.startswith((".", "/")):
        yield module
        yield from (module[: each.start()] for each in _PART.finditer(module))
