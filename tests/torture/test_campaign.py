"""The short form of each part of the torture tests, with a fixed seed. `make torture` runs the long form."""

from __future__ import annotations

import itertools
import json
import random
import re
import signal
from collections import Counter
from pathlib import Path

import pytest
from clients import missing

from muninn_core.journal.leases import Claimed, Held, Leases
from muninn_core.journal.writer import Transaction
from muninn_core.protocol.catalogue import METHODS
from muninn_core.store.records.record import Record, parse_line
from torture import events, faults, fuzz, histories, hygiene, interleavings, kills, leases, scenarios, stops, writer
from torture.__main__ import PARTS, main
from torture.campaign import Limit, Outcome, note_run, read_runs, report, site, table, units_before
from torture.ledger import Ledger, compare, read_ledgers
from torture.parsers import PARSERS

SECONDS = 600.0
"""Ends a short form on a machine that hangs; the count ends it elsewhere."""


@pytest.mark.daemon
def test_kills_lose_and_duplicate_nothing() -> None:
    outcome = kills.run(3, Limit(SECONDS, 6), writers=4)
    assert outcome.violations == []
    assert outcome.figures["calls acknowledged"] > 0
    assert outcome.figures["indexes compared with a rebuild"] == 1


@pytest.mark.daemon
def test_kills_lose_and_duplicate_no_event() -> None:
    outcome = events.run(3, Limit(SECONDS, 5), writers=3)
    assert outcome.violations == []
    assert outcome.figures["calls acknowledged"] > 0
    assert outcome.figures["journals verified and rebuilt"] == 1


@pytest.mark.daemon
def test_kills_give_no_lease_to_two_clients() -> None:
    outcome = leases.run(3, Limit(SECONDS, 1), writers=3)
    assert outcome.violations == []
    assert outcome.figures["leases held"] > 0
    assert outcome.figures["kills of a client"] > 0


def test_no_interleaving_with_a_kill_gives_a_lease_to_two_clients() -> None:
    outcome = interleavings.run(3, Limit(SECONDS, 15))
    assert outcome.violations == []
    assert outcome.figures["leases held"] > 0


def test_a_lease_that_two_clients_hold_is_a_violation(monkeypatch) -> None:
    def claim(leases: Leases, key: str, wanted: list[str]) -> Claimed:
        def operation(transaction: Transaction) -> tuple[Held, ...]:
            return leases.take(transaction, leases._agents.member(transaction, key), wanted)  # whoever holds them

        return Claimed(leases._agents.run(operation), ())

    monkeypatch.setattr(Leases, "claim", claim)
    violations = interleavings.run(3, Limit(SECONDS, 40)).violations
    assert any(one.startswith("double") for one in violations)


@pytest.mark.daemon
def test_a_daemon_that_was_stopped_goes_on() -> None:
    outcome = stops.run(3, Limit(SECONDS, 1), writers=2)
    assert outcome.violations == []
    assert outcome.figures["stops of a daemon"] == 1
    assert outcome.figures["calls acknowledged"] > 0


@pytest.mark.daemon
def test_clients_leave_nothing_behind() -> None:
    outcome = hygiene.run(3, Limit(SECONDS, 30))
    assert outcome.violations == []
    assert outcome.figures["daemons"] == 1


@pytest.mark.daemon
def test_histories_lose_nothing_and_both_clones_answer_alike() -> None:
    outcome = histories.run(11, Limit(SECONDS, 1))
    assert outcome.violations == []
    assert outcome.figures["answers compared between clones"] > 0


@pytest.mark.slow
def test_faults_leave_the_state_before_or_after() -> None:
    try:
        outcome = faults.run(5, Limit(SECONDS, 14), ("remember mixed", "reconcile"))
    except faults.NoCompiler as error:
        missing("fault injection", str(error))
    assert outcome.violations == []
    assert outcome.figures["refused with an error"] > 0
    assert outcome.figures["crashed and started again"] > 0
    assert outcome.figures["points not reached again"] == 0


WAL = "repo/.muninn/cache/state.sqlite-wal"


@pytest.mark.slow
def test_an_index_that_is_rebuilt_on_a_full_disk_ends_with_an_error_and_is_completed_later() -> None:
    scenario = "index rebuild"
    with site("faults") as place:
        try:
            library = faults.build(place.folder)
        except faults.NoCompiler as error:
            missing("fault injection", str(error))
        with faults.Bench(place, library, "0") as bench:
            flushes = sum(one == f"fsync {WAL}" for one in bench.prepare(scenario))
            for nth in range(flushes - 3, flushes + 1):  # the memories come last, when the files are indexed
                bench.meet(faults.Point(scenario, "fsync", WAL, nth, "full disk"))
            outcome = bench.outcome
    assert outcome.violations == []
    assert outcome.figures["refused with an error"] > 0
    assert outcome.figures["calls while the disk stays full"] > 0


