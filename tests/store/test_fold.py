import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn_core.store.folding.fold import Fold, fold
from muninn_core.store.records.record import make_record

IDS = [f"m{number}" for number in range(5)]


def at(second, kind, identity=None, **fields):
    ts = f"2026-01-07T10:00:{second:02d}.000Z"
    return make_record({"id": identity or f"{kind}-{second}", "ts": ts, "type": kind, **fields})


def memory(name, second=0, **fields):
    return at(second, "insight", name, **{"text": f"text of {name}", "session": f"s-{name}", "actor": "user", **fields})


def state_of(*records):
    return fold(records).memories


times = st.integers(0, 20)
targets = st.sampled_from(IDS)
switches = st.sampled_from(["pin", "unpin", "archive", "restore", "redact"])
change = st.one_of(
    st.tuples(st.just("update"), st.fixed_dictionaries({"target": targets, "set": st.sampled_from(
        [{"text": "one"}, {"text": "two", "tags": ["t"]}, {"trust": "outside"}, {"details": {"x": 1}},
         {"links": [{"relation": "supersedes", "target": "m1"}]}]
    )})),
    st.tuples(st.just("supersede"), st.fixed_dictionaries({"target": targets, "by": st.one_of(st.none(), targets)})),
    st.tuples(st.sampled_from(["link", "unlink"]), st.fixed_dictionaries(
        {"target": targets, "to": targets, "relation": st.sampled_from(["supersedes", "extends"])})),
    st.tuples(switches, st.fixed_dictionaries({"target": targets})),
    st.tuples(st.sampled_from(["approve", "reject"]), st.fixed_dictionaries(
        {"target": targets, "actor": st.sampled_from(["user", "assistant"]), "reason": st.just("so")})),
    st.tuples(st.just("feedback"), st.fixed_dictionaries({"target": targets, "useful": st.booleans()})),
    st.tuples(st.just("merge"), st.fixed_dictionaries({"keep": targets, "sources": st.lists(targets, max_size=2)})),
    st.tuples(st.just("conflict"), st.fixed_dictionaries({"left": targets, "right": targets})),
    st.tuples(st.just("resolve"), st.fixed_dictionaries(
        {"conflict": st.sampled_from(["c0", "c1"]), "keep": st.sampled_from(["left", "right", "both"]),
         "text": st.sampled_from(["", "worded anew"])})),
)  # fmt: skip


@st.composite
def logs(draw):
    born = st.sampled_from([{}, {}, {"actor": "assistant", "pending": True}])
    records = [memory(identity, second=draw(times), **draw(born)) for identity in draw(st.lists(targets, unique=True))]
    for number, (type_, fields) in enumerate(draw(st.lists(change, max_size=12))):
        identity = f"c{number % 2}" if type_ == "conflict" else f"r{number:02d}"
        record = at(draw(times), type_, identity, **fields)
        if not any(known.id == identity for known in records):
            records.append(record)
    return records


@settings(max_examples=150, deadline=None)
@given(logs(), st.data())
def test_folding_depends_on_no_order_no_duplicates_and_no_files(records, data):
    expected = fold(records)
    assert fold(data.draw(st.permutations(records))) == expected
    assert fold(records + data.draw(st.permutations(records))) == expected
    step_by_step = Fold()
    for record in data.draw(st.permutations(records)):
        step_by_step.add([record], sealed=False)
        step_by_step.state()
    cut = data.draw(st.integers(0, len(records)))
    step_by_step.add(records[:cut], sealed=True)
    step_by_step.add(records[cut:], sealed=True)
    assert step_by_step.state() == expected


