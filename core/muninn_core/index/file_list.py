"""The files of an index by path, and which of them contain a given text in their path."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    from muninn_core.model.chunk import SourceKind


class ListedFile(NamedTuple):
    """A file's path, kind and language."""

    path: str
    kind: SourceKind
    language: str


class FileList(Sequence[ListedFile]):
    """Files in the order of their paths. It never changes."""

    def __init__(self, files: Iterable[tuple[str, SourceKind, str]] = ()) -> None:
        self._files = tuple(map(ListedFile._make, files))

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

    def present_code(self, path: str) -> str | None:
        """Return the file of code that an earlier path means: itself, or the one that shares its longest end.

        The end has the name and at least one folder. None without such a file, and if several share as much.
        """
        if path in self.code:
            return path
        parts = path.split("/")
        likely = self._code_by_end.get("/".join(parts[-2:]), ()) if len(parts) > 1 else ()
        for first in range(len(parts) - 2, -1, -1):
            end = "/" + "/".join(parts[first:])
            closer = [each for each in likely if f"/{each}".endswith(end)]
            if not closer:
                break
            likely = closer
        return likely[0] if len(likely) == 1 else None

    def containing(self, part: str) -> list[ListedFile]:
        """Return the files whose path contains `part`. A slash is in front of each path and a NUL at its end."""
        joined, found = self._joined, []
        at = joined.find(part)
        while at >= 0:
            start, end = joined.rfind("\0", 0, at + 1) + 1, joined.find("\0", at)
            found.append(self._files[bisect_left(self._paths, joined[start + 1 : end])])
            at = joined.find(part, end)
        return found
