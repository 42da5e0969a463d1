"""Asks every arm every question, and records the score and the cost of each answer."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.harness.figure import percentile
from bench.quality.arms import Ask, Muninn, variants
from bench.quality.copies import Copies
from bench.quality.peers import PEERS
from bench.quality.questions import Data, Question, is_code
from bench.quality.scoring import files_of, measure


@dataclass
class Outcome:
    """The answer of an arm to one question."""

    question: Question
    measures: dict[str, float]
    files: list[str]
    milliseconds: float
    processor: float


@dataclass
class Arm:
    """The outcomes of one arm, in the order of the questions; `index` has {source: (seconds, processor seconds)}."""

    name: str
    outcomes: list[Outcome] = field(default_factory=list)
    index: dict[str, tuple[float, float]] = field(default_factory=dict)

    def cost(self) -> dict[str, float]:
        """Return the median and the 95th percentile of a question's time, and its mean processor time, all in ms."""
        spans = [outcome.milliseconds for outcome in self.outcomes]
        return {
            "p50": percentile(spans, 0.5),
            "p95": percentile(spans, 0.95),
            "processor": sum(outcome.processor for outcome in self.outcomes) / len(self.outcomes),
        }


def run(data: Data, copies: Copies, wanted: Sequence[str], cache: Path) -> list[Arm]:
    """Return the requested arms that can run here, each with an outcome for every question."""
    arms = {name: Arm(name) for name in wanted}
    for dataset, source in data.copies():
        questions = [one for one in data.questions if (one.dataset, one.source) == (dataset, source)]
        tree = copies.folder(dataset, source)
        for question in questions:
            _check(question, tree)
        _ours(arms, questions, tree, cache, source)
        _theirs(arms, questions, tree, source)
        print(f"{dataset} {source}: {len(questions)} questions", file=sys.stderr)
    return [arm for arm in arms.values() if arm.outcomes]


def _check(question: Question, tree: Path) -> None:
    """Raise ValueError when the copy lacks a question's answer, which means that it is the wrong copy."""
    for place in question.relevant:
        if not (tree / question.root / place.path).is_file() or not is_code(place.path):
            raise ValueError(f"{question.id}: {place.path} is no file of code in {tree}")


def _ours(arms: dict[str, Arm], questions: Sequence[Question], tree: Path, cache: Path, source: str) -> None:
    begun, used = time.perf_counter(), _processor()
    muninn = Muninn(tree, cache / "spare")
    cost = (time.perf_counter() - begun, _processor() - used)
    try:
        for name, ask in variants(muninn).items():
            if name in arms:
                arms[name].index[source] = cost
                _asked(arms[name], ask, questions)
    finally:
        muninn.close()


def _theirs(arms: dict[str, Arm], questions: Sequence[Question], tree: Path, source: str) -> None:
    for kind in PEERS:
        if kind.name not in arms:
            continue
        why = kind.available()
        if why:
            print(f"{kind.name} is left out: {why}", file=sys.stderr)
            continue
        begun, used = time.perf_counter(), _processor()
        peer = kind(tree)
        arms[kind.name].index[source] = (time.perf_counter() - begun, _processor() - used)
        _asked(arms[kind.name], peer.ask, questions)
        if hasattr(peer, "close"):
            peer.close()


def _asked(arm: Arm, ask: Ask, questions: Sequence[Question]) -> None:
    ask(questions[0].text)  # warm-up: loading time must not count
    for question in questions:
        begun, used = time.perf_counter(), time.process_time()
        found = ask(question.text)
        spent, worked = time.perf_counter() - begun, time.process_time() - used
        arm.outcomes.append(
            Outcome(question, measure(question, found), files_of(found)[:10], spent * 1000, worked * 1000)
        )


def _processor() -> float:
    """Return the processor seconds of this process and of its reaped children."""
    return sum(os.times()[:4])
