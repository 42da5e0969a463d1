"""Agents at work: leases, hand-offs, barriers, roles, and files that two work trees change."""

from __future__ import annotations

import contextlib
import threading

import pytest
from repositories import PATIENCE, git

from muninn_core.errors import BadParams, BusyError, NotFoundError, PreconditionError, RefusedError, UsageError
from muninn_core.launch.repository_location import locate
from muninn_core.protocol.catalogue import decode_params, lookup
from muninn_core.worktree.call_context import CallContext, Connection

pytest_plugins = ["engines"]


def registered(muninn, name, role="executor", **more):
    return muninn.call("agent.register", name=name, role=role, **more).agent_key


def on(muninn, connection, verb, **params):
    """Call a verb as the agent's program on a connection of its own."""
    call = CallContext(location=muninn.location, client="prog 1.0", actor="assistant", connection=connection)
    return muninn.engine.call(verb, decode_params(lookup(verb), params), call)


def test_a_lease_excludes_others_until_it_is_released(muninn):
    ada, bob = registered(muninn, "ada"), registered(muninn, "bob")
    first = muninn.call("lease.claim", files=["src/a.py"], tasks=["login"], agent_key=ada).leases
    assert [one.resource for one in first] == ["file:src/a.py", "task:login"]
    again = muninn.call("lease.claim", files=["./src/a.py"], agent_key=ada).leases
    assert again[0].token == first[0].token
    with pytest.raises(BusyError, match=r"file:src/a\.py by 'ada'"):
        muninn.call("lease.claim", files=["src/a.py", "b.py"], agent_key=bob)
    assert len(muninn.call("lease.list").leases) == 2  # all or none
    assert muninn.call("lease.release", agent_key=ada).released == ("file:src/a.py", "task:login")
    second = muninn.call("lease.claim", files=["src/a.py"], agent_key=bob).leases
    assert second[0].token > first[0].token
    muninn.call("lease.list", files=["src/a.py"], token=second[0].token)
    with pytest.raises(PreconditionError, match=r"does not hold file:src/a\.py"):
        muninn.call("lease.list", files=["src/a.py"], token=first[0].token)
    with pytest.raises(UsageError, match=r"'ada' has no lease of file:src/a\.py"):
        muninn.call("lease.release", files=["src/a.py"], agent_key=ada)
    with pytest.raises(PreconditionError, match="no active agent"):
        muninn.call("lease.claim", tasks=["x"], agent_key="wrong")
    with pytest.raises(PreconditionError, match="names no agent"):
        muninn.call("lease.claim", tasks=["x"])
    assert muninn.call("lease.release", files=["src/a.py"], force=True).released == ("file:src/a.py",)


def test_a_lease_ends_with_its_agent_and_survives_a_restart(muninn, start):
    ada = registered(muninn, "ada", seconds=1000)
    brief = registered(muninn, "brief", seconds=1)
    muninn.call("lease.claim", tasks=["short"], agent_key=brief)
    muninn.call("lease.claim", tasks=["long"], agent_key=ada)
    waiter = registered(muninn, "waiter")
    got = muninn.call("lease.claim", tasks=["short"], wait=60, agent_key=waiter)
    assert [one.agent for one in got.leases] == ["waiter"]
    with pytest.raises(PreconditionError, match="no active agent"):
        muninn.call("agent.heartbeat", agent_key=brief)
    ended = muninn.call("event.query", event_type="muninn.agent.left").hits[0].event
    assert ended.payload == {"agent": "brief", "reason": "expired", "resources": ["task:short"]}
    muninn.engine.close()
    muninn.clock.forward(days=1)
    later = start(muninn.root, clock=muninn.clock)
    assert {one.resource: one.agent for one in later.call("lease.list").leases} == {
        "task:long": "ada",
        "task:short": "waiter",
    }
    assert later.call("agent.heartbeat", agent_key=ada).agent.leases == ("task:long",)
    assert later.call("agent.leave", agent_key=ada).name == "ada"
    assert [one.agent for one in later.call("lease.list").leases] == ["waiter"]


def claim_until_refused(muninn, key):
    while True:  # the other agent may not wait yet
        with contextlib.suppress(BusyError):
            muninn.call("lease.claim", tasks=["one"], wait=0.05, agent_key=key)


def test_a_wait_that_would_deadlock_is_refused(muninn):
    ada, bob = registered(muninn, "ada"), registered(muninn, "bob")
    muninn.call("lease.claim", tasks=["one"], agent_key=ada)
    muninn.call("lease.claim", tasks=["two"], agent_key=bob)
    outcome = []

    def wait_for_two():
        while not outcome:  # the other agent may be waiting first, for a moment
            with contextlib.suppress(RefusedError):
                outcome.append(muninn.call("lease.claim", tasks=["two"], wait=PATIENCE, agent_key=ada))

    waiting = threading.Thread(target=wait_for_two)
    waiting.start()
    with pytest.raises(RefusedError, match="would deadlock: ada waits for a lease of 'bob'"):
        claim_until_refused(muninn, bob)
    muninn.call("lease.release", agent_key=bob)
    waiting.join()
    assert [one.agent for one in outcome[0].leases] == ["ada"]


