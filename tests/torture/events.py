"""kill -9 of the daemon and of eight clients that record events, turns and capsules.

Afterwards each acknowledged event is in the journal once, the chain verifies, the streams have no gap, the spans agree
with the events, and the projections equal those that are built again.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from muninn_core.launch.repository_location import locate
from muninn_core.model.event import CAPSULE_CLOSED, CAPSULE_OPENED, SUMMARY, TURN_BEGUN, TURN_ENDED
from torture import kills
from torture.campaign import Limit, Outcome
from torture.engine import engine_on
from torture.ledger import read_ledgers

TYPES = {
    "turn.begin": TURN_BEGUN,
    "turn.end": TURN_ENDED,
    "capsule.open": CAPSULE_OPENED,
    "capsule.summarise": SUMMARY,
    "capsule.close": CAPSULE_CLOSED,
}
"""The events of verbs that are sent once. `event.append` and `capsule.observe` have a key and are repeated."""


def run(seed: int, limit: Limit, writers: int = kills.WRITERS) -> Outcome:
    """Kill until the limit, in rounds; a unit of the count is a kill."""
    return kills.run(seed, limit, writers, EventRound)


class EventRound(kills.Round):
    """A round whose writers record in the journal only."""

    program = "torture.event_writer"
    kinds = ("daemon", "daemon", "client")
    pause = 0.4

    def _check_start(self) -> None:
        """The next daemon answers a query of the journal."""
        self._check_answer("event.query", {"limit": 1})

    def _compare(self) -> None:
        ledgers = read_ledgers(self._ledgers.iterdir())
        self._end_daemon()
        self._check_errors(ledgers)
        with engine_on(self._root, self._site.folder) as (_, call):
            verified = call("audit.verify")
            self._outcome.expect(verified.ok, f"the journal's chain is broken: {verified.broken}")
            rebuilt = call("projections.rebuild").rebuilt
            self._outcome.expect(all(one.same for one in rebuilt), f"projections differ when built again: {rebuilt}")
            lines: list[dict[str, Any]] = []
            after: int | None = 0
            while after is not None:
                page = call("audit.replay", limit=10_000, after=after)
                lines += map(json.loads, page.lines)
                after = page.next
        self._outcome.figures["events in journals"] += len(lines)
        self._outcome.figures["journals verified and rebuilt"] += 1
        check_events(ledgers, lines, self._outcome)
        check_streams(lines, self._outcome)
        check_spans(Path(locate(str(self._root)).journal) / "events.db", ledgers, self._outcome)


def check_events(ledgers: list[dict[str, Any]], lines: list[dict[str, Any]], outcome: Outcome) -> None:
    """Every acknowledged call has its event, and no call has two."""
    ids = {line["event_id"] for line in lines}
    keys = Counter(line["idempotency_key"] for line in lines if line["idempotency_key"])
    once = Counter((line["event_type"], marker(line)) for line in lines if line["event_type"] in TYPES.values())
    for key, count in [*keys.items(), *once.items()]:
        if count > 1:
            outcome.figures["events duplicated"] += 1
            outcome.violations.append(f"duplicated: {key} is in the journal {count} times")
    closed = {line["stream_id"] for line in lines if line["event_type"] == CAPSULE_CLOSED}
    acknowledged = [one for one in ledgers if one["event"] == "ack"]
    outcome.figures["calls acknowledged"] += len(acknowledged)
    outcome.figures["calls without an answer"] += len(ledgers) - 2 * len(acknowledged)
    for one in acknowledged:
        verb, nonce = one["verb"], one["nonce"]
        there = one["event_id"] is None or one["event_id"] in ids
        if verb == "capsule.close":
            there = one["capsule"] in closed
        elif verb in TYPES:
            there = there and (TYPES[verb], nonce) in once
        else:
            there = there and nonce in keys
        if not there:
            outcome.figures["events lost"] += 1
            outcome.violations.append(f"lost: {verb} {nonce} was acknowledged, the journal has no event of it")


def marker(line: dict[str, Any]) -> str:
    """Return the word that names the call of an event: of a turn its id, of a capsule its intent or text."""
    if line["event_type"] in (TURN_BEGUN, TURN_ENDED):
        turn: str = line["turn_id"]
        return turn
    payload = line["payload"] or {}
    return str(payload.get("intent") or payload.get("text") or line["stream_id"])


def check_streams(lines: list[dict[str, Any]], outcome: Outcome) -> None:
    """The sequence of every stream has no gap and no repetition."""
    streams: dict[tuple[str, str], list[int]] = defaultdict(list)
    for line in lines:
        streams[line["project_id"], line["stream_id"]].append(line["stream_seq"])
    for stream, sequence in streams.items():
        outcome.expect(sequence == list(range(1, len(sequence) + 1)), f"the stream {stream} has {sequence[:50]}")


def check_spans(database: Path, ledgers: list[dict[str, Any]], outcome: Outcome) -> None:
    """A turn or capsule whose end was acknowledged is closed."""
    connection = sqlite3.connect(database)
    states = dict(connection.execute("SELECT CASE kind WHEN 'turn' THEN turn_id ELSE span_id END, status FROM spans"))
    connection.close()
    for one in ledgers:
        if one["event"] == "ack" and one["verb"] in ("turn.end", "capsule.close"):
            name = one["nonce"] if one["verb"] == "turn.end" else one["capsule"]
            outcome.expect(
                states.get(name) == "closed", f"{one['verb']} of {name} was acknowledged: {states.get(name)}"
            )
