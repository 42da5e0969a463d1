"""The citations of one work tree's memories, judged as fast as an answer needs it: from caches, and within a time.

What a file says is believed as long as its size and time stay; what git says, as long as HEAD and the work tree do.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from muninn_core.git import GitError, Hunk
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Cite, Memory
from muninn_core.model.value import replace
from muninn_core.reconcile.citations import judge, unchecked
from muninn_core.reconcile.file_source import Unknown
from muninn_core.source.line_index import LineIndex
from muninn_core.source.text import Text, looks_binary, read_text
from muninn_core.worktree.changes_since import ChangesSince

ANSWER_SECONDS = 0.1
"""How long one answer may look at files and ask git. What is left over is `unchecked`, and looked at by the next."""

KEPT_CHARACTERS = 2_000_000
"""Of files that were read; a file in lines takes some three times as much. Judgements are kept by themselves."""

KEPT_RESULTS = 50_000

MOST_ELSEWHERE = 50
"""In how many other files a text that is gone from its own is looked for."""

_BINARY = LineIndex("", "")
"""Stands for a file that has no lines."""

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
        """Return the lines of a file, None when there is no such file. Raises Unknown when it is not text."""

    def cached(self, cite: Cite, signature: _Signature | None) -> Citation | None:
        """Return the cached result of a cite while it holds."""

    def cache(self, cite: Cite, signature: _Signature | None, *, far: bool, result: Citation) -> None:
        """Cache a result. `far`: git was asked, too."""


class Citations:
    """Opened once a work tree; its threads may all ask. `token` stands for HEAD and all files: it changes with them."""

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
        """Return what judges the memories of one answer, for `ANSWER_SECONDS` or as long as is said."""
        return CitationCheck(self, time.monotonic() + (ANSWER_SECONDS if seconds is None else seconds))

    def signature(self, path: str) -> _Signature | None:
        """Return what changes with a file's content, None when it is not there."""
        try:
            status = os.lstat(f"{self.root}/{path}")
        except OSError:
            return None
        return (status.st_mtime_ns, status.st_size, status.st_ino)

    def page(self, path: str) -> LineIndex | None:
        """Return a file of the work tree, None when it is not there. Raises Unknown for what has no text to compare."""
        signature = self.signature(path)
        if signature is None:
            return None
        with self._lock:
            known = self._pages.get(path)
            if known is not None and known[0] == signature:
                self._pages.move_to_end(path)
                return known[1]
        read = read_text(self.root, path, self._most())
        if not isinstance(read, Text):
            if read == "vanished":
                return None
            raise Unknown(f"the file can't be compared: {read}")
        page = LineIndex(path, read.text)
        self._keep_page(page, (read.mtime_ns, read.size, signature[2]))
        return page

    def _keep_page(self, page: LineIndex, signature: _Signature) -> None:
        """Keep what was read; what was used least of late goes."""
        with self._lock:
            before = self._pages.pop(page.path, None)
            self._characters += len(page.text) - (len(before[1].text) if before else 0)
            self._pages[page.path] = (signature, page)
            while self._characters > KEPT_CHARACTERS:
                _, (_, gone) = self._pages.popitem(last=False)
                self._characters -= len(gone.text)

    def release_memory(self) -> None:
        """Forget the files that were read, and let git's processes go; judgements are kept."""
        with self._lock:
            self._pages.clear()
            self._characters = 0
        self.since.release_memory()

    def cached(self, cite: Cite, signature: _Signature | None) -> Citation | None:
        """Return a judgement that still holds. It was made of the cited file, and perhaps of what git told."""
        found = self._results.get(cite)
        if found is None:
            return None
        own, far = found[0]
        return found[1] if own == signature and (far is None or far == self._token()) else None

    def cache(self, cite: Cite, signature: _Signature | None, *, far: bool, result: Citation) -> None:
        """Keep a judgement for as long as it holds."""
        if len(self._results) >= KEPT_RESULTS:
            self._results.clear()
        self._results[cite] = ((signature, self._token() if far else None), result)

    def token(self) -> Any:
        """Return what stands for HEAD and all files: it changes with them."""
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

    def judge(self, memory: Memory) -> tuple[Citation, ...]:
        """Return a memory's citations as they stand, and those of its files that are no longer where it names them."""
        return (*self.cites(memory), *(found for found in self.files(memory) if found.state in ("moved", "gone")))

    def cites(self, memory: Memory) -> tuple[Citation, ...]:
        """Return a memory's cites as they stand, in their order."""
        return tuple(self._judged(cite) for cite in cites_of(memory))

    def files(self, memory: Memory) -> tuple[Citation, ...]:
        """Return the files that a memory names and does not cite, as they stand."""
        cited = {cite.path for cite in memory.cites}
        return tuple(self._judged(Cite(path=path, commit=memory.commit)) for path in memory.files if path not in cited)

    def judge_all(self, memories: Iterable[Memory]) -> dict[str, tuple[Citation, ...]]:
        """Return the citations of each memory that has some, by its id. Files are read one after the other."""
        ordered = sorted(memories, key=lambda memory: (memory.cites[0].path if memory.cites else "", memory.id))
        found = {memory.id: self.judge(memory) for memory in ordered}
        return {identity: citations for identity, citations in sorted(found.items()) if citations}

    def judged(self, cite: Cite) -> Citation:
        """Return one cite as it stands."""
        return self._judged(cite)

    def _judged(self, cite: Cite) -> Citation:
        if cite.path not in self._own:
            self._own[cite.path] = self._citations.signature(cite.path)
        signature = self._own[cite.path]
        known = self._citations.cached(cite, signature)
        if known is not None:
            return known
        self._far = False
        try:
            result = judge(cite, self)
        except OutOfTime as error:
            result = unchecked(cite, error)
            self.late.add(result)
            return result
        except Unknown as error:
            result = unchecked(cite, error)
        self._citations.cache(cite, signature, far=self._far, result=result)
        return result

    def _spend(self) -> None:
        """Let something that costs time happen; the first time always, so that every answer gets somewhere."""
        if self._begun and time.monotonic() > self.until:
            raise OutOfTime
        self._begun = True

    # --- the tree that `judge` sees ---

    def exists(self, path: str) -> bool:
        """Whether a file is there."""
        return self._citations.signature(path) is not None

    def page(self, path: str) -> LineIndex | None:
        """Return a file of the work tree."""
        self._spend()
        return self._citations.page(path)

    def old_page(self, commit: str, path: str) -> LineIndex | None:
        """Return a file as a commit has it."""
        page = self._told(("page", commit, path), lambda since: _page(path, since.blob(commit, path)), None)
        if page is _BINARY:
            raise Unknown("the file can't be compared: binary")
        return page

    def renamed(self, commit: str, path: str) -> str | None:
        """Return the name that a commit's file has now."""
        return self._told(("renamed", commit, path), lambda since: since.renamed(commit, path), None)

    def hunks(self, commit: str, path: str, now: str) -> Sequence[Hunk] | None:
        """Return what was replaced in a file since a commit."""
        question = ("hunks", commit, path, now, self._citations.signature(now))
        return self._told(question, lambda since: since.hunks(commit, path, now), None)

    def elsewhere(self, commit: str | None, path: str, *texts: str) -> Sequence[str]:
        """Return the files that may have taken over what was in `path`: those of its kind that are new or changed."""
        name = path.rpartition("/")[2]
        suffix = os.path.splitext(name)[1] or name  # noqa: PTH122 (a POSIX name, and no path of this system)
        question = ("holding", commit, suffix, texts)
        nowhere: list[str] = []
        found = self._told(question, lambda since: since.holding(commit, suffix, texts), nowhere)
        others = [one for one in found if one != path]
        return sorted(others, key=lambda one: (one.rpartition("/")[2] != name, one))[:MOST_ELSEWHERE]

    def _told(self, question: Any, ask: Callable[[ChangesSince], T], without: T) -> T:
        """Return what git says, `without` where there is none."""
        if not self._citations.with_git:
            return without
        self._far = True
        since = self._citations.since
        try:
            return since.cached(question, lambda: ask(since), self._spend)
        except GitError as error:
            raise Unknown(str(error)) from None


def _page(path: str, data: bytes | None) -> LineIndex | None:
    if data is None:
        return None
    return _BINARY if looks_binary(data) else LineIndex(path, data.decode("utf-8-sig", "replace"))


def cites_of(memory: Memory) -> tuple[Cite, ...]:
    """Return a memory's cites; one that names no commit was made at the memory's own."""
    return tuple(cite if cite.commit else replace(cite, commit=memory.commit) for cite in memory.cites)
