"""Memories are encoded in the background: what answers say meanwhile, and what they are compared by."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fakes import FakeEmbedder
from repositories import git

from muninn_core.protocol.families.search import RecallParams
from muninn_core.worktree.call_context import CallContext

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines"]

MEMORIES = [{"text": f"statement number{number}"} for number in range(40)]
LONG = 60


class Held(FakeEmbedder):
    """An encoder that encodes many texts only when it is let."""

    def __init__(self) -> None:
        super().__init__("held/16", 16)
        self.let = threading.Event()

    def embed(self, texts):
        if len(texts) > 1:
            assert self.let.wait(LONG)
        return super().embed(texts)


class Asked(FakeEmbedder):
    """An encoder that notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__("asked/16", 16)
        self.asked: list[str] = []
        self.twice = threading.Event()

    def encode_query(self, text):
        found = super().encode_query(text)
        self.asked.append(text)
        if len(self.asked) == 2:
            self.twice.set()
        return found


def test_a_new_memory_is_encoded_while_it_is_stored(plain_repo: Path, start: Callable[..., Muninn]) -> None:
    encoder = Asked()
    muninn = start(plain_repo, encoder=lambda: encoder)
    muninn.call("init")
    muninn.call("index", wait=True)
    muninn.call("remember", text="Uploads are cut at 25 MB. ", title="Uploads", questions=["How large?  "])
    assert encoder.twice.wait(LONG), "once ahead, and once to be compared"
    assert len(set(encoder.asked)) == 1


def test_answers_say_how_many_memories_are_not_encoded_and_use_the_table_meanwhile(
    plain_repo: Path, start: Callable[..., Muninn]
) -> None:
    encoder = Held()
    muninn = start(plain_repo, encoder=lambda: encoder)
    muninn.call("init")
    try:
        muninn.call("remember", batch=MEMORIES)
        before = muninn.call("recall", query="number7", kind="memory")
    finally:
        encoder.let.set()
    assert before.saw.index.unencoded == len(MEMORIES)
    assert before.hits[0].text == "statement number7"
    muninn.call("index", wait=True)
    after = muninn.call("recall", query="number7", kind="memory")
    assert after.saw.index.unencoded == 0
    assert after.hits[0].text == "statement number7"
    status = muninn.call("status").index
    assert (status.encoder, status.encoded) == (encoder.name, len(MEMORIES))


def test_memories_of_a_past_commit_and_of_other_branches_are_compared_by_the_same_encoder(
    plain_repo: Path, start: Callable[..., Muninn]
) -> None:
    encoder = FakeEmbedder("fake/16", 16)
    muninn = start(plain_repo, encoder=lambda: encoder)
    muninn.call("init")
    muninn.call("remember", text="statement number1")
    muninn.call("seal")
    git(muninn.root, "add", "-A")
    git(muninn.root, "commit", "-q", "-m", "memory")
    muninn.call("recall", query="number1")
    encoded = encoder.embedded
    params = RecallParams(query="statement", at="HEAD", kind="memory")
    found = muninn.engine.recall(params, CallContext(location=muninn.location, client="test"))
    assert found.saw.index.unencoded == 0
    assert encoder.embedded == encoded + 1, "the question alone is encoded"


def test_without_an_encoder_memories_are_compared_by_the_table(muninn_without: Muninn) -> None:
    muninn_without.call("remember", text="statement number1")
    found = muninn_without.call("recall", query="number1", kind="memory")
    assert found.saw.index.unencoded == 0
    assert found.hits[0].text == "statement number1"
    assert muninn_without.call("status").index.encoder == ""


@pytest.fixture
def muninn_without(plain_repo: Path, start: Callable[..., Muninn]) -> Muninn:
    one = start(plain_repo, encoder=lambda: None)
    one.call("init")
    return one
