"""`python -m bench explore`: what an exploration adds to `context` with the same number of tokens.

A scripted policy takes the place of the model: it does what a simple agent does, with the tools of an exploration and
nothing else. It searches for the question, searches for the rarest words of the question, follows the neighbours of the
best files, and names the places that most of these steps agree on. The figure therefore shows what the loop of tools
is worth without judgement; a model reads what it finds, which the policy does not.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from bench.quality.arms import NOW, Muninn
from bench.quality.copies import Copies
from bench.quality.main import CACHE
from bench.quality.questions import Place, Question, load
from bench.quality.scoring import files_of, interval, measure
from muninn_core.engine.answer.exploring.exploration import Policy, explore
from muninn_core.engine.answer.exploring.explorer import MeteredAnswer
from muninn_core.models.prompt import Answer, Prompt, ToolCall
from muninn_core.protocol.families.search import ContextParams, ContextResult, ExploreParams

BUDGETS = (1_000, 2_000, 4_000)
"""Tokens of the packs that are compared."""

MEASURES = ("held", "ndcg@10", "hit@1")
"""The share of the answering files that the pack has, the order of its files, and whether the first one answers."""

_PLACE = re.compile(r"(?m)^\d+\. \w+ \S+ ([\w./+@-]+\.\w+):(\d+)-(\d+)")
_LINE = re.compile(r"(?m)^([\w./+@-]+\.\w+):(\d+): ")
_EDGE = re.compile(r"(?m)^\s*-? ?path: ([\w./+@-]+\.\w+)$")
_WORD = re.compile(r"[A-Za-z_]\w{4,}")

NAMED = 12
"""Places that the policy names."""


class Scripted:
    """A policy in three steps. It sees only the text of results, as a model does."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._steps = 0

    def __call__(self, prompt: Prompt, seconds: float) -> MeteredAnswer:
        """Return the calls of the next step."""
        results = {message.answers: message.text for message in prompt.messages if message.role == "tool"}
        self._steps += 1
        if self._steps == 1:
            return _asked([("recall", {"query": self._question})])
        if self._steps == 2:
            return _asked([*self._greps(), *self._neighbours(results)])
        return _asked([("finish", {"answer": "", "places": self._ranked(results)})])

    def _greps(self) -> list[tuple[str, dict[str, object]]]:
        words = sorted(dict.fromkeys(_WORD.findall(self._question)), key=lambda word: (-_is_name(word), -len(word)))
        return [("grep", {"pattern": re.escape(word)}) for word in words[:3]]

    @staticmethod
    def _neighbours(results: dict[str, str]) -> list[tuple[str, dict[str, object]]]:
        files = dict.fromkeys(path for path, _, _ in _PLACE.findall(results.get("1.0", "")))
        return [("graph", {"start": path}) for path in list(files)[:3]]

    @staticmethod
    def _ranked(results: dict[str, str]) -> list[dict[str, object]]:
        scores: dict[str, float] = defaultdict(float)
        lines: dict[str, tuple[int, int]] = {}
        for rank, (path, start, end) in enumerate(_PLACE.findall(results.get("1.0", "")), 1):
            scores[path] += 1 / rank
            lines.setdefault(path, (int(start), int(end)))
        for text in results.values():
            matching = dict.fromkeys(path for path, _ in _LINE.findall(text))
            for path, number in _LINE.findall(text):
                lines.setdefault(path, (max(1, int(number) - 5), int(number) + 15))
            for path in matching:
                scores[path] += 0.5 / len(matching)
            for path in dict.fromkeys(_EDGE.findall(text)):
                scores[path] += 0.1
        ranked = sorted((path for path in scores if path in lines), key=lambda path: (-scores[path], path))
        return [
            {"path": path, "start": lines[path][0], "end": lines[path][1], "reason": f"{scores[path]:.2f}"}
            for path in ranked[:NAMED]
        ]


def main(arguments: list[str]) -> int:
    """Ask the questions of the sets both ways, and print the means with the interval of their difference."""
    parser = argparse.ArgumentParser(prog="python -m bench explore", description="Compare explore with context.")
    parser.add_argument("--data", type=Path, required=True, help="the folder of questions")
    parser.add_argument("--sets", default="A1,B1", help="sets of questions, by commas")
    parser.add_argument("--mirrors", type=Path, default=Path(), help="where OWNER+NAME/repo are, bare git directories")
    parser.add_argument("--archives", type=Path, default=CACHE / "archives", help="where published archives are")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where copies are laid out")
    options = parser.parse_args(arguments)
    for name in options.sets.split(","):
        data = load(options.data, [name])
        copies = Copies(data, options.cache, options.mirrors, options.archives)
        rows: dict[int, list[tuple[dict[str, float], dict[str, float]]]] = {budget: [] for budget in BUDGETS}
        for dataset, source in data.copies():
            muninn = Muninn(copies.folder(dataset, source), options.cache / "spare")
            try:
                for question in [one for one in data.questions if one.source == source]:
                    for budget in BUDGETS:
                        rows[budget].append(_both(muninn, question, budget))
            finally:
                muninn.close()
        _print(name, rows)
    return 0


def _both(muninn: Muninn, question: Question, budget: int) -> tuple[dict[str, float], dict[str, float]]:
    plain = muninn.run("context", ContextParams(query=question.text, budget=budget))
    assert isinstance(plain, ContextResult)
    params = ExploreParams(query=question.text, budget=budget)
    policy = Scripted(question.text)
    explored = explore(muninn.workspace, params, Policy("scripted", policy), muninn.run, muninn.scope, NOW)
    return _measured(question, plain), _measured(question, explored)


def _measured(question: Question, pack: ContextResult) -> dict[str, float]:
    items = [item for item in pack.items if item.kind != "memory" and item.form != "headline"]
    places = [Place(item.path, item.start_line, item.end_line) for item in items]
    held = len(question.files.intersection(files_of(places))) / len(question.files)
    return {**measure(question, places), "held": held}


def _print(name: str, rows: dict[int, list[tuple[dict[str, float], dict[str, float]]]]) -> None:
    for budget, pairs in rows.items():
        for each in MEASURES:
            plain, explored = [one[each] for one, _ in pairs], [other[each] for _, other in pairs]
            change, low, high = interval(explored, plain)
            means = f"context {_mean(plain):.3f}  explore {_mean(explored):.3f}"
            print(f"{name} n={len(pairs)} {budget:,} tokens {each:<8} {means}  {change:+.3f} [{low:+.3f}, {high:+.3f}]")


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _is_name(word: str) -> bool:
    return "_" in word or word[1:] != word[1:].lower()


def _asked(calls: Sequence[tuple[str, dict[str, object]]]) -> MeteredAnswer:
    step = "1" if calls[0][0] == "recall" else "2"
    found = tuple(
        ToolCall(id=f"{step}.{number}", name=name, arguments=given) for number, (name, given) in enumerate(calls)
    )
    return MeteredAnswer(answer=Answer(text="", calls=found), tokens=0)
