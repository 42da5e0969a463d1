"""Links between memories, the ranking that follows links, and updating and consolidating memories."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from repositories import git

from muninn_core.errors import BadParams, NotFoundError, RefusedError, UsageError
from muninn_core.model.memory import Memory
from muninn_core.reconcile.comparison.separation import CONTRADICTION, NOT_WITH_THIS, OTHER_TEXT, why_separate

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ("engines",)


def remember(muninn: Muninn, text: str, **fields: Any) -> str:
    (identity,) = muninn.call("remember", text=text, **fields).ids
    return str(identity)


def linked(target: str, relation: str = "extends", **more: Any) -> list[dict[str, Any]]:
    return [{"relation": relation, "target": target, **more}]


def test_links_are_followed_both_ways_up_to_the_depth(muninn: Muninn) -> None:
    first = remember(muninn, "Berths are numbered from one.")
    second = remember(muninn, "Pilots are told the number by radio.", links=linked(first))
    third = remember(muninn, "The radio is on channel nine.", links=linked(second, "references", strength=0.5))
    near = muninn.call("links", id=first, depth=1)
    assert [(memory.id, depth) for memory, depth in zip(near.memories, near.depths, strict=True)] == [
        (first, 0),
        (second, 1),
    ]
    far = muninn.call("links", id=first)
    assert [memory.id for memory in far.memories] == [first, second, third]
    assert [(link.source, link.relation, link.target, link.strength) for link in far.links] == [
        (second, "extends", first, 1.0),
        (third, "references", second, 0.5),
    ]
    alone = muninn.call("links", id=first, relation=["references"])
    assert [memory.id for memory in alone.memories] == [first]
    few = muninn.call("links", id=first, limit=1)
    assert (len(few.memories), few.omitted, few.links) == (1, 2, ())


def test_a_memory_is_shown_whole_with_its_citations_and_its_links_both_ways(muninn: Muninn) -> None:
    first = remember(muninn, "Berths are numbered from one.", title="Berth numbers", files=["src/users.py:1-2"])
    second = remember(muninn, "Pilots are told the number by radio.", links=linked(first))
    third = remember(muninn, "The radio is on channel nine.", links=linked(second, "references"))
    shown = muninn.call("show", id=second)
    assert (shown.memory.id, shown.memory.text) == (second, "Pilots are told the number by radio.")
    assert [(link.source, link.relation, link.target) for link in shown.links] == [
        (second, "extends", first),
        (third, "references", second),
    ]
    assert shown.linked == {first: "Berth numbers", third: "The radio is on channel nine"}
    (citation,) = muninn.call("show", id=first).citations
    assert (citation.path, citation.state) == ("src/users.py", "fresh")
    muninn.call("forget", id=third)
    assert muninn.call("show", id=third).memory.archived
    assert third in muninn.call("show", id=second).linked


def test_an_unknown_or_ambiguous_id_shows_no_memory(muninn: Muninn) -> None:
    ids = [remember(muninn, f"Berth {number} is dry.") for number in range(2)]
    common = ids[0][: next(at for at, (a, b) in enumerate(zip(*ids, strict=True)) if a != b)]
    with pytest.raises(UsageError, match="2 ids"):
        muninn.call("show", id=common)
    with pytest.raises(NotFoundError):
        muninn.call("show", id="zzzz")


def test_a_path_of_links_skips_archived_memories_unless_requested(muninn: Muninn) -> None:
    first = remember(muninn, "Berths are numbered from one.")
    second = remember(muninn, "Pilots are told the number.", links=linked(first))
    third = remember(muninn, "Tugs are told it as well.", links=linked(second))
    muninn.call("forget", id=second)
    assert [memory.id for memory in muninn.call("links", id=first).memories] == [first]
    assert [memory.id for memory in muninn.call("links", id=first, archived=True).memories] == [first, second, third]
    with pytest.raises(NotFoundError):
        muninn.call("links", id="zzzz")


def test_the_profile_of_links_finds_what_words_do_not_and_its_reasons_add_up(muninn: Muninn) -> None:
    found = remember(muninn, "Lanterns are lit at dusk.", importance=5)
    beside = remember(muninn, "The keeper sleeps until noon.", importance=9, links=linked(found, strength=0.8))
    beyond = remember(muninn, "Coffee is brought upstairs.", links=linked(beside))
    remember(muninn, "Invoices are sent on Mondays.", importance=10)
    result = muninn.call("recall", query="lanterns dusk", profile="mnemosyne")
    assert [hit.id for hit in result.hits] == [found, beside, beyond]
    for hit in result.hits:
        assert hit.score == pytest.approx(sum(reason.contribution for reason in hit.why))
    why = {reason.signal: (reason.value, reason.weight) for reason in result.hits[0].why}
    assert why == {"words": (1.0, 0.5), "importance": (0.5, 0.2), "recency": (1.0, 0.1), "scope": (1.0, 1.0)}
    graph = [reason for hit in result.hits[1:] for reason in hit.why if reason.signal == "graph"]
    assert [(reason.value, reason.weight) for reason in graph] == [(0.8, 0.2), (0.4, 0.2)]
    assert [hit.id for hit in muninn.call("recall", query="lanterns", profile="mnemosyne", depth=1).hits] == [
        found,
        beside,
    ]
    assert [hit.id for hit in muninn.call("recall", query="lanterns", profile="mnemosyne", depth=0).hits] == [found]


def test_in_that_profile_the_narrow_scope_comes_before_the_wide_one(
    plain_repo: Path, tmp_path: Path, start: Callable[..., Muninn]
) -> None:
    muninn = start(plain_repo, global_memory=tmp_path / "data" / "global")
    muninn.call("init")
    muninn.call("remember", text="Lanterns are lit at dusk, lanterns!", scope="global", importance=10)
    remember(muninn, "Lanterns hang in the yard.", importance=8)
    remember(muninn, "Somebody looked at a few lanterns and at much else today.", scope="session", session="s1")
    hits = muninn.call("recall", query="lanterns", profile="mnemosyne", session="s1").hits
    assert [hit.scope for hit in hits] == ["session", "project", "global"]
    narrow = muninn.call("recall", query="lanterns", profile="mnemosyne", session="s1", scope="session").hits
    assert [hit.scope for hit in narrow] == ["session"]


def test_the_profile_is_of_memories_alone_and_heeds_filters(muninn: Muninn) -> None:
    remember(muninn, "Lanterns are lit at dusk.", type="decision")
    remember(muninn, "Lanterns are made of brass.", type="insight")
    with pytest.raises(BadParams, match="ranks memories"):
        muninn.call("recall", query="lanterns", profile="mnemosyne", kind="code")
    hits = muninn.call("recall", query="lanterns type:decision", profile="mnemosyne").hits
    assert [hit.type for hit in hits] == ["decision"]
    first = muninn.call("recall", query="lanterns", profile="mnemosyne", limit=1)
    (second,) = muninn.call("recall", page=first.next, limit=1).hits
    assert {first.hits[0].type, second.type} == {"decision", "insight"}


def test_the_config_chooses_the_profile_where_memories_alone_are_asked_for(muninn: Muninn) -> None:
    remember(muninn, "Lanterns are lit at dusk.")
    config = muninn.root / ".muninn" / "config.yaml"
    config.write_text("ranking: {profile: mnemosyne}\n")
    muninn.touch(".muninn/config.yaml")
    signals = {
        reason.signal for hit in muninn.call("recall", query="lanterns", kind="memory").hits for reason in hit.why
    }
    assert "scope" in signals
    assert "meaning" not in signals
    plain = muninn.call("recall", query="lanterns", kind="memory", profile="muninn").hits
    assert "meaning" in {reason.signal for hit in plain for reason in hit.why}


def test_an_update_changes_what_it_names_and_history_tells(muninn: Muninn) -> None:
    target = remember(muninn, "The yard has six lanterns.")
    identity = remember(muninn, "Lanterns burn oil.", importance=3, tags=["light"], details={"status": "open"})
    muninn.clock.forward(hours=1)
    result = muninn.call(
        "update",
        id=identity,
        text="Lanterns burn gas.",
        importance=8,
        links=linked(target, reason="same lanterns"),
        details={"status": None, "since": 1890},
        pin=True,
        reason="they were replaced",
    )
    assert result.changed == ("text", "importance", "title", "details", "links", "pin")
    memory = result.memory
    assert (memory.text, memory.importance, memory.tags, memory.pinned) == ("Lanterns burn gas.", 8, ("light",), True)
    assert memory.details == {"since": 1890}
    assert [(link.relation, link.target) for link in memory.links] == [("extends", target)]
    events = muninn.call("history", id=identity).events
    assert [event.type for event in events] == ["insight", "update", "link", "pin"]
    assert muninn.texts("lanterns gas", kind="memory")[0] == "Lanterns burn gas."
    assert muninn.call("update", id=identity, text="Lanterns burn gas.", importance=8).changed == ()
    unlinked = muninn.call("update", id=identity, unlink=[f"extends:{target[:20]}"])
    assert (unlinked.changed, unlinked.memory.links) == (("links",), ())


def test_an_update_names_files_that_do_not_exist(muninn: Muninn) -> None:
    muninn.call("index", wait=True)
    identity = remember(muninn, "Lanterns burn oil.")
    result = muninn.call("update", id=identity, files=["src/user.py", "src/users.py"])
    assert result.notices == ("src/user.py does not exist here; did you mean src/users.py?",)
    assert muninn.call("update", id=identity, importance=7).notices == ()


def test_an_update_that_can_not_be_taken_says_why(muninn: Muninn) -> None:
    identity = remember(muninn, "Lanterns burn oil.")
    for words, given in (
        ("relation", {"links": linked(identity, "resembles")}),
        ("itself", {"links": linked(identity)}),
        ("no link", {"unlink": ["extends:zzz"]}),
        ("blank", {"text": "  "}),
        ("not a time", {"expires": "soon"}),
    ):
        with pytest.raises(BadParams, match=words):
            muninn.call("update", id=identity, **given)
    assert len(muninn.call("history", id=identity).events) == 1


def test_an_agent_whose_memories_wait_for_approval_can_not_reword_an_active_one(muninn: Muninn) -> None:
    identity = remember(muninn, "Lanterns burn oil.")
    other = remember(muninn, "Lanterns burn oil at night.")
    config = muninn.root / ".muninn" / "config.yaml"
    config.write_text("review: {pending: [assistant]}\n")
    muninn.touch(".muninn/config.yaml")
    with pytest.raises(RefusedError, match="approval"):
        muninn.call("update", actor="assistant", id=identity, text="Lanterns burn gas.")
    with pytest.raises(RefusedError, match="approval"):
        muninn.call("consolidate", actor="assistant", ids=[identity, other], decision="merge")
    assert muninn.call("update", id=identity, text="Lanterns burn gas.").changed == ("text", "title")


def test_an_agents_wording_lowers_the_trust_of_what_a_user_said(muninn: Muninn) -> None:
    identity = remember(muninn, "Lanterns burn oil.")
    memory = muninn.call("update", actor="assistant", id=identity, text="Lanterns burn gas.").memory
    assert memory.trust == "agent"


def test_equal_links_are_merged_and_others_are_kept(muninn: Muninn) -> None:
    first = remember(muninn, "Rotate the keys each month.", type="constraint")
    again = remember(muninn, "The keys are rotated each month.", type="constraint")
    third = remember(muninn, "Logs are kept for a year.", type="constraint")
    told = muninn.call("consolidate", ids=[first, again, third], dry_run=True)
    assert (told.decision, told.kept.id, told.gone, told.apart) == ("merge", first, (again,), (third,))
    assert [(group.reason, group.ids) for group in told.separate] == [(OTHER_TEXT, (third,))]
    assert muninn.call("memories", id=again).memories[0].merged_into is None
    done = muninn.call("consolidate", ids=[first, again, third], reason="said twice")
    assert done.kept.sources == (again,)
    assert muninn.call("memories", id=again).memories[0].merged_into == first
    assert muninn.call("history", id=again).events[-1].type == "merge"


def test_each_memory_that_is_left_has_a_reason(muninn: Muninn) -> None:
    said = "Rotate the keys each month."
    kept = remember(muninn, said, type="constraint", files=["a.py"], details={"owner": "ops"})
    same = remember(muninn, "The keys are rotated each month.", type="constraint", files=["a.py"])
    left = {
        "type": remember(muninn, said, type="insight", files=["a.py"]),
        "files": remember(muninn, said, type="constraint", files=["b.py"]),
        "expiry": remember(muninn, said, type="constraint", files=["a.py"], expires="2030-01-01"),
        "details": remember(muninn, said, type="constraint", files=["a.py"], details={"owner": "dev"}),
        "text": remember(muninn, "Logs are kept for a year.", type="constraint", files=["a.py"]),
        "contradiction": remember(muninn, "Never rotate the keys each month.", type="constraint", files=["a.py"]),
    }
    others = [remember(muninn, text, type="bug_fix") for text in ("Fixed the leak of locks.", "Fixed the locks' leak.")]
    told = muninn.call("consolidate", ids=[kept, same, *left.values(), *others], keep=kept, dry_run=True)
    found = {identity: group.reason for group in told.separate for identity in group.ids}
    assert (told.kept.id, told.gone) == (kept, (same,))
    assert set(found) == set(told.apart) == {*left.values(), *others}
    wanted = {
        "type": "another type",
        "files": "other files",
        "expiry": "expires at another time",
        "details": "other details",
        "text": OTHER_TEXT,
        "contradiction": CONTRADICTION,
    }
    for name, words in wanted.items():
        assert words in found[left[name]], name
    assert {found[each] for each in others} == {NOT_WITH_THIS}
    assert len(told.separate) == 7


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ({"trust": "outside"}, {"trust": "user"}, "only one of them comes from outside"),
        ({"type": "attempt", "task": "T-1"}, {"type": "attempt", "task": "T-2"}, "belongs to another task"),
    ],
)
def test_the_origin_and_the_task_are_reasons(one: dict[str, Any], other: dict[str, Any], words: str) -> None:
    given = {"ts": "2026-01-07T10:00:00Z", "actor": "user", "session": "s1"}
    left, right = (
        Memory(id=identity, text="Rotate the keys each month.", **{"type": "insight", **given, **fields})
        for identity, fields in (("a", one), ("b", other))
    )
    assert words in why_separate(left, [right])
    assert words in why_separate(right, [left])


def test_a_decision_is_carried_out_and_a_contradiction_is_told(muninn: Muninn) -> None:
    old = remember(muninn, "Use sqlite for the index.", type="decision")
    muninn.clock.forward(hours=1)
    new = remember(muninn, "Do not use sqlite for the index.", type="decision")
    told = muninn.call("consolidate", ids=[old, new])
    assert (told.decision, told.kept, set(told.apart)) == ("keep_both", None, {old, new})
    assert len(told.contradictions) == 1
    assert [(group.reason, group.ids) for group in told.separate] == [(CONTRADICTION, (old, new))]
    both = muninn.call("consolidate", ids=[old, new], decision="keep_both")
    assert [(group.reason, group.ids) for group in both.separate] == [("the decision is to keep it", (old, new))]
    done = muninn.call("consolidate", ids=[old, new], decision="supersede", text="The index must not use sqlite.")
    assert (done.kept.id, done.gone, done.kept.text) == (new, (old,), "The index must not use sqlite.")
    assert muninn.call("memories", id=old).memories[0].superseded_by == new
    with pytest.raises(UsageError, match="is not active"):
        muninn.call("consolidate", ids=[old, new])
    with pytest.raises(BadParams, match="nothing to consolidate"):
        muninn.call("consolidate", ids=[new, new])


def test_a_change_of_a_merged_memory_also_removes_what_the_others_brought(muninn: Muninn) -> None:
    first = muninn.call("remember", text="The index uses sqlite.", questions=["Which store?"], tags=["x"]).ids[0]
    given: dict[str, Any] = {"questions": ["Why sqlite?", "Which store?"], "tags": ["y"], "files": ["src/users.py:1-2"]}
    given["links"] = [{"relation": "extends", "target": remember(muninn, "Indexes are files.")}]
    other = muninn.call("remember", text="The index uses sqlite now.", importance=8, pin=True, **given).ids[0]
    muninn.call("consolidate", ids=[first, other], decision="merge", keep=first)
    change: dict[str, Any] = {
        "questions": ["Which store?"],
        "tags": [""],
        "files": ["README.md:1"],
        "importance": 3,
        "pin": False,
    }
    memory = muninn.call("update", id=first, unlink=[f"extends:{given['links'][0]['target']}"], **change).memory
    assert (memory.links, memory.questions, memory.tags, memory.files) == ((), ("Which store?",), (), ("README.md",))
    assert [cite.path for cite in memory.cites] == ["README.md"]
    assert (memory.importance, memory.pinned, memory.sources) == (3, False, (other,))
    assert muninn.call("update", id=first, **change).changed == ()


def test_the_overview_tells_what_is_recent_and_important_and_how_it_hangs_together(muninn: Muninn) -> None:
    old = remember(muninn, "Never deploy on Fridays.", importance=9, type="constraint")
    faint = remember(muninn, "The door squeaks.", importance=2)
    muninn.clock.forward(days=30)
    new = remember(muninn, "The door was oiled.", links=linked(faint, "supersedes"))
    also = remember(muninn, "Deploys need two reviews.", links=linked(old))
    result = muninn.call("overview")
    assert [memory.id for memory in result.recent] == [also, new]
    assert [memory.id for memory in result.important] == [old]
    assert [(link.source, link.target) for link in result.links] == [(also, old)]
    assert (result.memories, result.kinds) == (3, {"insight": 2, "constraint": 1})
    assert result.density == pytest.approx(2 / 3, abs=0.001)
    assert result.weeks[-5:] == (1, 0, 0, 0, 2)
    muninn.clock.forward(days=-1)
    assert muninn.call("overview").weeks[-5:] == (1, 0, 0, 0, 2), "a clock that was ahead"
    muninn.clock.forward(days=1)
    muninn.call("forget", id=old)
    muninn.clock.forward(days=30)
    assert [memory.id for memory in muninn.call("overview").recent] == [also, new]  # the newest, as nothing is recent


def test_in_the_overview_memories_of_commits_follow_other_important_ones(muninn: Muninn) -> None:
    git(
        muninn.root,
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "feat!: ids are strings",
        "-m",
        "BREAKING CHANGE: no numbers.",
    )
    (commit,) = muninn.call("backfill", source="git", apply=True).ids
    told = muninn.call("remember", text="Names are unique.", type="decision", importance=8).ids[0]
    muninn.clock.forward(days=400)
    important = muninn.call("overview").important
    assert [(memory.id, memory.importance) for memory in important] == [(told, 8), (commit, 8)]


def test_the_overview_counts_the_memories_of_a_renamed_file_under_its_name(muninn: Muninn) -> None:
    remember(muninn, "Users have ids.", files=["src/users.py"])
    git(muninn.root, "mv", "src/users.py", "src/people.py")
    git(muninn.root, "commit", "-q", "-m", "Rename")
    muninn.touch("src/people.py")
    remember(muninn, "People have names.", files=["src/people.py"])
    assert [(each.path, each.memories) for each in muninn.call("overview").files] == [("src/people.py", 2)]


def test_a_list_can_be_of_what_is_important_or_new(muninn: Muninn) -> None:
    old = remember(muninn, "Never deploy on Fridays.", importance=9)
    muninn.clock.forward(days=30)
    new = remember(muninn, "The door squeaks.", importance=2)
    ids = lambda **given: [memory.id for memory in muninn.call("memories", **given).memories]  # noqa: E731
    assert ids() == [new, old]
    assert ids(order="importance") == [old, new]
    assert ids(min_importance=5) == [old]
    assert ids(since="2w") == [new]
    with pytest.raises(BadParams, match="since"):
        ids(since="lately")