@settings(max_examples=300, deadline=None)
@given(logs(), st.data())
def test_taking_records_out_is_as_if_they_had_never_come(records, data):
    gone = set(data.draw(st.lists(st.sampled_from([record.id for record in records] or ["none"]), unique=True)))
    growing = Fold()
    growing.add(records, sealed=True)
    before = growing.state()
    growing.changed.clear()
    growing.remove(gone)
    after = growing.state()
    assert after == fold([record for record in records if record.id not in gone])
    changed = {
        each for each in {*before.memories, *after.memories} if before.memories.get(each) != after.memories.get(each)
    }
    assert changed <= growing.changed
    growing.add([record for record in records if record.id in gone], sealed=True)
    assert growing.state() == before


@given(logs())
@settings(max_examples=100, deadline=None)
def test_every_memory_leads_to_an_active_one(records):
    state = fold(records)
    assert state.records == len({record.id for record in records})
    for found in state.memories.values():
        seen = {found.id}
        while found.merged_into or found.superseded_by:
            found = state.memories[found.merged_into or found.superseded_by]
            assert found.id not in seen or found.merged_into is None
            if found.id in seen:
                pytest.fail("a ring in which nobody speaks")
            seen.add(found.id)


def test_each_field_has_its_own_last_writer():
    found = state_of(
        memory("a", tags=["old"]),
        at(5, "update", "u2", target="a", set={"text": "late"}),
        at(3, "update", "u1", target="a", set={"text": "early", "tags": ["new"], "details": {"why": "x"}}),
    )["a"]
    assert (found.text, found.tags, found.details) == ("late", ("new",), {"why": "x"})
    assert found.updated == "2026-01-07T10:00:05.000Z"


def test_equal_times_are_decided_by_id():
    updates = [at(5, "update", name, target="a", set={"text": name}) for name in ("u1", "u3", "u2")]
    assert state_of(memory("a"), *updates)["a"].text == "u3"


def test_a_change_waits_for_its_target_and_then_applies():
    update = at(5, "update", target="a", set={"text": "new"})
    growing = Fold()
    growing.add([update], sealed=True)
    assert growing.state().unresolved == (update,)
    assert growing.state().memories == {}
    growing.add([memory("a")], sealed=True)
    assert growing.state().unresolved == ()
    assert growing.state().memories["a"].text == "new"


def test_the_older_memory_is_active_until_its_successor_arrives():
    supersede = at(5, "supersede", target="a", by="b")
    assert state_of(memory("a"), supersede)["a"].active
    assert state_of(memory("a"), memory("b"), supersede)["a"].superseded_by == "b"
    taken_back = at(6, "supersede", target="a", by=None)
    assert state_of(memory("a"), memory("b"), supersede, taken_back)["a"].active


def test_a_link_can_supersede_and_taking_it_off_undoes_that():
    new = memory("b", links=[{"relation": "supersedes", "target": "a"}])
    assert state_of(memory("a"), new)["a"].superseded_by == "b"
    off = at(5, "unlink", target="b", relation="supersedes", to="a")
    assert state_of(memory("a"), new, off)["a"].active


def test_in_a_ring_of_superseding_the_newest_stands():
    ring = [at(9, "supersede", f"s{i}", target=f"m{i}", by=f"m{(i + 1) % 3}") for i in range(3)]
    found = state_of(*(memory(f"m{i}", second=i) for i in range(3)), *ring)
    assert [identity for identity in found if found[identity].active] == ["m2"]


def test_in_a_ring_of_merges_the_smallest_is_kept():
    ring = [at(9, "merge", f"g{i}", keep=f"m{i}", sources=[f"m{(i + 1) % 3}"]) for i in range(3)]
    found = state_of(*(memory(f"m{i}") for i in range(3)), *ring)
    assert [identity for identity in found if found[identity].active] == ["m0"]
    assert found["m0"].sources == ("m1", "m2")


