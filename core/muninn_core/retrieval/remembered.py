"""Which files memory says were relevant for questions like this one: what that is worth, and which memory says so.

A memory speaks for the files that it names or cites, by how well its question, title or text answers to the asked
words. It knows words and memories, not how the files themselves match.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from muninn_core.retrieval import weights as w
from muninn_core.source.identifiers import words

if TYPE_CHECKING:
    from muninn_core.model.chunk import Chunk
    from muninn_core.model.memory import Memory


class Remembered(NamedTuple):
    """What memory says of a file: 0..1, and the memory that says most of it."""

    value: float
    note: str


class Files(Protocol):
    """The files of the index at one moment."""

    def chunks_of(self, path: str) -> Mapping[int, Chunk]:
        """Return the chunks of a file, in their order."""


def beyond(reader: Files, told: Mapping[str, Remembered], known: Collection[str], kind: str | None) -> Iterator[Chunk]:
    """Yield the first chunk of each of the files that memory says most of, where they are not among the known ones."""
    ranked = sorted(told, key=lambda path: (-told[path].value, path))[: w.REMEMBERED_FOUND]
    for path in ranked:
        if path not in known:
            chunks = sorted(reader.chunks_of(path).values(), key=lambda chunk: (chunk.start, chunk.end))
            yield from (chunk for chunk in chunks[:1] if kind in (None, chunk.kind))


class _Witness(NamedTuple):
    """A memory that names files, and the words that it is compared by."""

    memory: Memory
    files: tuple[str, ...]
    words: frozenset[str]


class Witnesses:
    """The memories that speak for files, by their words; safe to use from several threads.

    `memories` returns all memories as they are; it is called at the first question. `take` keeps up with what changes.
    """

    def __init__(self, memories: Callable[[], Mapping[str, Memory]]) -> None:
        self._all = memories
        self._lock = threading.Lock()
        self._known: dict[str, _Witness] | None = None
        self._by_word: dict[str, set[str]] = {}

    def take(self, changed: Mapping[str, Memory | None]) -> None:
        """Take in memories that changed; None is one that is gone. Nothing is done before the first question."""
        with self._lock:
            if self._known is not None:
                for identity, memory in changed.items():
                    self._put(self._known, identity, memory)

    def of(
        self, asked: Sequence[str], now: datetime, seen: Callable[[Memory], bool] = lambda _memory: True
    ) -> dict[str, Remembered]:
        """Return what memories that may be `seen` say of files, by path. `asked` are a question's distinct words.

        A memory's value is the share of the question's words that it has, weighed by their rarity among memories, and
        the share of its own words that the question has; less for an old one. Several memories of a file add up as
        independent witnesses do: 1 - the product of what each leaves open.
        """
        with self._lock:
            heard, count = self._hear(asked)
        rarity = {word: math.log(1 + (count - len(found) + 0.5) / (len(found) + 0.5)) for word, found in heard.items()}
        whole = sum(rarity.values())
        values: dict[str, tuple[float, _Witness]] = {}
        for identity, one in {one.memory.id: one for found in heard.values() for one in found}.items():
            if not seen(one.memory) or _over(one.memory, now):
                continue
            shared = [weight for word, weight in rarity.items() if word in one.words]
            alike = (1 - w.REMEMBERED_OWN) * sum(shared) / whole + w.REMEMBERED_OWN * len(shared) / len(one.words)
            values[identity] = (alike * _kept(one.memory.ts, now), one)
        best = sorted(values.items(), key=lambda item: (-item[1][0], item[0]))[: w.REMEMBERED_WITNESSES]
        return _joined([pair for _, pair in best])

    def _hear(self, asked: Sequence[str]) -> tuple[dict[str, list[_Witness]], int]:
        """Return the witnesses of each asked word, and how many there are in all."""
        if self._known is None:
            self._known = {}
            for identity, memory in self._all().items():
                self._put(self._known, identity, memory)
        known = self._known
        return {word: [known[one] for one in self._by_word.get(word, ())] for word in asked}, len(known)

    def _put(self, known: dict[str, _Witness], identity: str, memory: Memory | None) -> None:
        before = known.pop(identity, None)
        for word in before.words if before is not None else ():
            self._by_word[word].discard(identity)
        after = _witness(memory) if memory is not None and memory.witness else None
        if after is not None:
            known[identity] = after
            for word in after.words:
                self._by_word.setdefault(word, set()).add(identity)


def _witness(memory: Memory) -> _Witness | None:
    """Return what a memory says of files; None for one that names none, or so many that it is about none of them."""
    files = tuple(dict.fromkeys((*memory.files, *(cite.path for cite in memory.cites))))
    query = memory.details.get("query")
    said = query if isinstance(query, str) and query else memory.title or memory.text
    own = frozenset(words(said).split())
    return _Witness(memory, files, own) if own and 0 < len(files) <= w.REMEMBERED_FILES else None


def _over(memory: Memory, now: datetime) -> bool:
    try:
        return bool(memory.expires) and datetime.fromisoformat(memory.expires or "") < now
    except (ValueError, TypeError):
        return False


def _kept(ts: str, now: datetime) -> float:
    """Return what is left of a memory after the time since: a half after `REMEMBERED_DAYS`."""
    try:
        age = (now - datetime.fromisoformat(ts)).total_seconds() / 86_400
    except (ValueError, TypeError):
        return 0.5
    return float(0.5 ** (max(age, 0.0) / w.REMEMBERED_DAYS))


def _joined(values: Sequence[tuple[float, _Witness]]) -> dict[str, Remembered]:
    """Return what witnesses, the best first, say of each file together."""
    left: dict[str, float] = {}
    first: dict[str, Memory] = {}
    for value, one in values:
        for path in one.files:
            left[path] = left.get(path, 1.0) * (1 - min(value, w.REMEMBERED_MOST))
            first.setdefault(path, one.memory)
    return {
        path: Remembered(1 - open_, f"{first[path].id} {first[path].title}".rstrip()) for path, open_ in left.items()
    }
