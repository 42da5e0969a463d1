"""Finds the files that a question names: paths, file names and dotted modules, also in frames of tracebacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from muninn_core.source.files.classify import LANGUAGES

if TYPE_CHECKING:
    from muninn_core.index.file_list import FileList
    from muninn_core.retrieval.reader import Reader

MAX_NAMES = 64
"""The most names of one question that are looked up, the first in the text."""

MAX_EQUAL = 2
"""A name that more files have tells nothing."""

_PATH = re.compile(r"(?<![\w/\\.-])(?:[A-Za-z]:)?[/\\]?(?:[\w@.+-]+[/\\])*[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,9}\b")
_MODULE = re.compile(r"(?<![\w./\\:@])[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+(?![\w/\\@])")
_OF_A_FOLDER = ("/__init__", "/mod", "/index", "/main")


def mentioned_files(text: str, addressed: Sequence[str], reader: Reader) -> tuple[str, ...]:
    """Return the paths of the indexed files that a text names. `addressed` are paths from addresses of pages.

    Leading folders that the repository lacks are ignored, so that a path in an installation finds the file here.
    """
    written = dict.fromkeys((*addressed, *(_PATH.findall(text) if "." in text else ())))
    names = [name for each in written if (name := each.replace("\\", "/").lstrip("./")) and _is_file(name)][:MAX_NAMES]
    modules = _modules(text) if "." in text or "::" in text else []
    if not (names or modules):
        return ()
    listed = reader.paths()
    ends = {f"/{name.rpartition('/')[2]}" for name in names}
    files = [f"/{file.path}" for end in ends for file in listed.containing(f"{end}\0")]
    packages = [each for stem in {module.rpartition("/")[2] for module in modules} for each in _packages(listed, stem)]
    found = [path for name in names for path in _longest(name, files)]
    found += [path for module in modules for path in _equal(module, packages)]
    return tuple(dict.fromkeys(path[1:] for path in found))


def _packages(listed: FileList, name: str) -> list[tuple[str, str]]:
    """Return (stem, path) of the code files that are imported by this name."""
    rooted = [f"/{file.path}" for file in listed.containing(f"/{name}") if file.kind == "code"]
    return [(stem, path) for path in rooted if (stem := _stem(path)).endswith(f"/{name}")]


def _is_file(name: str) -> bool:
    return name.rpartition(".")[2].lower() in LANGUAGES


def _modules(text: str) -> list[str]:
    """Return dotted names as paths without suffix, whole and without one or two parts, which may be definitions."""
    found: dict[str, None] = {}
    for each in list(dict.fromkeys(_MODULE.findall(text)))[:MAX_NAMES]:
        parts = each.replace("::", ".").split(".")
        for count in range(len(parts), max(1, len(parts) - 3), -1):
            found["/".join(parts[:count])] = None
    return [module for module in found if "/" in module]


def _stem(rooted: str) -> str:
    """Return a path without suffix; the folder of a file that stands for its folder."""
    folder, _, name = rooted.rpartition("/")
    stem = f"{folder}/{name.partition('.')[0]}"
    return folder if stem.endswith(_OF_A_FOLDER) else stem


def _longest(name: str, files: Iterable[str]) -> list[str]:
    """Return the files that share the longest end with a path, if they are few."""
    parts = name.split("/")
    for first in range(len(parts)):
        end = "/" + "/".join(parts[first:])
        found = [path for path in files if path.endswith(end)]
        if found:
            return found if len(found) <= MAX_EQUAL else []
    return []


def _equal(module: str, packages: Iterable[tuple[str, str]]) -> list[str]:
    found = [path for stem, path in packages if stem.endswith("/" + module)]
    return found if len(found) <= MAX_EQUAL else []
