"""The files of an index by path, and which of them contain a given text in their path."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    from muninn_core.model.chunk import SourceKind


class ListedFile(NamedTuple):
    """A file's path, kind and language."""

    path: str
    kind: SourceKind
    language: str


class Passing(NamedTuple):
    """Paths of files by kind, in order, the number of all files of each kind, and all paths as a set."""

    paths: Mapping[SourceKind, tuple[str, ...]]
    total: Mapping[SourceKind, int]
    members: frozenset[str]


_MAX_PASSING = 8
"""Filters whose files are cached."""


class FileList(Sequence[ListedFile]):
    """Files in the order of their paths. It never changes."""

    def __init__(self, files: Iterable[tuple[str, SourceKind, str]] = ()) -> None:
        self._files = tuple(map(ListedFile._make, files))
        self._passing: dict[Hashable, Passing] = {}

    @overload
    def __getitem__(self, place: int) -> ListedFile: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[ListedFile]: ...
    def __getitem__(self, place: int | slice) -> ListedFile | Sequence[ListedFile]:
        return self._files[place]

    def __len__(self) -> int:
        return len(self._files)

    def __iter__(self) -> Iterator[ListedFile]:
        return iter(self._files)

    def passing(self, key: Hashable, passes: Callable[[str, SourceKind, str], bool]) -> Passing:
        """Return the files that pass a test of path, kind and language. Equal keys stand for equal tests.

        The results of the last keys are cached: successive questions have the same filter.
        """
        known = self._passing.get(key)
        if known is None:
            paths: dict[SourceKind, list[str]] = {"code": [], "knowledge": []}
            total = dict.fromkeys(paths, 0)
            for path, kind, language in self._files:
                total[kind] += 1
                if passes(path, kind, language):
                    paths[kind].append(path)
            members = frozenset().union(*paths.values())
            known = Passing({kind: tuple(each) for kind, each in paths.items()}, total, members)
            last = list(self._passing.items())[1 - _MAX_PASSING :]
            self._passing = dict([*last, (key, known)])  # not in place: other threads may read the old one
        return known

    @cached_property
    def _joined(self) -> str:
        """All paths, each between a slash and a NUL, which no path contains: one search looks through them all."""
        return "".join([f"/{file.path}\0" for file in self._files])

    @cached_property
    def _paths(self) -> list[str]:
        return [file.path for file in self._files]

    @cached_property
    def code(self) -> frozenset[str]:
        """The paths of the files of code."""
        return frozenset([file.path for file in self._files if file.kind == "code"])

    @cached_property
    def _code_by_end(self) -> dict[str, list[str]]:
        """The paths of the files of code by their last two parts."""
        found: dict[str, list[str]] = {}
        for path in self.code:
            found.setdefault(path[path.rfind("/", 0, path.rfind("/")) + 1 :], []).append(path)
        return found

    @cached_property
    def present_code(self) -> Mapping[str, str | None]:
        """The file of code that each earlier path means: itself, or the one that shares its longest end.

        The end has the name and at least one folder. None without such a file, and if several share as much. Only
        paths that were asked for take memory.
        """
        return _PresentCode(self.code, self._code_by_end)

    def containing(self, part: str) -> list[ListedFile]:
        """Return the files whose path contains `part`. A slash is in front of each path and a NUL at its end."""
        joined, found = self._joined, []
        at = joined.find(part)
        while at >= 0:
            start, end = joined.rfind("\0", 0, at + 1) + 1, joined.find("\0", at)
            found.append(self._files[bisect_left(self._paths, joined[start + 1 : end])])
            at = joined.find(part, end)
        return found


class _PresentCode(dict[str, "str | None"]):
    """Answers are computed once: the same commits vote in successive questions."""

    def __init__(self, code: frozenset[str], by_end: Mapping[str, Sequence[str]]) -> None:
        super().__init__()
        self._code = code
        self._by_end = by_end

    def __missing__(self, path: str) -> str | None:
        found = self[path] = path if path in self._code else self._moved(path)
        return found

    def _moved(self, path: str) -> str | None:
        parts = path.split("/")
        likely = self._by_end.get("/".join(parts[-2:]), ()) if len(parts) > 1 else ()
        for first in range(len(parts) - 2, -1, -1):
            end = "/" + "/".join(parts[first:])
            closer = [each for each in likely if f"/{each}".endswith(end)]
            if not closer:
                break
            likely = closer
        return likely[0] if len(likely) == 1 else None
