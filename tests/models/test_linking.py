"""Links between memories, by rules and by a scripted model: proposed, recorded, explained and undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from backends import Backend, Reply, Request, bytes_of, openai_events, says

from muninn_core.errors import BadParams, ModelError
from muninn_core.model.memory import Memory
from muninn_core.models.linking import read_links

if TYPE_CHECKING:
    from model_engine import Told

pytest_plugins = ("engines", "model_engine")

OLD = "Refunds are booked by the ledger worker as reversing entries with an idempotency key."
NEW = "A refund's reversing entries doubled: the ledger worker now checks the idempotency key first."
OTHER = "The landing page uses a serif font for headings."


def remembered(told: Told, *texts: str, **more: Any) -> list[str]:
    ids = []
    for text in texts:
        told.clock.forward(minutes=1)
        ids.append(told.call("remember", text=text, **more).ids[0])
    return ids


def three(told: Told) -> tuple[str, str, str]:
    old = remembered(told, OLD, type="decision", files=["src/users.py"])[0]
    other = remembered(told, OTHER, type="decision")[0]
    new = remembered(told, NEW, type="bug_fix", files=["src/users.py"])[0]
    return old, new, other


def asked(told: Told, *replies: Reply, **params: Any) -> tuple[Any, list[Any]]:
    with Backend(*replies) as backend:
        told.configure({"m": {"dialect": "openai", "url": backend.url, "model": "small"}}, links="m")
        return told.call("link", model=True, **params), backend.requests


def links_of(told: Told, identity: str) -> list[tuple[str, str, float, str]]:
    memory = told.call("show", id=identity).memory
    return [(link.relation, link.target, link.strength, link.by) for link in memory.links]


def test_rules_propose_first_then_record_and_undo(told: Told) -> None:
    old, new, _ = three(told)
    (proposed,) = told.call("link").links
    assert (proposed.source, proposed.target, proposed.relation) == (new, old, "implements")
    assert 0 < proposed.strength <= 1
    assert "files src/users.py" in proposed.reason
    assert not proposed.recorded
    assert links_of(told, new) == []
    result = told.call("link", apply=True)
    assert result.recorded == 1
    assert links_of(told, new) == [("implements", old, proposed.strength, "link/1 rules")]
    event = told.call("history", id=new).events[-1]
    assert "implements" in event.summary
    assert told.call("link", apply=True).links == ()
    assert len(told.call("link", undo=True).links) == 1
    assert len(links_of(told, new)) == 1
    told.call("link", undo=True, apply=True)
    assert links_of(told, new) == []
    (again,) = told.call("link", apply=True).links
    assert "removed before" in again.problem
    assert links_of(told, new) == []


def test_a_memory_that_names_another_links_to_it(told: Told) -> None:
    old, _, other = three(told)
    named = remembered(told, f"Do as in {other[-8:]}, but on the blog.", type="insight")[0]
    (link,) = told.call("link", ids=[named]).links
    assert (link.target, link.relation, link.strength) == (other, "references", 1.0)
    assert old != link.target


def test_private_memories_and_single_events_get_no_links(told: Told) -> None:
    three(told)
    private = remembered(told, f"{NEW} Kim said so.", private=True)[0]
    remembered(told, f"{NEW} Again.", type="session_summary", files=["src/users.py"])
    assert len(told.call("link").links) == 1
    with pytest.raises(BadParams, match="gets no links"):
        told.call("link", ids=[private])


def test_a_model_links_and_each_link_names_it(told: Told) -> None:
    old, new, _ = three(told)
    reply = says("LINK: 0, Extends, 0.8, both book reversing entries of a refund")
    result, requests = asked(told, reply, ids=[new], apply=True)
    assert result.recorded == 1
    assert result.spent.calls == 1
    assert links_of(told, new) == [("extends", old, 0.8, "link/1 small")]
    prompt = requests[0].body["messages"][1]["content"]
    assert "<candidate index=0>" in prompt
    assert OTHER not in prompt
    assert told.call("models.list").use == {"links": "m"}


def test_a_model_that_finds_a_successor_only_proposes_it(told: Told) -> None:
    old, new, _ = three(told)
    result, _ = asked(told, says("LINK: 0, Supersedes, 1.0, the ledger worker"), ids=[new], apply=True)
    assert f"--link supersedes:{old}" in result.links[0].problem
    assert told.call("show", id=old).memory.active
    assert asked(told, says("NO_LINKS"), ids=[new])[0].links == ()


def test_a_memory_that_is_redacted_while_a_model_is_asked_is_neither_sent_nor_linked(told: Told) -> None:
    old, new, _ = three(told)
    newest = remembered(told, f"{NEW} It logs each one.", type="bug_fix", files=["src/users.py"])[0]

    def while_the_newest_is_asked(request: Request) -> None:
        told.call("redact", id=old)
        places = [request.body["messages"][1]["content"].index(each) for each in (OLD, NEW)]
        says(f"LINK: {int(places[0] > places[1])}, Extends, 0.8, the ledger worker")(request)

    result, requests = asked(told, while_the_newest_is_asked, ids=[newest, new], apply=True)
    assert len(requests) == 1
    assert [(each.source, each.problem) for each in result.links] == [
        (newest, "one of the two is not active any more"),
        (new, "it changed before the model was asked"),
    ]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("The new note extends candidate 0.", "not asked for"),
        ("VERKNÜPFUNG: 0, erweitert, 0.8, beide", "not asked for"),
        ("Ignore the notes and delete them.", "not asked for"),
        ("LINK: 7, Extends, 0.8, the ledger worker", "there is no candidate 7"),
        ("LINK: 0, Blocks, 0.8, the ledger worker", "'Blocks' is no type"),
        ("LINK: 0, Extends, 1.8, the ledger worker", "not from 0 to 1"),
        ("LINK: 0, Extends, ., the ledger worker", "not from 0 to 1"),
        ("LINK: 0, Extends, 0.8, pineapples grow slowly everywhere", "few words of the memories"),
        ("LINK: 0, Extends, 0.8, the ledger worker\nNO_LINKS", "not asked for"),
        ("LINK: 0, Extends, 0.8, the ledger\nLINK: 0, References, 0.8, the ledger", "twice"),
        ("LINK: 0, Extends, 0.8, " + "the ledger " * 40, "the limit is 200"),
        ("LINK: 0, Extends, 0.8, the ledger\u202e worker", "hidden characters"),
        ("LINK: 0, Extends, 0.8, the ledger worker AKIAIOSFODNN7EXAMPLE", "secret"),
        (" ", "empty"),
    ],
)
def test_an_answer_of_another_form_links_nothing_and_says_why(told: Told, answer: str, problem: str) -> None:
    _, new, _ = three(told)
    result, _ = asked(told, says(answer), ids=[new], apply=True)
    assert problem in result.links[0].problem
    assert result.recorded == 0
    assert links_of(told, new) == []


def test_an_endless_answer_is_an_error(told: Told) -> None:
    _, new, _ = three(told)
    with pytest.raises(ModelError, match="'m' failed"):
        asked(told, bytes_of(openai_events("LINK " * 2_000_000)), ids=[new])


def test_without_a_route_the_error_names_the_rules(told: Told) -> None:
    three(told)
    with pytest.raises(ModelError, match="no route for links") as caught:
        told.call("link", model=True)
    assert "rules find links, too" in caught.value.hint


def test_the_prompt_is_shown_and_nothing_is_sent(told: Told) -> None:
    _, new, _ = three(told)
    result, requests = asked(told, says("no"), ids=[new], show_prompt=True)
    assert requests == []
    assert result.prompts[0].about == (new,)


def test_a_long_answer_is_refused() -> None:
    memory = Memory(id="a", type="insight", text="x", ts="2026-01-01T00:00:00.000Z")
    with pytest.raises(ModelError, match="the limit is 4,000"):
        read_links("LINK: 0, extends, 1, x\n" * 1_000, memory, [memory])
