"""The indexes of several repositories as one reader of search.

Their chunks are one source: a chunk's id holds the place of its index in the upper bits. Word statistics are those of
all indexes together. The path of a chunk of another repository names the repository.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.index.file_list import FileList
from muninn_core.index.ties import cut_ties
from muninn_core.index.words.merged import Filter, MergedWords
from muninn_core.model.chunk import Among
from muninn_core.model.value import replace
from muninn_core.source.files.qualified import qualified, split

if TYPE_CHECKING:
    import numpy as np

    from muninn_core.index.snapshot import Snapshot
    from muninn_core.model.chunk import Chunk, Only, SourceKind
    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.reader import Asked, Matches, Source

_BITS = 44
"""The bits of a chunk's id within its index, where the kind takes those above the 40th."""

_LOW = (1 << _BITS) - 1

_MIN_NEIGHBOURS, _SHARES = 8, 3
"""The fewest neighbours that an index returns at first, and how many times its share of the limit."""


class Part(NamedTuple):
    """An index and what may be found in it.

    `name` is "" for this repository. `memories` are those that may be found, None for all. `meaning`: its vectors are
    of the model of the question. `unfinished`: it is being indexed for the first time.
    """

    name: str
    snapshot: Snapshot
    memories: Mapping[str, Memory] | None
    meaning: bool = True
    unfinished: bool = False

    def shows(self, chunk: Chunk) -> bool:
        """Whether a chunk may be found. Files outside of another repository's work tree, such as notes of tools, are
        not.
        """
        if self.memories is None:
            return True
        return chunk.path in self.memories if chunk.kind == "memory" else not chunk.path.startswith(("/", "~"))


