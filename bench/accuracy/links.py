"""`python -m bench links --repo DIR …`: the precision of the rules that link memories.

The labelled pairs come from histories: a commit whose message names an earlier commit is related to it. The name is
removed from the text, so that only words, files and meaning are left. Each such pair has `NEGATIVES` others: earlier
commits that changed one of the same files and are not named. Some of those are related, too, so that the precision is a
lower bound. Reverts are left out: they repeat the subject.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.quality.arms import MODEL
from muninn_core.model.memory import Memory
from muninn_core.reconcile.linking import NEAR_ALONE, Candidate, Corpus

COMMITS = 4_000
"""The newest commits of a history that take part."""

NEGATIVES = 4
BEFORE = 500
"""The earlier commits that a named one, and the negatives, are among."""

MAX_FILES = 20
_SHA = re.compile(r"\b[0-9a-f]{7,40}\b")
_SEED = 7


class Pair(NamedTuple):
    """A newer and an older commit as memories, and whether the newer one names the older one."""

    newer: Memory
    older: Memory
    related: bool


def main(arguments: list[str]) -> int:
    """Print precision and recall of the rules, and of each rule alone."""
    parser = argparse.ArgumentParser(prog="python -m bench links", description="Measure the rules of `muninn link`.")
    parser.add_argument("--repo", action="append", type=Path, required=True, metavar="DIR", help="a git repository")
    options = parser.parse_args(arguments)
    judged: list[tuple[bool, Candidate]] = []
    for repo in options.repo:
        commits = _commits(repo)
        pairs, corpus = list(pairs_of(commits)), Corpus(commits)
        judged += [
            (pair.related, corpus.candidate(pair.newer, pair.older, cosine))
            for pair, cosine in zip(pairs, _cosines(pairs), strict=True)
        ]
        print(f"{repo}: {sum(pair.related for pair in pairs)} related, {len(pairs)} pairs")
    for name, rule in RULES.items():
        print(_row(name, judged, rule))
    return 0


def pairs_of(commits: Sequence[Memory]) -> Iterator[Pair]:
    """Yield the labelled pairs of a history, which is in the order of time."""
    chance = random.Random(_SEED)
    for number, newer in enumerate(commits):
        earlier = commits[max(0, number - BEFORE) : number]
        named = [each for each in earlier if any(each.id.startswith(sha) for sha in newer.details["names"])]
        for older in named:
            others = [each for each in earlier if set(each.files) & set(newer.files) and each not in named]
            yield Pair(newer, older, related=True)
            for other in chance.sample(others, min(NEGATIVES, len(others))):
                yield Pair(newer, other, related=False)


RULES: Mapping[str, Callable[[Candidate], bool]] = {
    "rules": lambda each: each.related,
    "meaning": lambda each: each.cosine >= NEAR_ALONE,
    "words": lambda each: len(each.words) >= 2,
    "a file": lambda each: bool(each.files),
}


def _row(name: str, judged: Sequence[tuple[bool, Candidate]], rule: Callable[[Candidate], bool]) -> str:
    found = [related for related, candidate in judged if rule(candidate)]
    related = sum(each for each, _ in judged)
    precision = sum(found) / max(1, len(found))
    recall = sum(found) / max(1, related)
    return f"{name}: n={len(judged)} linked {len(found)} precision {precision:.3f} recall {recall:.3f}"


def _cosines(pairs: Sequence[Pair]) -> list[float]:
    if not pairs:
        return []
    newer = np.asarray(MODEL.embed([pair.newer.text for pair in pairs]))
    older = np.asarray(MODEL.embed([pair.older.text for pair in pairs]))
    return [float(value) for value in np.einsum("ij,ij->i", newer, older)]


def _commits(repo: Path) -> list[Memory]:
    command = ["git", "-C", str(repo), "log", f"-n{COMMITS}", "--no-merges", "--name-only"]
    done = subprocess.run([*command, "--format=%x00%H%x01%cI%x01%B%x01"], check=True, capture_output=True)
    found = []
    for entry in done.stdout.decode("utf-8", "replace").split("\0")[1:]:
        sha, ts, message, files = entry.split("\x01", 3)
        paths = tuple(path for path in files.split("\n") if path.strip())
        if not 0 < len(paths) <= MAX_FILES or message.startswith("Revert"):
            continue
        names = [each for each in _SHA.findall(message) if not each.isdigit()]
        text = _SHA.sub("", message).strip()[:600]
        found.append(Memory(id=sha, ts=ts, type="insight", text=text, files=paths, details={"names": names}))
    texts = Counter(each.text for each in found)  # a text that repeats is a program's
    return [each for each in reversed(found) if texts[each.text] == 1]