def test_a_hand_off_waits_for_its_taker_and_carries_leases(muninn):
    ada, bob, eve = registered(muninn, "ada"), registered(muninn, "bob"), registered(muninn, "eve", "reviewer")
    muninn.call("lease.claim", files=["a.py", "b.py"], agent_key=ada)
    with pytest.raises(UsageError, match=r"no lease of file:c\.py"):
        muninn.call("agent.handoff", text="x", files=["c.py"], agent_key=ada)
    note = muninn.call("agent.handoff", text="Tests are left.", to="executor", files=["a.py", "b.py"], agent_key=ada)
    number = note.handoff.number
    assert muninn.call("agent.heartbeat", agent_key=eve).handoffs == ()
    assert [one.text for one in muninn.call("agent.heartbeat", agent_key=bob).handoffs] == ["Tests are left."]
    with pytest.raises(RefusedError, match="is for 'executor'"):
        muninn.call("agent.take", number=number, agent_key=eve)
    back = muninn.call("lease.claim", files=["b.py"], agent_key=ada).leases[0]  # withdrawn from the note
    taken = muninn.call("agent.take", number=number, agent_key=bob)
    assert [(one.resource, one.agent) for one in taken.leases] == [("file:a.py", "bob")]
    muninn.call("lease.list", files=["b.py"], token=back.token)
    with pytest.raises(NotFoundError, match="no hand-off"):
        muninn.call("agent.take", number=number, agent_key=bob)


def test_a_hand_off_shows_the_leases_that_it_still_carries(muninn):
    ada = registered(muninn, "ada")
    muninn.call("lease.claim", files=["a.py", "b.py", "c.py"], agent_key=ada)
    number = muninn.call("agent.handoff", text="Go on.", files=["a.py", "b.py", "c.py"], agent_key=ada).handoff.number

    def shown() -> tuple[str, ...]:
        (note,) = muninn.call("agent.list").handoffs
        return note.resources

    muninn.call("lease.release", files=["b.py"], force=True)
    assert shown() == ("file:a.py", "file:c.py")
    muninn.call("lease.claim", files=["c.py"], agent_key=ada)  # taken back
    assert shown() == ("file:a.py",)
    bob = registered(muninn, "bob")
    muninn.call("agent.leave", agent_key=ada)  # its leases end
    assert shown() == ()
    taken = muninn.call("agent.take", number=number, agent_key=bob)
    assert (taken.handoff.resources, taken.leases) == ((), ())