@pytest.mark.parametrize("parser", PARSERS)
def test_a_parser_answers_every_input(parser: str) -> None:
    inputs = [path.read_bytes() for path in fuzz.kept(parser)]
    inputs += itertools.islice(fuzz.mutations(parser, random.Random(parser)), 60)
    for data in inputs:
        PARSERS[parser](data)


# --- the campaign itself must see what it looks for ---


def _record(identity: str, text: str) -> Record:
    line = {"v": 1, "id": identity, "ts": "2026-01-01T00:00:00.000Z", "type": "insight", "text": text, "session": "s"}
    return parse_line(json.dumps(line).encode())


def _compared(tmp_path, calls, records) -> Outcome:
    ledger = Ledger(tmp_path / "ledger")
    for nonce, more in calls.items():
        ledger.write("call", nonce, verb=more["verb"])
        ledger.write("ack", nonce, **more)
    outcome = Outcome()
    compare(read_ledgers([tmp_path / "ledger"]), records, outcome)
    return outcome


def test_a_lost_record_is_a_violation(tmp_path) -> None:
    calls = {"n-a-1": {"verb": "remember", "records": True, "id": "01a"}}
    assert _compared(tmp_path, calls, [_record("01a", "Fact n-a-1.")]).violations == []
    (tmp_path / "ledger").unlink()
    (violation,) = _compared(tmp_path, calls, []).violations
    assert violation.startswith("lost")


def test_a_lost_change_is_a_violation(tmp_path) -> None:
    calls = {"n-a-2": {"verb": "forget", "records": True, "id": None, "about": "01a"}}
    (violation,) = _compared(tmp_path, calls, [_record("01a", "Fact n-a-1.")]).violations
    assert "n-a-2 was acknowledged" in violation


def test_two_records_of_one_call_are_a_violation(tmp_path) -> None:
    calls = {"n-a-1": {"verb": "remember", "records": True, "id": "01a"}}
    records = [_record("01a", "Fact n-a-1."), _record("01b", "Fact n-a-1.")]
    (violation,) = _compared(tmp_path, calls, records).violations
    assert violation.startswith("duplicated")


def _line(**more) -> dict:
    return {
        "event_id": "e1", "event_type": "probe", "idempotency_key": "n-a-1", "stream_id": "s", "stream_seq": 1,
        "project_id": "p", "turn_id": "", "payload": {"text": "n-a-1"}, **more,
    }  # fmt: skip


def test_a_lost_and_a_duplicated_event_are_violations() -> None:
    ack = {"event": "ack", "nonce": "n-a-1", "verb": "event.append", "event_id": "e1", "capsule": None}
    for lines, said in (
        ([_line()], []),
        ([], ["lost: event.append n-a-1"]),
        ([_line(event_id="e2")], ["lost: event.append n-a-1"]),
        ([_line(), _line(event_id="e2", stream_seq=2)], ["duplicated: n-a-1"]),
        ([_line(stream_seq=2)], ["the stream"]),
    ):
        outcome = Outcome()
        events.check_events([ack], lines, outcome)
        events.check_streams(lines, outcome)
        assert len(outcome.violations) == len(said), outcome.violations
        assert all(found.startswith(start) for found, start in zip(outcome.violations, said, strict=True))


def test_the_table_names_the_seed_that_repeats_a_violation() -> None:
    shown = table("kills", 17, Outcome(Counter(kills=2), ["lost: a record"]))
    assert "make torture PARTS=kills SEED=17" in shown
    assert re.search(r"violations +1\n +! lost: a record", shown)


