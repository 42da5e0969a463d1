"""Memories that wait for an approval: who decides, and where they are not shown until then."""

from __future__ import annotations

import json

import pytest
from repositories import git

from muninn_core.context.results.text import render
from muninn_core.errors import BadParams, RefusedError, UsageError
from muninn_core.launch.repository_location import locate
from muninn_core.protocol.catalogue import METHODS, decode_params
from muninn_core.worktree.call_context import CallContext

pytest_plugins = ["engines"]

FACT = "Quotas are a token bucket a tenant."


@pytest.fixture
def held(muninn):
    """A repository in which what agents say waits."""
    config = muninn.root / ".muninn" / "config.yaml"
    config.write_text("review:\n  pending: [assistant]\n")
    muninn.touch(".muninn/config.yaml")
    return muninn


def propose(muninn, text=FACT, **fields):
    return muninn.call("remember", text=text, actor="assistant", agent="scribe 1.0", **fields).ids[0]


def only(muninn, identity, **params):
    (memory,) = muninn.call("memories", id=identity, **params).memories
    return memory


def test_by_default_no_memory_needs_approval(muninn):
    assert only(muninn, propose(muninn)).review == ""
    assert muninn.texts("token bucket", kind="memory") == [FACT]


def test_an_agents_memory_needs_approval_and_a_users_does_not(held):
    waiting = propose(held)
    spoken = held.call("remember", text="The user's word.").ids[0]
    assert only(held, waiting).review == "pending"
    assert [memory.id for memory in held.call("memories").memories] == [spoken]
    assert [memory.id for memory in held.call("memories", archived=True).memories] == [spoken]
    assert [memory.id for memory in held.call("memories", pending=True).memories] == [waiting]


def test_unapproved_memories_are_in_no_answer_unless_requested(held):
    propose(held, pin=True, importance=10, files=["src/users.py"])
    assert held.texts("token bucket tenant quotas", kind="memory") == []
    pack = held.call("context", query="token bucket quotas", files=["src/users.py"])
    assert FACT not in pack.text
    brief = held.call("brief").text
    assert FACT not in brief
    assert "1 memory waits for approval: `muninn memories --pending`." in brief
    assert held.call("status").log.pending == 1
    assert held.call("about", file="src/users.py", line=1).text == ""
    assert held.call("annotate", file="src/users.py").notes == ()


def test_an_approved_memory_is_recalled_and_the_approval_is_told(held):
    identity = propose(held)
    (memory,) = held.call("approve", ids=[identity[:-1]], note="Measured.").memories
    assert (memory.review, memory.trust, memory.details["approved_note"]) == ("approved", "agent", "Measured.")
    assert held.texts("token bucket", kind="memory") == [FACT]
    assert held.call("status").log.pending == 0
    events = held.call("history", id=identity).events
    assert [(event.type, event.summary) for event in events][1:] == [("approve", "approved it: Measured.")]


def test_a_rejected_memory_is_kept_with_the_reason_and_not_recalled(held):
    identity = propose(held)
    held.call("reject", ids=[identity], reason="It is a leaky bucket.")
    memory = only(held, identity)
    assert (memory.review, memory.details["rejected_reason"]) == ("rejected", "It is a leaky bucket.")
    assert held.texts("token bucket", kind="memory") == []
    assert held.call("memories", pending=True).total == 0
    assert [each.id for each in held.call("memories", archived=True).memories] == [identity]


@pytest.mark.parametrize(
    "caller",
    [
        {"actor": "assistant", "agent": "scribe 1.0"},
        {"actor": "assistant", "agent": "scribe 1.1", "session": "another"},
        {"actor": "assistant", "agent": "reviewer 1.0"},
        {"actor": "tool"},
    ],
)
def test_an_agent_can_not_approve_its_own(held, caller):
    identity = propose(held)
    with pytest.raises(RefusedError, match="approve its own") as error:
        held.call("approve", ids=[identity], **caller)
    assert "A person approves it" in error.value.hint
    assert only(held, identity).review == "pending"


