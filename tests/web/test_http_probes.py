"""Probes and metrics: ready only when everything works, and numbers that follow what happened."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from http_api import Api, serving
from repositories import MUNINN, PATIENCE, kill_daemon

from muninn_core import client
from muninn_core.launch.lock import FileLock
from muninn_core.launch.repository_location import locate

SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="[^"\\\n]*",?)*)\})? ([0-9.e+-]+)')


def samples(api: Api) -> dict[str, float]:
    """Return the value of each sample by name and labels, after a check of the text's form."""
    answer = api.request("GET", "/metrics")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    found: dict[str, float] = {}
    declared = ""
    for line in answer.body.decode().splitlines():
        if line.startswith("# TYPE "):
            assert line.split()[2] == declared
        elif line.startswith("# HELP "):
            declared = line.split()[2]
            assert not any(name.startswith(f"{declared}{{") or name == declared for name in found)
        else:
            parts = SAMPLE.fullmatch(line)
            assert parts is not None, line
            assert re.fullmatch(rf"{declared}(_bucket|_sum|_count)?", parts[1]), line
            found[line.rpartition(" ")[0]] = float(parts[3])
    return found


def test_the_dashboard_asks_for_metrics_that_exist(api: Api) -> None:
    api.emit("step")  # the journal is open
    board = json.loads((Path(__file__).resolve().parents[2] / "docs" / "grafana" / "muninn.json").read_text())
    asked = {target["expr"] for panel in board["panels"] for target in panel["targets"]}
    names = {name for expression in asked for name in re.findall(r"muninn_[a-z_]+", expression)}
    declared = set(re.findall(r"# TYPE (\S+)", api.request("GET", "/metrics").body.decode()))
    assert {re.sub(r"_(bucket|count|sum)$", "", name) for name in names} <= declared


def test_metrics_follow_what_happens(api: Api) -> None:
    api.emit("step")  # the journal is open
    Path(api.repo, ".muninn", "local", "hooks.log").write_text(
        '{"ts": "2026-01-01T00:00:00Z", "event": "stop", "ms": 4}\n'
        '{"ts": "2026-01-01T00:00:01Z", "event": "stop", "ms": 4, "error": "no daemon"}\n'
    )
    before = samples(api)
    turn = {"project_id": "p", "session_id": "s-1", "turn_id": "t-1"}
    token = api.rpc("turn.begin", turn)["result"]["ack_token"]
    assert api.rpc("turn.end", {**turn, "ack_token": "A" * 43})["error"]["data"]["kind"] == "precondition"
    assert samples(api)['muninn_turns{status="open"}'] == before['muninn_turns{status="open"}'] + 1
    assert "result" in api.rpc("turn.end", {**turn, "ack_token": token})
    api.rpc("recall", {"query": "display name"})
    with api.events("?topic=journal") as stream:
        stream.next("state")
        api.emit("seen")
        assert stream.next().data["event"]["event_type"] == "seen"
        after = samples(api)
    grown = {name: value - before.get(name, 0) for name, value in after.items()}
    assert grown["muninn_journal_appends_total"] == 4
    assert grown['muninn_journal_append_rejections_total{kind="precondition"}'] == 1
    assert grown["muninn_journal_events_total"] == 3
    assert grown['muninn_turns{status="closed"}'] == 1
    assert grown['muninn_verb_seconds_count{verb="recall"}'] == 1
    assert grown['muninn_verb_seconds_bucket{verb="recall",le="+Inf"}'] == 1
    assert 0 < grown['muninn_verb_seconds_sum{verb="recall"}'] < 60
    assert grown["muninn_event_streams"] == 1
    assert (after["muninn_hook_runs"], after["muninn_hook_failures"]) == (2, 1)
    assert after["muninn_resident_memory_bytes"] > 10_000_000
    assert after["muninn_hook_messages"] == 0
    memory = Path(api.repo, ".muninn", "memory", "main.jsonl").stat().st_size
    assert after['muninn_storage_bytes{part="memory"}'] >= memory
    journal = Path(locate(str(api.repo)).journal, "events.db").stat().st_size
    assert after['muninn_storage_bytes{part="journal"}'] >= journal
    assert after['muninn_storage_bytes{part="index"}'] > 0
    assert after["muninn_clients"] >= 1
    assert {'muninn_projection_lag_events{projection="words"}', "muninn_index_lag_files"} <= after.keys()


def test_a_repository_is_ready_when_all_checks_are_good(api: Api) -> None:
    api.rpc("index", {"wait": True})
    answer = api.request("GET", "/ready")
    assert (answer.status, answer.json["ok"]) == (200, True)
    assert [check["name"] for check in answer.json["checks"]] == ["memory", "index", "journal", "projections"]


def failed(api: Api) -> dict[str, str]:
    """Return the hints of the failed checks, by name; every failure has the status 503."""
    answer = api.request("GET", "/ready")
    found = {check["name"]: f"{check['message']} {check['hint']}" for check in answer.json["checks"] if not check["ok"]}
    assert (answer.status, answer.json["ok"]) == ((503, False) if found else (200, True))
    return found


def test_the_probe_names_what_is_not_ready(plain_repo: Path, environ: dict[str, str]) -> None:
    try:
        with serving(plain_repo, environ) as (_, api):
            assert "muninn init" in failed(api)["memory"]
            command = [MUNINN, "ready", "--repo", str(plain_repo)]
            done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=PATIENCE)
            assert (done.returncode, done.stdout.split()[:2]) == (1, ["fail", "memory"])
            assert api.request("GET", "/events").status == 409
            journal = Path(locate(str(plain_repo)).journal)
            journal.mkdir(parents=True, mode=0o700)
            lock = FileLock(str(journal / "lock"))
            assert lock.acquire()
            with client.connect(str(plain_repo), environ) as muninn:
                muninn.call("init")
                muninn.call("index", {"wait": True})
            assert "another process" in failed(api)["journal"]
            lock.release()
            assert failed(api) == {}
    finally:
        kill_daemon(plain_repo, environ)