def test_agents_pass_a_barrier_together_once(muninn):
    keys = [registered(muninn, name) for name in ("a", "b", "c")]
    with pytest.raises(BusyError, match="not all 3 agents"):
        muninn.call("barrier.wait", name="green", parties=3, wait=0, agent_key=keys[0])
    passed = []
    threads = [
        threading.Thread(
            target=lambda key=key: passed.append(
                muninn.call("barrier.wait", name="green", parties=3, wait=60, agent_key=key).agents
            )
        )
        for key in keys
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert passed == [("a", "b", "c")] * 3
    assert muninn.call("barrier.wait", name="green", parties=3, wait=0, agent_key=keys[0]).agents == ("a", "b", "c")
    with pytest.raises(UsageError, match="is for 3 agents, not 2"):
        muninn.call("barrier.wait", name="green", parties=2, agent_key=keys[0])


def test_an_event_is_waited_for_and_the_next_call_continues(muninn):
    assert muninn.call("event.wait", event_type="deploy", wait=0).events == ()
    begun = muninn.call("event.append", event_type="build").event.position
    found = []
    waiting = threading.Thread(
        target=lambda: found.append(
            muninn.call("event.wait", event_type="deploy", where={"payload.ok": True}, after=begun, wait=60)
        )
    )
    waiting.start()
    muninn.call("event.append", event_type="deploy", payload={"ok": False})
    muninn.call("event.append", event_type="deploy", payload={"ok": True})
    waiting.join()
    assert [one.payload for one in found[0].events] == [{"ok": True}]
    assert muninn.call("event.wait", event_type="deploy", after=found[0].last, wait=0).events == ()
    both = muninn.call("event.wait", event_type="deploy", after=0, wait=0, limit=1)
    assert muninn.call("event.wait", event_type="deploy", after=both.last, wait=0).events == found[0].events


def test_a_position_that_the_journal_does_not_have_is_refused_as_all_until_it_would_be_missed(muninn):
    last = muninn.call("event.append", event_type="deploy").event.position
    assert muninn.call("event.wait", after=last, wait=0).last == last
    with pytest.raises(BadParams, match=f"no event {last + 1} yet; its last one is {last}"):
        muninn.call("event.wait", after=last + 1, wait=0)


def test_a_role_limits_its_connection_and_its_rights_need_a_grant(muninn):
    executor, reviewer = Connection(), Connection()
    on(muninn, executor, "agent.register", name="exe")
    on(muninn, reviewer, "agent.register", name="rev", role="reviewer")
    config = muninn.root / ".muninn" / "config.yaml"
    config.write_text("review: {pending: [assistant]}\n")
    muninn.touch(".muninn/config.yaml")
    kept = on(muninn, executor, "remember", text="The cache is cleared at midnight.", type="decision")
    own = on(muninn, reviewer, "remember", text="Reviews wait for the build.", type="decision")
    memory, mine = kept.memory.id, own.memory.id
    with pytest.raises(RefusedError, match="role 'executor' may not call 'forget'"):
        on(muninn, executor, "forget", id=memory)
    with pytest.raises(RefusedError, match="role 'reviewer' changes no files"):
        on(muninn, reviewer, "lease.claim", files=["a.py"])
    with pytest.raises(RefusedError, match="this connection is the agent 'exe'"):
        on(muninn, executor, "agent.register", name="other", role="orchestrator")
    with pytest.raises(RefusedError, match="needs rights that a person grants"):
        on(muninn, reviewer, "approve", ids=[memory])
    muninn.call("agent.grant", name="rev")
    with pytest.raises(RefusedError, match="can't approve its own"):
        on(muninn, reviewer, "approve", ids=[mine])
    assert on(muninn, reviewer, "approve", ids=[memory]).memories[0].review == "approved"
    muninn.call("agent.grant", name="rev", withdraw=True)
    with pytest.raises(RefusedError, match="needs rights"):
        on(muninn, reviewer, "reject", ids=[memory], reason="no")
    with pytest.raises(RefusedError, match="only for a person or an orchestrator"):
        on(muninn, executor, "lease.release", files=["a.py"], force=True)


def test_a_role_sees_its_types_of_memory_as_more_important(muninn):
    for kind, importance in (("pattern", 6), ("constraint", 5)):
        muninn.call("remember", text=f"A {kind} about the queue number {importance}.", type=kind, importance=importance)

    def first(**more):
        return muninn.call("memories", order="importance", **more).memories[0].type

    assert (first(), first(role="reviewer"), first(role="optimizer")) == ("pattern", "constraint", "pattern")
    connection = Connection()
    on(muninn, connection, "agent.register", name="rev", role="reviewer")
    assert on(muninn, connection, "memories", order="importance").memories[0].type == "constraint"


def test_two_work_trees_that_change_a_file_are_told_of_each_other(muninn, tmp_path):
    other = tmp_path / "other"
    file = git(muninn.root, "ls-files", "*.py").split()[0]
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "memory")
    git(muninn.root, "worktree", "add", "-q", str(other), "-b", "other")
    here = muninn.root
    muninn.call("brief", at=other, session="s-other")
    for root in (here, other):
        (root / file).write_text("# changed\n")
    said = f"{file} is being changed in the work tree other by session s-other"
    assert said in muninn.call("brief", session="s-here").text
    reminder = {"prompt": f"Please change the file {file} once more?", "session": "s-here"}
    assert said in muninn.call("remind", **reminder).text
    assert said not in muninn.call("remind", **reminder).text  # once for each session
    doubts = muninn.call("annotate", file=file).doubts
    assert [(one.rule, one.level, one.message) for one in doubts] == [("shared", "information", said)]
    call = CallContext(location=locate(str(other)), client="test")
    ada = muninn.engine.call("agent.register", decode_params(lookup("agent.register"), {"name": "ada"}), call)
    claim = decode_params(lookup("lease.claim"), {"files": ["new.py"]})
    muninn.engine.call("lease.claim", claim, call)
    (here / "new.py").write_text("x = 1\n")
    overlaps = muninn.call("agent.heartbeat", agent_key=registered(muninn, "bob")).overlaps
    assert any(line.startswith("new.py is being changed") and "'ada'" in line for line in overlaps)
    overlaps = muninn.call("agent.heartbeat", agent_key=ada.agent_key).overlaps  # called from `here`
    assert [line.partition(" is ")[0] for line in overlaps] == [file]
    assert "'bob'" in overlaps[0]
    assert muninn.call("annotate", file="untouched.py").doubts == ()