def test_a_client_on_an_agents_protocol_cannot_act_as_a_user(held):
    identity = propose(held)
    call = CallContext(location=locate(str(held.root)), client="agent", actor="assistant")
    params = decode_params(METHODS["approve"], {"ids": [identity], "actor": "user", "agent": "scribe 1.0"})
    with pytest.raises(RefusedError, match="approve its own"):
        held.engine.call("approve", params, call)


def test_another_agent_in_another_session_may_approve_but_not_what_was_rejected(held):
    one, other = propose(held), propose(held, text="Workers restart each night.")
    reviewer = {"actor": "assistant", "agent": "reviewer 1.0", "session": "review-1"}
    assert held.call("approve", ids=[one], **reviewer).memories[0].active
    held.call("reject", ids=[other], reason="No.")
    with pytest.raises(RefusedError, match="was rejected"):
        held.call("approve", ids=[other], **reviewer)
    assert held.call("approve", ids=[other]).memories[0].active


def test_several_are_decided_together_or_none(held):
    one, other = propose(held), propose(held, text="Workers restart each night.")
    spoken = held.call("remember", text="The user's word.").ids[0]
    with pytest.raises(UsageError, match="does not wait"):
        held.call("approve", ids=[one, spoken])
    assert held.call("status").log.pending == 2
    before = held.call("status").log.records
    assert [memory.id for memory in held.call("approve", ids=[one, other, one]).memories] == [one, other]
    held.call("approve", ids=[one, other])
    assert held.call("status").log.records == before + 2
    with pytest.raises(BadParams):
        held.call("approve", ids=[])


def test_reconcile_leaves_what_waits_as_it_is(held):
    waiting = propose(held)
    spoken = held.call("remember", text=FACT).ids[0]
    denial = propose(held, text="Quotas are not a token bucket a tenant.")
    result = held.call("reconcile")
    assert (result.duplicates, result.conflicts) == (0, 0)
    assert [memory.id for memory in held.call("memories").memories] == [spoken]
    held.call("approve", ids=[waiting, denial])
    result = held.call("reconcile")
    assert (result.duplicates, result.conflicts) == (1, 1)


def test_the_waiting_travels_in_git_and_so_does_the_approval(held, start, tmp_path):
    identity = propose(held, session="s1")
    held.call("seal")
    git(held.root, "add", "-A")
    git(held.root, "commit", "-q", "-m", "Proposed")
    git(tmp_path, "clone", "-q", str(held.root), "clone")
    clone = start(tmp_path / "clone")
    clone.clock.forward(minutes=1)
    assert only(clone, identity).review == "pending"
    clone.call("approve", ids=[identity])
    clone.call("seal")
    git(clone.root, "add", "-A")
    git(clone.root, "commit", "-q", "-m", "Approved")
    git(held.root, "pull", "-q", str(clone.root))
    assert held.texts("token bucket", kind="memory") == [FACT]


def test_a_review_of_a_branch_names_what_waits_what_was_approved_and_what_was_rejected(held):
    def commit(message):
        held.call("seal")
        git(held.root, "add", "-A")
        git(held.root, "commit", "-q", "-m", message)

    commit("Begin")
    one, other = propose(held), propose(held, text="Workers restart each night.")
    commit("Proposed")
    result = held.call("diff", range="HEAD~1..HEAD")
    assert ({memory.id for memory in result.pending}, result.added) == ({one, other}, ())
    assert "Waiting for approval (2)" in result.text
    held.call("approve", ids=[one], note="Measured.")
    held.call("reject", ids=[other], reason="Only on Sundays.")
    commit("Decided")
    result = held.call("diff", range="HEAD~1..HEAD", format="markdown")
    assert [memory.id for memory in result.approved] == [one]
    assert [(turn.memory.id, turn.reason) for turn in result.archived] == [(other, "rejected: Only on Sundays.")]
    assert "#### Approved" in result.text


