"""The classifier of statements: logistic regressions over the cues of a sentence, in plain Python.

The weights are in `statement_weights.json`, which `python -m bench capture --train` writes: for "kept" and for each
type a map of cue to weight, with the bias under "". The probability is the logistic function of their sum
(https://en.wikipedia.org/wiki/Logistic_regression).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Literal, get_args

from muninn_core.capture.statements.statement_cues import describe_cue
from muninn_core.model.value import Value, decode_json

StatementType = Literal["decision", "constraint", "insight", "bug_fix", "attempt", "preference", "configuration"]
TYPES: tuple[StatementType, ...] = get_args(StatementType)

WEIGHTS = "statement_weights.json"
"""The name of the file of weights, beside this module."""

REASONS = 4
"""The number of cues that an explanation names."""

Weights = Mapping[str, Mapping[str, float]]


class Verdict(Value):
    """The probability that a sentence is worth keeping, its type if so, and the cues that speak for it most.

    A reason is a phrase and its share of the sum, also as the speaker's: `an obligation +1.2`.
    """

    probability: float
    type: StatementType
    reasons: tuple[str, ...]


@lru_cache(maxsize=1)
def shipped_weights() -> Weights:
    """Return the weights of the package. They are read once."""
    read: Weights = decode_json((files(__package__) / WEIGHTS).read_bytes())["weights"]
    return read


def probability(cues: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the probability (0..1) of a class from the weights of its cues."""
    total = weights.get("", 0.0) + sum(value * weights.get(name, 0.0) for name, value in cues.items())
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, total))))


def judge(cues: Mapping[str, float], weights: Weights) -> Verdict:
    """Return the verdict on a sentence with these cues."""
    kept = weights["kept"]
    shares: dict[str, float] = {}
    for name, value in cues.items():
        phrase = describe_cue(name)
        shares[phrase] = shares.get(phrase, 0.0) + value * kept.get(name, 0.0)
    surest = sorted(shares.items(), key=lambda share: (-share[1], share[0]))[:REASONS]
    return Verdict(
        probability=probability(cues, kept),
        type=max(TYPES, key=lambda kind: probability(cues, weights[kind])),
        reasons=tuple(f"{phrase} {share:+.1f}" for phrase, share in surest if share > 0),
    )
