"""An event of a turn is recorded only with the turn's own, unexpired token; each refusal names what failed."""

from __future__ import annotations

import itertools
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from journals import Clock, draft, open_journal

from muninn_core.errors import BadParams, PreconditionError
from muninn_core.journal.journal import Journal
from muninn_core.journal.turns import Turns

LIFETIME = 60


@pytest.fixture
def turns(journal: Journal) -> Turns:
    return Turns(journal, os.urandom)


def refused(call, *arguments, **more):
    with pytest.raises(PreconditionError) as error:
        call(*arguments, **more)
    assert error.value.hint
    return error.value.data["precondition"]


def test_a_turn_takes_events_from_begin_to_end(turns, journal):
    turn = turns.begin("p", "s1", "t1")
    event = turns.append(draft(turn_id="t1"), turn.ack_token).event
    turns.end("p", "s1", "t1", turn.ack_token)
    kinds = [(row.event_type, row.stream_id, row.stream_seq) for row in journal.rows()]
    assert kinds == [
        ("muninn.turn.begun", "turn:s1/t1", 1), ("note", "turn:s1/t1", 2), ("muninn.turn.ended", "turn:s1/t1", 3),
    ]  # fmt: skip
    assert event.position == 2


def test_the_token_is_stored_as_a_hash_only(turns, folder):
    token = turns.begin("p", "s1", "t1").ack_token.encode()
    assert len(token) == 43
    assert all(token not in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_every_protected_call_without_a_valid_token_is_refused_with_what_failed(turns, journal, clock):
    one = turns.begin("p", "s1", "t1", seconds=LIFETIME).ack_token
    two = turns.begin("p", "s1", "t2", seconds=3 * LIFETIME).ack_token
    far = turns.begin("p", "s2", "t1", seconds=3 * LIFETIME).ack_token
    for call in (
        lambda token, session="s1", turn="t1", project="p": turns.append(
            draft(project_id=project, session_id=session, turn_id=turn), token
        ),
        lambda token, session="s1", turn="t1", project="p": turns.end(project, session, turn, token),
    ):
        assert refused(call, "") == "missing"
        assert refused(call, "short") == "malformed"
        assert refused(call, one + "x") == "malformed"
        assert refused(call, "A" * 43) == "wrong"
        assert refused(call, two) == "other_turn"
        assert refused(call, far) == "other_session"
        assert refused(call, one, turn="t9") == "other_turn"
        assert refused(call, "A" * 43, turn="t9") == "unknown_turn"
        assert refused(call, one, project="q") == "project"
        assert refused(call, one, session="s3", project="q") == "other_session"
    before = journal.position
    clock.forward(seconds=LIFETIME)
    for _ in range(2):
        assert refused(turns.append, draft(turn_id="t1"), one) == "expired"
    assert refused(turns.end, "p", "s1", "t1", one) == "expired"
    assert [row.event_type for row in journal.rows(before + 1)] == ["muninn.turn.incomplete"]
    turns.end("p", "s1", "t2", two)
    assert refused(turns.append, draft(turn_id="t2"), two) == "ended"
    assert refused(turns.end, "p", "s1", "t2", two) == "ended"
    turns.end("p", "s2", "t1", far, "incomplete")
    assert refused(turns.append, draft(session_id="s2", turn_id="t1"), far) == "incomplete"
    assert journal.verify().broken is None


def test_a_turn_is_begun_once(turns, clock):
    turn = turns.begin("p", "s1", "t1", seconds=LIFETIME)
    assert refused(turns.begin, "p", "s1", "t1") == "turn_open"
    turns.end("p", "s1", "t1", turn.ack_token)
    assert refused(turns.begin, "p", "s1", "t1") == "turn_used"
    turns.begin("p", "s1", "t2", seconds=LIFETIME)
    clock.forward(seconds=LIFETIME)
    assert refused(turns.begin, "p", "s1", "t2") == "turn_used"


def test_a_session_belongs_to_the_project_of_its_first_call(turns):
    turns.append(draft())
    assert refused(turns.begin, "q", "s1", "t1") == "project"
    assert refused(turns.append, draft(project_id="q")) == "project"
    turns.append(draft(project_id="q", session_id="s2"))


def test_a_token_outlives_the_process_and_expires_when_the_clock_goes_back(turns, journal, folder, clock):
    token = turns.begin("p", "s1", "t1", seconds=LIFETIME).ack_token
    journal.close()
    later = Clock()
    later.forward(seconds=LIFETIME - 1)
    again = open_journal(folder, later)
    try:
        reopened = Turns(again, os.urandom)
        reopened.append(draft(turn_id="t1"), token)
        later.forward(seconds=1)
        assert reopened.expire() == 1
        later.forward(days=-1)
        assert refused(reopened.append, draft(turn_id="t1"), token) == "expired"
    finally:
        again.close()


@pytest.mark.parametrize("names", [("", "s", "t"), ("p", "", "t"), ("p", "s", "")])
def test_a_turn_names_its_project_session_and_turn(turns, names):
    with pytest.raises(BadParams, match="is empty"):
        turns.begin(*names)


def test_a_lifetime_is_limited(turns):
    with pytest.raises(BadParams, match="can't last 0 seconds"):
        turns.begin("p", "s", "t", seconds=0)


class Model:
    """What the states of turns say of each call, written apart from the code."""

    def __init__(self):
        self.turns = {}

    def run(self, action, key, owner, now):
        """Return "" for a call that is accepted, else the precondition; `owner` is the turn that the token is of."""
        if action == "begin":
            known = self.turns.get(key)
            if known is None:
                self.turns[key] = ["open", now + LIFETIME, True]
                return ""
            self._expire(known, now)
            return "turn_open" if known[0] == "open" else "turn_used"
        if owner is None:
            return "missing"
        if owner != key:
            return "other_session" if owner[0] != key[0] else "other_turn"
        known = self.turns[key]
        self._expire(known, now)
        if known[0] != "open":
            return "ended" if known[0] == "closed" else "expired"
        if action == "end":
            known[0] = "closed"
        return ""

    @staticmethod
    def _expire(known, now):
        if known[0] == "open" and now >= known[1]:
            known[0] = "incomplete"


def play(journal, turns, clock, prefix, steps):
    """Run steps (client, action, turn, whose token) on the journal and on the model; they must agree at each."""
    model, tokens, owners = Model(), {}, {}
    begun_at = clock.now
    for client, action, (session, turn), whose in steps:
        now = (clock.now - begun_at).total_seconds()
        if action == "tick":
            clock.forward(seconds=LIFETIME)
            continue
        key = (session, turn)
        owner = owners.get(whose) if action != "begin" else None
        expected = model.run(action, key, owner, now)
        name = f"{prefix}-{session}"
        token = tokens.get(whose, "")
        try:
            if action == "begin":
                tokens[client] = turns.begin("p", name, turn, seconds=LIFETIME).ack_token
                owners[client] = key
            elif action == "append":
                turns.append(draft(session_id=name, turn_id=turn), token)
            else:
                turns.end("p", name, turn, token)
            got = ""
        except PreconditionError as error:
            got = error.data["precondition"]
        assert got == expected, (steps, client, action)


A = [("A", "begin", ("s", "t"), "A"), ("A", "append", ("s", "t"), "A"), ("A", "end", ("s", "t"), "A")]
TICK = [("-", "tick", ("", ""), "-")]


@pytest.mark.parametrize(
    ("turn", "whose"),
    [(("s", "t"), "B"), (("s", "t"), "A"), (("s", "u"), "B"), (("s", "u"), "A"), (("r", "t"), "B"), (("r", "t"), "A")],
    ids=lambda value: "-".join(value),
)
def test_all_interleavings_of_two_clients_and_the_clock_agree_with_the_model(journal, turns, clock, turn, whose):
    b = [("B", action, turn, whose) for action in ("begin", "append", "end")]
    number = 0
    for places in itertools.permutations(range(7), 4):
        if list(places[:3]) != sorted(places[:3]):
            continue  # the order of A's own steps
        order = [None] * 7
        for place, step in zip(places, [*A, *TICK], strict=True):
            order[place] = step
        rest = iter(b)
        play(journal, turns, clock, f"n{number}", [step or next(rest) for step in order])
        number += 1
    assert number == 140
    assert journal.verify().broken is None


STEP = st.tuples(
    st.sampled_from("AB"),
    st.sampled_from(["begin", "append", "end", "tick"]),
    st.tuples(st.sampled_from("rs"), st.sampled_from("tu")),
    st.sampled_from("AB"),
)


def test_any_sequence_of_calls_agrees_with_the_model(journal, turns, clock):
    number = itertools.count()

    @settings(max_examples=60, deadline=None)
    @given(st.lists(STEP, max_size=25))
    def check(steps):
        play(journal, turns, clock, f"f{next(number)}", steps)

    check()
    assert journal.verify().broken is None


@settings(max_examples=100, deadline=None)
@given(token=st.one_of(st.text(max_size=60), st.binary(min_size=43, max_size=43).map(lambda b: b.decode("latin-1"))))
def test_no_text_passes_for_a_token(shared_turns, token):
    with pytest.raises(PreconditionError):
        shared_turns.append(draft(turn_id="t1"), token)


@pytest.fixture(scope="module")
def shared_turns(tmp_path_factory):
    journal = open_journal(tmp_path_factory.mktemp("turns") / "journal")
    turns = Turns(journal, os.urandom)
    turns.begin("p", "s1", "t1")
    yield turns
    journal.close()