class JoinedSource:
    """The chunks of several indexes."""

    def __init__(self, parts: Sequence[Part], words: MergedWords) -> None:
        self._parts = parts
        self._words = words

    def lexical(
        self,
        words: Asked,
        limit: int,
        kind: SourceKind | None = None,
        *,
        only: Only | None = None,
        every: Iterable[str] = (),
    ) -> Matches:
        """Return the best chunks of all indexes with their BM25 scores, as `Source.lexical` says."""
        ids = None if only is None else [self._of(place, only) for place in range(len(self._parts))]
        found = self._words.search(_factors(words), limit, Filter(kind, ids, tuple(every)))
        found = cut_ties(found, limit, self._by_place)
        return [(_joined(place, number), score) for (place, number), score in found]

    def dense(self, vector: np.ndarray, limit: int, kind: SourceKind | None = None) -> Matches:
        """Return the nearest chunks of the indexes whose vectors are of the question's model."""
        places = [place for place, part in enumerate(self._parts) if part.meaning]
        return self._best(places, limit, lambda place, count: self._parts[place].snapshot.dense(vector, count, kind))

    def nearest_encoded(self, vector: np.ndarray, limit: int) -> Matches:
        """Return the memories whose encodings are nearest."""
        places = range(len(self._parts))
        return self._best(
            places, limit, lambda place, count: self._parts[place].snapshot.nearest_encoded(vector, count)
        )

    def cosines(self, vector: np.ndarray, ids: Sequence[int], limit: int | None = None) -> Matches:
        """Return the cosines of the given chunks, with `limit` of the nearest and ties with the last.

        Chunks without a vector of the question's model are left out.
        """
        return _first(
            self._nearest(
                (place, part.snapshot.cosines(vector, own, limit))
                for place, part, own in self._split(ids)
                if part.meaning
            ),
            limit,
        )

    def encoded_cosines(self, vector: np.ndarray, ids: Sequence[int], limit: int | None = None) -> Matches:
        """Return the cosines of the given memories, with `limit` of the nearest and ties with the last.

        Those without an encoding are left out.
        """
        return _first(
            self._nearest(
                (place, part.snapshot.encoded_cosines(vector, own, limit)) for place, part, own in self._split(ids)
            ),
            limit,
        )

    def encodings(self, ids: Sequence[int]) -> Mapping[int, np.ndarray]:
        """Return {id: encoding} of the given memories that have one."""
        return {
            _joined(place, number): row
            for place, part, own in self._split(ids)
            for number, row in part.snapshot.encodings(own).items()
        }

    def token_states(self, ids: Sequence[int]) -> Mapping[int, bytes]:
        """Return {id: states of the tokens} of the given memories that have them."""
        return {
            _joined(place, number): states
            for place, part, own in self._split(ids)
            for number, states in part.snapshot.token_states(own).items()
        }

    def chunks(self, ids: Sequence[int]) -> Mapping[int, Chunk]:
        """Return {id: chunk} of the chunks that may be found."""
        found: dict[int, Chunk] = {}
        for place, part, own in self._split(ids):
            for number, chunk in part.snapshot.chunks(own).items():
                if part.shows(chunk):
                    found[_joined(place, number)] = _named(part, chunk)
        return {number: found[number] for number in ids if number in found}

    def ids_of_files(self, paths: Sequence[str]) -> Sequence[int]:
        """Return the ids of the chunks of the given files, whose paths name their repositories."""
        by_name: dict[str, list[str]] = {}
        for path in paths:
            name, bare = split(path)
            by_name.setdefault(name, []).append(bare)
        return [
            _joined(place, number)
            for place, part in enumerate(self._parts)
            if part.name in by_name
            for number in part.snapshot.ids_of_files(by_name[part.name])
        ]

    def ids_of_memories(self, ids: Sequence[str]) -> Sequence[int]:
        """Return the ids of the chunks of the given memories."""
        found: list[int] = []
        for place, part in enumerate(self._parts):
            there = part.memories
            wanted = ids if there is None else [each for each in ids if each in there]
            found += [_joined(place, number) for number in part.snapshot.ids_of_memories(wanted)] if wanted else []
        return found

    def numbers_of_memories(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Return {memory id: id of its chunk} of the memories that may be found."""
        found: dict[str, int] = {}
        for place, part in enumerate(self._parts):
            there = part.memories
            wanted = ids if there is None else [each for each in ids if each in there]
            numbers = part.snapshot.numbers_of_memories(wanted) if wanted else {}
            found |= {identity: _joined(place, number) for identity, number in numbers.items()}
        return found

    def memories_of_numbers(self, ids: Sequence[int]) -> Mapping[int, str]:
        """Return {id of a chunk: memory id} of the chunks of memories that may be found."""
        found: dict[int, str] = {}
        for place, part, own in self._split(ids):
            for number, identity in part.snapshot.memories_of_numbers(own).items():
                if part.memories is None or identity in part.memories:
                    found[_joined(place, number)] = identity
        return found

    def _of(self, place: int, only: Only) -> Only:
        if isinstance(only, Among):
            return only._replace(ids=tuple([_own(place, ids) for ids in only.ids]))
        return _own(place, only)

    def _split(self, ids: Sequence[int]) -> Iterable[tuple[int, Part, list[int]]]:
        """Yield (place, part, ids in it) of the parts that have some of the ids."""
        by_place: dict[int, list[int]] = {}
        for number in ids:
            by_place.setdefault(number >> _BITS, []).append(number & _LOW)
        for place in sorted(by_place):
            yield place, self._parts[place], by_place[place]

    def _by_place(self, found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return documents by repository, path and line, which is the same in every index."""
        ids = [_joined(place, number) for place, number in found]
        return [(place, number) for place, part, own in self._split(ids) for number in part.snapshot.by_place(own)]

    def _best(self, places: Sequence[int], limit: int, nearest: Callable[[int, int], Matches]) -> Matches:
        """Return the best matches of some indexes. `nearest(place, count)` returns the best of one.

        Each is asked for few at first, and for `limit` when more of its matches may be among the best.
        """
        count = min(limit, max(_MIN_NEIGHBOURS, -(-_SHARES * limit // max(1, len(places)))))
        found = {place: nearest(place, count) for place in places}
        least = _first(self._nearest(found.items()), limit)
        if count < limit and least:
            last = least[-1][1] if len(least) >= limit else float("-inf")
            more = [place for place, matches in found.items() if len(matches) >= count and matches[-1][1] >= last]
            found |= {place: nearest(place, limit) for place in more}
        return _first(self._nearest(found.items()), limit)

    def _nearest(self, found: Iterable[tuple[int, Matches]]) -> list[tuple[int, float]]:
        every = [(_joined(place, number), score) for place, matches in found for number, score in matches]
        every.sort(key=itemgetter(0))
        every.sort(key=itemgetter(1), reverse=True)  # stable: ties by id
        return every


class JoinedRepositories:
    """The reader of a question to several repositories. The first part is this repository.

    `further` are sources of this repository beside its index: files that wait to be indexed.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._own = parts[0].snapshot
        self._by_name = {part.name: part for part in parts}
        self._words = MergedWords([part.snapshot.words for part in parts])
        self.documents = self._words.documents
        self.encoded = self._own.encoded
        self.sources: tuple[Source, ...] = (JoinedSource(parts, self._words), *self._own.sources[1:])

    def whole_files(self, words: Asked, limit: int, kind: SourceKind | None = None) -> Sequence[tuple[str, float]]:
        """Return (path, BM25) of whole files of all indexes, best first, ties by path."""
        found = self._words.search_files(_factors(words), limit, kind)
        by_place: dict[int, list[int]] = {}
        for (place, number), _ in found:
            by_place.setdefault(place, []).append(number)
        paths = {
            (place, number): qualified(self._parts[place].name, path)
            for place, numbers in by_place.items()
            for number, path in self._parts[place].snapshot.paths_by_id(numbers).items()
        }
        best = [(paths[place], score) for place, score in found if place in paths]
        return sorted(best, key=lambda hit: (-hit[1], hit[0]))

    def first_chunks(self, paths: Sequence[str]) -> Mapping[str, Chunk]:
        """Return {path: first chunk} of the given files; files that are not indexed are left out."""
        by_name: dict[str, list[str]] = {}
        for path in paths:
            name, bare = split(path)
            by_name.setdefault(name, []).append(bare)
        found: dict[str, Chunk] = {}
        for name, bare_paths in by_name.items():
            part = self._by_name.get(name)
            for path, chunk in part.snapshot.first_chunks(bare_paths).items() if part is not None else ():
                found[qualified(name, path)] = _named(part, chunk) if part is not None else chunk
        return found

    def chunks_of(self, path: str) -> Mapping[int, Chunk]:
        """Return {id: chunk} of a file."""
        name, bare = split(path)
        for place, part in enumerate(self._parts):
            if part.name == name:
                chunks = part.snapshot.chunks_of(bare)
                return {_joined(place, number): _named(part, chunk) for number, chunk in chunks.items()}
        return {}

    def paths(self) -> FileList:
        """Return (path, kind, language) of all files, by path."""
        return self._paths

    @cached_property
    def _paths(self) -> FileList:
        others = (
            (qualified(part.name, path), kind, language)
            for part in self._parts[1:]
            for path, kind, language in part.snapshot.paths()
        )
        return FileList(sorted([*self._own.paths(), *others]))

    def files(self) -> Iterable[str]:
        """Return the paths of this repository's files that are indexed whole."""
        return self._own.files()

    @cached_property
    def generated(self) -> Collection[str]:
        """The paths of files with a comment that marks them as generated."""
        others = ((qualified(part.name, path) for path in part.snapshot.generated) for part in self._parts[1:])
        return self._own.generated.union(chain.from_iterable(others))

    def rarities(self, words: Iterable[str]) -> dict[str, float]:
        """Return {word: inverse document frequency} of words in all indexes together."""
        return {word: self._words.rarity(word) for word in words}

    def frequency(self, word: str) -> int:
        """Return the number of chunks of all indexes that contain a word."""
        return self._words.frequency(word)


def _own(place: int, ids: Sequence[int]) -> Sequence[int]:
    """Return the ids of one index among joined ones."""
    return [number & _LOW for number in ids if number >> _BITS == place]


def _joined(place: int, number: int) -> int:
    return place << _BITS | number


def _first(matches: list[tuple[int, float]], limit: int | None) -> Matches:
    """Return the best matches and ties with the last; all of them without a limit."""
    if limit is None or len(matches) <= limit:
        return matches
    last = matches[limit - 1][1]
    return [match for match in matches if match[1] >= last]


def _named(part: Part, chunk: Chunk) -> Chunk:
    """Return a chunk whose path names its repository."""
    if not part.name or chunk.kind == "memory":
        return chunk
    return replace(chunk, path=qualified(part.name, chunk.path))


def _factors(words: Asked) -> Mapping[str, float]:
    return words if isinstance(words, Mapping) else dict.fromkeys(words, 1.0)