def test_merging_unites_and_every_session_is_one_witness():
    found = state_of(
        memory("a", confidence=0.5, files=["x.py"], tags=["t"], questions=["why?"]),
        memory("b", confidence=0.5, questions=["how?", "why?"], files=["y.py"], importance=9, pinned=True),
        memory("c", confidence=0.4, session="s-b"),
        at(5, "merge", keep="a", sources=["b", "c"]),
    )
    kept = found["a"]
    assert (kept.files, kept.tags, kept.importance, kept.pinned) == (("x.py", "y.py"), ("t",), 9, True)
    assert kept.questions == ("why?", "how?")
    assert kept.confidence == 0.75
    assert kept.sessions == ("s-a", "s-b")
    assert (kept.text, kept.aliases) == ("text of c", ("text of a", "text of b"))
    assert found["b"].merged_into == "a"
    assert not found["b"].active


def test_a_restore_takes_a_merge_back():
    records = [memory("a"), memory("b"), at(5, "merge", keep="a", sources=["b"])]
    found = state_of(*records, at(6, "restore", target="b"))
    assert found["b"].active
    assert found["a"].sources == ()


def test_superseding_a_source_supersedes_its_merged_memory():
    records = [memory("a"), memory("b"), memory("c"), at(5, "merge", keep="a", sources=["b"])]
    assert state_of(*records, at(6, "supersede", target="b", by="c"))["a"].superseded_by == "c"


@pytest.mark.parametrize(("keep", "active"), [("left", ["a"]), ("right", ["b"]), ("both", ["a", "b"])])
def test_a_person_decides_a_conflict(keep, active):
    records = [memory("a"), memory("b"), at(5, "conflict", "c", left="a", right="b", reason="they clash")]
    before = fold(records)
    assert [(each.id, each.left, each.right, each.reason) for each in before.conflicts] == [
        ("c", "a", "b", "they clash")
    ]
    after = fold([*records, at(6, "resolve", conflict="c", keep=keep)])
    assert [each.id for each in after.memories.values() if each.active] == active
    assert after.conflicts == ()
    assert after.disputes[0].keep == keep


def test_the_last_decision_counts_and_its_words_replace_those_of_the_kept_side():
    found = state_of(
        memory("a"),
        memory("b"),
        at(5, "conflict", "c", left="a", right="b"),
        at(6, "resolve", "r1", conflict="c", keep="left", text="first", actor="user"),
        at(7, "resolve", "r2", conflict="c", keep="right", text="second", actor="user"),
    )
    assert (found["a"].text, found["b"].text) == ("text of a", "second")
    assert (found["a"].superseded_by, found["b"].active) == ("b", True)


def test_a_conflict_with_a_removed_side_is_not_queued():
    records = [memory("a"), memory("b"), at(5, "conflict", "c", left="a", right="b")]
    assert fold([*records, at(6, "archive", target="a")]).conflicts == ()
    assert fold(records[1:]).conflicts == ()
    assert fold(records[1:]).unresolved[0].id == "c"


def test_one_answer_is_enough_for_two_conflicts_about_the_same_pair():
    records = [
        *(memory(name) for name in "abx"),
        at(5, "conflict", "c1", left="a", right="b"),
        at(5, "conflict", "c2", left="x", right="b"),
        at(6, "merge", keep="a", sources=["x"]),
    ]
    assert [each.id for each in fold(records).conflicts] == ["c1", "c2"]
    assert fold([*records, at(7, "resolve", conflict="c2", keep="both")]).conflicts == ()


def test_redaction_is_final_and_keeps_links_and_provenance():
    found = state_of(
        memory(
            "a",
            tags=["t"],
            files=["f"],
            details={"x": 1},
            links=[{"relation": "extends", "target": "b", "reason": "r"}],
        ),
        at(5, "redact", target="a"),
        at(6, "update", target="a", set={"text": "again", "tags": ["u"]}),
    )["a"]
    assert (found.text, found.tags, found.files, found.details, found.redacted) == ("", (), (), {}, True)
    assert (found.session, found.links[0].target, found.links[0].reason) == ("s-a", "b", "")


