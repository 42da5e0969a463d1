"""Proactive reminders: only certain matches, each once per session, and none for most prompts."""

from __future__ import annotations

import json
import threading
import time

import pytest
from fakes import FakeEmbedder
from repositories import PATIENCE, copy_plain_repo

from muninn_core.index.embedding.encoder import DIM
from muninn_core.protocol.families.session import RemindParams
from muninn_core.worktree.call_context import CallContext

pytest_plugins = ["engines"]

MEMORIES = [
    ("decision", "Sessions live in Postgres, not in Redis, because Redis lost them on restart.", ()),
    ("constraint", "Never log the e-mail addresses of customers.", ()),
    ("attempt", "Tried usearch in place of FAISS for the vector index: it crashed on deletes.", ("src/vector.py",)),
    ("decision", "Payments are retried three times, then parked in the dead letter queue.", ("src/billing/retry.py",)),
    ("session_summary", "Session of 2026-02-01. Changed the session storage in Postgres.", ()),
]


@pytest.fixture
def full(muninn):
    """A repository that remembers something among much that has nothing to do with it."""
    return fill(muninn)


@pytest.fixture(scope="module")
def shared(start_shared, tmp_path_factory):
    """The same for prompts without a session, which leave nothing behind."""
    muninn = start_shared(copy_plain_repo(tmp_path_factory.mktemp("full") / "repo"))
    muninn.call("init")
    return fill(muninn)


def fill(muninn):
    batch = [{"type": kind, "text": text, "files": files, "importance": 8} for kind, text, files in MEMORIES]
    muninn.call("remember", batch=batch)
    muninn.call("remember", batch=[{"text": f"Valve {n} of pump {n % 7} opens to the left."} for n in range(80)])
    muninn.call("recall", query="valve")  # it waits until what was stored is searchable
    return muninn


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("Please move the session storage back to Redis", "Sessions live in Postgres"),
        ("Add logging to the signup, with the e-mail of the customer", "Never log the e-mail"),
        ("let's try usearch for the vector index", "Tried usearch"),
        ("implement a retry for failed payments", "Payments are retried"),
        ("rename the class in src/billing/retry.py", "Payments are retried"),
    ],
)
def test_a_prompt_brings_what_it_touches(shared, prompt, told):
    answer = shared.call("remind", prompt=prompt)
    assert told in answer.text
    assert len(answer.ids) == 1
    assert answer.text.startswith("# Remembered about this (Muninn)\n")


@pytest.mark.parametrize(
    "prompt",
    [
        "please commit",
        "thanks, looks good",
        "write a haiku about autumn",
        "add a unit test for the parser",
        "/compact keep the session storage in Postgres",
        "<task-notification>the session storage in Postgres was moved to Redis</task-notification>",
    ],
)
def test_unrelated_prompts_and_prompts_not_from_people_bring_no_reminder(shared, prompt):
    answer = shared.call("remind", prompt=prompt)
    assert (answer.text, answer.ids) == ("", ())


def test_a_session_is_told_nothing_twice_and_after_a_compaction_once_more(full):
    prompt = "Please move the session storage back to Redis"
    first = full.call("remind", prompt=prompt, session="s1")
    assert len(first.ids) == 1
    assert full.call("remind", prompt=prompt, session="s1").ids == ()
    assert full.call("remind", prompt=prompt, session="s2").ids == first.ids
    full.call("brief", session="s1", source="resume", max_chars=200)
    assert full.call("remind", prompt=prompt, session="s1").ids == ()
    full.call("brief", session="s1", source="compact", max_chars=200)
    assert full.call("remind", prompt=prompt, session="s1").ids == first.ids


def test_memories_of_the_brief_and_of_the_session_itself_are_not_repeated(full):
    prompt = "Please move the session storage back to Redis"
    own = full.call(
        "remember", text="The session storage moves back to Redis in June.", session="s1", importance=1
    ).ids[0]
    full.call("recall", query="session")  # it waits until what was stored is searchable
    known = set(full.call("remind", prompt=prompt, session="s2").ids)
    assert own in known
    assert set(full.call("remind", prompt=prompt, session="s1").ids) == known - {own}
    told = full.call("brief", session="s3", max_chars=100_000).ids
    assert known <= set(told)
    assert full.call("remind", prompt=prompt, session="s3").ids == ()


