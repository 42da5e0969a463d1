"""Queries over a journal's events: by fields, by time, and by words and meaning, in any combination.

Without a text, events come newest first. With a text, they are ranked by the sum of the reciprocal ranks of two lists:
by words (BM25, without words that say little) and by meaning (cosine, from `_NEAR` on). Ties go to the newer event.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from muninn_core.errors import BadParams
from muninn_core.index.vectors.vector_index import VectorIndex, build_vectors
from muninn_core.journal.journal import Journal
from muninn_core.journal.preparation import moment
from muninn_core.journal.projections import Projections
from muninn_core.journal.projectors import HEADER_FIELDS, field_key, payload_fields
from muninn_core.journal.row import Row, event_of
from muninn_core.journal.vector_packing import unpack
from muninn_core.model.chunk import SOURCE_KINDS
from muninn_core.model.event import Event
from muninn_core.model.value import Value, field
from muninn_core.near_match import did_you_mean
from muninn_core.protocol.families.events import EventHit
from muninn_core.source.stop_words import STOP_WORDS
from muninn_core.store.records.timestamps import milliseconds

_CANDIDATES = 200
_RANK_CONSTANT = 60
"""Reciprocal rank fusion: 1 / (60 + rank). Source: Cormack, Clarke and Büttcher, SIGIR 2009."""

_NEAR = 0.15
"""The least cosine of an event that has none of the words. Of texts about other things it is about 0.1."""

_COMMON = 5_000
"""Words are left out, the most common first, while all together occur in more events than this."""

_EXACT = 20_000
"""Up to so many events that pass a filter are all compared with the text."""

_FOLLOWED_BYTES = 1024 * 1024
"""Bytes of payloads after which no further event is read for a follower of the journal."""

_WORD = re.compile(r"\w+")


class Filter(Value):
    """What an event must be like. `where` maps columns and paths of the payload (`payload.exit_status`) to values."""

    where: Mapping[str, Any] = field(default_factory=dict)
    since: str = ""
    until: str = ""


class Counts(Value):
    """The number of events in all and by each value of a field."""

    events: int
    by: dict[str, dict[str, int]]
    first: str
    last: str


class Search:
    """Answers queries. Safe to use from several threads."""

    def __init__(self, journal: Journal, projections: Projections) -> None:
        self._journal = journal
        self._projections = projections
        self._loading = threading.Lock()
        self._vectors: VectorIndex | None = None
        self._loaded = 0
        self._removals = 0

    def release_memory(self) -> None:
        """Release the vectors; the next query by meaning reads them again."""
        with self._loading:
            self._vectors, self._loaded = None, 0

    def recent(self, chosen: Filter, limit: int, before: int | None = None) -> list[Event]:
        """Return the newest events that pass a filter, those before a position. Raises BadParams."""
        keys, checks = conditions_of(chosen)
        bounds = _bounds(chosen)
        self._projections.catch_up()
        found: list[Event] = []
        while len(found) < limit:
            positions = self._positions(keys, bounds, before, limit - len(found))
            if not positions:
                break
            found += [event for event in self._journal.events(positions) if passes(event, checks)]
            before = positions[-1]
        return found

    def find(self, text: str, chosen: Filter, limit: int) -> list[EventHit]:
        """Return the events that match a text best, among those that pass a filter. Raises BadParams."""
        keys, checks = conditions_of(chosen)
        bounds = _bounds(chosen)
        self._projections.catch_up()
        restricted = bool(keys) or bounds != (None, None)
        allowed = self._positions(keys, bounds, None, _EXACT + 1) if restricted else []
        inside = set(allowed) if restricted and len(allowed) <= _EXACT else None
        legs = (self._by_words(text, inside), self._by_meaning(text, inside))
        ranks = [{position: rank for rank, position in enumerate(leg, 1)} for leg in legs]
        scores = {
            position: sum(1 / (_RANK_CONSTANT + rank[position]) for rank in ranks if position in rank)
            for position in {*legs[0], *legs[1]}
        }
        hits: list[EventHit] = []
        order = sorted(scores, key=lambda position: (-scores[position], -position))
        for start in range(0, len(order), _CANDIDATES // 4):
            for event in self._visible(order[start : start + _CANDIDATES // 4]):
                if event.payload is not None and passes(event, checks) and _in_time(event, chosen):
                    position = event.position
                    hits.append(
                        EventHit(
                            event=event,
                            score=scores[position],
                            words=ranks[0].get(position, 0),
                            meaning=ranks[1].get(position, 0),
                        )
                    )
                if len(hits) == limit:
                    return hits
        return hits

    def is_hidden(self, position: int) -> bool:
        """Whether the event at a position was deleted."""
        self._projections.catch_up()
        return bool(self._projections.rows("SELECT 1 FROM tombstones WHERE position = ?", (position,)))

    def known_values(self) -> dict[str, set[str]]:
        """Return the projects, types and sources of all events."""
        self._projections.catch_up()
        rows = self._projections.rows(
            "SELECT DISTINCT project_id, event_type, source FROM statistics WHERE events > 0", ()
        )
        names = ("project_id", "event_type", "source")
        return {name: {row[number] for row in rows} for number, name in enumerate(names)}

    def statistics(self, project: str = "", since: str = "", until: str = "") -> Counts:
        """Count events by type, actor, source and day, of one project or of all; times count by whole days (UTC)."""
        self._projections.catch_up()
        begin, end = moment(since, "since")[:10], moment(until, "until")
        rows = self._projections.rows(
            "SELECT day, event_type, actor, source, events FROM statistics WHERE (?1 = '' OR project_id = ?1)"
            " AND (?2 = '' OR day >= ?2) AND (?3 = '' OR day < ?3) AND events > 0",
            (project, begin, end),
        )
        by: dict[str, dict[str, int]] = {"event_type": {}, "actor": {}, "source": {}, "day": {}}
        for day, kind, actor, source, count in rows:
            for name, value in (("event_type", kind), ("actor", actor), ("source", source), ("day", day)):
                by[name][value] = by[name].get(value, 0) + count
        days = sorted(by["day"])
        return Counts(
            events=sum(row[4] for row in rows),
            by={name: dict(sorted(values.items())) for name, values in by.items()},
            first=days[0] if days else "",
            last=days[-1] if days else "",
        )

    # --- candidates ---

    def _positions(
        self, keys: Sequence[str], bounds: tuple[int | None, int | None], before: int | None, limit: int
    ) -> list[int]:
        """Return the newest positions that have all keys and lie within the bounds of time."""
        source, position = "moments AS m", "m.position"
        conditions: list[str] = []
        parameters: list[object] = []
        if keys:
            source, position = "fields AS f CROSS JOIN moments AS m ON m.position = f.rowid", "f.rowid"
            conditions.append("fields MATCH ?")
            parameters.append(" AND ".join(f'"{key}"' for key in keys))
        for bound, sign in zip(bounds, (">=", "<"), strict=True):
            if bound is not None:
                conditions.append(f"m.at {sign} ?")
                parameters.append(bound)
        if before is not None:
            conditions.append(f"{position} < ?")
            parameters.append(before)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        sql = f"SELECT {position} FROM {source}{where} ORDER BY {position} DESC LIMIT ?"
        return [row[0] for row in self._projections.rows(sql, (*parameters, limit))]

    def following(self, after: int, limit: int) -> tuple[list[Event], int]:
        """Return the events after a position that are not deleted, in their order, and the position that was reached.

        At most `limit` events are read, and about `_FOLLOWED_BYTES` of payloads or one long one. The position is that
        of the journal's last event when no further one is there.
        """
        head = max(self._journal.position, after)
        rows = list(islice(self._journal.rows(after + 1, head), limit))
        gone = self._deleted([row.position for row in rows])
        return self._followed(rows, gone, rows[-1].position if len(rows) == limit else head)

    def following_newest(self, after: int, limit: int) -> tuple[list[Event], int] | None:
        """Return what `following` does if all of it is in memory, else None. Reads no file and waits for nothing."""
        last = min(self._journal.position, after + limit)
        rows = self._journal.newest(after + 1, last)
        if rows is None or any(row.stored == "file" for row in rows):
            return None
        return self._followed(rows, (), last)

    def _followed(self, rows: Sequence[Row], gone: Container[int], reached: int) -> tuple[list[Event], int]:
        events: list[Event] = []
        size = 0
        for row in rows:
            if row.position not in gone:
                events.append(event_of(row, self._journal.payloads))
                size += _FOLLOWED_BYTES if row.stored == "file" else len(row.payload_json)
                if size >= _FOLLOWED_BYTES:
                    return events, row.position
        return events, reached

    def _visible(self, positions: Sequence[int]) -> Iterator[Event]:
        """Yield the events at some positions that are not deleted."""
        gone = self._deleted(positions)
        yield from self._journal.events([position for position in positions if position not in gone])

    def _deleted(self, positions: Sequence[int]) -> set[int]:
        marks = ", ".join("?" * len(positions))
        sql = f"SELECT position FROM tombstones WHERE position IN ({marks})"
        return {row[0] for row in self._projections.rows(sql, list(positions))}

    def _by_words(self, text: str, inside: set[int] | None) -> list[int]:
        """Return the positions that match the less common words of a text best."""
        words, total = self._chosen_words(text)
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        limit = _CANDIDATES if inside is None else _COMMON  # those outside may match better
        # BM25 reads every match. A word that so many events have tells little, so the newest of them come first.
        order = "bm25(words), rowid DESC" if total <= _COMMON else "rowid DESC"
        sql = f"SELECT rowid FROM words WHERE words MATCH ? ORDER BY {order} LIMIT ?"
        rows = self._projections.rows(sql, (match, limit))
        return [row[0] for row in rows if inside is None or row[0] in inside][:_CANDIDATES]

    def _chosen_words(self, text: str) -> tuple[list[str], int]:
        """Return the less common words of a text that events have, and in how many events they are, at most."""
        counted = []
        every = dict.fromkeys(_WORD.findall(text.lower()))
        for word in [word for word in every if word not in STOP_WORDS] or every:
            rows = self._projections.rows("SELECT doc FROM words_vocabulary WHERE term = ?", (word,))
            if rows:
                counted.append((rows[0][0], word))
        chosen: list[str] = []
        total = 0
        for count, word in sorted(counted):
            if chosen and total + count > _COMMON:
                break
            chosen.append(word)
            total += count
        return chosen, total

    def _by_meaning(self, text: str, inside: set[int] | None) -> list[int]:
        """Return the positions whose texts are closest in meaning."""
        vector = self._projections.embedder.embed_query(text)
        vectors = self._all_vectors()
        if not np.any(vector):
            return []
        found = vectors.search(vector, _CANDIDATES) if inside is None else vectors.cosines(vector, sorted(inside))
        order = sorted((one for one in found if one[1] >= _NEAR), key=lambda one: (-one[1], -one[0]))
        return [position for position, _ in order][:_CANDIDATES]

    def _all_vectors(self) -> VectorIndex:
        """Return the vectors of all events; those that were added since the last call are read now."""
        with self._loading:
            dim = self._projections.embedder.dim
            removals = self._projections.removals
            ((last,),) = self._projections.rows("SELECT coalesce(max(position), 0) FROM vectors")
            known = self._vectors
            if known is None or removals != self._removals:
                kind = SOURCE_KINDS[0]
                known = build_vectors(dim, lambda each: [self._read_vectors(dim, 0)] if each == kind else [])
            elif last > self._loaded:
                known = known.changed([], *self._read_vectors(dim, self._loaded))
            self._vectors, self._loaded, self._removals = known, last, removals
            return known

    def _read_vectors(self, dim: int, after: int) -> tuple[Any, Any]:
        rows = self._projections.rows(
            "SELECT position, vector FROM vectors WHERE position > ? ORDER BY position", (after,)
        )
        ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        return ids, unpack([row[1] for row in rows], dim)


def conditions_of(chosen: Filter) -> tuple[list[str], list[tuple[str, Any]]]:
    """Return the keys of a filter's fields, and the conditions themselves. Raises BadParams for an unknown field."""
    checks = list(chosen.where.items())
    for name, value in checks:
        if name not in HEADER_FIELDS and not name.startswith("payload."):
            hint = did_you_mean(name, HEADER_FIELDS, f"Fields are {', '.join(HEADER_FIELDS)} and payload.NAME.")
            raise BadParams(f"events have no field '{name}'", hint=hint)
        if isinstance(value, dict | list):
            raise BadParams(f"'{name}' can't be compared with an object or a list", hint="Give a single value.")
    return [field_key(name, value) for name, value in checks], checks


def _bounds(chosen: Filter) -> tuple[int | None, int | None]:
    begin, end = moment(chosen.since, "since"), moment(chosen.until, "until")
    return (milliseconds(begin) if begin else None, milliseconds(end) if end else None)


def passes(event: Event, checks: Iterable[tuple[str, Any]]) -> bool:
    """Whether an event has the values that were asked for: keys are hashes, and a redaction may have come between."""
    pairs: list[tuple[str, Any]] | None = None
    for name, value in checks:
        if name in HEADER_FIELDS:
            if getattr(event, name) != value:
                return False
            continue
        if pairs is None:
            pairs = payload_fields(event.payload)
        if not any(name == path and _same(value, item) for path, item in pairs):
            return False
    return True


def _same(one: Any, other: Any) -> bool:
    """Whether two scalars are equal in JSON, where true is not 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _in_time(event: Event, chosen: Filter) -> bool:
    begin, end = moment(chosen.since, "since"), moment(chosen.until, "until")
    return (not begin or event.occurred_at >= begin) and (not end or event.occurred_at < end)
