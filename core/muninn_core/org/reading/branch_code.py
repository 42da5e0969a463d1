"""The code of one branch: the facts that its graph is computed from, read at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from muninn_core.index.manifest.code_facts import Symbol, marks, may_refer_to, stem_of, tails_of
from muninn_core.org.reading.file_rows import FileRows
from muninn_core.source.code.definition import Definition, Import, Syntax


class BranchCode:
    """The facts of the files of a branch, as `index.code.Code` has those of a work tree."""

    def __init__(self, stored: FileRows, branch: int) -> None:
        self._stored = stored
        rows = stored.syntax_of_branch(branch)
        self._ids = {path: number for number, path, _ in rows}
        self._syntax: Mapping[str, Syntax] = {path: syntax for _, path, syntax in sorted(rows, key=lambda row: row[1])}

    def has(self, path: str) -> bool:
        """Whether the branch has a file."""
        return path in self._syntax

    exists = has

    def paths(self) -> list[str]:
        """Return the paths of all files, sorted."""
        return list(self._syntax)

    def text(self, path: str) -> str:
        """Return the text of a file, "" for an unknown path."""
        number = self._ids.get(path)
        return self._stored.texts([number]).get(number, "") if number is not None else ""

    def texts(self, paths: Sequence[str]) -> dict[str, str]:
        """Return {path: text} of files."""
        found = self._stored.texts([self._ids[path] for path in paths])
        return {path: found[self._ids[path]] for path in paths if self._ids[path] in found}

    def outline(self, path: str) -> Sequence[Definition]:
        """Return the definitions of a file by line."""
        return self._of(path).definitions

    def named(self, name: str) -> list[Symbol]:
        """Return the definitions of exactly this name, by path and line."""
        files = dict.fromkeys(self._by_name.get(name, ()))
        return [Symbol(path, each) for path in files for each in self.outline(path) if each.name == name]

    def names(self) -> list[str]:
        """Return the distinct names of definitions."""
        return list(self._by_name)

    def with_stem(self, stem: str) -> Sequence[str]:
        """Return the files that are imported by this name, sorted."""
        return self._by_stem.get(stem, ())

    def folder(self, path: str) -> Sequence[str]:
        """Return the files directly in a folder, sorted; "" is the root."""
        return self._by_folder.get(path, ())

    def imports(self, path: str) -> Sequence[Import]:
        """Return the imports of a file by line."""
        return self._of(path).imports

    def importing(self, path: str) -> list[tuple[str, Import]]:
        """Return (file, import) of the imports that could mean a file, by path and line; as `Code.importing`."""
        wanted = marks(path)
        files = sorted({file for tail in wanted for file in self._by_tail.get(tail, ())})
        return [
            (file, one) for file in files for one in self.imports(file) if may_refer_to(one.module, one.names, wanted)
        ]

    def called(self, name: str) -> Sequence[tuple[str, tuple[int, ...]]]:
        """Return (path, lines) of the files that call a name, by path."""
        return self._callers.get(name, ())

    def calls(self, path: str) -> list[tuple[str, tuple[int, ...]]]:
        """Return (name, lines) of what a file calls, by name."""
        return sorted((each.name, each.lines) for each in self._of(path).calls)

    def _of(self, path: str) -> Syntax:
        return self._syntax.get(path, _NOTHING)

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        return _grouped((each.name, path) for path, syntax in self._syntax.items() for each in syntax.definitions)

    @cached_property
    def _by_stem(self) -> Mapping[str, list[str]]:
        return _grouped((stem_of(path), path) for path in self._syntax)

    @cached_property
    def _by_folder(self) -> Mapping[str, list[str]]:
        return _grouped((path.rpartition("/")[0], path) for path in self._syntax)

    @cached_property
    def _by_tail(self) -> Mapping[str, list[str]]:
        return _grouped((tail, path) for path, syntax in self._syntax.items() for tail in tails_of(path, syntax))

    @cached_property
    def _callers(self) -> Mapping[str, list[tuple[str, tuple[int, ...]]]]:
        found: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
        for path, syntax in self._syntax.items():
            for each in syntax.calls:
                found.setdefault(each.name, []).append((path, each.lines))
        return found


_NOTHING = Syntax()


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
