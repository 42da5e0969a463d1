"""The vectors of the branches that questions read, in the memory of the server.

All vectors of a question's branches are compared, as in the local index. The vectors of a branch are read from the
database when a question meets the branch for the first time after a push. A million vectors of 256 numbers take 256 MB.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from muninn_core.index.vectors.segment import Segment
from muninn_core.index.vectors.vector_index import KIND_BITS
from muninn_core.model.chunk import SOURCE_KINDS, SourceKind
from muninn_core.org import models
from muninn_core.org.database.connections import Connection

if TYPE_CHECKING:
    from muninn_core.index.vectors.segment import Ids, Rows

MAX_VECTORS = 16_000_000
"""The most vectors that are kept of one column of a tenant.

The most places of branches are twice as many. A question to branches with more is answered, and the next one reads them
again.
"""

MAX_VECTORS_TOTAL = 24_000_000
"""The most vectors that are kept of all tenants: a large one and small ones."""

_BLOCK = 1 << 16
"""The vectors of a block. A change copies the last block only."""

_READ = 16
"""Branches that are read in one query. Their vectors are in memory several times until they are in blocks."""

_CHOSEN = 8
"""Callers whose vectors are known, a byte for each vector of the tenant."""

_NO_PLACES = np.zeros(0, np.int64)

Column = Literal["vector", "encoding"]
Version = tuple[int, int, str]
"""A state of a branch: its id, its number of pushes and its commit."""


class _Places(NamedTuple):
    """The places of the vectors of a branch, and the number of its chunks that have none."""

    at: NDArray[np.int64]
    missing: int


class _State(NamedTuple):
    """Blocks of vectors, the id of each, and the places of the vectors of branches. Nothing in it changes."""

    blocks: tuple[Segment, ...] = ()
    ids: Ids = np.zeros(0, np.int64)
    kinds: NDArray[np.int8] = np.zeros(0, np.int8)
    places: Mapping[Version, _Places] = {}


class _Chosen(NamedTuple):
    """Which vectors of a state are those of some branches, and whether each chunk of these has one."""

    branches: Sequence[Version]
    state: _State
    wanted: NDArray[np.bool_]
    complete: bool


class BranchVectors:
    """The vectors of one column of one tenant. Safe to use from several threads."""

    def __init__(self, column: Column, dim: int) -> None:
        self._column = column
        self._dim = dim
        self._lock = threading.Lock()
        self._state = _State()
        self._chosen: tuple[_Chosen, ...] = ()

    def __len__(self) -> int:
        """Return the number of vectors that are kept."""
        return len(self._state.ids)

    def nearest(
        self,
        connection: Connection,
        branches: Sequence[Version],
        query: NDArray[np.float32],
        limit: int,
        kind: SourceKind | None = None,
    ) -> list[tuple[float, int]]:
        """Return (product, id) of the nearest chunks of some branches, best first, ties by id.

        `query` has 8-bit numbers. The transaction's caller must be allowed to read the branches, and reads them in
        these versions.
        """
        _, state, wanted, _ = self._choose(connection, branches)
        if kind is not None:
            wanted = wanted & (state.kinds == SOURCE_KINDS.index(kind))
        found: list[tuple[float, int]] = []
        for number, block in enumerate(state.blocks):
            first = number * _BLOCK
            products, places = block.nearest(query, limit, wanted[first : first + _BLOCK])
            found += zip(products.tolist(), state.ids[first + places].tolist(), strict=True)
        return sorted(found, key=lambda pair: (-pair[0], pair[1]))[:limit]

    def complete(self, connection: Connection, branches: Sequence[Version]) -> bool:
        """Whether each chunk of some branches has a vector, of the encoder's column each memory."""
        return self._choose(connection, branches).complete

    def _choose(self, connection: Connection, branches: Sequence[Version]) -> _Chosen:
        """Return which vectors are those of some branches. Equal questions of a caller have the same object of them."""
        for each in self._chosen:
            if each.branches is branches and each.state is self._state:
                return each
        state = self._loaded(connection, branches)
        places = [state.places[each] for each in branches]
        wanted = np.zeros(len(state.ids), bool)
        wanted[np.concatenate([_NO_PLACES, *(each.at for each in places)])] = True
        found = _Chosen(branches, state, wanted, not any(each.missing for each in places))
        self._chosen = (found, *(each for each in self._chosen if each.state is state))[:_CHOSEN]
        return found

    def _loaded(self, connection: Connection, branches: Sequence[Version]) -> _State:
        """Return a state that has some branches."""
        state = self._state
        if all(each in state.places for each in branches):
            return state
        with self._lock:
            state = self._state
            missing = [each for each in branches if each not in state.places]
            if missing:
                live = sum(len(each.at) for each in state.places.values())
                if len(state.ids) > min(2 * live + _BLOCK, MAX_VECTORS) or live > 2 * MAX_VECTORS:
                    state, missing = _State(), list(branches)
                self._state = state = self._with(connection, state, missing)
        return state

    def _with(self, connection: Connection, state: _State, branches: Sequence[Version]) -> _State:
        for start in range(0, len(branches), _READ):
            some = branches[start : start + _READ]
            sql = "SELECT branch, ids, rows, missing FROM vectors_of(%s, %s)"
            rows: Sequence[Any] = connection.execute(
                sql, ([each[0] for each in some], self._column), binary=True
            ).fetchall()
            found = {
                branch: _Read(np.frombuffer(ids or b"", ">i8").astype(np.int64), _rows(vectors, self._dim), missing)
                for branch, ids, vectors, missing in rows
            }
            state = _extended(state, some, found, self._dim)
        return state


