"""The same state and question give the same bytes: a short run of the histories in `same_answers`."""

import re
from pathlib import Path

import pytest
from same_answers import MACHINE_PRIVATE, UNCOMPARED, Different, difference, run


@pytest.mark.parametrize("seed", [1, 2])
def test_an_index_that_followed_a_rebuilt_one_and_a_clone_give_the_same_answers(seed):
    assert run(seed, 1, steps=20) > 100


def test_the_comparison_finds_a_difference():
    assert difference({"hits": [{"score": 1.5}]}, {"hits": [{"score": 1.6}]}) == ".hits[0].score: 1.5 / 1.6"
    assert issubclass(Different, AssertionError)


def test_the_page_lists_what_depends_on_the_machine():
    page = (Path(__file__).parents[2] / "docs" / "determinism.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE) == list(MACHINE_PRIVATE.items())
    assert re.findall(r"^- `([\w.]+)`: (.*)$", page, re.MULTILINE) == list(UNCOMPARED.items())
