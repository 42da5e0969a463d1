"""Trains the classifier of statements: L2-regularised logistic regression by Newton's method.

The method is iteratively reweighted least squares (https://en.wikipedia.org/wiki/Iteratively_reweighted_least_squares).
It is deterministic and needs numpy only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.capture.conversations import Keep, Session
from muninn_core.capture.statements.conversation import sentences_of
from muninn_core.capture.statements.open_items import states_open_items
from muninn_core.capture.statements.statement import can_be_kept, cues_of
from muninn_core.capture.statements.statement_model import TYPES, Weights

PENALTY = 8.0
"""The L2 penalty of the weights, chosen by cross-validation."""

_STEPS = 30
_LEAST = 3
"""A cue in fewer sentences gets no weight."""

Row = tuple[dict[str, float], Keep | None]
Floats = NDArray[np.float64]


def rows_of(session: Session) -> list[Row]:
    """Return the cues of each sentence that can be kept, with the keep it belongs to."""
    found: list[Row] = []
    for number, message in enumerate(session.messages):
        sentences = sentences_of(message)
        for at, sentence in enumerate(sentences):
            if can_be_kept(sentence) and not (message.speaker == "assistant" and states_open_items(sentence)):
                cues = dict(cues_of(session.messages, number, sentences, at, session.skipped))
                found.append((cues, keep_of(sentence, session.keeps[number])))
    return found


def keep_of(sentence: str, keeps: Sequence[Keep]) -> Keep | None:
    """Return the keep whose quote a sentence contains or mostly consists of, or None."""
    words = set(sentence.split())
    for keep in keeps:
        quoted = set(keep.quote.split())
        least = min(len(words), len(quoted))
        if sentence in keep.quote or keep.quote in sentence or (least > 3 and len(words & quoted) >= 0.7 * least):
            return keep
    return None


def train(sessions: Sequence[Session], penalty: float = PENALTY) -> Weights:
    """Return the weights of "kept" and of each type, learned from labelled conversations."""
    rows = [row for session in sessions for row in rows_of(session)]
    counts: dict[str, int] = {}
    for cues, _ in rows:
        for name in cues:
            counts[name] = counts.get(name, 0) + 1
    names = sorted(name for name, count in counts.items() if count >= _LEAST)
    kept = [row for row in rows if row[1] is not None]
    labels = np.array([keep is not None for _, keep in rows])
    weights = {"kept": _fit(_matrix(rows, names), labels, names, penalty)}
    matrix = _matrix(kept, names)
    for kind in TYPES:
        of_kind = np.array([keep is not None and keep.type == kind for _, keep in kept])
        weights[kind] = _fit(matrix, of_kind, names, penalty)
    return weights


def _matrix(rows: Sequence[Row], names: Sequence[str]) -> Floats:
    places = {name: place for place, name in enumerate(names, 1)}
    matrix = np.zeros((len(rows), len(names) + 1))
    matrix[:, 0] = 1
    for number, (cues, _) in enumerate(rows):
        for name, value in cues.items():
            if name in places:
                matrix[number, places[name]] = value
    return matrix


def _fit(matrix: Floats, labels: NDArray[np.bool_], names: Sequence[str], penalty: float) -> dict[str, float]:
    """Return the weight of each cue; the bias, which has no penalty, is under ""."""
    ridge = np.full(matrix.shape[1], penalty)
    ridge[0] = 1e-6
    weights = np.zeros(matrix.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(matrix @ weights, -30, 30)))
        gradient = matrix.T @ (chance - labels) + ridge * weights
        spread = np.maximum(chance * (1 - chance), 1e-6)
        step = np.linalg.solve((matrix * spread[:, None]).T @ matrix + np.diag(ridge), gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    rounded = {name: round(float(weight), 3) for name, weight in zip(("", *names), weights, strict=True)}
    return {name: weight for name, weight in rounded.items() if weight or not name}