def test_each_part_is_a_module_that_runs(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    listed = capsys.readouterr().out
    assert all(part in listed for part in PARTS)


def test_a_violation_makes_the_exit_status_1(monkeypatch, capsys) -> None:
    monkeypatch.setattr(kills, "run", lambda seed, _limit: Outcome(Counter(), [f"seed {seed}"]))
    assert main(["kills", "--seed", "5", "--count", "1"]) == 1
    assert "seed 5" in capsys.readouterr().out


def test_a_parser_that_crashes_is_a_violation_and_its_input_is_kept(monkeypatch, tmp_path) -> None:
    def crash(data: bytes) -> None:
        raise KeyError(data[:1])

    monkeypatch.setattr(fuzz, "CORPUS", tmp_path / "corpus")
    monkeypatch.setattr(fuzz, "PARSERS", {"query": crash})
    outcome = fuzz.run(1, Limit(SECONDS, 20))
    assert len(outcome.violations) == fuzz.CRASHES
    assert outcome.violations[0].startswith("query: KeyError")
    assert fuzz.kept("query")


ELSEWHERE = {
    *("shutdown", "audit.replay", "audit.verify", "audit.seal", "projections.rebuild"),
    *("enrich", "judge", "explore", "link", "models.key", "models.test"),
    *("agent.grant", "repos.add", "repos.remove", "repos.scan"),
}
"""Verbs that do not take part: one ends the daemon as the other tests do, some read the journal or rewrite what follows
from it. Those of models fail without a configured model; the tests of models cover what they write.
`agent.grant` concerns agents, which take part in `leases`. Those of the list of repositories change a file of the user.
"""


@pytest.mark.parametrize("module", [scenarios, writer])
def test_every_verb_that_writes_memory_takes_part(module) -> None:
    source = Path(module.__file__).read_text()
    quoted = set(re.findall(r'"([a-z]+(?:\.[a-z]+)?)"', source))
    writing = {verb for verb, method in METHODS.items() if method.effect in ("write", "control")}
    assert writing - quoted - ELSEWHERE == set()


SPOOL, INDEX = "repo/.muninn/local/spool", "repo/.muninn/cache/state.sqlite"


def _points(*paths: str) -> list[faults.Point]:
    return [faults.Point("seal", "write", path, nth, kind) for path in paths for nth in (1, 2) for kind in faults.KINDS]


def test_each_call_meets_one_fault_before_any_meets_a_second_one() -> None:
    points = _points("a", "b")
    ordered = faults.in_order(points, 5)
    assert sorted(ordered) == sorted(points)
    for turn in range(len(faults.KINDS)):
        assert len({(point.path, point.nth) for point in ordered[4 * turn : 4 * turn + 4]}) == 4


def test_in_the_index_each_kind_meets_one_call_before_a_second_one() -> None:
    ordered = faults.in_order(_points(INDEX, SPOOL), 5)
    count = len(faults.KINDS)
    assert {point.path for point in ordered[: 2 * count]} == {SPOOL}
    assert {point.kind for point in ordered[2 * count : 3 * count]} == set(faults.KINDS)


def test_a_point_more_leaves_the_others_in_their_order() -> None:
    points = _points("a", "b")
    ordered = faults.in_order(points, 5)
    assert [point for point in faults.in_order([*points, *_points("c")], 5) if point.path != "c"] == ordered


def test_a_run_goes_on_behind_the_runs_with_its_seed(tmp_path) -> None:
    runs = tmp_path / "runs.jsonl"
    assert units_before(runs, "faults", 1, "points met") == 0
    for part, seed, met in (("faults", 1, 30), ("faults", 1, 4), ("faults", 2, 500), ("kills", 1, 7000)):
        note_run(runs, part, seed, Outcome(Counter({"points met": met})))
    assert units_before(runs, "faults", 1, "points met") == 34


def test_sigterm_ends_every_limit(monkeypatch) -> None:
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(Limit, "_terminated", False)
    limit = Limit(SECONDS)
    Limit.ends_with_sigterm()
    try:
        assert not limit.reached(0)
        signal.raise_signal(signal.SIGTERM)
        assert limit.reached(0)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_an_input_that_takes_too_long_is_a_crash(monkeypatch) -> None:
    monkeypatch.setattr(fuzz, "SECONDS_OF_AN_INPUT", 0.05)

    def hang(_data: bytes) -> None:
        while True:
            pass

    before = signal.getsignal(signal.SIGPROF)
    try:
        with pytest.raises(fuzz.TooSlow):
            fuzz.timed(hang)(b"")
    finally:
        signal.signal(signal.SIGPROF, before)


def test_the_figures_of_runs_add_up(tmp_path) -> None:
    runs = tmp_path / "runs.jsonl"
    note_run(runs, "kills", 1, Outcome(Counter({"kills of a daemon": 40, "daemons": 1})))
    note_run(runs, "kills", 2, Outcome(Counter({"kills of a daemon": 2, "daemons": 1}), ["lost: a record"]))
    note_run(runs, "fuzz", 3, Outcome(Counter({"inputs: query": 7})))
    sums = read_runs(runs)
    assert sums["kills"] == Outcome(Counter({"runs": 2, "kills of a daemon": 42, "daemons": 1}), ["lost: a record"])
    assert sums["fuzz"].figures == {"runs": 1, "inputs: query": 7}
    assert "| kills | **violations** | **1** |" in report(sums)
