"""Measures the accuracy of citation judgements on replayed histories of real repositories.

Definitions, and lines inside of definitions, are cited at one commit and judged at a later one. The ground truth comes
from git's blame, renames and diff (`bench.accuracy.truth`), not from the judged method.
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.accuracy.truth import Truth
from bench.harness.figure import Figure, spread
from muninn_core.model.memory import Cite, Memory
from muninn_core.reconcile.citations.judgement import make_cite
from muninn_core.source.chunks.line_index import LineIndex
from muninn_core.source.code.extent import Extent
from muninn_core.source.files.classify import classify, path_traits
from muninn_core.worktree.citations.citations import Citations

SEED = 20
DISTANCES = (10, 100, 400, 1600)
WRONG = 0.03
"""The budget: this share of a state may be judged to be another one."""

_STATES = ("fresh", "moved", "drifted", "gone")
_LANGUAGES = frozenset(
    ("python", "rust", "go", "typescript", "javascript", "ruby", "java", "kotlin", "scala", "c", "cpp", "csharp", "php")
) | {"swift", "elixir"}
_MOST_BYTES = 1_000_000

DECISIONS = Path(__file__).parents[1] / "data" / "citations.tsv"

_LEAST_AROUND = 6
"""The least difference of the last and the first line of a definition whose lines are cited."""

_MOST_LINES = 12
"""The most lines of a citation of lines."""


def citations(
    repositories: Sequence[Path], folder: Path, *, pairs: int, spans: int, inside: bool = False
) -> list[Figure]:
    """Judge `spans` definitions at each of `pairs` pairs of commits for every distance, in each repository.

    With `inside`, some lines inside of each definition are cited in its place.
    """
    counts: Counter[tuple[str, str]] = Counter()
    costs: list[float] = []
    spent: list[float] = []
    notes: list[str] = []
    wrong: list[str] = []
    decided = decisions()
    for number, repository in enumerate(repositories):
        own: Counter[tuple[str, str]] = Counter()
        replay = Replay(repository, folder / f"{'lines' if inside else 'replay'}{number}", inside=inside)
        for early, late in replay.pairs(pairs):
            for cite, judged, true, (cost, processor) in replay.judge(early, late, spans):
                true = decided.get((repository.name, early[:10], late[:10], cite), true)
                own[true, judged] += 1
                costs.append(cost)
                spent.append(processor)
                if judged != true:
                    wrong.append(f"{repository.name} {early[:10]}..{late[:10]} {cite}: {true}, judged {judged}")
        counts += own
        notes.append(f"{repository.name} " + ", ".join(f"{_share(own, state):.3f} {state}" for state in _STATES))
    detail = {"confusion": {f"{true} as {judged}": n for (true, judged), n in sorted(counts.items())}, "wrong": wrong}
    figures = []
    what = "lines" if inside else "citations"
    for state in _STATES:
        total = sum(n for (true, _), n in counts.items() if true == state)
        note = f"{total - counts[state, state]} of {total}"
        budget = WRONG if state != "drifted" else None
        figures.append(Figure(f"{what} judged wrongly, {state}", 1 - _share(counts, state), "", budget, note))
    right = sum(n for (true, judged), n in counts.items() if true == judged)
    every = max(1, sum(counts.values()))
    figures.append(Figure(f"{what} judged wrongly, all", 1 - right / every, "", None, "; ".join(notes), detail))
    cost = spread(costs or [0.0])
    means = [sum(values) / max(1, len(values)) for values in (costs, spent)]
    note = f"nothing cached before; mean {means[0]:.2f} ms, of it {means[1]:.2f} ms our processor time"
    figures.append(
        Figure("lines judged, p50" if inside else "a citation judged, p50", cost["p50"], "ms", 2, note, cost)
    )
    return figures


def decisions() -> dict[tuple[str, str, str, str], str]:
    """Return the states that a person decided where git's differ, by repository, commits and citation."""
    rows = [line.split("\t") for line in DECISIONS.read_text("utf-8").splitlines()[1:]]
    return {(name, early, late, cite): state for name, early, late, cite, _, state, _ in rows}


def _share(counts: Counter[tuple[str, str]], state: str) -> float:
    total = sum(n for (true, _), n in counts.items() if true == state)
    return counts[state, state] / total if total else 1.0


