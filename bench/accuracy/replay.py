"""`python -m bench replay --repo DIR …`: whether the earlier outcomes of a memory predict its later ones.

A history is replayed as sessions. A session is a commit: its title is the prompt, and the files that it changed are
what the agent edits. Memories are the earlier commits, with their files. The prompt recalls memories. One is *used*
when the commit changes one of its files, as `muninn given` counts it. Before each session every memory has its counts
from the sessions before: how often it was shown, and used.

The recalled memories are then ordered again by score and by counts, and both orders are compared by where the used ones
are. A memory of many files, or of a file that changes often, is used often for no other reason. So the orders by these
changes are compared as well, and that by the counts beyond what the changes explain. The weight is chosen on the first
repository; the others decide.
"""

from __future__ import annotations

import argparse
import math
import random
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.harness.figure import percentile
from muninn_core import open_repository

COMMITS = 450
"""The newest commits of a history that take part; the first `BEFORE` of them are memories only."""

BEFORE = 200
MAX_FILES = 12
SHOWN = 20
"""Memories that a session recalls; the best `TOP` count."""

TOP = 5
PRIOR = 4.0
"""Shown memories that a memory without counts is taken to have had, with the share of used ones of all."""

WEIGHTS = (0.0, 0.1, 0.4, 0.8, 1.6, 3.2)
SAMPLES = 1_000
_SEED = 7


class Commit(NamedTuple):
    """A title and the files that it changed."""

    title: str
    files: tuple[str, ...]


class Shown(NamedTuple):
    """A recalled memory: its score, what came of it, and what the sessions before say about it and about its files."""

    score: float
    used: bool
    shown: int
    used_before: int
    changes: float
    reach: float


Session = list[Shown]
Factor = Callable[[Shown], float]


def main(arguments: list[str]) -> int:
    """Print the gain of each weight on the first repository, and that of the best one on each other."""
    parser = argparse.ArgumentParser(prog="python -m bench replay", description="Replay sessions from histories.")
    parser.add_argument("--repo", action="append", type=Path, required=True, metavar="DIR", help="a git repository")
    options = parser.parse_args(arguments)
    replayed = {repo: replay(list(commits_of(repo))) for repo in options.repo}
    first, *others = replayed
    for name, factor in FACTORS.items():
        gains = {weight: gain(replayed[first], factor, weight)[0] for weight in WEIGHTS}
        best = max(gains, key=gains.__getitem__)
        print(f"{name}: on {first} " + ", ".join(f"{weight}: {each:+.3f}" for weight, each in gains.items()))
        for repo in others:
            for weight in sorted({best, WEIGHTS[3]}):
                mean, low, high = gain(replayed[repo], factor, weight)
                print(f"  {repo}: weight {weight}: {mean:+.3f} ({low:+.3f} to {high:+.3f})")
    for repo, sessions in replayed.items():
        print(f"{repo}: {_described(sessions)}")
    return 0


def commits_of(repo: Path) -> Iterator[Commit]:
    """Yield the newest commits with a title and few files, the oldest first."""
    command = ["git", "-C", str(repo), "log", "--no-merges", "--reverse", "--name-only", "--format=%x1e%s"]
    text = subprocess.run([*command, f"-n{COMMITS}"], capture_output=True, check=True).stdout.decode("utf-8", "replace")
    for entry in text.split("\x1e")[1:]:
        title, _, rest = entry.partition("\n")
        files = tuple(line for line in rest.splitlines() if line)
        if title.strip() and 0 < len(files) <= MAX_FILES:
            yield Commit(title.strip(), files)


def replay(commits: Sequence[Commit]) -> list[Session]:
    """Play commits as sessions, and return what each recalled."""
    sessions = []
    shown: Counter[str] = Counter()
    used: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    files: dict[str, tuple[str, ...]] = {}
    with tempfile.TemporaryDirectory(prefix="muninn-replay-") as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        with open_repository(folder, environ={"XDG_DATA_HOME": f"{folder}/.git/data"}) as repository:
            repository.init()
            for number, commit in enumerate(commits):
                if number >= BEFORE:
                    hits = repository.recall(commit.title, kind="memory", limit=SHOWN).hits
                    session = []
                    for hit in hits:
                        about = files[hit.id]
                        touches = bool({*about} & {*commit.files})
                        often = sum(changed[file] for file in about) / len(about) / number
                        reach = 1 - math.prod(1 - changed[file] / number for file in about)
                        session.append(Shown(hit.score, touches, shown[hit.id], used[hit.id], often, reach))
                    sessions.append(session)
                    shown.update(hit.id for hit in hits)
                    used.update(hit.id for hit, each in zip(hits, session, strict=True) if each.used)
                changed.update(commit.files)
                stored = repository.remember(f"{commit.title} ({number})", files=list(commit.files))
                files[stored.ids[0]] = commit.files
    return sessions


def by_counts(one: Shown) -> float:
    """Return how much more than usual a memory was used when it was shown."""
    return (one.used_before + PRIOR * 0.25) / (one.shown + PRIOR) - 0.25


def by_changes(one: Shown) -> float:
    """Return how often the memory's files changed in earlier commits."""
    return one.changes


def by_reach(one: Shown) -> float:
    """Return how likely any commit changes one of the memory's files, from the earlier commits."""
    return one.reach - 0.25


def by_rest(one: Shown) -> float:
    """Return how much more a memory was used than the changes of its files explain."""
    return (one.used_before + PRIOR * one.reach) / (one.shown + PRIOR) - one.reach


FACTORS: dict[str, Factor] = {
    "counts": by_counts,
    "changes of its files, mean": by_changes,
    "changes of any of its files": by_reach,
    "counts beyond these changes": by_rest,
}


def gain(sessions: Sequence[Session], factor: Factor, weight: float) -> tuple[float, float, float]:
    """Return the mean difference of NDCG that a factor makes with a weight, and its 95 % interval."""
    fit = [session for session in sessions if 0 < sum(one.used for one in session) < len(session)]
    differences = [
        _ndcg(sorted(session, key=lambda one: -one.score * (1 + weight * factor(one)))) - _ndcg(session)
        for session in fit
    ]
    chance = random.Random(_SEED)
    means = [sum(chance.choices(differences, k=len(differences))) / len(differences) for _ in range(SAMPLES)]
    return sum(differences) / len(differences), percentile(means, 0.025), percentile(means, 0.975)


def _ndcg(session: Session) -> float:
    """Return NDCG at `TOP` with a gain of 1 for each used memory."""
    best = sum(1 / math.log2(place + 2) for place in range(min(TOP, sum(one.used for one in session))))
    return sum(one.used / math.log2(place + 2) for place, one in enumerate(session[:TOP])) / best


def _described(sessions: Sequence[Session]) -> str:
    """Return how well counts tell what will be used, for memories that were shown five times and more."""
    known = [one for session in sessions for one in session if one.shown >= 5]
    never = [one.used for one in known if not one.used_before]
    ever = [one.used for one in known if one.used_before]
    items = sum(map(len, sessions))
    mean = sum(_ndcg(session) for session in sessions if any(one.used for one in session))
    fit = sum(any(one.used for one in session) for session in sessions)
    used = sum(one.used for session in sessions for one in session) / items
    return (
        f"{len(sessions)} sessions, {items} memories shown, {used:.2f} used, NDCG@{TOP} {mean / fit:.3f}; of those "
        f"shown five times before, used now: {_share(never)} of {len(never)} never used, "
        f"{_share(ever)} of {len(ever)} others"
    )


def _share(values: Sequence[bool]) -> str:
    return f"{sum(values) / len(values):.2f}" if values else "none"