def test_a_late_reminder_does_not_count_as_delivered(full):
    prompt = {"prompt": "Please move the session storage back to Redis", "session": "s1"}
    gone = threading.Event()
    gone.set()
    late = full.engine.call("remind", RemindParams(**prompt), CallContext(location=full.location, cancelled=gone))
    assert len(late.ids) == 1
    assert full.call("remind", **prompt).ids == late.ids


@pytest.mark.parametrize(
    ("verb", "event"),
    [
        ("remind", {"prompt": "go on"}),
        ("capture", {"source": "failure", "command": "make wind", "error": "error: there is no wind"}),
        ("capture", {"source": "commit"}),
    ],
)
def test_a_late_reminder_is_delivered_once_with_the_next_event(full, verb, event):
    prompt = {"prompt": "Please move the session storage back to Redis", "session": "s1"}
    gone = threading.Event()
    gone.set()
    late = full.engine.call("remind", RemindParams(**prompt), CallContext(location=full.location, cancelled=gone))
    for session, times in (("s2", 0), ("s1", 1), ("s1", 0)):
        answer = full.call(verb, session=session, **event)
        text = answer.text if verb == "remind" else answer.note
        assert text.count("Sessions live in Postgres") == times
    assert full.call("remind", **prompt).ids == ()
    assert len(late.ids) == 1


def test_text_from_outside_is_never_said_unasked(full):
    full.call("remember", text="Gauges are read by the harbour master alone.", trust="outside")
    full.call("index")
    assert full.call("recall", query="who reads the gauges", kind="memory").hits[0].text.startswith("Gauges are read")
    assert full.call("remind", prompt="who reads the gauges, the harbour master?").ids == ()


def test_the_list_of_deliveries_survives_a_restart(full, start):
    prompt = "Please move the session storage back to Redis"
    assert full.call("remind", prompt=prompt, session="s1").ids
    full.engine.close()
    kept = json.loads((full.root / ".muninn" / "local" / "given.json").read_text())
    assert len(kept["sessions"]["s1"]) == 1
    again = start(full.root)
    again.call("index")
    assert again.call("remind", prompt=prompt, session="s1").ids == ()


@pytest.mark.parametrize("order", ["run the tests", "commit it please", "log the customers"])
def test_a_short_order_brings_nothing(shared, order):
    assert shared.call("remind", prompt=order).ids == ()


class Late(FakeEmbedder):
    """An encoder that takes a riddle for the first memory, and answers questions only while it is let."""

    riddle = "Why were all of them kicked out overnight, at once and everywhere?"

    def __init__(self):
        super().__init__("late/384", DIM)
        self.let = threading.Event()
        self.let.set()

    def encode_query(self, text):
        assert self.let.wait(2 * PATIENCE)
        return super().encode_query(MEMORIES[0][1] if text == self.riddle else text)


def test_results_of_a_slow_encoder_are_delivered_with_a_later_prompt(plain_repo, start):
    encoder = Late()
    muninn = start(plain_repo, encoder=lambda: encoder)
    muninn.call("init")
    muninn.call("remember", batch=[{"text": text, "type": kind} for kind, text, _ in MEMORIES])
    muninn.call("remember", batch=[{"text": f"Valve {n} of pump {n % 7} opens to the left."} for n in range(80)])
    muninn.call("index", wait=True)
    encoder.let.clear()
    try:
        assert muninn.call("remind", prompt=Late.riddle, session="s1").ids == ()
    finally:
        encoder.let.set()
    assert muninn.call("remind", prompt=Late.riddle).ids, "without a session it waits"
    until = time.monotonic() + PATIENCE
    while not (later := muninn.call("remind", prompt="go on", session="s1").ids):
        assert time.monotonic() < until
    assert later == muninn.call("remind", prompt=Late.riddle).ids
