"""Evaluates filters on files and memories, and checks their values.

All filters must match; a filter matches when any of its values does. A file has no authors or other memory fields, so
`author:user` excludes all files and `-author:user` none. A page of knowledge has the type, tags and domain that its
frontmatter states.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from muninn_core.gitignore import compile_glob
from muninn_core.model.chunk import SOURCE_KINDS, SourceKind
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.near_match import nearest
from muninn_core.retrieval.query.query_language import Filter
from muninn_core.source.documents.page import Page
from muninn_core.source.documents.shortcode import same_code
from muninn_core.source.files.classify import LANGUAGES, PROSE, language_of
from muninn_core.source.files.qualified import bare
from muninn_core.store.records.expiry import parse_span
from muninn_core.store.records.timestamps import normalise, timestamp

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OF_FILES = frozenset({"kind", "path", "lang"})
"""The keys that apply to files. All keys apply to memories."""

OF_PAGES = frozenset({"type", "tag", "domain"})
"""The keys that apply to pages of knowledge, too."""

_BOUND = re.compile(r"(>=|<=|>|<|=)?\s*(\d{1,2})|(\d{1,2})\.\.(\d{1,2})")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_LANGUAGES = frozenset({*LANGUAGES.values(), *PROSE, "make", "docker", "text"})

_ALSO = dict(
    pair.split()
    for pair in (
        "golang go",
        "c++ cpp",
        "c# csharp",
        "f# fsharp",
        "objc objective-c",
        "dockerfile docker",
        "makefile make",
    )
)
"""Aliases of languages."""

OfFile = Callable[[str, SourceKind, str], bool]
"""Returns whether a file passes, from its path, kind and language."""

OfMemory = Callable[[Memory], bool]

Test = Callable[[Any], bool]
"""Returns whether a value of a column passes."""


class Bound:
    """A test of times: from a first one on, or before a last one. Canonical times have the order of their texts."""

    __slots__ = ("_first", "_time")

    def __init__(self, time: str, *, first: bool) -> None:
        self._time = time
        self._first = first

    def __call__(self, value: str) -> bool:
        """Return whether a time passes."""
        return (value >= self._time) is self._first

    def among(self, values: NDArray[np.str_]) -> NDArray[np.bool_]:
        """Return for each time whether it passes."""
        passed: NDArray[np.bool_] = (values >= self._time) == self._first
        return passed


class FilterSet(NamedTuple):
    """Compiled filters. `file` and `memory` return whether a file or a memory passes all of them.

    `tests` say the same of memories: (name of a column, test of its values, whether the filter is negated).
    """

    filters: tuple[Filter, ...]
    file: OfFile
    memory: OfMemory
    tests: tuple[tuple[str, Test, bool], ...] = ()

    @property
    def memories_alone(self) -> tuple[Filter, ...]:
        """The filters that exclude all files, because they require a field that only memories have."""
        return tuple(each for each in self.filters if each.key not in OF_FILES and not each.negated and not each.pages)


NO_FILTERS = FilterSet((), lambda _path, _kind, _language: True, lambda _memory: True)


def compile_filters(filters: Sequence[Filter], now: datetime) -> FilterSet:
    """Compile filters whose values `wrong_value` accepts. Spans such as `2w` count back from `now`."""
    files: list[OfFile] = []
    tests: list[tuple[str, Test, bool]] = []
    for each in filters:
        of_file = _among(each.pages) if each.key in OF_PAGES else _FILES.get(each.key, _no_file)(each.values)
        files.append(_not_file(of_file) if each.negated else of_file)
        column, test_of = _MEMORIES[each.key]
        tests.append((column, test_of(each.values, now), each.negated))
    if not filters:
        return NO_FILTERS
    memories = [_of_memory(*each) for each in tests]
    return FilterSet(tuple(filters), reduce(_both_file, files), reduce(_both, memories), tuple(tests))


def with_pages(condition: Filter, pages: Mapping[str, Page]) -> Filter:
    """Return a filter with the paths of the pages that have one of its values."""
    if condition.key not in OF_PAGES:
        return condition
    wanted = {value.casefold() for value in condition.values}
    passing = (path for path, page in pages.items() if wanted.intersection(_values(page, condition.key)))
    return replace(condition, pages=tuple(passing))


def _values(page: Page, key: str) -> list[str]:
    given = page.tags if key == "tag" else (page.type if key == "type" else page.domain,)
    return [value.casefold() for value in given if value]


def _of_memory(column: str, test: Test, negated: bool) -> OfMemory:
    value_of = COLUMNS[column]
    if negated:
        return lambda memory: not test(value_of(memory))
    return lambda memory: test(value_of(memory))


def wrong_value(key: str, value: str, kinds: Collection[str]) -> str:
    """Return an error message for an invalid value, "" for a valid one. `kinds` are the kinds of memory."""
    if key == "kind":
        return _unknown("kind", value, (*SOURCE_KINDS, *sorted(kinds)))
    if key == "type":
        return _unknown("kind of memory", value, sorted(kinds))
    if key == "lang":
        return "" if language_named(value) else _unknown("language", value, sorted(_LANGUAGES))
    if key == "importance" and not _is_importance(value):
        return "an importance is 1 to 10: importance:>=7, importance:3..5"
    if key in ("since", "until") and parse_moment(value, datetime(2026, 1, 1).astimezone()) is None:
        return f"a time is a span back from now (12h, 3d, 2w, 6m, 1y) or a date: {key}:2w, {key}:2026-01-31"
    if key in ("path", "branch"):
        try:
            compile_glob(value)
        except ValueError as error:
            return str(error)
    return ""


def _is_importance(value: str) -> bool:
    found = _BOUND.fullmatch(value)
    if found is None:
        return False
    low, high = (int(found[3]), int(found[4])) if found[3] else (int(found[2]), int(found[2]))
    return 0 <= low <= high <= 10


def language_named(value: str) -> str:
    """Return the language for its name, an alias or a file suffix; "" if there is none."""
    name = _ALSO.get(value.casefold(), value.casefold())
    return name if name in _LANGUAGES else LANGUAGES.get(name.removeprefix("."), "")


def _unknown(what: str, value: str, known: Sequence[str]) -> str:
    if value.casefold() in known:
        return ""
    near = nearest(value, known)
    return f"there is no {what} '{value}'" + (f"; did you mean '{near}'?" if near else f"; they are {', '.join(known)}")


def _both(one: OfMemory, other: OfMemory) -> OfMemory:
    return lambda memory: one(memory) and other(memory)


def _both_file(one: OfFile, other: OfFile) -> OfFile:
    return lambda path, kind, language: one(path, kind, language) and other(path, kind, language)


def _not_file(passes: OfFile) -> OfFile:
    return lambda path, kind, language: not passes(path, kind, language)


# --- one predicate per key ---


def _no_file(_values: tuple[str, ...]) -> OfFile:
    return lambda _path, _kind, _language: False


def _among(pages: tuple[str, ...]) -> OfFile:
    paths = frozenset(pages)
    return lambda path, _kind, _language: path in paths


def _file_kind(values: tuple[str, ...]) -> OfFile:
    wanted = frozenset(value.casefold() for value in values)
    return lambda _path, kind, _language: kind in wanted


def _file_path(values: tuple[str, ...]) -> OfFile:
    globs = [compile_glob(value) for value in values]
    if len(globs) == 1:
        matches = globs[0]
        return lambda path, _kind, _language: matches(bare(path))
    return lambda path, _kind, _language: any(matches(bare(path)) for matches in globs)


def _file_language(values: tuple[str, ...]) -> OfFile:
    wanted = frozenset(map(language_named, values))
    return lambda _path, _kind, language: language in wanted


class _Passing(dict[str, bool]):
    """Caches whether a path passes: thousands of memories are about the same files."""

    def __init__(self, passes: Callable[[str], bool]) -> None:
        super().__init__()
        self._passes = passes

    def __missing__(self, path: str) -> bool:
        found = self[path] = self._passes(path)
        return found


def _about(passes: Callable[[str], bool]) -> Test:
    """Return a test of the files that a memory names or cites: whether any of them passes."""
    passes_path = _Passing(passes).__getitem__
    return lambda paths: any(map(passes_path, paths))


def _path(values: tuple[str, ...], _now: datetime) -> Test:
    globs = [compile_glob(value) for value in values]
    return _about(lambda path: any(matches(path) for matches in globs))


def _language(values: tuple[str, ...], _now: datetime) -> Test:
    wanted = frozenset(map(language_named, values))
    return _about(lambda path: language_of(path) in wanted)


def _kind(values: tuple[str, ...], _now: datetime) -> Test:
    wanted = frozenset(value.casefold() for value in values)
    return lambda type_: "memory" in wanted or type_.casefold() in wanted


def _type(values: tuple[str, ...], _now: datetime) -> Test:
    wanted = frozenset(value.casefold() for value in values)
    return lambda type_: type_.casefold() in wanted


def _equal(values: tuple[str, ...], _now: datetime) -> Test:
    wanted = frozenset(value.casefold() for value in values)
    return lambda given: any(has is not None and has.casefold() in wanted for has in given)


def _names(memory: Memory) -> Sequence[str | None]:
    """Return the authors of a memory: its actor, its author's name, its agent, and the agent without its version."""
    agent = memory.agent or ""
    return (memory.actor, memory.author or None, agent or None, re.split(r"[ /]", agent)[0] or None)


