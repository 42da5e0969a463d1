"""Suggestions for misspelt words: one likeness, three thresholds."""

from __future__ import annotations

import subprocess
import sys

import pytest

from muninn_core.near_match import NAMES, OPEN, VOCABULARY, likeness, nearest, nearest_few, nearest_path, shorten

VERBS = ("recall", "remember", "reconcile", "resolve", "status")


@pytest.mark.parametrize(
    ("word", "meant"),
    [("recal", "recall"), ("RECALL", "recall"), ("stauts", "status"), ("resolvd", "resolve"), ("xyzzy", None)],
)
def test_the_most_alike_word_is_suggested_whatever_its_case(word, meant):
    assert nearest(word, VERBS) == meant


def test_a_suggestion_is_returned_as_it_is_written():
    assert nearest("user.renam", ["User.rename", "User.remove"]) == "User.rename"


def test_a_higher_threshold_suggests_less():
    assert VOCABULARY < likeness("rcnt", "recency") < NAMES < OPEN
    assert nearest("rcnt", ["recency"]) == "recency"
    assert nearest("rcnt", ["recency"], NAMES) is None


def test_several_suggestions_come_most_alike_first():
    assert nearest_few("mian", ["main", "domain", "release"], 2) == ["main", "domain"]


def test_a_client_starts_without_the_module_that_compares():
    code = "import sys, muninn_core.protocol.catalogue; sys.exit('difflib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("src/baskets.py", "src/basket.py"),
        ("lib/basket.py", "src/basket.py"),
        ("nosuch.py", None),
        ("READM.md", "README.md"),
    ],
)
def test_a_path_is_suggested_for_its_name_not_for_its_ending(path, meant):
    assert nearest_path(path, ["README.md", "bench/run.py", "src/basket.py"]) == meant


def test_a_very_long_word_is_not_compared_and_is_shown_cut():
    assert nearest("recall" * 1_000_000, ["recall"]) is None
    assert len(shorten("x" * 1_000_000)) < 200
    assert shorten("recall") == "recall"
