import pytest

from muninn_core.errors import BadParams
from muninn_core.model.memory import Cite, Link
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.store.folding.fold import fold
from muninn_core.store.records.draft import memory_record
from muninn_core.store.records.fields import TITLE_LENGTH, headline
from muninn_core.store.records.record import make_record


def record(**fields):
    draft = MemoryDraft(**{"text": "We use Redis. It is fast.", **fields})
    return memory_record(draft, id="i", ts="2026-01-07T10:00:00.000Z", session="s", branch="main", commit=None)


def test_a_draft_becomes_a_record_without_what_is_absent():
    assert record() == {
        "v": 1,
        "id": "i",
        "ts": "2026-01-07T10:00:00.000Z",
        "type": "insight",
        "session": "s",
        "actor": "user",
        "branch": "main",
        "text": "We use Redis. It is fast.",
        "title": "We use Redis",
        "importance": 5,
        "confidence": 0.8,
        "trust": "user",
    }


def test_everything_that_is_stated_comes_back_from_the_fold():
    cite, link = Cite(path="a.py", start=1, end=2), Link(relation="extends", target="x")
    data = record(
        type="decision", tags=("t",), files=("a.py",), entities=("E",), cites=(cite,), links=(link,), pin=True,
        questions=(" Why? ", "", "Why?", "Where\nto?\u2028"),
        task="T-1", agent="editor 1", expires="2030-01-01T01:00:00+01:00", details={"rationale": "why"}, key="k",
    )  # fmt: skip
    memory = fold([make_record(data)]).memories["i"]
    assert (memory.cites, memory.links, memory.pinned, memory.task) == ((cite,), (link,), True, "T-1")
    assert (memory.expires, memory.details) == ("2030-01-01T00:00:00.000Z", {"rationale": "why"})
    assert (memory.type, memory.tags, memory.files, memory.entities) == ("decision", ("t",), ("a.py",), ("E",))
    assert memory.questions == ("Why?", "Where to?")


@pytest.mark.parametrize(
    ("actor", "stated", "trust"),
    [("user", None, "user"), ("tool", None, "commit"), ("hook", None, "commit"), ("assistant", None, "agent"),
     ("import", None, "outside"), ("assistant", "user", "agent"), ("user", "outside", "outside")],
)  # fmt: skip
def test_vouching_cannot_raise_trust_above_the_callers(actor, stated, trust):
    assert record(actor=actor, trust=stated)["trust"] == trust


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_text_is_refused(text):
    with pytest.raises(BadParams, match="'text' is empty"):
        record(text=text)


def test_an_expiry_that_is_no_time_is_refused():
    with pytest.raises(BadParams, match="'expires' is not a time"):
        record(expires="next week")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("One line", "One line"),
        ("First. Second.", "First"),
        ("Version 1.2 is out\nmore", "Version 1.2 is out"),
        ("word " * 40, ("word " * 15).strip() + "…"),
        ("x" * 200, "x" * 79 + "…"),
    ],
)
def test_the_title_is_the_first_sentence_cut_between_words(text, title):
    assert headline(text) == title
    assert len(headline(text)) <= TITLE_LENGTH
