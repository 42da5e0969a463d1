"""What a search is asked: one frozen request, whatever asks.

Recall, contexts, reminders, skills and the profile `mnemosyne` make the same request and differ in its terms, which
gather the candidates and score them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from muninn_core.retrieval.filters import NO_FILTERS, FilterSet
from muninn_core.source.shortcode import same_code

if TYPE_CHECKING:
    from datetime import datetime

    import numpy as np

    from muninn_core.model.chunk import Chunk, SourceKind
    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.pool import Pool
    from muninn_core.retrieval.ranking import Ranking
    from muninn_core.retrieval.reader import Ids, Reader

Allowed = Mapping["SourceKind", "Ids | None"]
"""For each kind the ids that may be found, by source; None for all chunks of the kind."""


class Bounds(NamedTuple):
    """What may be found.

    `admits` accepts or refuses a chunk and its memory, the filters included. `required` are memories that are
    candidates whatever their words are. `filters` are those of the query. `allowed` names the chunks that pass the
    filters; None allows all.
    """

    admits: Callable[[Chunk, Memory | None], bool] = lambda _chunk, _memory: True
    required: Sequence[Memory] = ()
    filters: FilterSet = NO_FILTERS
    allowed: Allowed | None = None


class Focus:
    """What the asker works at: files, a session, a task. What belongs to it counts a little more."""

    __slots__ = ("files", "folders", "session", "task")

    def __init__(self, files: Collection[str] = (), session: str | None = None, task: str | None = None) -> None:
        self.files = frozenset(files)
        self.folders = frozenset(path.rpartition("/")[0] for path in files)
        self.session = session
        self.task = task

    def covers(self, path: str, memory: Memory | None) -> bool:
        """Whether a file, or the memory if one is given, belongs to the focus."""
        if memory is None:
            return path in self.files
        return (
            bool(self.files.intersection(memory.files))
            or (self.session is not None and self.session in (memory.session, *memory.sessions))
            or (self.task is not None and memory.task is not None and same_code(self.task, memory.task))
        )


NO_FOCUS = Focus()


class SearchRequest(NamedTuple):
    """A search. Without `text` it lists what the bounds admit; without `vector` words alone decide.

    `memories` are all memories by id: an indexed memory that is missing there, or is not recallable at `now`, is left
    out. `limit` is the number of wanted hits; a ranking may have more.
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


class Terms(Protocol):
    """How a request finds and scores its candidates."""

    def gather(self, reader: Reader, request: SearchRequest) -> Pool:
        """Return the candidates of a request."""

    def score(self, reader: Reader, request: SearchRequest, pool: Pool) -> Ranking:
        """Return the candidates with their signals, in any order."""
