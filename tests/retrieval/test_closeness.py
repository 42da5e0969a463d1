"""How close a prompt and a memory are, beside a background of other prompts and memories."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from clients import missing

from muninn_core.index.embedding.encoder import ENCODER, load_encoder
from muninn_core.index.vectors.quantise import quantise
from muninn_core.retrieval.rankers.relatedness import FEW, PER_DOUBLING, STANDS_OUT, clearly_closest, closeness_wanted
from muninn_core.retrieval.signals.closeness import FILE, Background, closeness, load_background

PROMPTS = Path(__file__).parents[2] / "bench" / "data" / "prompts.jsonl"
AXES = np.eye(4, dtype=np.float32)


def between(one, other):
    """Return the vector of length 1 halfway between two axes."""
    return (AXES[one] + AXES[other]) / np.float32(np.sqrt(2))


def test_a_memory_near_to_all_prompts_is_less_close_than_one_with_the_same_cosine():
    background = Background(prompts=np.stack([AXES[1]] * 3), statements=np.stack([AXES[3]] * 3))
    general, special = closeness(AXES[0], quantise(np.stack([between(0, 1), between(0, 2)]) / 2), background)
    assert special == pytest.approx(general + between(0, 1)[1] / 4, abs=0.01)


def test_a_prompt_near_to_all_statements_is_close_to_none():
    background = Background(prompts=np.stack([AXES[3]] * 3), statements=np.stack([AXES[1]] * 3))
    memory = quantise(AXES[0] / 3)[None]
    vague, clear = (closeness(prompt, memory, background)[0] for prompt in (between(0, 1), between(0, 2)))
    assert clear == pytest.approx(vague + between(0, 1)[1] / 2, abs=0.01)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"a": 0.01, "b": -0.05}, ["a"]),
        ({"a": 0.01, "b": -0.02}, ["a", "b"]),
        ({"b": 0.02, "a": 0.01, "c": 0.01}, ["b", "a"]),
        ({"a": -0.01, "b": -0.02}, []),
        ({}, []),
    ],
)
def test_the_closest_memories_stand_out_and_at_most_two(values, told):
    """The values are what a memory has beyond what is wanted."""
    found = clearly_closest({each: STANDS_OUT + beyond for each, beyond in values.items()}, STANDS_OUT, 0.5)
    assert list(found) == told
    assert sorted(found, key=lambda each: -found[each]) == told


def test_with_many_memories_one_must_be_closer_to_stand_out():
    assert closeness_wanted(0) == closeness_wanted(FEW) == STANDS_OUT
    assert closeness_wanted(4 * FEW) == pytest.approx(STANDS_OUT + 2 * PER_DOUBLING)


def test_the_background_is_of_the_encoder_in_the_package():
    with np.load(FILE) as found:
        assert str(found["encoder"]) == ENCODER
    encoder = load_encoder()
    if encoder is None:
        missing("text encoder", "`make encoder` builds it")
    text = json.loads(PROMPTS.read_text("utf-8").splitlines()[0])["text"]
    assert (load_background().prompts @ encoder.embed_query(text)).max() > 0.99
