"""The unsaved texts of an editor. Citations are checked against them when that editor asks.

Only cites of files whose overlay differs from the disk are checked here. The work tree's `Citations` checks and caches
all others.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import count
from typing import Any, NamedTuple

from muninn_core import git
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Cite
from muninn_core.reconcile.citations.file_source import Unknown
from muninn_core.source.chunks.line_index import LineIndex
from muninn_core.worktree.citations.citations import CitationCheck, CitationFiles, Citations, suffixes_to_search

_Signature = tuple[int, int, int]

MAX_COMPARED = 20_000
"""With more changed lines than this, an unsaved text is not compared with a commit's."""


class Overlay(NamedTuple):
    """The text of one open file. `serial` differs for every text."""

    text: str
    serial: int


class Overlays:
    """The open files of one client, by path relative to the root. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._serials = count(1)
        self._open: dict[str, Overlay] = {}
        self._clean: dict[str, tuple[int, _Signature | None, bool]] = {}
        self._pages: dict[str, tuple[int, LineIndex]] = {}
        self.results: dict[Cite, tuple[Any, Citation]] = {}

    def open(self, path: str, text: str) -> None:
        """Set the text that a file has in the editor."""
        with self._lock:
            self._open[path] = Overlay(text, next(self._serials))

    def close(self, path: str) -> None:
        """Drop a closed file."""
        with self._lock:
            self._open.pop(path, None)
            self._clean.pop(path, None)
            self._pages.pop(path, None)
            if not self._open:
                self.results = {}

    def unsaved(self, citations: Citations) -> dict[str, Overlay]:
        """Return the overlays whose text differs from the disk. Each text is compared once."""
        with self._lock:
            opened = dict(self._open)
        return {path: buffer for path, buffer in opened.items() if not self._is_clean(path, buffer, citations)}

    def page(self, path: str, buffer: Overlay) -> LineIndex:
        """Return the lines of an overlay, split once per text."""
        known = self._pages.get(path)
        if known is None or known[0] != buffer.serial:
            known = self._pages[path] = (buffer.serial, LineIndex(path, buffer.text.replace("\r\n", "\n")))
        return known[1]

    def _is_clean(self, path: str, buffer: Overlay, citations: Citations) -> bool:
        signature = citations.signature(path)
        known = self._clean.get(path)
        if known is not None and known[:2] == (buffer.serial, signature):
            return known[2]
        try:
            page = citations.page(path)
        except Unknown:
            return True  # not text, or too large to compare: what the disk's is judged by counts
        clean = page is not None and page.text == buffer.text.replace("\r\n", "\n")
        self._clean[path] = (buffer.serial, signature, clean)
        return clean


def with_overlays(citations: Citations, buffers: Overlays | None) -> CitationFiles:
    """Return the files as the client with these buffers sees them; `citations` itself when nothing is unsaved."""
    unsaved = buffers.unsaved(citations) if buffers is not None else {}
    return OverlaidCitations(citations, buffers, unsaved) if buffers is not None and unsaved else citations


class OverlaidCitations:
    """The `CitationFiles` of a work tree with some files as an editor has them. Made for one answer.

    Results of unsaved files are cached in `buffers`, all others in `base`.
    """

    def __init__(self, base: Citations, buffers: Overlays, unsaved: Mapping[str, Overlay]) -> None:
        self.root, self.with_git, self.since = base.root, base.with_git, base.since
        self.unsaved = unsaved
        self._base = base
        self._buffers = buffers
        # One answer sees one state: to ask for HEAD again with each citation costs more than to judge it.
        self._state = (base.token(), tuple(sorted((path, buffer.serial) for path, buffer in unsaved.items())))

    def checker(self, seconds: float | None = None) -> CitationCheck:
        """Return the check of one answer."""
        return _OverlaidCheck(self, self._base.checker(seconds))

    def signature(self, path: str) -> _Signature | None:
        """Return a value that changes with a file's content; that of an unsaved file equals no saved one."""
        buffer = self.unsaved.get(path)
        return (-buffer.serial, len(buffer.text), 0) if buffer else self._base.signature(path)

    def page(self, path: str) -> LineIndex | None:
        """Return the lines of a file as the editor has it."""
        buffer = self.unsaved.get(path)
        return self._buffers.page(path, buffer) if buffer else self._base.page(path)

    def cached(self, cite: Cite, signature: _Signature | None) -> Citation | None:
        """Return a cached result of an unsaved file that is still valid."""
        found = self._buffers.results.get(cite)
        return found[1] if found is not None and found[0] == self._key(signature) else None

    def last(self, cite: Cite) -> Citation | None:
        """Return the last result of an unsaved file's cite, which may hold no longer."""
        found = self._buffers.results.get(cite)
        return found[1] if found is not None else self._base.last(cite)

    def cache(self, cite: Cite, signature: _Signature | None, *, far: bool, result: Citation) -> None:
        """Cache a result of an unsaved file until anything changes."""
        self._buffers.results[cite] = (self._key(signature), result)

    def _key(self, signature: _Signature | None) -> Any:
        return (signature, *self._state)


class _OverlaidCheck(CitationCheck):
    """Checks cites of unsaved files against their text, and passes all others to the work tree's check."""

    def __init__(self, seen: OverlaidCitations, base: CitationCheck) -> None:
        super().__init__(seen, base.until)
        self.late = base.late
        self._seen = seen
        self._base = base

    def _judged(self, cite: Cite) -> Citation:
        return super()._judged(cite) if cite.path in self._seen.unsaved else self._base.judged(cite)

    def hunks(self, commit: str, path: str, now: str) -> Sequence[git.Hunk] | None:
        """Return the hunks since a commit. Git can't see an unsaved text, so it is compared here."""
        if now not in self._seen.unsaved:
            return super().hunks(commit, path, now)
        old, new = self.old_page(commit, path), self._seen.page(now)
        return compared(old.lines, new.lines) if old is not None and new is not None else None

    def elsewhere(self, commit: str | None, path: str, *texts: str) -> Sequence[str]:
        """Return the files that a text may have moved to, unsaved ones included."""
        suffixes = suffixes_to_search(path)
        more = [one for one in sorted(self._seen.unsaved) if one != path and one.endswith(suffixes)]
        return [*dict.fromkeys([*more, *super().elsewhere(commit, path, *texts)])]


def compared(old: Sequence[str], new: Sequence[str]) -> list[git.Hunk] | None:
    """Return the hunks between two texts, as git reports them; None when too many lines differ."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    left, right = old[first : len(old) - last], new[first : len(new) - last]
    if len(left) + len(right) > MAX_COMPARED:
        return None
    found = []
    for tag, i, j, k, m in SequenceMatcher(None, left, right, autojunk=True).get_opcodes():
        if tag != "equal":
            # Of nothing git names the line before it.
            found.append(
                git.Hunk(start=first + i + (j > i), count=j - i, new_start=first + k + (m > k), new_count=m - k)
            )
    return found
