"""The text encoder: its vectors, how they are kept, and what recall does until all memories have one."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from clients import missing
from fakes import FakeEmbedder

from muninn_core.index.embedding.encoder import DIM, TextEncoder, load_encoder
from muninn_core.index.embedding.encodings import encode
from muninn_core.index.embedding.token_states import packed
from muninn_core.index.manifest.memory_text import MemoryText
from muninn_core.index.opening import open_index
from muninn_core.index.vectors.quantise import quantise

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts" / "encoder"

STORED = "Session tokens live in Redis, because cookies overflowed at 4 KB."
LONG = 60
ASKED = "why are logins not kept in the browser"
OTHERS = [
    "The parser of dates is written by hand.",
    "Deploys on Friday need two approvals.",
    "Fonts are subset to Latin.",
]


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    found = load_encoder()
    if found is None:
        missing("text encoder", "`make encoder` builds it")
    return found


def test_a_statement_is_nearest_to_a_question_that_shares_no_word_with_it(encoder):
    rows = encoder.embed([*OTHERS, STORED])
    assert rows.shape == (4, DIM)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert int(np.argmax(rows @ encoder.embed_query(ASKED))) == 3


def test_a_vector_depends_on_its_text_alone(encoder):
    together = encoder.embed([STORED, "word " * 400, STORED, " "])
    assert np.array_equal(together[0], together[2])
    assert np.array_equal(together[0], encoder.embed_query(STORED))
    assert not together[3].any()


def test_a_token_has_a_state_that_depends_on_the_other_tokens(encoder):
    bank, river, blank = encoder.encode(["the bank pays money", "the bank of the river", " "])
    assert bank.states.shape == (4, DIM)
    assert blank.states.shape == (0, DIM)
    assert np.array_equal(bank.vector, encoder.embed(["the bank pays money"])[0])
    one, other = (each.states[1] / np.linalg.norm(each.states[1]) for each in (bank, river))
    assert 0.3 < one @ other < 0.9


def test_text_after_256_tokens_does_not_count(encoder):
    assert np.array_equal(encoder.embed_query("word " * 300), encoder.embed_query("word " * 300 + "parser"))


def test_the_newest_questions_are_encoded_once(encoder):
    first = encoder.encode_query(ASKED)
    assert encoder.encode_query(ASKED) is first
    assert encoder.encode([STORED, ASKED])[1] is first
    for number in range(12):
        encoder.encode_query(f"question {number} " + "word " * 100)
    again = encoder.encode_query(ASKED)
    assert again is not first
    assert np.array_equal(again.states, first.states)
    encoder.release_memory()
    assert encoder.encode_query(ASKED) is not again


@pytest.mark.parametrize("fails", [False, True])
def test_threads_that_encode_one_text_at_once_share_one_run(encoder, monkeypatch, fails):
    asked, runs, second = f"Who wrote the parser? {fails}", [], threading.Event()
    encoder.embed(["warm"])
    network = encoder._loaded
    encoded = network.encoded

    def run(text):
        runs.append(text)
        assert second.wait(LONG)
        if fails:
            raise ValueError("bad graph")
        return encoded(text)

    class Waited(Future):
        def result(self, timeout=None):
            second.set()
            return super().result(timeout)

    monkeypatch.setattr("muninn_core.index.embedding.encoder.Future", Waited)
    monkeypatch.setattr(network, "encoded", run)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(encoder.encode_query, asked) for _ in range(2)]
    assert runs == [asked]
    errors = {repr(each.exception()) for each in both}
    assert errors == ({"ValueError('bad graph')"} if fails else {"None"})
    fails = False
    assert len(encoder.encode_query(asked).states), "a failure is not kept"


def test_the_encoder_unloads_and_loads_again(encoder):
    before = encoder.embed_query(STORED)
    encoder.release_memory()
    assert np.array_equal(encoder.embed_query(STORED), before)


@pytest.mark.parametrize(("said", "raised"), [("std::bad_alloc", MemoryError), ("bad graph", ValueError)])
def test_a_lack_of_memory_is_told_from_other_failures(encoder, monkeypatch, said, raised):
    def run(*_args):
        raise ValueError(said)

    encoder.embed(["warm"])
    monkeypatch.setattr(encoder._loaded, "_session", type("Session", (), {"run": run}))
    with pytest.raises(raised, match=said):
        encoder.embed(["Pages are cached."])


def test_importing_the_engine_does_not_import_onnxruntime():
    code = "import sys, muninn_core.engine.engine; print('onnxruntime' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_without_its_files_there_is_no_encoder(tmp_path, monkeypatch):
    monkeypatch.setattr("muninn_core.index.embedding.encoder._FOLDER", tmp_path)
    load_encoder.cache_clear()
    try:
        assert load_encoder() is None
    finally:
        load_encoder.cache_clear()


class Opened:
    def __init__(self, folder, encoder):
        self.encoder = encoder
        self.index = open_index(folder, FakeEmbedder(), encoder)

    def nearest(self, text):
        snapshot = self.index.snapshot()
        (number, _), *_ = snapshot.nearest_encoded(self.encoder.embed_query(text), 1)
        return snapshot.chunks([number])[number].path


@pytest.fixture
def index(tmp_path):
    opened = []

    def begin(name="fake-encoder/128"):
        one = Opened(tmp_path / "cache", FakeEmbedder(name, 128) if name else None)
        opened.append(one)
        return one

    yield begin
    for one in opened:
        one.index.close()


def memories(count, prefix="m"):
    return [MemoryText(f"{prefix}{number}", f"statement number{number} of {prefix}") for number in range(count)]


def test_a_few_memories_are_encoded_before_they_are_searchable(index):
    one = index()
    one.index.put_memories(memories(3))
    assert one.index.snapshot().encoded
    assert one.nearest("number1") == "m1"
    snapshot = one.index.snapshot()
    ids = snapshot.ids_of_memories(["m0", "m1", "m2"])
    assert sorted(snapshot.token_states(ids)) == sorted(ids)
    one.index.drop_memories(["m1"])
    assert len(one.index.snapshot().token_states(ids)) == 2


def test_many_memories_are_encoded_in_batches(index):
    one = index()
    one.index.put_memories(memories(150))
    snapshot = one.index.snapshot()
    assert not snapshot.encoded
    assert snapshot.unencoded_count == 150
    assert one.index.encode_some()
    assert one.index.snapshot().unencoded_count == 86
    while one.index.encode_some():
        pass
    assert one.index.snapshot().encoded
    assert one.nearest("number123") == "m123"
    assert snapshot.unencoded_count == 150, "a snapshot does not change"


def test_an_encoding_is_kept_by_its_text_and_lost_with_its_memory(index):
    one = index()
    one.index.put_memories(memories(3))
    encoded = one.encoder.embedded
    one.index.put_memories([MemoryText("m1", "statement number1 of m", extra="a new tag")])
    assert one.encoder.embedded == encoded
    assert one.index.snapshot().encoded
    one.index.drop_memories(["m1"])
    assert one.index.snapshot().encoded
    one.index.put_memories([MemoryText("m1", "statement number1 of m")])
    assert one.encoder.embedded == encoded + 1


def test_encodings_survive_a_restart_and_end_with_another_encoder(index):
    one = index()
    one.index.put_memories(memories(3))
    one.index.close()
    again = index()
    assert again.index.snapshot().encoded
    assert again.encoder.embedded == 0
    again.index.close()
    other = index("other/128")
    assert other.index.snapshot().unencoded_count == 3
    other.index.encode_some()
    assert other.index.snapshot().encoded
    other.index.close()
    without = index("")
    assert without.index.snapshot().unencoded_count == 3
    assert not without.index.encode_some()


def test_equal_texts_are_encoded_once():
    encoder = FakeEmbedder("e", 8)
    found = encode(["one", "two", "one"], encoder, lambda _digests: {}, 9)
    assert encoder.embedded == 2
    assert found.places == [0, 1, 2]
    assert np.array_equal(found.rows, quantise(encoder.embed(["one", "two", "one"])))
    assert found.states == [packed(each.states) for each in encoder.encode(["one", "two", "one"])]


def test_an_adapter_changes_the_weights_and_one_for_another_network_is_refused():
    sys.path.insert(0, str(SCRIPTS))
    try:
        import graph
    finally:
        sys.path.remove(str(SCRIPTS))
    name = graph.DENSE[0]
    adapter = {
        f"{graph.adapter_key(each)}.{part}": np.zeros((8, 8), np.float16) for each in graph.DENSE for part in "ac"
    }
    adapter[f"{graph.adapter_key(name)}.a"] = np.ones((1, 3), np.float16)
    adapter[f"{graph.adapter_key(name)}.c"] = np.full((2, 1), 0.5, np.float16)
    read = graph.adapted(lambda _name: np.ones((2, 3), np.float32), adapter)
    assert read(f"{name}.weight").tolist() == [[1.5] * 3] * 2
    assert read(f"{name}.bias").tolist() == [[1.0] * 3] * 2
    with pytest.raises(ValueError, match="are not those of the network"):
        graph.network(b"", {**adapter, "other.a": adapter.popitem()[1]})
