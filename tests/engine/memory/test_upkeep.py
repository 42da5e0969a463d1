"""Upkeep of memory: merges, decay of links, importance from use, and the archive; reported, recorded and undone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from muninn_core.context.results.text import render
from muninn_core.engine.memory.changes import evolve as upkeep
from muninn_core.errors import NotFoundError, Stopping, StorageError
from muninn_core.model.memory import MANY_STEPS, Memory
from muninn_core.reconcile.comparison import known_texts
from muninn_core.reconcile.planning.upkeep import Use, plan
from muninn_core.worktree.citations import citations

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines"]


def remembered(muninn: Muninn, text: str, **more: Any) -> str:
    muninn.clock.forward(minutes=1)
    given = {"actor": "assistant", "type": "insight", **more}
    return muninn.call("remember", text=text, **given).ids[0]


def steps(muninn: Muninn, **params: Any) -> list[tuple[str, str, float, float]]:
    return [(step.kind, step.target, step.before, step.after) for step in muninn.call("evolve", **params).steps]


def memory(muninn: Muninn, identity: str) -> Any:
    return muninn.call("show", id=identity).memory


def used(muninn: Muninn, query: str, times: int) -> None:
    for _ in range(times):
        assert muninn.call("recall", query=query, kind="memory", limit=1).hits


def test_equal_memories_are_merged_after_a_report_and_the_merge_is_undone(muninn: Muninn) -> None:
    one = remembered(muninn, "The cache key contains the tenant id.")
    other = remembered(muninn, "The tenant id is contained in the cache key.")
    assert steps(muninn) == [("merge", one, 0, 0)]
    assert memory(muninn, other).active
    run = muninn.call("evolve", apply=True).run
    assert memory(muninn, other).merged_into == one
    assert steps(muninn) == []
    assert muninn.call("evolve", undo=True).run == run
    assert memory(muninn, other).merged_into == one
    muninn.call("evolve", undo=True, apply=True)
    assert memory(muninn, other).active
    with pytest.raises(NotFoundError, match="no run"):
        muninn.call("evolve", undo=True)


def test_upkeep_after_a_reconcile_reads_only_new_texts(muninn: Muninn, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["Sessions live in Redis.", "Invoices are exported at night.", "Serif fonts look old on the landing page."]
    for text in texts:
        remembered(muninn, text)
    muninn.call("reconcile", dry_run=True)
    read: list[str] = []
    real = known_texts.words_of
    monkeypatch.setattr(known_texts, "words_of", lambda text: read.append(text) or real(text))
    assert steps(muninn) == []
    assert read == []
    remembered(muninn, "Invoices are exported at night!")
    assert [step[0] for step in steps(muninn)] == ["merge"]
    assert {text.rstrip(".!") for text in read} == {"Invoices are exported at night"}
    assert texts[1] not in read


def test_importance_follows_use_and_its_change_is_no_change_of_the_content(muninn: Muninn) -> None:
    often = remembered(muninn, "Invoices are exported at night.")
    never = remembered(muninn, "Serif fonts look old on the landing page.")
    updated = memory(muninn, never).updated
    used(muninn, "invoices exported", 5)
    assert steps(muninn) == [("importance", often, 5, 6)]
    muninn.clock.forward(days=200)
    used(muninn, "invoices exported", 1)
    assert set(steps(muninn, apply=True)) == {("importance", often, 5, 6), ("importance", never, 5, 4)}
    assert (memory(muninn, often).importance, memory(muninn, never).importance) == (6, 4)
    assert memory(muninn, never).updated == updated
    assert "not used for 200 days" in str(muninn.call("history", id=never).events[-1])
    assert steps(muninn) == []  # at most every 30 days
    muninn.call("evolve", undo=True, apply=True)
    assert (memory(muninn, often).importance, memory(muninn, never).importance) == (5, 5)


def test_the_importance_of_a_merged_memory_falls_and_the_fall_is_undone(muninn: Muninn) -> None:
    one = remembered(muninn, "The cache key contains the tenant id.")
    other = remembered(muninn, "The tenant id is contained in the cache key.", importance=6)
    muninn.call("evolve", apply=True)
    assert memory(muninn, other).merged_into == one
    muninn.clock.forward(days=200)
    assert steps(muninn, apply=True) == [("importance", one, 6, 5)]
    assert memory(muninn, one).importance == 5
    muninn.call("evolve", undo=True, apply=True)
    assert memory(muninn, one).importance == 6


@pytest.mark.parametrize(
    ("use", "more", "after"),
    [
        (Use(refuted=2), {}, 3),
        (Use(refuted=3, confirmed=2), {}, None),
        (Use(refuted=2), {"trust": "user"}, None),
        (Use(refuted=2), {"pinned": True}, None),
        (Use(refuted=2, stepped="2026-02-20T00:00:00.000Z"), {}, None),
        (Use(count=9, last="2026-02-28T00:00:00.000Z", refuted=1), {}, None),
        (Use(count=9, last="2026-02-28T00:00:00.000Z"), {"importance": 8}, None),
    ],
)
def test_memories_that_sessions_refute_lose_importance(use: Use, more: dict[str, Any], after: int | None) -> None:
    known = Memory(
        **{"id": "a", "type": "insight", "text": "Orders are sharded.", "ts": "2026-02-01T00:00:00.000Z", **more}
    )
    found, _ = plan([known], {"a": use}, {}, set(), datetime(2026, 3, 1, tzinfo=UTC), 10)
    assert [step.after for step in found] == ([] if after is None else [after])


def test_unused_memories_are_archived_but_not_a_persons_pinned_lasting_or_linked_ones(muninn: Muninn) -> None:
    dead = remembered(muninn, "The old importer used XML.", importance=2)
    remembered(muninn, "Kim wrote the importer.", importance=2, actor="user")
    remembered(muninn, "The importer may not read remote files.", importance=2, type="constraint")
    linked = remembered(muninn, "Imports were slow on Mondays.", importance=2)
    link = {"relation": "extends", "target": linked}
    remembered(muninn, "Mondays had the weekly report, too.", importance=9, links=[link], actor="user")
    pinned = remembered(muninn, "Importers need a lock.", importance=2)
    muninn.call("pin", id=pinned)
    assert steps(muninn) == []
    muninn.clock.forward(days=366)
    assert steps(muninn, apply=True) == [("archive", dead, 0, 0)]
    assert not memory(muninn, dead).active
    assert "not used for 366 days" in str(muninn.call("history", id=dead).events[-1])
    muninn.call("evolve", undo=True, apply=True)
    assert memory(muninn, dead).active


def test_memories_whose_code_is_gone_are_archived_and_the_check_takes_its_time(
    muninn: Muninn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(citations, "ANSWER_SECONDS", 0.0)
    gone = remembered(muninn, "The parser is recursive.", cites=[{"path": "src/users.py", "symbol": "delete_user"}])
    muninn.clock.forward(days=91)
    assert ("archive", gone, 0, 0) not in steps(muninn)
    (muninn.root / "src/users.py").unlink()
    muninn.touch("src/users.py")
    assert ("archive", gone, 0, 0) in steps(muninn)


def test_links_of_the_rules_weaken_and_a_persons_do_not(muninn: Muninn) -> None:
    old = remembered(muninn, "Refunds are booked by the ledger worker as reversing entries.", actor="user")
    own = {"relation": "extends", "target": old, "strength": 0.8}
    theirs = remembered(muninn, "Chargebacks are booked alike, said accounting.", actor="user", links=[own])
    new = remembered(
        muninn, "The ledger worker doubled the reversing entries of refunds.", type="bug_fix", actor="user"
    )
    muninn.call("link", ids=[new], apply=True)
    (before,) = memory(muninn, new).links
    muninn.clock.forward(days=181)
    ((kind, target, was, after),) = steps(muninn, apply=True)
    assert (kind, target, was) == ("link", new, before.strength)
    assert 0.4 * was < after < 0.55 * was
    (link,) = memory(muninn, new).links
    assert (link.strength, link.by, link.reason) == (after, before.by, before.reason)
    assert memory(muninn, theirs).links[0].strength == 0.8
    muninn.clock.forward(days=500)
    muninn.call("evolve", apply=True)
    assert memory(muninn, new).links == ()
    muninn.call("evolve", undo=True, apply=True)
    muninn.call("evolve", undo=True, apply=True)
    assert memory(muninn, new).links == (before,)


def test_a_faded_link_of_memories_that_were_merged_is_removed_once(muninn: Muninn) -> None:
    old = remembered(muninn, "Refunds are booked by the ledger worker as reversing entries.", actor="user")
    both = [remembered(muninn, f"The cache key has the {what}.", actor="user") for what in ("tenant", "tenant's id")]
    link = {"type": "link", "relation": "extends", "to": old, "strength": 0.5, "by": "link/1 rules"}
    muninn.engine.open(muninn.location).memory.append([{**link, "target": each} for each in both], None)
    one = muninn.call("consolidate", ids=both, decision="merge", keep=both[0]).kept.id
    (before,) = memory(muninn, one).links
    muninn.clock.forward(days=500)
    assert steps(muninn, apply=True) == [("link", one, 0.5, 0)]
    assert memory(muninn, one).links == ()
    muninn.call("evolve", undo=True, apply=True)
    assert memory(muninn, one).links == (before,)


def test_each_kind_of_step_has_a_limit(muninn: Muninn) -> None:
    for number in range(4):
        remembered(muninn, f"Importer {number} of vendor number {number} used its own format {number}.", importance=2)
    muninn.clock.forward(days=366)
    result = muninn.call("evolve", limit=3)
    assert (len(result.steps), result.further) == (3, 1)


def go_on() -> None:
    """Never stop the planning."""


def test_an_idle_daemon_plans_and_status_and_brief_say_what_waits(muninn: Muninn) -> None:
    muninn.engine.plan_upkeep(go_on)
    for number in range(MANY_STEPS):
        remembered(muninn, f"Importer {number} of vendor number {number} used its own format {number}.", importance=2)
    muninn.engine.plan_upkeep(go_on)
    assert muninn.call("status").log.upkeep == 0
    muninn.clock.forward(days=366)
    muninn.engine.plan_upkeep(go_on)
    assert muninn.call("status").log.upkeep == MANY_STEPS
    assert "5 steps of upkeep wait" in render(muninn.call("status"))
    assert "5 steps of upkeep wait: a person runs `muninn evolve`" in muninn.call("brief", session="new").text
    assert len(steps(muninn)) == MANY_STEPS  # nothing was recorded
    steps(muninn, apply=True)
    assert muninn.call("status").log.upkeep == 0
    assert "upkeep" not in muninn.call("brief", session="newer").text


def test_the_daemon_plans_again_after_the_configured_days_and_records_nothing(muninn: Muninn) -> None:
    muninn.engine.plan_upkeep(go_on)
    remembered(muninn, "The cache key contains the tenant id.")
    later = remembered(muninn, "The tenant id is contained in the cache key.")
    muninn.clock.forward(days=29)
    muninn.engine.plan_upkeep(go_on)
    assert muninn.call("status").log.upkeep == 0
    muninn.clock.forward(days=1)
    muninn.call("config.set", key="evolve.days", value="0")
    muninn.engine.plan_upkeep(go_on)
    assert muninn.call("status").log.upkeep == 0
    muninn.call("config.set", key="evolve.days", value="30")
    muninn.engine.plan_upkeep(go_on)
    assert muninn.call("status").log.upkeep == 1
    assert memory(muninn, later).active


def test_a_plan_that_fails_is_made_again_after_the_configured_days(muninn: Muninn, monkeypatch) -> None:
    muninn.engine.plan_upkeep(go_on)
    remembered(muninn, "The old importer used XML.", importance=2)
    muninn.clock.forward(days=366)
    with monkeypatch.context() as broken:

        def fail(*_args: object, **_options: object) -> None:
            raise StorageError("a segment can't be read")

        broken.setattr(upkeep, "read_memory", fail)
        muninn.engine.plan_upkeep(go_on)
    muninn.engine.plan_upkeep(go_on)
    assert muninn.call("status").log.upkeep == 0
    muninn.clock.forward(days=30)
    muninn.engine.plan_upkeep(go_on)
    assert muninn.call("status").log.upkeep == 1


def test_steps_that_wait_for_an_approval_are_no_hint(muninn: Muninn) -> None:
    remembered(muninn, "The old importer used XML.", importance=2)
    muninn.clock.forward(days=366)
    muninn.call("config.set", key="review.pending", value='["assistant"]')
    assert len(steps(muninn)) == 1
    assert muninn.call("status").log.upkeep == 0


def test_a_plan_that_is_stopped_is_made_again(muninn: Muninn) -> None:
    muninn.engine.plan_upkeep(go_on)
    remembered(muninn, "The old importer used XML.", importance=2)
    muninn.clock.forward(days=366)

    def stop() -> None:
        raise Stopping("the daemon is stopping")

    with pytest.raises(Stopping):
        muninn.engine.plan_upkeep(stop)
    muninn.engine.plan_upkeep(go_on)
    assert muninn.call("status").log.upkeep == 1