class TenantVectors:
    """The vectors of one tenant: those of the table of tokens, and the memories' of the text encoder."""

    def __init__(self) -> None:
        encoder = models.encoder()
        self.of_table = BranchVectors("vector", models.embedder().dim)
        self.of_encoder = BranchVectors("encoding", encoder.dim if encoder is not None else 1)

    def __len__(self) -> int:
        """Return the number of vectors that are kept."""
        return len(self.of_table) + len(self.of_encoder)


class VectorCache:
    """The vectors of the tenants that asked last, at most `MAX_VECTORS_TOTAL` when a question begins.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tenants: OrderedDict[int, TenantVectors] = OrderedDict()

    def of(self, tenant: int) -> TenantVectors:
        """Return the vectors of a tenant that asks, and drop those of tenants that asked longest ago."""
        models.embedder(), models.encoder()  # loaded before the lock is taken
        with self._lock:
            found = self._tenants.get(tenant)
            if found is None:
                found = self._tenants[tenant] = TenantVectors()
            self._tenants.move_to_end(tenant)
            kept = sum(map(len, self._tenants.values()))
            while kept > MAX_VECTORS_TOTAL and len(self._tenants) > 1:
                kept -= len(self._tenants.popitem(last=False)[1])
        return found


class _Read(NamedTuple):
    """The vectors of a branch as they were read, and the number of its chunks that have none."""

    ids: Ids
    rows: Rows
    missing: int


def _rows(joined: bytes | None, dim: int) -> Rows:
    return np.frombuffer(joined or b"", np.int8).reshape(-1, dim)


def _extended(state: _State, branches: Sequence[Version], found: Mapping[int, _Read], dim: int) -> _State:
    """Return a state that has some more branches, of which a push replaced the earlier version."""
    every = [found.get(each[0], _Read(np.zeros(0, np.int64), _rows(None, dim), 0)) for each in branches]
    joined, rows = (np.concatenate(column) for column in ([one.ids for one in every], [one.rows for one in every]))
    ids, first = np.unique(joined, return_index=True)
    places = np.full(len(ids), -1, np.int64)
    order = np.argsort(state.ids, kind="stable")
    if len(order) and len(ids):
        at = np.minimum(np.searchsorted(state.ids, ids, sorter=order), len(order) - 1)
        known = state.ids[order[at]] == ids
        places[known] = order[at[known]]
    new = places < 0
    places[new] = len(state.ids) + np.arange(np.count_nonzero(new))
    of_branches = {
        version: _Places(places[np.searchsorted(ids, one.ids)], one.missing)
        for version, one in zip(branches, every, strict=True)
    }
    changed = {each[0] for each in branches}
    kept = {version: at for version, at in state.places.items() if version[0] not in changed}
    return _State(
        _appended(state.blocks, ids[new], rows[first[new]], dim),
        np.concatenate([state.ids, ids[new]]),
        np.concatenate([state.kinds, (ids[new] >> KIND_BITS).astype(np.int8)]),
        kept | of_branches,
    )


def _appended(blocks: tuple[Segment, ...], ids: Ids, rows: Rows, dim: int) -> tuple[Segment, ...]:
    """Return blocks with more vectors, which fill the last block first."""
    grown = list(blocks)
    while len(ids):
        last = grown.pop() if grown and len(grown[-1]) < _BLOCK else None
        room = _BLOCK - (len(last) if last is not None else 0)
        parts = [] if last is None else [(last.ids, last.rows(np.arange(len(last))))]
        grown.append(Segment(dim, [*parts, (ids[:room], rows[:room])]))
        ids, rows = ids[room:], rows[room:]
    return tuple(grown)
