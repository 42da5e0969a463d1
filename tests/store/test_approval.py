"""Approval in the fold: a waiting memory is never recalled, and only a valid approval releases it."""

import pytest
from test_fold import at, memory, state_of

from muninn_core.store.folding.fold import fold

AGENT = {"actor": "assistant", "agent": "scribe 2.1", "session": "s1"}


def proposal(name="a", second=0, **fields):
    return memory(name, second, **{**AGENT, "pending": True, **fields})


def approval(second=5, target="a", **fields):
    return at(second, "approve", f"approve-{target}-{second}", target=target, **fields)


def test_a_memory_that_is_created_pending_waits_until_a_user_approves_it():
    waiting = state_of(proposal())["a"]
    assert (waiting.review, waiting.active, waiting.waits) == ("pending", False, True)
    assert waiting.details == {}
    approved = state_of(proposal(), approval(actor="user", reason="seen"))["a"]
    assert (approved.review, approved.active, approved.waits) == ("approved", True, False)
    assert (approved.trust, approved.details) == ("agent", {"approved_note": "seen"})


@pytest.mark.parametrize(
    "author",
    [
        AGENT,
        {"actor": "assistant", "agent": "scribe 2.2", "session": "s2"},
        {"actor": "assistant", "agent": "Scribe", "session": "s2"},
        {"actor": "tool", "agent": "other 1.0", "session": "s1"},
        {"actor": "assistant", "session": "s2"},
        {"actor": "assistant", "agent": "other 1.0"},
        {"actor": "tool"},
        {},
        {"actor": "user", "imported": {"actor": "import", "trust": "outside"}},
        {"actor": "assistant", "agent": "other", "session": "s2", "imported": {"trust": "outside"}},
    ],
)
def test_an_approval_by_the_author_or_an_unknown_actor_does_not_count(author):
    assert state_of(proposal(), approval(**author))["a"].waits


@pytest.mark.parametrize(
    "author",
    [
        {"actor": "user"},
        {"actor": "user", "session": "s1"},
        {"actor": "user", "imported": {"trust": "keep"}},
        {"actor": "assistant", "agent": "reviewer 1.0", "session": "s2"},
    ],
)
def test_an_approval_by_a_user_or_another_program_in_another_session_counts(author):
    assert state_of(proposal(), approval(**author))["a"].active


def test_only_a_user_approves_imported_memories():
    mark = {"imported": {"actor": "import", "trust": "outside"}}
    other = {"actor": "assistant", "agent": "reviewer 1.0", "session": "s2"}
    assert state_of(proposal(**mark), approval(**other))["a"].waits
    assert state_of(proposal(**mark), approval(actor="user"))["a"].active


def test_a_rejection_keeps_its_reason_and_only_a_user_reverses_it():
    rejected = at(6, "reject", target="a", actor="user", reason="wrong")
    found = state_of(proposal(), rejected)["a"]
    assert (found.review, found.active, found.waits) == ("rejected", False, False)
    assert found.details == {"rejected_reason": "wrong"}
    other = {"actor": "assistant", "agent": "reviewer 1.0", "session": "s2"}
    assert state_of(proposal(), rejected, approval(7, **other))["a"].review == "rejected"
    overruled = state_of(proposal(), rejected, approval(7, actor="user"))["a"]
    assert (overruled.review, overruled.details) == ("approved", {})


def test_the_last_decision_counts():
    yes, no = approval(actor="user"), at(6, "reject", target="a", actor="user", reason="no")
    assert state_of(proposal(), yes, no)["a"].review == "rejected"
    assert state_of(proposal(), no, approval(7, actor="user"))["a"].review == "approved"


def test_a_rejected_memory_that_is_restored_waits_again():
    found = state_of(proposal(), at(5, "reject", target="a", reason="no"), at(6, "restore", target="a"))["a"]
    assert (found.waits, found.details) == (True, {})


def test_a_decision_about_an_approved_memory_has_no_effect():
    found = state_of(memory("a"), approval(actor="user"), at(6, "reject", target="a", reason="no"))["a"]
    assert (found.review, found.active) == ("", True)


def test_no_update_can_approve():
    found = state_of(
        proposal(), at(5, "update", target="a", actor="user", set={"pending": False, "review": "approved"})
    )
    assert found["a"].waits


def test_approved_words_that_their_author_changes_wait_again():
    records = [proposal(), approval(actor="user")]
    reworded = at(6, "update", target="a", set={"text": "something else"}, **AGENT)
    assert state_of(*records, reworded)["a"].waits
    assert state_of(*records, reworded, approval(7, actor="user"))["a"].active
    assert state_of(*records, at(6, "update", target="a", set={"tags": ["t"]}, **AGENT))["a"].active
    assert state_of(*records, at(6, "update", target="a", actor="user", set={"text": "better"}))["a"].active


@pytest.mark.parametrize(("keep", "source"), [("a", "b"), ("b", "a")])
def test_unapproved_memories_are_not_merged(keep, source):
    records = [memory("b"), proposal(), at(3, "merge", keep=keep, sources=[source])]
    found = state_of(*records)
    assert (found["a"].merged_into, found["b"].merged_into, found["b"].sources) == (None, None, ())
    assert state_of(*records, approval(actor="user"))[source].merged_into == keep


@pytest.mark.parametrize("how", ["record", "link", "resolve"])
def test_an_unapproved_memory_supersedes_nothing(how):
    links = [{"relation": "supersedes", "target": "b"}] if how == "link" else []
    records = [memory("b"), proposal(links=links)]
    if how == "record":
        records.append(at(3, "supersede", target="b", by="a"))
    if how == "resolve":
        records += [at(3, "conflict", "c", left="a", right="b"), at(4, "resolve", conflict="c", keep="left")]
    assert state_of(*records)["b"].active
    assert state_of(*records, approval(actor="user"))["b"].superseded_by == "a"


def test_a_resolve_by_the_author_does_not_put_other_words_into_what_was_approved():
    records = [memory("b"), proposal(), approval(2, actor="user"), at(3, "conflict", "c", left="a", right="b")]
    resolved = at(6, "resolve", conflict="c", keep="left", text="something else", **AGENT)
    assert state_of(*records, resolved)["a"].text == "text of a"


def test_conflicts_with_unapproved_memories_are_not_queued():
    records = [memory("b"), proposal(), at(3, "conflict", "c", left="a", right="b")]
    assert fold(records).conflicts == ()
    assert len(fold([*records, approval(actor="user")]).conflicts) == 1


def test_the_state_counts_what_waits_and_still_can():
    records = [
        proposal(),
        proposal("b"),
        proposal("c"),
        at(5, "archive", target="b"),
        approval(target="c", actor="user"),
    ]
    state = fold(records)
    assert (state.pending, state.active) == (1, 1)


def test_an_import_can_make_a_memory_wait_that_did_not_at_home():
    mark = {"actor": "import", "trust": "outside", "pending": True}
    assert state_of(memory("a", imported=mark))["a"].waits
    assert state_of(memory("a", imported={**mark, "trust": "keep"}))["a"].active