def test_the_check_tells_what_waits_as_the_policy_says(held):
    identity = propose(held, session="s1")
    held.call("seal")
    finding = next(each for each in held.call("check").findings if each.rule == "pending")
    assert (finding.level, finding.id, finding.message) == ("warn", identity, "a memory waits for approval")
    forged = {"v": 1, "id": "forged", "ts": "2026-03-02T00:00:00Z", "type": "approve", "session": "s1"}
    line = json.dumps({**forged, "actor": "assistant", "agent": "scribe 1.0", "target": identity})
    (held.root / ".muninn/memory/sessions/forged.jsonl").write_text(line + "\n")
    (held.root / ".muninn/config.yaml").write_text("check: {pending: error}\n")
    result = held.call("check")
    (finding,) = [each for each in result.findings if each.rule == "pending"]
    assert not result.ok
    assert "does not count" in finding.message
    assert "does not count" in held.call("history", id=identity).events[-1].summary
    (held.root / ".muninn/config.yaml").write_text("check: {pending: off}\n")
    assert held.call("check").ok


def test_a_bundle_has_waiting_memories_and_can_not_approve_them(held, start, plain_repo, tmp_path):
    identity = propose(held)
    held.call("approve", ids=[identity])
    waiting = propose(held, text="Workers restart each night.")
    bundle = held.call("export")
    path = tmp_path / "bundle.json"
    plain = {"version": 1, "exported": bundle.exported, "records": list(bundle.records)}
    path.write_text(json.dumps(plain))
    (tmp_path / "other").mkdir()
    git(tmp_path / "other", "init", "-q")
    other = start(tmp_path / "other")
    other.call("init")
    other.call("import", path=str(path))
    assert {memory.id for memory in other.call("memories", pending=True).memories} == {identity, waiting}
    (tmp_path / "third").mkdir()
    git(tmp_path / "third", "init", "-q")
    third = start(tmp_path / "third")
    third.call("init")
    third.call("import", path=str(path), trust="keep")
    assert [memory.id for memory in third.call("memories", pending=True).memories] == [waiting]
    assert list(third.call("export").records) == list(bundle.records)


def test_an_import_needs_approval_with_that_setting_unless_it_is_vouched_for(muninn, tmp_path):
    (muninn.root / ".muninn" / "config.yaml").write_text("review: {pending: [import]}\n")
    muninn.touch(".muninn/config.yaml")
    record = {"id": "b1", "type": "insight", "ts": "2026-01-01T00:00:00Z", "actor": "user", "text": "From elsewhere."}
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps({"version": 1, "records": [record, {**record, "id": "b2"}]}))
    muninn.call("import", path=str(path))
    assert {memory.id for memory in muninn.call("memories", pending=True).memories} == {"b1", "b2"}
    assert muninn.call("import", path=str(path), trust="keep").known == 2
    assert [record.get("pending") for record in muninn.call("export").records] == [None, None]


def test_a_model_is_told_that_its_memory_waits(held):
    result = held.call("remember", text=FACT, actor="assistant")
    assert "It waits for a person's approval" in render(result)
    assert "waits for approval" in render(held.call("memories", pending=True))


def test_redacting_takes_the_words_of_a_decision_too(held):
    identity = propose(held, session="s1")
    held.call("reject", ids=[identity], reason="The password is swordfish, really.", session="s1")
    held.call("redact", id=identity)
    held.call("seal")
    content = "".join(path.read_text() for path in (held.root / ".muninn/memory").rglob("*.jsonl"))
    assert "swordfish" not in content
    with pytest.raises(UsageError, match="redacted"):
        held.call("approve", ids=[identity])


def test_pruning_takes_nothing_that_waits(held):
    identity = propose(held)
    held.call("reconcile")
    (held.root / ".muninn/config.yaml").write_text("prune: {age_days: 1, confidence: 1.0}\n")
    held.touch(".muninn/config.yaml")
    held.clock.forward(days=30)
    assert held.call("prune", dry_run=True).memories == ()
    held.call("reject", ids=[identity], reason="Old.")
    held.call("reconcile")
    held.clock.forward(days=30)
    assert held.call("prune", dry_run=True).memories == (identity,)
