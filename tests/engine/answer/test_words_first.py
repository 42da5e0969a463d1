"""The words of many files are searchable before their vectors, and answers contain a note about it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from repositories import PATIENCE

from muninn_core.errors import MuninnError
from muninn_core.index.index import BULK
from muninn_core.launch.repository_location import locate

pytest_plugins = ["engines"]

FILES = BULK + 20


class Gated:
    """The bundled model under a name that no worker loads. It embeds many texts only when the gate is open."""

    name = "gated/256"

    def __init__(self, bundled):
        self.dim = bundled.dim
        self.open = threading.Event()
        self.reached = threading.Event()
        self.fails = False
        self._bundled = bundled

    def embed(self, texts):
        if len(texts) > BULK:
            self.reached.set()
            assert self.open.wait(2 * PATIENCE)
            if self.fails:
                raise MuninnError("out of luck")
        return self._bundled.embed(texts)

    def release_memory(self):
        """Hold nothing."""

    def embed_query(self, text):
        return self._bundled.embed_query(text)


@pytest.fixture
def gated(bundled):
    return Gated(bundled)


@pytest.fixture
def muninn(plain_repo, start, gated):
    """An engine on many files whose words are ready and whose vectors wait for the gate."""
    for number in range(FILES):
        (plain_repo / f"sail_{number}.py").write_text(f"def hoist_{number}(mast):\n    return mast.rope({number})\n")
    one = start(plain_repo, load=lambda _name, _cache: gated)
    one.call("init")
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(one.call, "index", wait=False)
        assert gated.reached.wait(PATIENCE)
        asked.result()
    yield one
    gated.open.set()


def test_words_are_found_before_vectors_exist_and_the_answer_says_so(muninn, gated):
    found = muninn.call("recall", query="hoist_7", kind="code")
    assert found.hits[0].path == "sail_7.py"
    assert not [reason for hit in found.hits for reason in hit.why if reason.signal == "meaning"]
    assert found.saw.index.lag == 0
    assert found.saw.index.unembedded >= FILES
    status = muninn.call("status").index
    assert (status.state, status.vectors) == ("ready", 0)
    assert status.chunks >= FILES


def test_waiting_for_the_index_waits_for_words_and_meaning(muninn, gated):
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(muninn.call, "index")
        updater = muninn.engine.open(locate(str(muninn.root))).updater
        assert updater.wait_files(updater.update_files(), 0) is False
        assert not waiting.done()
        gated.open.set()
        saw = waiting.result().saw
    assert saw.index.unembedded == 0
    status = muninn.call("status").index
    assert status.vectors == status.chunks
    found = muninn.call("recall", query="raise the sails", kind="code")
    assert "meaning" in {reason.signal for reason in found.hits[0].why}


def test_a_memory_is_taken_in_while_meaning_is_missing(muninn):
    muninn.call("remember", text="The anchor weighs a ton.")
    assert muninn.texts("what does the anchor weigh", kind="memory") == ["The anchor weighs a ton."]


def test_meaning_that_can_not_be_made_is_a_problem_and_made_up_for_with_the_next_change(muninn, gated):
    gated.fails = True
    gated.open.set()
    with pytest.raises(MuninnError, match="out of luck"):
        muninn.call("index")
    assert muninn.call("recall", query="hoist_7", kind="code").hits[0].path == "sail_7.py"
    assert "out of luck" in muninn.call("status").problems[0].message
    gated.fails = False
    assert muninn.call("index").saw.index.unembedded == 0
    assert muninn.call("status").problems == ()


def test_closing_does_not_wait_for_all_meaning(muninn, gated):
    with ThreadPoolExecutor(1) as thread:
        closing = thread.submit(muninn.engine.close)
        gated.open.set()
        closing.result(timeout=PATIENCE)


def test_missing_vectors_are_computed_after_the_next_start(muninn, gated, start):
    updater = muninn.engine.open(locate(str(muninn.root))).updater
    updater._stopped = True
    gated.open.set()
    muninn.engine.close()
    later = start(muninn.root, load=lambda _name, _cache: gated)
    assert later.call("index").saw.index.unembedded == 0
    status = later.call("status").index
    assert status.vectors == status.chunks >= FILES
