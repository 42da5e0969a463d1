"""The names of packages that a push stores of a file, by which importers are found.

A file has the name "imports ECOSYSTEM MODULE" for each module that it imports, and for each module that this one is a
part of. A manifest has "declares ECOSYSTEM PACKAGE" for its dependencies and "publishes ECOSYSTEM PACKAGE".
"""

from __future__ import annotations

import re
from itertools import islice

from muninn_core.org.ingestion.chunking import ChunkedFile
from muninn_core.source.files.classify import path_traits
from muninn_core.source.packages import LANGUAGES, MANIFESTS, declared, published

_PART = re.compile(r"[./:]+")
_ASIDE = ("test", "vendored", "example")
"""The traits of manifests that say nothing about their repository."""

_MAX_PARTS = 12
_MAX_BYTES = 300
"""The longest name that is stored. A row of an index of PostgreSQL has at most 2,704 bytes."""


def names_of_packages(file: ChunkedFile) -> set[str]:
    """Return the names of the modules and packages that a file imports, declares and publishes."""
    found = {
        f"imports {ecosystem} {part}"
        for ecosystem, languages in LANGUAGES.items()
        if file.language in languages
        for statement in file.syntax.imports
        for part in parts_of_module(statement.module)
    }
    if is_manifest(file.path):
        text = "".join(piece.chunk.text for piece in file.chunks)
        name = file.path.rpartition("/")[2]
        found.update(f"declares {each.ecosystem} {each.name}" for each in declared(name, text))
        if own := published(name, text):
            found.add(f"publishes {own.ecosystem} {own.name}")
    return {each for each in found if "\0" not in each and len(each.encode()) <= _MAX_BYTES}


def is_manifest(path: str) -> bool:
    """Whether a file says what its repository publishes and depends on."""
    return path.rpartition("/")[2] in MANIFESTS and path_traits(path).isdisjoint(_ASIDE)


def parts_of_module(module: str) -> list[str]:
    """Return a module and the first ones that it is a part of; nothing for a module of the same repository."""
    if module.startswith((".", "/")):
        return []
    return [module, *(module[: each.start()] for each in islice(_PART.finditer(module), _MAX_PARTS))]
