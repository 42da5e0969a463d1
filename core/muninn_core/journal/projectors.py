"""Projectors: pure functions from events to rows of tables that can be deleted and built again.

Each projector owns its tables. Events that shape memory-like tables have these types and payloads:

    fact         {text, fact_id?, confidence?}
    decision     {title, rationale?, decision_id?, status?, supersedes?: [id], edges?: [{to, relation}],
                  artifacts?: {commit|file_path|pr|note: [text]}}
    pattern      {type, description, confidence?}
    correction   {text}

Without an id of its own, a fact or decision has that of its event.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from muninn_core.index.embedding.embed import Embedder
from muninn_core.journal.row import Row
from muninn_core.journal.vector_packing import pack
from muninn_core.model.event import OBSERVATION, SUMMARY, SYSTEM

ARTIFACTS = ("commit", "file_path", "pr", "note")
MAX_TEXT = 2_000
"""Characters of an event's texts that are searched."""

MAX_FIELDS = 32
"""Fields of a payload that can be filtered."""

_DEEPEST_FIELD = 3
_encode = json.JSONEncoder(ensure_ascii=False).encode
_EXIT_NAMES = ("exit_status", "exit_code", "exit", "returncode")


class Item(NamedTuple):
    """A row with its decoded payload (None for a redacted one), the text that is searched, and its time of occurrence
    in milliseconds since 1970.
    """

    row: Row
    payload: Any
    text: str
    at: int


class Projector(ABC):
    """One projection. `schema` creates its tables and views; `digest` selects their content in a fixed order."""

    name: str
    tables: tuple[str, ...]
    views: tuple[str, ...] = ()
    schema: str
    digest: str

    @abstractmethod
    def apply(self, connection: sqlite3.Connection, items: Sequence[Item]) -> None:
        """Add the rows of some events, in order."""

    @abstractmethod
    def forget(self, connection: sqlite3.Connection, row: Row, *, tombstone: bool) -> bool:
        """Remove what an event added: all for a tombstone, what came from its payload for a redaction.

        Return whether the projection has to be built again instead.
        """