def tiny(folder: Path) -> Path:
    """Make a repository of twelve commits, in which functions stay, move, change and disappear."""
    root = folder / "history"
    root.mkdir()
    author = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    for step in range(12):
        for number in range(4):
            names = [name for name in range(6) if not (number == 3 and name < step // 3)]
            bodies = (_function(name, step if number == 2 and name == 1 else 0) for name in names)
            above = "# A line above.\n" * (step if number == 1 else 0)
            (root / f"module{number}.py").write_text(above + "\n\n".join(bodies), "utf-8")
        for command in (["add", "-A"], ["commit", "-q", "-m", f"Step {step}"]):
            subprocess.run(["git", *author, "-C", str(root), *command], check=True, stdin=subprocess.DEVNULL)
    return root


def _function(name: int, value: int) -> str:
    return f"def function_{name}(x):\n    y = x + {name}\n    z = y * {value}\n    return function_{name}(z) + {name}\n"


class Replay:
    """A clone of a repository that checks out one commit after another."""

    def __init__(self, source: Path, root: Path, *, inside: bool = False) -> None:
        self.root = root
        self._inside = inside
        subprocess.run(["git", "clone", "-q", "--no-checkout", str(source), str(root)], check=True)
        self.commits = self._git("rev-list", "--first-parent", "--reverse", "HEAD").split()
        self._chance = random.Random(SEED)

    def pairs(self, count: int) -> Iterator[tuple[str, str]]:
        """Yield up to `count` pairs of commits for each distance that fits, spread over the whole history."""
        for distance in DISTANCES:
            room = len(self.commits) - distance
            for number in range(count if room > 0 else 0):
                at = room * (2 * number + 1) // (2 * count)
                yield self.commits[at], self.commits[at + distance]

    def judge(self, early: str, late: str, spans: int) -> Iterator[tuple[str, str, str, tuple[float, float]]]:
        """Yield (cited span, judged state, true state, cost) of definitions sampled at `early`.

        The cost is in milliseconds: wall time, and processor time of this process without git's.
        """
        self._git("checkout", "-q", "-f", early)
        cites = self._draw(early, spans)
        self._git("checkout", "-q", "-f", late)
        self._settle()
        citations = Citations(self.root, most=lambda: _MOST_BYTES, token=lambda: late)
        look = citations.checker(math.inf)
        truth = Truth(self.root, early, late)
        for cite in cites:
            begun, processor = time.perf_counter(), time.process_time()
            (found,) = look.judge(Memory(id="m", type="insight", text="t", ts="", cites=(cite,)))
            cost = ((time.perf_counter() - begun) * 1000, (time.process_time() - processor) * 1000)
            true = truth.of_lines(cite) if self._inside else truth.of(cite)
            yield f"{cite.path}:{cite.start}-{cite.end}#{cite.symbol}", found.state, true, cost
        citations.release_memory()

    def _settle(self) -> None:
        """Backdate the files. Git re-reads a file whose time is not older than that of its index."""
        index = self.root / ".git" / "index"
        os.utime(index, ns=(index.stat().st_atime_ns, index.stat().st_mtime_ns + 5 * 10**9))

    def _draw(self, commit: str, count: int) -> list[Cite]:
        paths = [path for path in self._git("ls-files", "-z").split("\0") if path and classify(path)[1] in _LANGUAGES]
        self._chance.shuffle(paths)
        drawn: list[Cite] = []
        for path in (path for path in paths if not path_traits(path).intersection(("vendored", "generated"))):
            file = self.root / path
            if len(drawn) >= count:
                break
            if not file.is_file() or file.is_symlink() or file.stat().st_size > _MOST_BYTES:
                continue
            page = LineIndex(path, file.read_text("utf-8", "replace"))
            least = _LEAST_AROUND if self._inside else 3
            bodies = [one for one in page.extents if least <= one.end - one.start < 120]
            some = self._chance.sample(bodies, min(3, len(bodies)))
            places = [self._lines_of(page, one) if self._inside else (one.start, one.end) for one in some]
            drawn += [make_cite(path, page, start, end, commit) for start, end in places]
        return drawn[:count]

    def _lines_of(self, page: LineIndex, around: Extent) -> tuple[int, int]:
        """Return some lines of a definition, without its first and last one and without blank lines at the ends."""
        start = self._chance.randint(around.start + 1, around.end - 3)
        end = min(start + self._chance.randint(2, _MOST_LINES - 1), around.end - 1)
        written = [number for number in range(start, end + 1) if page.lines[number - 1].strip()]
        return (written[0], written[-1]) if written else (around.start, around.end)

    def _git(self, *arguments: str) -> str:
        command = ["git", "-c", "advice.detachedHead=false", "-C", str(self.root), *arguments]
        done = subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        return done.stdout.decode("utf-8", "replace")
