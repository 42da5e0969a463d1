"""The event stream: what it carries, filters, resuming, and clients that read slowly."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from http_api import Api, serving
from repositories import PATIENCE, kill_daemon

from muninn_core import client


def test_a_stream_begins_with_the_state_and_carries_events_in_order(api: Api) -> None:
    with api.events() as stream:
        state = stream.next()
        assert state.kind == "state"
        assert (state.data["root"], state.data["resumed"]) == (str(api.repo), False)
        sent = [api.emit("deploy", number=number) for number in range(5)]
        got = [stream.next("journal") for _ in range(5)]
    assert [message.data["event"] for message in got] == sent
    assert [message.data["repository"] for message in got] == [state.data["repository"]] * 5
    assert len({message.identity for message in got}) == 5


def test_a_stream_carries_what_other_clients_record(api: Api) -> None:
    with api.events("?topic=journal") as stream:
        stream.next("state")
        with client.connect(str(api.repo), api.environ) as muninn:
            muninn.call("event.append", {"event_type": "build", "payload": {"ok": True}})
        event = stream.next().data["event"]
    assert (event["event_type"], event["actor"], event["payload"]) == ("build", "user", {"ok": True})


def test_changes_of_memory_and_of_the_index_are_told(api: Api) -> None:
    with api.events("?topic=memory&topic=index") as stream:
        before = stream.next("state").data
        stored = api.rpc("remember", {"text": "Berths are numbered from one."})["result"]["memory"]["id"]
        told = stream.next("memory").data
        assert told["changed"] == {stored: True}
        assert told["log"] > before["memory"]["log"]
        index = stream.next("index").data
        while index["generation"] <= before["index"]["generation"]:
            index = stream.next("index").data
        assert index["root"] == str(api.repo)


FILTERS = [
    ("event_type=red", {1, 2}),
    ("event_type=red&event_type=green", {1, 2, 3}),
    ("payload.size=2", {2, 4}),
    ("event_type=red&payload.size=2", {2}),
    ("scope.agent=reviewer", {3}),
    ("stream_id=session:s-9", {4}),
    ("session_id=s-9", {4}),
    ("payload.ok=true", {4}),
]


def test_filters_select_events(api: Api) -> None:
    start = api.emit("begin")["position"]
    events = [
        {"event_type": "red", "payload": {"n": 1, "size": 1}},
        {"event_type": "red", "payload": {"n": 2, "size": "2"}},
        {"event_type": "green", "payload": {"n": 3, "scope": {"agent": "reviewer"}}},
        {"event_type": "blue", "payload": {"n": 4, "size": 2, "ok": True}, "session_id": "s-9"},
    ]
    for event in events:
        assert api.request("POST", "/events/emit", event).status == 202
    for query, wanted in FILTERS:
        with api.events(f"?{query}&topic=journal&after={start}") as stream:
            stream.next("state")
            got = {stream.next().data["event"]["payload"]["n"] for _ in wanted}
        assert got == wanted, query


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?topc=journal", "Did you mean 'topic'?"),
        ("?topic=jurnal", "The topics are"),
        ("?after=-1", "'after' is a whole number"),
        ("?heartbeat=0", "'heartbeat' is a whole number"),
        ("?event_type=%ff", "can't be read"),
        ("?a", "events have no field 'a'"),
    ],
)
def test_a_wrong_query_is_told(api: Api, query: str, said: str) -> None:
    answer = api.request("GET", f"/events{query}")
    error = answer.json["error"]
    assert answer.status == 400
    assert said in f"{error['message']} {error['data'].get('hint', '')}"


@pytest.mark.parametrize("last", ["7", "x:1:", "0123456789abcdef:1:", "0123456789abcdef:1:0123456789abcdef"])
def test_an_id_of_no_message_is_refused(api: Api, last: str) -> None:
    answer = api.request("GET", "/events", Last_Event_ID=last)
    assert answer.status == 400
    assert "the id of the last event" in answer.json["error"]["message"]


def test_a_reconnected_client_gets_what_it_missed_and_nothing_twice(api: Api) -> None:
    with api.events("?topic=journal") as stream:
        stream.next("state")
        first = api.emit("step", n=0)
        assert stream.next().data["event"] == first
    missed = [api.emit("step", n=n) for n in range(1, 4)]
    with api.events("?topic=journal", last=stream.identity) as again:
        assert again.next("state").data["resumed"] is True
        later = api.emit("step", n=4)
        assert [again.next().data["event"] for _ in range(4)] == [*missed, later]


def test_an_id_of_a_journal_that_was_made_anew_is_told(api: Api) -> None:
    event = api.emit("step")
    with api.events() as stream:
        key = stream.next("state").data["repository"]
    for position, digest in ((event["position"] + 1000, "0" * 16), (event["position"], "f" * 16)):
        with api.events(last=f"{key}:{position}:{digest}") as stream:
            state = stream.next("state").data
            assert (state["resumed"], state["after"]) == (False, event["position"])
            assert "made anew" in state["reason"]


def test_a_deleted_event_is_not_replayed(api: Api) -> None:
    event = api.emit("secret", text="gone")
    with client.connect(str(api.repo), api.environ) as muninn:
        muninn.call("event.tombstone", {"id": event["event_id"]})
        muninn.call("projections.show", {"table": "decisions"})  # the projections have caught up
    with api.events(f"?topic=journal&after={event['position'] - 1}") as stream:
        stream.next("state")
        assert stream.next().data["event"]["event_type"] == "muninn.tombstone"


def test_a_quiet_stream_has_a_heartbeat(api: Api) -> None:
    with api.events("?topic=journal&heartbeat=1&event_type=never") as stream:
        stream.next("state")
        line = stream.line()
        while line != ": heartbeat":
            line = stream.line()


def test_a_slow_reader_is_ended_with_a_notice_and_holds_up_nothing(api: Api) -> None:
    with api.events("?topic=journal", buffer=4096) as slow, api.events("?topic=journal&event_type=big") as quick:
        slow.next("state")
        quick.next("state")
        sent = 0
        for _ in range(16):
            sent += 1
            api.emit("big", text="x" * 1_000_000)
            assert len(quick.next().data["event"]["payload"]["text"]) == 1_000_000
        read = 0
        while (message := slow.next()).kind == "journal":
            read += 1
        assert message.kind == "dropped"
        assert "too slowly" in message.data["reason"]
        assert 0 < read < sent
        with pytest.raises(EOFError):
            slow.next()
    with api.events("?topic=journal", last=message.identity) as again:
        assert again.next("state").data["resumed"] is True
        for _ in range(sent - read):
            assert again.next().data["event"]["event_type"] == "big"


def test_a_stream_resumes_after_a_restart_of_the_daemon(plain_repo: Path, environ: dict[str, str]) -> None:
    with client.connect(str(plain_repo), environ) as muninn:
        muninn.call("init")
    try:
        with serving(plain_repo, environ) as (process, api):
            with api.events("?topic=journal") as stream:
                stream.next("state")
                seen = api.emit("step", n=1)
                assert stream.next().data["event"] == seen
            missed = api.emit("step", n=2)
            kill_daemon(plain_repo, environ)
            assert process.stdout is not None
            while "has left" not in (line := process.stdout.readline()):
                assert line
            with api.events("?topic=journal", last=stream.identity) as resumed:
                assert resumed.next("state").data["resumed"] is True
                assert resumed.next().data["event"] == missed
    finally:
        kill_daemon(plain_repo, environ)


def test_a_stream_ends_with_a_notice_when_the_port_is_closed(plain_repo: Path, environ: dict[str, str]) -> None:
    with client.connect(str(plain_repo), environ) as muninn:
        muninn.call("init")
    try:
        with serving(plain_repo, environ) as (_, api):
            sock = socket.create_connection(("127.0.0.1", api.port), PATIENCE)
            with api.events() as stream:
                stream.next("state")
                with client.connect(str(plain_repo), environ, start=False) as muninn:
                    muninn.call("shutdown")
                assert stream.next("dropped").data["reason"] == "the daemon closes the port"
            sock.close()
    finally:
        kill_daemon(plain_repo, environ)