class Facts(Projector):
    """`memory_facts`: what was stated, with confidence and provenance."""

    name = "memory_facts"
    tables = ("memory_facts",)
    schema = """CREATE TABLE memory_facts(project_id TEXT NOT NULL, fact_id TEXT NOT NULL, text TEXT NOT NULL,
      confidence REAL NOT NULL, session_id TEXT NOT NULL, event_id TEXT NOT NULL, occurred_at TEXT NOT NULL,
      position INTEGER PRIMARY KEY); CREATE INDEX memory_facts_id ON memory_facts(project_id, fact_id);"""
    digest = "SELECT * FROM memory_facts ORDER BY position"

    def apply(self, connection: sqlite3.Connection, items: Sequence[Item]) -> None:
        """Add the facts of events of the type `fact`."""
        rows = []
        for row, payload, _, _ in items:
            if row.event_type == "fact" and (text := _text(payload, "text")):
                identity = _text(payload, "fact_id") or row.event_id
                confidence = _share(payload, "confidence", 0.8)
                rows.append(
                    (row.project_id, identity, text, confidence, row.session_id, row.event_id, row.occurred_at,
                     row.position)
                )  # fmt: skip
        connection.executemany("INSERT INTO memory_facts VALUES(?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def forget(self, connection: sqlite3.Connection, row: Row, *, tombstone: bool) -> bool:
        """Remove the fact of an event."""
        connection.execute("DELETE FROM memory_facts WHERE position = ?", (row.position,))
        return False


class Decisions(Projector):
    """`decisions`, `decision_edges` and `artifact_links`: immutable decisions, their lineage and their artifacts."""

    name = "decisions"
    tables = ("decision_events", "decision_event_edges", "decision_event_links")
    views = ("artifact_links", "decision_edges", "decisions")
    schema = """CREATE TABLE decision_events(project_id TEXT NOT NULL, decision_id TEXT NOT NULL, title TEXT NOT NULL,
      rationale TEXT NOT NULL, status TEXT NOT NULL, session_id TEXT NOT NULL, event_id TEXT NOT NULL,
      occurred_at TEXT NOT NULL, position INTEGER PRIMARY KEY);
      CREATE INDEX decision_events_id ON decision_events(project_id, decision_id, position);
      CREATE TABLE decision_event_edges(position INTEGER NOT NULL, to_decision_id TEXT NOT NULL,
      relation TEXT NOT NULL, PRIMARY KEY(position, to_decision_id, relation)) WITHOUT ROWID;
      CREATE INDEX decision_event_edges_to ON decision_event_edges(to_decision_id, relation);
      CREATE TABLE decision_event_links(position INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,
      PRIMARY KEY(position, kind, value)) WITHOUT ROWID;
      CREATE INDEX decision_event_links_value ON decision_event_links(value);
      CREATE VIEW decisions AS SELECT project_id, decision_id, title, rationale,
        CASE WHEN EXISTS(SELECT 1 FROM decision_event_edges e JOIN decision_events f ON f.position = e.position
          WHERE e.to_decision_id = d.decision_id AND e.relation = 'supersedes' AND f.project_id = d.project_id)
          THEN 'superseded' ELSE status END AS status, session_id, event_id, occurred_at, position
        FROM decision_events d WHERE position = (SELECT min(position) FROM decision_events
          WHERE project_id = d.project_id AND decision_id = d.decision_id);
      CREATE VIEW decision_edges AS SELECT d.project_id, d.decision_id AS from_decision_id, to_decision_id, relation,
        d.position FROM decision_event_edges e JOIN decisions d ON d.position = e.position;
      CREATE VIEW artifact_links AS SELECT d.project_id, d.decision_id, kind, value, d.position
        FROM decision_event_links l JOIN decisions d ON d.position = l.position;"""
    digest = (
        "SELECT * FROM decision_events ORDER BY position; SELECT * FROM decision_event_edges ORDER BY 1, 2, 3;"
        " SELECT * FROM decision_event_links ORDER BY 1, 2, 3"
    )

    def apply(self, connection: sqlite3.Connection, items: Sequence[Item]) -> None:
        """Add the decisions of events of the type `decision`. The first event of an id counts: it is immutable."""
        rows, edges, links = [], [], []
        for row, payload, _, _ in items:
            if row.event_type != "decision" or not (title := _text(payload, "title")):
                continue
            identity, status = _text(payload, "decision_id") or row.event_id, _text(payload, "status") or "accepted"
            rows.append(
                (row.project_id, identity, title, _text(payload, "rationale"), status, row.session_id, row.event_id,
                 row.occurred_at, row.position)
            )  # fmt: skip
            edges += [(row.position, *edge) for edge in _edges(payload)]
            artifacts = payload.get("artifacts") if isinstance(payload.get("artifacts"), dict) else {}
            links += [(row.position, kind, value) for kind in ARTIFACTS for value in _texts(artifacts.get(kind))]
        connection.executemany("INSERT INTO decision_events VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        connection.executemany("INSERT OR IGNORE INTO decision_event_edges VALUES(?, ?, ?)", edges)
        connection.executemany("INSERT OR IGNORE INTO decision_event_links VALUES(?, ?, ?)", links)

    def forget(self, connection: sqlite3.Connection, row: Row, *, tombstone: bool) -> bool:
        """Remove the decision of an event with its edges and links."""
        for table in self.tables:
            connection.execute(f"DELETE FROM {table} WHERE position = ?", (row.position,))
        return False


class Patterns(Projector):
    """`patterns`: what recurs, computed from the events that are evidence of it.

    A command is a pattern `failing_command` from its third failure on; its confidence is the share of its runs that
    failed. A correction is a pattern `repeated_correction` from its second occurrence on; its confidence is 1 - 1/2^n
    for n occurrences. A pattern of an event `pattern` is one from the first on, with the last stated confidence.
    """

    name = "patterns"
    tables = ("pattern_evidence", "pattern_texts")
    views = ("patterns",)
    schema = """CREATE TABLE pattern_evidence(key INTEGER NOT NULL, position INTEGER NOT NULL, hit INTEGER NOT NULL,
      confidence REAL, at INTEGER NOT NULL, PRIMARY KEY(key, position)) WITHOUT ROWID;
      CREATE TABLE pattern_texts(key INTEGER PRIMARY KEY, project_id TEXT NOT NULL, type TEXT NOT NULL,
      description TEXT NOT NULL);
      CREATE VIEW patterns AS SELECT project_id, printf('%016x', e.key) AS pattern_id, type, description,
        strftime('%Y-%m-%dT%H:%M:%S', min(CASE WHEN hit THEN at END) / 1000, 'unixepoch')
          || printf('.%03dZ', min(CASE WHEN hit THEN at END) % 1000) AS first_seen,
        strftime('%Y-%m-%dT%H:%M:%S', max(CASE WHEN hit THEN at END) / 1000, 'unixepoch')
          || printf('.%03dZ', max(CASE WHEN hit THEN at END) % 1000) AS last_seen,
        sum(hit) AS occurrence_count,
        CASE type WHEN 'failing_command' THEN round(1.0 * sum(hit) / count(*), 3)
          WHEN 'repeated_correction' THEN round(1 - 1.0 / (1 << min(sum(hit), 30)), 3)
          ELSE (SELECT l.confidence FROM pattern_evidence l WHERE l.key = e.key ORDER BY l.position DESC LIMIT 1) END
          AS confidence, max(CASE WHEN hit THEN position END) AS position
        FROM pattern_evidence e JOIN pattern_texts USING(key) GROUP BY e.key
        HAVING sum(hit) >= CASE type WHEN 'failing_command' THEN 3 WHEN 'repeated_correction' THEN 2 ELSE 1 END;"""
    digest = "SELECT * FROM pattern_evidence ORDER BY 1, 2; SELECT * FROM pattern_texts ORDER BY key"

    def apply(self, connection: sqlite3.Connection, items: Sequence[Item]) -> None:
        """Add the evidence that events are."""
        evidence, texts = [], {}
        for row, payload, _, at in items:
            found = _evidence(row, payload)
            if found is not None:
                kind, description, hit, confidence = found
                key = _pattern_key(row.project_id, kind, description)
                evidence.append((key, row.position, hit, confidence, at))
                texts[key] = (key, row.project_id, kind, description)
        connection.executemany("INSERT INTO pattern_evidence VALUES(?, ?, ?, ?, ?)", evidence)
        connection.executemany("INSERT OR IGNORE INTO pattern_texts VALUES(?, ?, ?, ?)", texts.values())

    def forget(self, connection: sqlite3.Connection, row: Row, *, tombstone: bool) -> bool:
        """Remove the evidence of an event, and a text without evidence."""
        where = "key IN (SELECT key FROM pattern_texts) AND position = ?"  # a search per pattern instead of an index
        keys = connection.execute(f"SELECT key FROM pattern_evidence WHERE {where}", (row.position,)).fetchall()
        connection.execute(f"DELETE FROM pattern_evidence WHERE {where}", (row.position,))
        for key in keys:
            connection.execute(
                "DELETE FROM pattern_texts WHERE key = ?1"
                " AND NOT EXISTS(SELECT 1 FROM pattern_evidence WHERE key = ?1)",
                key,
            )
        return False


class Statistics(Projector):
    """`statistics`: how many events there are, by project, day, type, actor and source."""

    name = "statistics"
    tables = ("statistics",)
    schema = """CREATE TABLE statistics(project_id TEXT NOT NULL, day TEXT NOT NULL, event_type TEXT NOT NULL,
      actor TEXT NOT NULL, source TEXT NOT NULL, events INTEGER NOT NULL,
      PRIMARY KEY(project_id, day, event_type, actor, source)) WITHOUT ROWID;"""
    digest = "SELECT * FROM statistics WHERE events > 0 ORDER BY 1, 2, 3, 4, 5"

    _ADD = "INSERT INTO statistics VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET events = events + excluded.events"

    def apply(self, connection: sqlite3.Connection, items: Sequence[Item]) -> None:
        """Count events."""
        counts = Counter(_counted(item.row) for item in items)
        connection.executemany(self._ADD, [(*key, count) for key, count in counts.items()])

    def forget(self, connection: sqlite3.Connection, row: Row, *, tombstone: bool) -> bool:
        """Take a deleted event out of its count. A redacted one still counts."""
        if tombstone:
            connection.execute(self._ADD, (*_counted(row), -1))
        return False


class Fields(Projector):
    """`fields` and `moments`: which events have which value in a field, when each occurred, and which are deleted.

    `fields` is a full-text index whose words are keys: hashes of field and value, so that an unusual value costs no
    more than a common one. A query compares the events that it finds with the value itself. `blanks` are the events
    that were redacted before they came here.
    """

    name = "fields"
    tables = ("fields_vocabulary", "fields", "moments", "tombstones", "blanks")
    schema = """CREATE VIRTUAL TABLE fields USING fts5(keys, content='', columnsize=0, detail='none', tokenize='ascii');
      CREATE VIRTUAL TABLE fields_vocabulary USING fts5vocab(fields, 'row');
      CREATE TABLE moments(position INTEGER PRIMARY KEY, at INTEGER NOT NULL);
      CREATE INDEX moments_at ON moments(at); CREATE TABLE tombstones(position INTEGER PRIMARY KEY);
      CREATE TABLE blanks(position INTEGER PRIMARY KEY);"""
    digest = (
        "SELECT term, doc FROM fields_vocabulary ORDER BY term; SELECT * FROM moments ORDER BY 1;"
        " SELECT * FROM tombstones ORDER BY 1; SELECT * FROM blanks ORDER BY 1"
    )

    def apply(self, connection: sqlite3.Connection, items: Sequence[Item]) -> None:
        """Add the fields of events."""
        _insert_all(
            connection, "fields(rowid, keys)", [(item.row.position, _keys(item.row, item.payload)) for item in items]
        )
        _insert_all(connection, "moments(position, at)", [(item.row.position, item.at) for item in items])
        connection.executemany(
            "INSERT INTO blanks VALUES(?)", [(item.row.position,) for item in items if item.row.stored == "redacted"]
        )

    def forget(self, connection: sqlite3.Connection, row: Row, *, tombstone: bool) -> bool:
        """Hide a deleted event; ask to be built again when fields of a redacted payload are in the index."""
        if tombstone:
            connection.execute("INSERT OR IGNORE INTO tombstones VALUES(?)", (row.position,))
            connection.execute("DELETE FROM moments WHERE position = ?", (row.position,))
            return False
        return connection.execute("SELECT 1 FROM blanks WHERE position = ?", (row.position,)).fetchone() is None


class Words(Projector):
    """`words`: the full-text index of the payloads' texts. It holds no copy of the texts."""

    name = "words"
    tables = ("words_vocabulary", "words")
    schema = """CREATE VIRTUAL TABLE words USING fts5(text, content='', detail='column',
      tokenize="unicode61 remove_diacritics 2 tokenchars '_'");
      CREATE VIRTUAL TABLE words_vocabulary USING fts5vocab(words, 'row');"""
    digest = "SELECT term, doc, cnt FROM words_vocabulary ORDER BY term; SELECT id FROM words_docsize ORDER BY id"

    def apply(self, connection: sqlite3.Connection, items: Sequence[Item]) -> None:
        """Index the texts of events."""
        texts = [(item.row.position, item.text.replace("\0", " ")) for item in items if item.text]
        _insert_all(connection, "words(rowid, text)", texts)

    def forget(self, connection: sqlite3.Connection, row: Row, *, tombstone: bool) -> bool:
        """Ask to be built again when words of a redacted payload are in the index. Queries leave out deleted events."""
        if tombstone:
            return False
        return connection.execute("SELECT 1 FROM words_docsize WHERE id = ?", (row.position,)).fetchone() is not None


class Vectors(Projector):
    """`vectors`: the meaning of the payloads' texts, in 4 bits per dimension."""

    name = "vectors"
    tables = ("vectors",)
    schema = "CREATE TABLE vectors(position INTEGER PRIMARY KEY, vector BLOB NOT NULL);"
    digest = "SELECT * FROM vectors ORDER BY position"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def apply(self, connection: sqlite3.Connection, items: Sequence[Item]) -> None:
        """Embed the texts of events; a text without a known word has no vector."""
        texts = [(item.row.position, item.text) for item in items if item.text]
        vectors = self._embedder.embed([text for _, text in texts])
        packed = pack(vectors)
        known = [number for number, found in enumerate(np.any(vectors, axis=1)) if found]
        if known:
            connection.execute(
                "INSERT INTO vectors SELECT value, substr(?2, 1 + key * ?3, ?3) FROM json_each(?1)",
                (
                    json.dumps([texts[number][0] for number in known]),
                    b"".join(packed[number] for number in known),
                    len(packed[0]),
                ),
            )

    def forget(self, connection: sqlite3.Connection, row: Row, *, tombstone: bool) -> bool:
        """Remove the vector of an event."""
        connection.execute("DELETE FROM vectors WHERE position = ?", (row.position,))
        return False


def _insert_all(connection: sqlite3.Connection, into: str, rows: Sequence[tuple[int, int | str]]) -> None:
    """Insert rows of two columns in one step: each step of a statement lets another thread run, and waits for it.

    A text may not have the character NUL, which ends the texts of SQLite's JSON.
    """
    statement = f"INSERT INTO {into} SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?)"
    connection.execute(statement, (json.dumps(rows),))


def field_key(field: str, value: Any) -> str:
    """Return the key of a field's value: 48 bits of a hash in hex."""
    return _key(field, value.__class__, value)


@lru_cache(maxsize=50_000)
def _key(field: str, _type: type, value: Any) -> str:
    """Compute a key. The type is part of the cache's key, because True equals 1."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = f"{field}\0{_encode(value)}"
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


HEADER_FIELDS = ("project_id", "session_id", "turn_id", "stream_id", "event_type", "actor", "source", "trace_id")
_header = attrgetter(*HEADER_FIELDS)


@lru_cache(maxsize=10_000)
def _header_keys(values: tuple[str | None, ...]) -> str:
    """Return the keys of the columns that are not empty. Events of a session have few combinations of them."""
    return " ".join(field_key(name, value) for name, value in zip(HEADER_FIELDS, values, strict=True) if value)


def _keys(row: Row, payload: Any) -> str:
    """Return the keys of all that can be filtered: columns that are not empty, and scalars of the payload."""
    inside = [_key(name, value.__class__, value) for name, value in payload_fields(payload)]
    return " ".join([_header_keys(_header(row)), *inside])


def payload_fields(payload: Any) -> list[tuple[str, Any]]:
    """Return (path, value) of the scalars of a payload, such as `payload.scope.agent`; each item of a list counts."""
    found: list[tuple[str, Any]] = []
    if isinstance(payload, dict):
        _collect(payload, "payload", 1, found)
    return found[:MAX_FIELDS]


def _collect(fields: dict[str, Any], path: str, depth: int, found: list[tuple[str, Any]]) -> None:
    for name, value in fields.items():
        if isinstance(value, dict):
            if depth < _DEEPEST_FIELD:
                _collect(value, f"{path}.{name}", depth + 1, found)
        elif isinstance(value, list):
            found += [(f"{path}.{name}", each) for each in value if not isinstance(each, dict | list)]
        else:
            found.append((f"{path}.{name}", value))


def searched_text(row: Row, payload: Any) -> str:
    """Return the texts of a payload that are searched, in its order; "" for the journal's own events."""
    if row.event_type.startswith(SYSTEM) and row.event_type not in (OBSERVATION, SUMMARY):
        return ""
    pieces: list[str] = []
    room = MAX_TEXT
    waiting = [payload]
    while waiting and room > 0:
        value = waiting.pop()
        if value.__class__ is str:
            pieces.append(value[:room])
            room -= len(value) + 1
        elif value.__class__ is dict:
            waiting += reversed(value.values())
        elif value.__class__ is list:
            waiting += reversed(value)
    return "\n".join(pieces)


def _evidence(row: Row, payload: Any) -> tuple[str, str, int, float | None] | None:
    """Return (type, description, whether it is an occurrence, stated confidence) of an event that is evidence."""
    if not isinstance(payload, dict):
        return None
    if row.event_type == "pattern":
        kind, description = _text(payload, "type") or "pattern", _text(payload, "description")
        return (kind, description, 1, _share(payload, "confidence", 0.5)) if description else None
    if row.event_type == "correction":
        text = " ".join(_text(payload, "text").lower().split())
        return ("repeated_correction", text[:MAX_TEXT], 1, None) if text else None
    command = _text(payload, "command")
    status = next((payload[name] for name in _EXIT_NAMES if isinstance(payload.get(name), int)), None)
    if command and status is not None:
        return "failing_command", " ".join(command.split())[:MAX_TEXT], int(bool(status)), None
    return None


@lru_cache(maxsize=10_000)
def _pattern_key(project: str, kind: str, description: str) -> int:
    """Return 64 bits of a hash, signed, as SQLite stores integers."""
    content = "\0".join((project, kind, description)).encode()
    return int.from_bytes(hashlib.sha256(content).digest()[:8], "big", signed=True)


def _edges(payload: Any) -> list[tuple[str, str]]:
    """Return (to, relation) of a decision's edges."""
    stated = payload.get("edges") if isinstance(payload.get("edges"), list) else []
    found = [(_text(edge, "to"), _text(edge, "relation") or "relates_to") for edge in stated]
    return [(each, "supersedes") for each in _texts(payload.get("supersedes"))] + [each for each in found if each[0]]


def _counted(row: Row) -> tuple[str, str, str, str, str]:
    return row.project_id, row.occurred_at[:10], row.event_type, row.actor, row.source


def _text(payload: Any, name: str) -> str:
    value = payload.get(name) if isinstance(payload, dict) else None
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str) and each]


def _share(payload: Any, name: str, default: float) -> float:
    value = payload.get(name) if isinstance(payload, dict) else None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    return default
