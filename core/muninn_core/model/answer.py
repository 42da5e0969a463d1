"""The parts of an answer: hits with their reasons, and the state that the answer was computed from."""

from __future__ import annotations

from muninn_core.model.chunk import SourceKind
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Scope, Trust, Work
from muninn_core.model.value import Value


class Reason(Value):
    """One signal of a score. The contributions of a hit's reasons add up to its score."""

    signal: str
    value: float
    weight: float
    contribution: float
    note: str = ""


class Mark(Value):
    """A range of a line to highlight: UTF-16 code units, `end` exclusive, as in the Language Server Protocol."""

    start: int
    end: int


class SnippetLine(Value):
    """A line of a hit's text, its number in the file (of a memory: in its text) and the ranges to highlight."""

    line: int
    text: str
    marks: tuple[Mark, ...] = ()


class Hit(Value):
    """One result of recall. `id` is `path:start-end` for code and knowledge, the memory's id for a memory.

    `path` of a memory is the current file of its first cite, else the first file that it names, else "". `private`,
    `elsewhere`, `work` and `scope` are those of the memory; `cites` are its citations with their current state.
    `status` is that of a steering document, "decided" or "superseded by ADR 7", or names the memories that a memory
    contradicts. `trust` is that of a memory, of the author of another tool's knowledge, or "outside" for knowledge of a
    pack. `origin` names a source other than this project: "pack NAME VERSION", "CLAUDE.md", "backfill from git".
    `snippet` holds the lines of `text` with the most words of the query, none when no line has one. In an answer by
    files, `chunks` is the number of chunks found in the file, and `total` the sum of their scores. `author` and `ts`
    say who wrote a memory, and when. `newer` is the id of a memory that states the same fact anew. `repository` names
    the repository of the user's list that the hit comes from, "" for this one; the id of a file's chunk then
    begins with the name and a colon. `certainty` of a memory that answers the question says how sure that is, 0 to 1;
    a memory with `least_certainty` or more is shown, and others that are nearly as certain beside it.
    """

    kind: SourceKind
    id: str
    path: str
    start_line: int
    end_line: int
    score: float
    why: tuple[Reason, ...]
    text: str
    title: str = ""
    type: str = ""
    symbol: str = ""
    elsewhere: tuple[str, ...] = ()
    work: Work = ""
    private: bool = False
    scope: Scope = "project"
    status: str = ""
    trust: Trust | None = None
    origin: str = ""
    cites: tuple[Citation, ...] = ()
    snippet: tuple[SnippetLine, ...] = ()
    chunks: int = 1
    total: float = 0.0
    author: str = ""
    ts: str = ""
    newer: str = ""
    repository: str = ""
    certainty: float | None = None
    least_certainty: float | None = None


class IndexState(Value):
    """The index that an answer was computed from. `lag` is the number of changed files that it does not have yet.

    Of these, `surveyed` files are already found by the words of the whole file. `unembedded` chunks are found by words
    and not yet by meaning. While memories are `unencoded`, all memories are compared by the table of tokens instead of
    the text encoder. `failure` is the error that keeps the index from following files and memories, or "".
    """

    generation: int = 0
    lag: int = 0
    surveyed: int = 0
    unembedded: int = 0
    unencoded: int = 0
    failure: str = ""


class AskedRepository(Value):
    """Another repository that a question was put to, and the state that was read there.

    `generation` counts the changes of its index. `skipped` is the reason why it was not read, `hint` what to do.
    """

    name: str
    path: str
    commit: str | None = None
    branch: str | None = None
    generation: int = 0
    skipped: str = ""
    hint: str = ""


class ReadState(Value):
    """The state that an answer was computed from.

    `commit` is HEAD, or the revision that the question names; `note` then says what the answer leaves out. `log` and
    `shared` are the numbers of records in the log and in the global log.
    """

    commit: str | None = None
    branch: str | None = None
    log: int = 0
    shared: int = 0
    index: IndexState = IndexState()
    note: str = ""
