"""Pages of an answer: complete, the same while the index changes, and kept for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from muninn_core.errors import BadParams, NotFoundError
from muninn_core.launch.repository_location import locate
from muninn_core.model.value import encode_json
from muninn_core.worktree.result_pages import MAX_CANDIDATES, MAX_PAGES

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines", "crowd"]


def pages(muninn: Muninn, query: str, limit: int, between: object = lambda: None) -> list[list[str]]:
    found = []
    result = muninn.call("recall", query=query, limit=limit)
    found.append([hit.id for hit in result.hits])
    while result.next:
        between()
        result = muninn.call("recall", page=result.next, limit=limit)
        found.append([hit.id for hit in result.hits])
    return found


def test_pages_go_on_without_a_gap_or_a_repetition(crowded: Muninn) -> None:
    found = pages(crowded, "token bucket", 7)
    assert len(found) > 3
    ids = [each for page in found for each in page]
    assert len(set(ids)) == len(ids)
    whole = [hit.id for hit in crowded.call("recall", query="token bucket", limit=14).hits]
    assert ids[:14] == whole


def test_pages_stay_what_they_were_while_the_index_changes(own_crowded: Muninn) -> None:
    before = pages(own_crowded, "token bucket", 7)
    number = iter(range(1_000))

    def change() -> None:
        i = next(number)
        (own_crowded.root / "noise" / f"token_{i:03}.py").write_text("gone = True\n")
        (own_crowded.root / f"new_{i}.py").write_text('"""Token bucket, token bucket, token bucket."""\n')
        own_crowded.call("index")

    assert pages(own_crowded, "token bucket", 7, change) == before


def test_the_same_question_about_the_same_state_has_the_same_answer_to_the_byte(crowded: Muninn) -> None:
    first, second = (crowded.call("recall", query="token path:noise", limit=5) for _ in range(2))
    assert encode_json(first.hits) == encode_json(second.hits)
    one, other = (crowded.call("recall", page=first.next) for _ in range(2))
    assert encode_json(one.hits) == encode_json(other.hits)


def test_a_page_that_is_gone_says_what_to_do(own_crowded: Muninn) -> None:
    cursor = own_crowded.call("recall", query="token bucket").next
    own_crowded.clock.forward(minutes=11)
    for wanted in (cursor, "nonsense"):
        with pytest.raises(NotFoundError, match="no page") as error:
            own_crowded.call("recall", page=wanted)
        assert "Ask again" in error.value.hint


def test_a_page_of_another_question_is_refused(crowded: Muninn) -> None:
    cursor = crowded.call("recall", query="token bucket").next
    with pytest.raises(BadParams, match="another question"):
        crowded.call("recall", query="something else", page=cursor)
    assert crowded.call("recall", query="token bucket", page=cursor).hits


def test_archived_and_redacted_memories_are_on_no_page(muninn: Muninn) -> None:
    ids = [muninn.call("remember", text=f"Token number {i}.").ids[0] for i in range(6)]
    cursor = muninn.call("recall", query="token", limit=1, kind="memory").next
    left = {hit.id for hit in muninn.call("recall", page=cursor).hits}
    gone = next(each for each in ids if each in left)
    muninn.call("forget", id=gone)
    assert {hit.id for hit in muninn.call("recall", page=cursor).hits} == left - {gone}
    muninn.call("redact", id=next(each for each in ids if each in left - {gone}))
    with pytest.raises(NotFoundError):
        muninn.call("recall", page=cursor)


def test_only_so_many_pages_are_kept(own_crowded: Muninn) -> None:
    first = own_crowded.call("recall", query="token bucket").next
    for i in range(MAX_PAGES + 1):
        own_crowded.call("recall", query=f"token bucket {i}", limit=1)
    with pytest.raises(NotFoundError):
        own_crowded.call("recall", page=first)
    kept = own_crowded.engine.open(locate(str(own_crowded.root))).result_pages
    assert sum(len(rest.candidates) for _, rest in kept._kept.values()) <= MAX_CANDIDATES
    assert len(kept._kept) <= MAX_PAGES
