"""The citations of one work tree's memories, checked from caches and within a time limit.

A cached file is valid while its size and time stay the same; a result of git while HEAD and the work tree do.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from operator import eq
from pathlib import Path
from typing import Any, Protocol, TypeVar

from muninn_core.git import GitError, Hunk
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Cite, Memory
from muninn_core.model.value import replace
from muninn_core.reconcile.citations.file_source import NotComparable, Unknown
from muninn_core.reconcile.citations.judgement import judge, unchecked
from muninn_core.reconcile.citations.successors import stem_of
from muninn_core.source.chunks.line_index import LineIndex
from muninn_core.source.files.classify import suffixes_of_family
from muninn_core.source.files.path_containment import can_name_file, is_inside
from muninn_core.source.files.text import Text, looks_binary, read_text
from muninn_core.worktree.citations.changes_since import ChangesSince

ANSWER_SECONDS = 0.1
"""How long one answer may read files and ask git. The rest is `unchecked`, or `gone` if it was gone when last checked,
and the next answer checks it."""

MAX_CACHED_CHARACTERS = 2_000_000
"""Characters of cached files. Split into lines, a file takes about three times as much."""

MAX_CACHED_RESULTS = 50_000

MAX_ELSEWHERE = 50
"""In how many other files a text that left its own file is searched."""

_BINARY = LineIndex("", "")
"""The lines of a file that is not text."""

_OBJECT_NAME = re.compile(r"[0-9a-fA-F]{4,64}")

T = TypeVar("T")
_Signature = tuple[int, int, int]


class OutOfTime(Unknown):
    """The answer has used up its time; the next answer checks what is left."""

    def __init__(self) -> None:
        super().__init__("there was no time to look; the next answer does")


class CitationFiles(Protocol):
    """What citations are checked against: the files as one client sees them, git, and the results that are cached."""

    @property
    def root(self) -> Path:
        """The folder of the work tree."""

    @property
    def with_git(self) -> bool:
        """Whether the work tree belongs to a git repository."""

    @property
    def since(self) -> ChangesSince:
        """What git says of the changes since a commit."""

    def checker(self, seconds: float | None = None) -> CitationCheck:
        """Return the check of one answer; it may take `seconds`, by default `ANSWER_SECONDS`."""

    def signature(self, path: str) -> _Signature | None:
        """Return a value that changes with the content of a file, None when there is no such file."""

    def page(self, path: str) -> LineIndex | None:
        """Return the lines of a file, None when there is no such file. Raises NotComparable when it is not text."""

    def cached(self, cite: Cite, signature: _Signature | None) -> Citation | None:
        """Return the cached result of a cite while it holds."""

    def last(self, cite: Cite) -> Citation | None:
        """Return the last result of a cite, which may hold no longer."""

    def cache(self, cite: Cite, signature: _Signature | None, *, far: bool, result: Citation) -> None:
        """Cache a result. `far`: git was asked, too."""


class Citations:
    """Opened once per work tree. Safe to use from several threads. The value of `token` changes with HEAD and the
    files.
    """

    def __init__(self, root: Path, *, most: Callable[[], int], token: Callable[[], Any]) -> None:
        self.root = root
        self.with_git = any((folder / ".git").exists() for folder in (root, *root.parents))
        self._most = most
        self._token = token
        self._lock = threading.Lock()
        self._pages: OrderedDict[str, tuple[_Signature, LineIndex]] = OrderedDict()
        self._characters = 0
        self._results: dict[Cite, tuple[Any, Citation]] = {}
        self.since = ChangesSince(root, token)

    def checker(self, seconds: float | None = None) -> CitationCheck:
        """Return the check of one answer, limited to `seconds`, by default `ANSWER_SECONDS`."""
        return CitationCheck(self, time.monotonic() + (ANSWER_SECONDS if seconds is None else seconds))

    def signature(self, path: str) -> _Signature | None:
        """Return a value that changes with a file's content; None when no file of the work tree has this path."""
        if not can_name_file(path):
            return None
        try:
            status = os.lstat(f"{self.root}/{path}")
        except OSError:
            return None
        return (status.st_mtime_ns, status.st_size, status.st_ino)

    def page(self, path: str) -> LineIndex | None:
        """Return the lines of a file; None for a missing one. Raises NotComparable for a binary or too large one."""
        signature = self.signature(path)
        if signature is None:
            return None
        with self._lock:
            known = self._pages.get(path)
            if known is not None and known[0] == signature:
                self._pages.move_to_end(path)
                return known[1]
        if not is_inside(self.root, path):
            raise NotComparable("the file can't be compared: a symbolic link leads outside the work tree")
        read = read_text(self.root, path, self._most())
        if not isinstance(read, Text):
            if read == "vanished":
                return None
            raise NotComparable(f"the file can't be compared: {read}")
        page = LineIndex(path, read.text)
        self._keep_page(page, (read.mtime_ns, read.size, signature[2]))
        return page

    def _keep_page(self, page: LineIndex, signature: _Signature) -> None:
        """Cache a file's lines; drop the least recently used above `MAX_CACHED_CHARACTERS`."""
        with self._lock:
            before = self._pages.pop(page.path, None)
            self._characters += len(page.text) - (len(before[1].text) if before else 0)
            self._pages[page.path] = (signature, page)
            while self._characters > MAX_CACHED_CHARACTERS:
                _, (_, gone) = self._pages.popitem(last=False)
                self._characters -= len(gone.text)

    def release_memory(self) -> None:
        """Drop cached files and end the git processes. Results stay cached."""
        with self._lock:
            self._pages.clear()
            self._characters = 0
        self.since.release_memory()

    def cached(self, cite: Cite, signature: _Signature | None) -> Citation | None:
        """Return a cached result that is still valid for the file, and for HEAD where git was asked."""
        found = self._results.get(cite)
        if found is None:
            return None
        own, far = found[0]
        return found[1] if own == signature and (far is None or far == self._token()) else None

    def last(self, cite: Cite) -> Citation | None:
        """Return the last result of a cite, which may hold no longer."""
        found = self._results.get(cite)
        return found[1] if found is not None else None

    def cache(self, cite: Cite, signature: _Signature | None, *, far: bool, result: Citation) -> None:
        """Cache a result. `far`: it also depends on git."""
        if len(self._results) >= MAX_CACHED_RESULTS:
            self._results.clear()
        self._results[cite] = ((signature, self._token() if far else None), result)

    def token(self) -> Any:
        """Return a value that changes with HEAD and the files."""
        return self._token()