def _paths(memory: Memory) -> tuple[str, ...]:
    """Return the files that a memory names or cites."""
    return (*memory.files, *[cite.path for cite in memory.cites]) if memory.cites else memory.files


def _task(values: tuple[str, ...], _now: datetime) -> Test:
    return lambda task: task is not None and any(same_code(value, task) for value in values)


def _branch(values: tuple[str, ...], _now: datetime) -> Test:
    globs = [compile_glob("/" + value.lstrip("/")) for value in values]
    return lambda branch: branch is not None and any(matches(branch) for matches in globs)


def _importance(values: tuple[str, ...], _now: datetime) -> Test:
    spans = [_span(value) for value in values]
    return lambda importance: any(low <= importance <= high for low, high in spans)


def _span(value: str) -> tuple[int, int]:
    match = _BOUND.fullmatch(value)
    if match is None:
        raise ValueError(f"'{value}' is not an importance")
    sign, number, low, high = match.groups()
    if low is not None:
        return int(low), int(high)
    one = int(number)
    return {">=": (one, 10), ">": (one + 1, 10), "<=": (1, one), "<": (1, one - 1)}.get(sign or "", (one, one))


def _since(values: tuple[str, ...], now: datetime) -> Test:
    return Bound(min(parse_moment(value, now) or "" for value in values), first=True)


