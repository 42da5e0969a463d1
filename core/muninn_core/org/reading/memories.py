"""The memories of the branches that a question reads. They are read when a question names them, many at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.org.database.connections import Connection
from muninn_core.org.ingestion.storage import read_memory


class BranchMemories(Mapping[str, Memory]):
    """{id: memory} in one transaction. A memory that several branches hold is that of the first by name."""

    def __init__(self, connection: Connection, tenant: int, branches: Mapping[int, str]) -> None:
        """`branches` has {id: name of the repository, "" where it is the only one}, by name."""
        self._connection = connection
        self._tenant = tenant
        self._names = branches
        self._branches = list(branches)
        self._order = {branch: number for number, branch in enumerate(branches)}
        self._known: dict[str, Memory | None] = {}
        self._expected: set[str] = set()
        self._every: dict[str, Memory] | None = None

    def of_branch(self, branch: int) -> BranchMemories:
        """Return the memories of one of the branches. They name their repository as here."""
        return BranchMemories(self._connection, self._tenant, {branch: self._names[branch]})

    def shown(self) -> dict[str, Memory]:
        """Return the memories that lists and links may have: without redacted ones and the notes of a session."""
        return {key: each for key, each in self._read_all().items() if not each.redacted and each.scope != "session"}

    def expect(self, ids: Sequence[str]) -> None:
        """Note memories that are asked for next."""
        self._expected.update(each for each in ids if each not in self._known)

    def all(self) -> Mapping[str, Memory]:
        """Return all memories."""
        return self

    def __getitem__(self, identity: str) -> Memory:
        if self._every is not None:
            return self._every[identity]
        if identity not in self._known:
            self._read({identity, *self._expected})
        memory = self._known[identity]
        if memory is None:
            raise KeyError(identity)
        return memory

    def __iter__(self) -> Iterator[str]:
        return iter(self._read_all())

    def __bool__(self) -> bool:
        """Whether there is a memory, without counting them."""
        if self._every is None:
            sql = "SELECT EXISTS (SELECT 1 FROM memory WHERE tenant = %s AND branch = ANY(%s))"
            row = self._connection.execute(sql, (self._tenant, self._branches)).fetchone()
            return bool(row and row[0])
        return bool(self._every)

    def __len__(self) -> int:
        if self._every is None:
            sql = "SELECT count(DISTINCT id) FROM memory WHERE tenant = %s AND branch = ANY(%s)"
            row = self._connection.execute(sql, (self._tenant, self._branches)).fetchone()
            return int(row[0]) if row else 0
        return len(self._every)

    def _read(self, ids: set[str]) -> None:
        self._known |= dict.fromkeys(ids)
        self._expected.clear()
        sql = "SELECT branch, id, data FROM memory WHERE tenant = %s AND branch = ANY(%s) AND id = ANY(%s)"
        readable = [each for each in ids if "\0" not in each]
        rows = self._connection.execute(sql, (self._tenant, self._branches, readable)).fetchall()
        self._known |= self._first(rows)

    def _read_all(self) -> dict[str, Memory]:
        if self._every is None:
            sql = "SELECT branch, id, data FROM memory WHERE tenant = %s AND branch = ANY(%s)"
            self._every = self._first(self._connection.execute(sql, (self._tenant, self._branches)).fetchall())
        return self._every

    def _first(self, rows: Sequence[tuple[int, str, bytes]]) -> dict[str, Memory]:
        found: dict[str, tuple[int, bytes]] = {}
        for branch, identity, data in sorted(rows, key=lambda row: (self._order[row[0]], row[1])):
            found.setdefault(identity, (branch, data))
        return {
            key: replace(read_memory(data), repository=self._names[branch]) for key, (branch, data) in found.items()
        }