class CitationCheck:
    """Checks citations for one answer, until its time is up; the `FileSource` that `judge` reads.

    `late` holds the citations that were not checked for lack of time.
    """

    def __init__(self, citations: CitationFiles, until: float) -> None:
        self._citations = citations
        self.until = until
        self.late: set[Citation] = set()
        self._far = False
        self._begun = False
        self._own: dict[str, _Signature | None] = {}

    def judge(self, memory: Memory, *, with_unchecked: bool = False) -> tuple[Citation, ...]:
        """Return a memory's citations, and those of its named files that moved or no longer exist.

        Of a commit's files many are gone later. That makes the commit's memory stale when all of them are. With
        `with_unchecked` the files that git can't judge here are told like those that are gone.
        """
        cites, files = self.cites(memory), self.files(memory)
        lost = {"gone", "unchecked"} if with_unchecked else {"gone"}
        partly = memory.trust == "commit" and any(found.state not in lost for found in (*cites, *files))
        told = {"moved"} if partly else {"moved", *lost}
        return (*cites, *(found for found in files if found.state in told))

    def cites(self, memory: Memory) -> tuple[Citation, ...]:
        """Return the state of each cite of a memory, in their order."""
        return tuple(self._judged(cite) for cite in cites_of(memory))

    def files(self, memory: Memory) -> tuple[Citation, ...]:
        """Return the state of the files that a memory names and does not cite."""
        cited = {cite.path for cite in memory.cites}
        commit = _object_name(memory.commit)
        return tuple(self._judged(Cite(path=path, commit=commit)) for path in memory.files if path not in cited)

    def judge_all(self, memories: Iterable[Memory]) -> dict[str, tuple[Citation, ...]]:
        """Return the citations of each memory that has any, by id. Each file is read once."""
        ordered = sorted(memories, key=lambda memory: (memory.cites[0].path if memory.cites else "", memory.id))
        found = {memory.id: self.judge(memory) for memory in ordered}
        return {identity: citations for identity, citations in sorted(found.items()) if citations}

    def judged(self, cite: Cite) -> Citation:
        """Return the state of one cite."""
        return self._judged(cite)

    def _judged(self, cite: Cite) -> Citation:
        if not can_name_file(cite.path):
            return Citation(path=cite.path, state="gone", note="the path names no file of a work tree")
        if cite.path not in self._own:
            self._own[cite.path] = self._citations.signature(cite.path)
        signature = self._own[cite.path]
        known = self._citations.cached(cite, signature)
        if known is not None:
            return known
        self._far = False
        try:
            if signature is None and self._is_left_out(cite.path):
                raise Unknown("the file is not in this sparse checkout")
            result = judge(cite, self)
        except OutOfTime as error:
            result = self._late(cite, error)
            self.late.add(result)
            return result
        except Unknown as error:
            result = unchecked(cite, error)
        self._citations.cache(cite, signature, far=self._far, result=result)
        return result

    def _is_left_out(self, path: str) -> bool:
        nothing: frozenset[str] = frozenset()
        return path in self._ask_git("left out", lambda since: since.left_out(), nothing)

    def _late(self, cite: Cite, error: OutOfTime) -> Citation:
        """Return a cite without time to check it: as `gone` if it was, which seldom changes, else as `unchecked`."""
        before = self._citations.last(cite)
        if before is None or before.state != "gone":
            return unchecked(cite, error)
        return replace(before, note="; ".join(filter(None, (before.note, f"when last checked: {error}"))))

    def _spend(self) -> None:
        """Raise OutOfTime when the time is used up. The first call passes, so that every answer makes progress."""
        if self._begun and time.monotonic() > self.until:
            raise OutOfTime
        self._begun = True

    # --- the tree that `judge` sees ---

    def exists(self, path: str) -> bool:
        """Whether a file exists."""
        return self._citations.signature(path) is not None

    def page(self, path: str) -> LineIndex | None:
        """Return the lines of a file of the work tree."""
        self._spend()
        return self._citations.page(path)

    def old_page(self, commit: str, path: str) -> LineIndex | None:
        """Return the lines of a file at a commit."""
        page = self._ask_git(("page", commit, path), lambda since: _page(path, since.blob(commit, path)), None)
        if page is _BINARY:
            raise NotComparable("the file can't be compared: binary")
        return page

    def former_page(self, commit: str, path: str) -> LineIndex | None:
        """Return what a file of the work tree was at a commit, under the name that it had; None for a new one."""
        page = self.old_page(commit, path)
        if page is not None:
            return page
        name = self._ask_git(("former", commit, path), lambda since: since.former_name(commit, path), None)
        return self.old_page(commit, name) if name else None

    def renamed(self, commit: str, path: str) -> str | None:
        """Return the work tree's name of a commit's file."""
        return self._ask_git(("renamed", commit, path), lambda since: since.renamed(commit, path), None)

    def replaced(self, commit: str, path: str) -> str | None:
        """Return the work tree's name of a commit's file that was renamed before another file got its path."""
        return self._ask_git(("replaced", commit, path), lambda since: since.replaced(commit, path), None)

    def hunks(self, commit: str, path: str, now: str) -> Sequence[Hunk] | None:
        """Return the hunks of a file since a commit."""
        question = ("hunks", commit, path, now, self._citations.signature(now))
        return self._ask_git(question, lambda since: since.hunks(commit, path, now), None)

    def elsewhere(self, commit: str | None, path: str, *texts: str) -> Sequence[str]:
        """Return the files that the content of `path` may have moved to: new or changed ones of the same or a related
        language.
        """
        suffixes = suffixes_to_search(path)
        question = ("holding", commit, suffixes, texts)
        nowhere: list[str] = []
        found = self._ask_git(question, lambda since: since.files_with(commit, suffixes, texts), nowhere)
        return _nearest(path, found)

    def formerly(self, commit: str, path: str, text: str) -> Sequence[str]:
        """Return the other files of the same or a related language that contained a word at a commit."""
        suffixes = suffixes_to_search(path)
        question = ("formerly", commit, suffixes, text)
        nowhere: Sequence[str] = ()
        found = self._ask_git(question, lambda since: since.files_with_then(commit, suffixes, text), nowhere)
        return _nearest(path, found)

    def _ask_git(self, question: Any, ask: Callable[[ChangesSince], T], without: T) -> T:
        """Return a result of git, or `without` outside a git repository."""
        if not self._citations.with_git:
            return without
        self._far = True
        since = self._citations.since
        try:
            return since.cached(question, lambda: ask(since), self._spend)
        except GitError as error:
            raise Unknown(str(error)) from None


