"""The weights of all signals. A hit's score is the sum of value x weight over its signals.

`words` and `meaning` are scaled to 0..1 over the candidates of one question and weigh the same: min-max fusion of
BM25 and cosine beat reciprocal rank fusion on held-out code and on conversations (measured with the bundled model).
The others are small against them: they order what is equally relevant, they don't make something relevant.
"""

from __future__ import annotations

WORDS = 1.0
"""BM25 over path, symbol, title and body, divided by the best candidate's."""

MEANING = 1.0
"""Cosine to the question, scaled from the worst to the best candidate's."""

SYMBOL = 0.35
"""Share of the question's identifiers that the chunk defines."""

PATH = 0.25
"""Share of the question's words that stand in the path."""

FOCUS = 0.2
"""1 for what belongs to a file or session at hand."""

TEST = -0.35
"""Tests, unless the question is about tests."""

ASIDE = -0.25
"""Vendored and generated files, examples."""

AGENT = -0.1
"""Knowledge that an agent keeps for itself (the memory of other tools): what people curate comes first."""

CROWD = -0.12
"""For each better chunk of the same file: the second one must earn its place."""

IMPORTANCE = 0.2
"""A memory's importance, 1..10 scaled to 0..1."""

RECENCY = 0.1
"""A memory's age: 1 today, a half after `HALF_LIFE_DAYS`."""

CONFIDENCE = 0.1
"""A memory's confidence, 0..1."""

STALE = -0.3
"""The share of a memory's citations that are stale: 1 for each that is gone, a half for each whose text has changed.

It outweighs importance: of two that are equally relevant, the one that the code still bears out comes first.
"""

SESSION = 0.1
"""A note of the asker's own session comes before what is equally relevant: the narrow scope before the wide one."""

GLOBAL = -0.1
"""A memory of all projects comes after one of this project: a tenth either way, as a priority and no filter."""

DECIDED = 0.15
"""A decision record that is in force: people wrote it down to be found."""

RETIRED = -0.6
"""One that was superseded, rejected, deprecated or archived: below what replaced it, and still found alone."""

SUBJECT = 0.5
"""A decision whose subject is touched; it comes by that alone, not by the words of the question."""

CURSOR = 1.0
"""The code around the asker's cursor; like that of `CHANGED` and `BESIDE` it comes by that alone."""

CHANGED = 0.8
"""Code that the change at hand touches."""

BESIDE = 0.4
"""What stands before and behind the code around the cursor."""

HALF_LIFE_DAYS = 30.0
"""Of recency: what is new counts a little more."""

DECAY_DAYS = 180.0
"""Of importance, where the config says nothing else: what nobody has touched for so long matters half as much."""

LASTING: frozenset[str] = frozenset({"constraint", "decision", "preference"})
"""Kinds whose importance does not fade, as that of pins does not: they hold until somebody says otherwise."""

CANDIDATES = 100
"""How many candidates words and meaning each bring."""

WIDER = 4
"""By how much that grows while a filter refuses too many of them."""

MOST_CANDIDATES = 6_400
"""Where it stops growing."""

RANKED = 40
"""How many fused candidates are looked at with every signal; more when three times the limit is more."""
