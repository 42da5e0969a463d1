"""The search request.

Recall, contexts, reminders, skills and the profile `mnemosyne` use the same request. They differ in `terms`, which
gathers the candidates and scores them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from muninn_core.retrieval.query.filters import NO_FILTERS, FilterSet
from muninn_core.source.documents.shortcode import same_code

if TYPE_CHECKING:
    from datetime import datetime

    import numpy as np

    from muninn_core.model.chunk import Chunk, SourceKind
    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.pool import Pool
    from muninn_core.retrieval.reader import Ids, Reader
    from muninn_core.retrieval.results.ranking import Ranking

Allowed = Mapping["SourceKind", "Ids | None"]
"""For each kind the ids that may be found, by source; None for all chunks of the kind."""


class Passing(NamedTuple):
    """The ids of memories, sorted, and the same as a set."""

    ids: tuple[str, ...]
    members: frozenset[str]


class Bounds(NamedTuple):
    """Restrictions on what a search finds.

    `admits` returns whether a chunk and its memory may be found, with the filters applied. `required` are memories that
    are always candidates. `filters` are those of the query. `allowed` has the ids of the chunks that pass the filters;
    None allows all. `admits_files` and `admits_project` are true if `admits` returns true for every file, and for every
    memory of the scope `project`, so that it need not be called. `passing` are the ids of the memories that pass the
    filters, None if they are not known; `admits_passing` is true if `admits` returns true for those of the scope
    `project`. `files` are the paths of the files for which `admits` returns true, None if they are not known.
    """

    admits: Callable[[Chunk, Memory | None], bool] = lambda _chunk, _memory: True
    required: Sequence[Memory] = ()
    filters: FilterSet = NO_FILTERS
    allowed: Allowed | None = None
    admits_files: bool = False
    admits_project: bool = False
    passing: Passing | None = None
    admits_passing: bool = False
    files: Collection[str] | None = None


class Focus:
    """The files, session and task that the caller works on. Related results score a little higher."""

    __slots__ = ("files", "folders", "given", "session", "task")

    def __init__(self, files: Collection[str] = (), session: str | None = None, task: str | None = None) -> None:
        self.files = frozenset(files)
        self.folders = frozenset(path.rpartition("/")[0] for path in files)
        self.session = session
        self.task = task
        self.given = bool(self.files) or session is not None or task is not None
        """Whether anything can be in focus."""

    def covers(self, path: str, memory: Memory | None) -> bool:
        """Whether a file, or the memory if one is given, belongs to the focus."""
        return path in self.files if memory is None else self.among([memory])[0]

    def among(self, memories: Iterable[Memory]) -> list[bool]:
        """Return whether each memory belongs to the focus."""
        files, session, task = self.files, self.session, self.task
        return [
            bool(files and files.intersection(memory.files))
            or (session is not None and session in (memory.session, *memory.sessions))
            or (task is not None and memory.task is not None and same_code(task, memory.task))
            for memory in memories
        ]


NO_FOCUS = Focus()


class EncodedQuestion(Protocol):
    """What the text encoder returns for a question, which may be computed when it is first read."""

    @property
    def vector(self) -> np.ndarray:
        """Its vector, float32 [dim]."""

    @property
    def states(self) -> np.ndarray:
        """The states of its tokens, [tokens, dim]."""


class SearchRequest(NamedTuple):
    """A search. Without `text` it lists what the bounds admit; without `vector` it uses words only.

    `encoded` is what the text encoder returns for the question. With it, memories are compared by their encodings.
    `memories` are all memories by id: an indexed memory that is missing there, or is not recallable at `now`, is left
    out. `limit` is the number of wanted hits; a ranking may have more. The words of `title`, the title of a long
    question, count more than the others; `named` are the paths of files that the question names.
    """

    text: str
    vector: np.ndarray | None
    memories: Mapping[str, Memory]
    limit: int
    now: datetime
    terms: Terms
    kind: SourceKind | None = None
    bounds: Bounds = Bounds()
    focus: Focus = NO_FOCUS
    encoded: EncodedQuestion | None = None
    title: str = ""
    named: Collection[str] = ()


class Terms(Protocol):
    """How a request finds and scores its candidates."""

    def gather(self, reader: Reader, request: SearchRequest) -> Pool:
        """Return the candidates of a request."""

    def score(self, reader: Reader, request: SearchRequest, pool: Pool) -> Ranking:
        """Return the candidates with their signals, in any order."""