def _nearest(path: str, found: Sequence[str]) -> Sequence[str]:
    """Return `MAX_ELSEWHERE` of some files without one.

    First those of its name, of these first those in its folder, then those that share most names of folders with it,
    then those whose names have most of its first letters.
    """
    stem, folder = stem_of(path), path.rpartition("/")[0]
    names = set(folder.split("/"))

    def rank(one: str) -> tuple[bool, bool, int, int, str]:
        other = one.rpartition("/")[0]
        shared = len(names.intersection(other.split("/")))
        begin = len([*takewhile(bool, map(eq, stem, stem_of(one)))])
        return stem_of(one) != stem, other != folder, -shared, -begin, one

    return sorted((one for one in found if one != path), key=rank)[:MAX_ELSEWHERE]


def suffixes_to_search(path: str) -> tuple[str, ...]:
    """Return the suffixes of the files that the content of a file may have moved to; its name if it has none."""
    name = path.rpartition("/")[2]
    return suffixes_of_family(os.path.splitext(name)[1] or name)  # noqa: PTH122 (a POSIX name, and no path of this system)


def _page(path: str, data: bytes | None) -> LineIndex | None:
    if data is None:
        return None
    return _BINARY if looks_binary(data) else LineIndex(path, data.decode("utf-8-sig", "replace"))


def cites_of(memory: Memory) -> tuple[Cite, ...]:
    """Return a memory's cites. A cite without a commit gets the memory's commit; what names no commit is left out."""
    return tuple(
        cite if cite.commit == commit else replace(cite, commit=commit)
        for cite in memory.cites
        for commit in (_object_name(cite.commit or memory.commit),)
    )


def _object_name(commit: str | None) -> str | None:
    """Return the id of a commit, None for any other text: git reads `:/REGEX` and `HEAD@{1}` as revisions, too."""
    return commit if commit and _OBJECT_NAME.fullmatch(commit) else None