def test_archive_restore_pin_and_feedback():
    records = [
        memory("a"),
        at(1, "archive", target="a", reason="wrong"),
        at(2, "pin", target="a"),
        at(3, "feedback", target="a", useful=True),
        at(4, "feedback", target="a", useful=True),
        at(5, "feedback", target="a", useful=False),
    ]
    found = state_of(*records)["a"]
    assert (found.archived, found.pinned, found.active) == (True, True, False)
    assert found.details == {"archived_reason": "wrong", "feedback": {"useful": 2, "useless": 1}}
    restored = state_of(*records, at(6, "restore", target="a"), at(7, "unpin", target="a"))["a"]
    assert (restored.archived, restored.pinned, "archived_reason" in restored.details) == (False, False, False)


@pytest.mark.parametrize(
    ("actor", "stated", "trust"),
    [("user", None, "user"), ("hook", None, "commit"), ("assistant", "user", "agent"), ("import", "agent", "outside"),
     ("user", "agent", "agent"), (None, None, "agent")],
)  # fmt: skip
def test_trust_follows_from_the_actor_and_can_only_be_stated_lower(actor, stated, trust):
    assert state_of(memory("a", actor=actor, trust=stated))["a"].trust == trust


def test_only_a_user_raises_trust_and_an_agents_wording_lowers_it():
    outside = memory("a", actor="import")
    by_agent = at(5, "update", "u1", target="a", actor="assistant", set={"trust": "agent"})
    by_user = at(6, "update", "u2", target="a", actor="user", set={"trust": "user"})
    assert state_of(outside, by_agent)["a"].trust == "outside"
    assert state_of(outside, by_agent, by_user)["a"].trust == "user"
    reworded = at(5, "update", target="a", actor="assistant", set={"text": "x"})
    assert state_of(memory("a"), reworded)["a"].trust == "agent"


def test_fields_that_do_not_fit_become_details_and_no_memory_is_lost_for_them():
    found = state_of(
        memory("a", importance="high", tags="one", cites=[{"path": 3}], links=[{"relation": 1}], new_field=1)
    )
    assert found["a"].tags == ("one",)
    assert found["a"].details == {
        "importance": "high", "cites": [{"path": 3}], "links": [{"relation": 1}], "new_field": 1
    }  # fmt: skip


def test_questions_are_read_on_one_line_each_and_without_blank_ones():
    found = state_of(
        memory("a", questions=["", " \n", "Why?\ntrust: user", " Why?  Why? "]),
        memory("b", questions=["Why?"]),
        at(2, "update", target="b", set={"questions": ["How\r\nso?", ""]}),
    )
    assert found["a"].questions == ("Why? trust: user", "Why?  Why?")
    assert found["b"].questions == ("How so?",)


def test_an_unknown_change_is_kept_and_not_applied():
    state = fold([memory("a"), at(5, "of_tomorrow", target="a", text="no memory")])
    assert list(state.memories) == ["a"]
    assert state.records == 2


def test_unchanged_memories_stay_the_same_objects():
    records = [memory("a"), memory("b")]
    growing = Fold()
    growing.add(records, sealed=True)
    before = growing.state()
    growing.add([at(5, "pin", target="b")], sealed=True)
    assert growing.state().memories["a"] is before.memories["a"]
    assert not before.memories["b"].pinned
    again = Fold(before=before.memories)
    again.add(records, sealed=True)
    assert again.state().memories["b"] is before.memories["b"]


def test_one_more_record_costs_little_however_many_are_there():
    growing = Fold()
    growing.add([memory(f"m{number:05d}") for number in range(10_000)], sealed=True)
    touched = Counter()
    component = growing.index.component
    growing.index.component = lambda start: touched.update([start]) or component(start)
    begun = time.process_time()
    growing.add([at(5, "pin", target="m00007")], sealed=False)
    assert growing.state().memories["m00007"].pinned
    assert touched == {"m00007": 1}
    assert time.process_time() - begun < 5
