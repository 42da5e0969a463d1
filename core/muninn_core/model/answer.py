"""What answers are made of: hits with their reasons, and what the answer saw."""

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
    """A part of a line to highlight: `start` up to `end`, in UTF-16 code units, as in the language server protocol."""

    start: int
    end: int


class SnippetLine(Value):
    """A line of a hit's text, its number in the file (of a memory, in its text) and what to highlight in it."""

    line: int
    text: str
    marks: tuple[Mark, ...] = ()


class Hit(Value):
    """One result of recall. `id` is `path:start-end` for code and knowledge, the memory's id for a memory.

    A memory's `path` is where its first cite is now, else the first file that it names, or "" when it names none; a
    `private` one is in no repository. `cites` are its citations as they stand; `elsewhere`, `work` and `scope` are its
    own, too. `status` says how a steering document stands: "decided", "superseded by ADR 7".
    `trust` is that of a memory, or of who writes the knowledge of another tool, and outside for a pack's. `origin` says
    where it comes from if it is not this project's own work: "pack NAME VERSION", "CLAUDE.md", "backfill from git".
    `snippet` are the lines of `text` that hold the question's words best, none where it holds none of them. Of an
    answer by files, `chunks` is how many pieces of the file were found, and `total` the sum of their scores.
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


class IndexState(Value):
    """The index that an answer was computed from: its generation, and how many changed files it lags behind.

    `surveyed` of these are found by their words as a whole already. `unembedded` chunks are found by their words and
    not yet by their meaning. `failure` is what keeps the index from taking in what is new,
    memories too, "" for nothing.
    """

    generation: int = 0
    lag: int = 0
    surveyed: int = 0
    unembedded: int = 0
    failure: str = ""


class ReadState(Value):
    """The state that an answer saw: HEAD, the number of records in the log and in the global one, and the index.

    For a question about another revision `commit` is that one. `note` says what such an answer leaves out.
    """

    commit: str | None = None
    branch: str | None = None
    log: int = 0
    shared: int = 0
    index: IndexState = IndexState()
    note: str = ""
