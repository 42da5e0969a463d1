"""Translated words: how likely a question is for a memory in other words, and how the model is estimated."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from muninn_core.retrieval.signals.translation import ONE, content_words, load_translations, translation_match

ROOT = Path(__file__).resolve().parents[2]
RETRY = "A failed upload is retried three times, with a longer pause before each attempt."
TOKEN = "The bearer token expires after an hour; the client then asks for a new one."


@pytest.fixture(scope="module")
def training():
    spec = importlib.util.spec_from_file_location("train_translations", ROOT / "scripts/translation/train.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("question", "right"),
    [("does it try again after an error?", RETRY), ("how long do my credentials stay valid", TOKEN)],
)
def test_a_memory_in_other_words_matches_better_than_another_one(question, right):
    other = TOKEN if right is RETRY else RETRY
    matches = translation_match(question, [right, other])
    assert matches[0] > 1.5 * matches[1]
    assert ((matches >= 0) & (matches <= 1)).all()


def test_a_word_that_the_memory_has_counts_whole_also_one_that_the_model_lacks():
    assert "zyxwort" not in load_translations().numbers
    assert translation_match("zyxwort uploads", ["Uploads go to zyxwort.", "Nothing.", ""]).tolist() == [1.0, 0.0, 0.0]


def test_a_match_does_not_depend_on_the_other_memories_nor_on_the_order_of_words():
    alone = translation_match("does it try again?", [RETRY])
    assert translation_match("again: try it, does it?", [TOKEN, "", RETRY])[2] == alone[0]


@pytest.mark.parametrize("question", ["", "why is it?", "…"])
def test_a_question_without_content_words_matches_nothing(question):
    assert translation_match(question, [RETRY, TOKEN]).tolist() == [0.0, 0.0]
    assert len(translation_match("retries", [])) == 0


def test_the_model_of_the_package_has_probabilities():
    model = load_translations()
    assert len(model.starts) == len(model.shares) + 1 == len(model.numbers) + 1
    assert model.starts[-1] == len(model.sources) == len(model.probabilities)
    assert model.sources.max() < len(model.numbers)
    assert np.bincount(model.sources, model.probabilities).max() <= ONE
    assert 0 < model.shares.min() < model.shares.sum() < 1.1


def test_the_words_that_explain_a_question_get_its_probability(training):
    # 0 "retry" occurs with 2 "again", 1 "upload" with both of 2 and 3 "file".
    pairs = [([2], [0, 1]), ([3], [1]), ([2], [0]), ([3], [1])] * 50
    shares, sources, targets, values = training.estimate(pairs, 4)
    assert shares[[2, 3]].tolist() == [0.5, 0.5]
    found = dict(zip(zip(sources.tolist(), targets.tolist(), strict=True), values.tolist(), strict=True))
    assert found[0, 2] > 0.6
    assert found[1, 3] > 0.6
    assert found.get((1, 2), 0.0) < 0.1


def test_the_model_of_the_package_is_that_of_the_data(training, tmp_path, monkeypatch):
    made = tmp_path / "translations.npz"
    monkeypatch.setattr(training, "FILE", made)
    monkeypatch.setattr(training, "ROOT", tmp_path)
    assert training.main() == 0
    shipped = load_translations()
    with np.load(made) as file:
        assert bytes(file["words"]).decode().split() == list(shipped.numbers)
        # Sums of floats may differ in the last bit, and with them what is kept.
        assert len(file["sources"]) == pytest.approx(len(shipped.sources), rel=1e-3)
    words = [word for text in (RETRY, TOKEN) for word in content_words(text)]
    assert {*words} & {*shipped.numbers}