def _until(values: tuple[str, ...], now: datetime) -> Test:
    return Bound(max(parse_moment(value, now) or "" for value in values), first=False)


def parse_moment(value: str, now: datetime) -> str | None:
    """Return the canonical time of a span back from now, a day (its first moment) or an RFC 3339 time."""
    try:
        span = parse_span(value)
        if span is not None:
            return timestamp(now - span)
        return normalise(f"{value}T00:00:00.000Z" if _DAY.fullmatch(value) else value)
    except (ValueError, OverflowError):
        return None


_FILES: dict[str, Callable[[tuple[str, ...]], OfFile]] = {
    "kind": _file_kind,
    "path": _file_path,
    "lang": _file_language,
}

COLUMNS: dict[str, Callable[[Memory], Any]] = {
    "type": lambda memory: memory.type,
    "tags": lambda memory: memory.tags,
    "domain": lambda memory: (str(memory.details.get("domain", "")),),
    "paths": _paths,
    "names": _names,
    "sessions": lambda memory: (memory.session, *memory.sessions),
    "task": lambda memory: memory.task,
    "branch": lambda memory: memory.branch,
    "importance": lambda memory: memory.importance,
    "changed": lambda memory: memory.updated or memory.ts,
}
"""The values of memories that filters test, by name."""

_MEMORIES: dict[str, tuple[str, Callable[[tuple[str, ...], datetime], Test]]] = {
    "kind": ("type", _kind),
    "type": ("type", _type),
    "tag": ("tags", _equal),
    "domain": ("domain", _equal),
    "path": ("paths", _path),
    "lang": ("paths", _language),
    "author": ("names", _equal),
    "session": ("sessions", _equal),
    "task": ("task", _task),
    "branch": ("branch", _branch),
    "importance": ("importance", _importance),
    "since": ("changed", _since),
    "until": ("changed", _until),
}
"""For each key the column that it tests, and the function that makes the test."""
