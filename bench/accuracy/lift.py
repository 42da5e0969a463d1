"""`python -m bench lift`: measures how much memory improves retrieval of the files that the next commit changes.

A clone moves along the first parents of its history. At each commit the title of the next one is the query, with memory
of the earlier commits and without; the changed files are the answer. If there are several, a second query has one of
them as its focus, and the others are the answer. Then HEAD advances, the engine follows the work tree, and the memories
of the post-commit hook are stored. Index, history and memory hold nothing of later commits.

Merges and commits of many files are skipped. Files that a commit adds are not answers. Files that are not code are
dropped, as in `bench.quality`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from bench.quality.questions import Place, Question, is_code
from bench.quality.scoring import interval, measure
from muninn_core.engine.engine import Engine
from muninn_core.index.embedding.embed import Embedder, load_bundled
from muninn_core.launch.repository_location import locate
from muninn_core.model.answer import Hit
from muninn_core.protocol.catalogue import decode_params, lookup
from muninn_core.retrieval.rankers.relevance import Relevance
from muninn_core.retrieval.request import SearchRequest
from muninn_core.retrieval.search import search_hits
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.user_folders import UserFolders

LIMIT = 50
"""The number of requested hits: enough for ten files."""

MAX_FILES = 20
"""A commit of more files is a sweep, and no answer to its title."""

COMMITS = 200
TARGET = 0.08


class Step(NamedTuple):
    """A commit of the walk: its title and time, the code files that it changed, whether it is a question."""

    sha: str
    title: str
    time: datetime
    changed: frozenset[str]
    asked: bool


class Answer(NamedTuple):
    """NDCG@10 of the files for one question: with code alone, and with memory and history.

    `apart` and `beside` score the other files of a change, without and with one of its files as the focus; None for
    a change of one file.
    """

    sha: str
    title: str
    without: float
    lively: float
    remembered: float
    apart: float | None = None
    beside: float | None = None


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk each repository and print the gain from memory."""
    parser = argparse.ArgumentParser(prog="python -m bench lift", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repo", action="append", type=Path, required=True, metavar="PATH", help="a git repository")
    parser.add_argument("--commits", type=int, default=COMMITS, metavar="N", help=f"the newest N (default {COMMITS})")
    parser.add_argument(
        "--backfill", action="store_true", help="begin with what `backfill git` tells, not with nothing"
    )
    parser.add_argument("--json", type=Path, help="the file to write")
    options = parser.parse_args(arguments)
    model = load_bundled()
    told: dict[str, Any] = {}
    for repository in options.repo:
        with (
            tempfile.TemporaryDirectory(prefix="muninn-lift-") as folder,
            Walk(repository, Path(folder), model) as walk,
        ):
            answers = list(walk.answers(options.commits, backfill=options.backfill))
        told[str(repository)] = [answer._asdict() for answer in answers]
        print(line(str(repository), answers), flush=True)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return 0


def line(name: str, answers: Sequence[Answer]) -> str:
    """Return one repository's figures, a line each."""
    if not answers:
        return f"{name}: no commit that can be asked about"
    bare = [one.without for one in answers]
    said = [f"{name}: {len(answers)} questions, NDCG@10 {mean(bare):.3f}"]
    said.append(_gain("with history", [one.lively for one in answers], bare))
    said.append(_gain("with memory, too", [one.remembered for one in answers], bare) + f"; wanted {TARGET:+.2f}")
    said.append(_gain("memory beside history", [one.remembered for one in answers], [one.lively for one in answers]))
    pairs = [(one.beside, one.apart) for one in answers if one.beside is not None and one.apart is not None]
    if pairs:
        beside, apart = ([pair[i] for pair in pairs] for i in (0, 1))
        said.append(f"{len(pairs)} questions for the other files of a change, NDCG@10 {mean(apart):.3f}")
        said.append(_gain("with one of its files in use", beside, apart))
    return "\n  ".join(said)


def _gain(name: str, ours: Sequence[float], theirs: Sequence[float]) -> str:
    gain, low, high = interval(ours, theirs)
    return f"{name} {mean(ours):.3f}, gain {gain:+.3f} ({low:+.3f} to {high:+.3f})"


def _worth(step: Step, wanted: Sequence[str], hits: Sequence[Hit]) -> float:
    """Return the NDCG@10 of the hits for the wanted files of a step, ignoring its other files."""
    question = Question(step.sha, "lift", "", "", "", "", step.title, tuple(Place(path, 0, 0) for path in wanted))
    left = step.changed.difference(wanted)
    return measure(question, [Place(hit.path, 0, 0) for hit in hits if hit.path not in left])["ndcg@10"]


class Walk:
    """A clone with an engine on it."""

    def __init__(self, source: Path, folder: Path, model: Embedder) -> None:
        self._root = folder / "repository"
        self._model = model
        subprocess.run(["git", "clone", "-q", "--no-checkout", str(source), str(self._root)], check=True)
        self._now = datetime.now(UTC)
        self._engine = Engine(
            version="bench",
            folders=UserFolders(folder / "spare", folder / "spare"),
            clock=lambda: self._now,
            chance=os.urandom,
            load=lambda _name, _cache: model,
        )

    def __enter__(self) -> Walk:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._engine.close()

    def answers(self, commits: int, *, backfill: bool) -> Iterator[Answer]:
        """Yield the scores of the questions of the newest `commits` commits, oldest first."""
        way = self._git("rev-list", "--first-parent", "--reverse", "HEAD").split()[-commits - 1 :]
        self._git("checkout", "-q", "-f", way[0])
        self._now = self._step(way[0]).time
        self._call("init")
        self._call("index", wait=True)
        if backfill:
            self._call("backfill", source="git", apply=True)
        self._call("brief", session="walk")  # starts a session, whose commits are captured from now on
        for sha in way[1:]:
            step = self._step(sha)
            if step.asked:
                yield self._ask(step)
            self._git("checkout", "-q", "-f", sha)
            self._now = step.time
            self._call("index", wait=True)
            self._call("capture", source="commit", session="walk")

    def _ask(self, step: Step) -> Answer:
        workspace = self._engine.open(locate(str(self._root)))
        vector = self._model.embed_query(step.title)
        reader = workspace.updater.wait_open(30).snapshot()
        request = SearchRequest(
            step.title, vector if vector.any() else None, {}, LIMIT, self._now, Relevance(), kind="code"
        )
        bare = search_hits(reader, request)
        past = workspace.evolution
        history = Relevance(evolution=past.current, votes=past.votes)
        lively = search_hits(reader, request._replace(terms=history))
        changed = sorted(step.changed)
        found = self._found(step)
        worth = [_worth(step, changed, hits) for hits in (bare, lively, found)]
        if len(changed) < 2:
            return Answer(step.sha, step.title, *worth)
        others = changed[1:]
        beside = (_worth(step, others, hits) for hits in (found, self._found(step, at_hand=changed[:1])))
        return Answer(step.sha, step.title, *worth, *beside)

    def _found(self, step: Step, **more: Any) -> Sequence[Hit]:
        hits: Sequence[Hit] = self._call("recall", query=step.title, kind="code", plain=True, limit=LIMIT, **more).hits
        return hits

    def _step(self, sha: str) -> Step:
        title, seconds, parents = self._git("show", "-s", "--format=%s%x00%ct%x00%P", sha).rstrip("\n").split("\0")
        before = parents.split()[:1]
        fields = self._git("diff", "--name-status", "--no-renames", "-z", *before, sha).split("\0") if before else []
        changes = list(zip(fields[::2], fields[1::2], strict=False))
        changed = frozenset(path for status, path in changes if status in ("M", "D") and is_code(path))
        asked = bool(changed and title.strip()) and len(parents.split()) == 1 and len(changes) <= MAX_FILES
        return Step(sha, title, datetime.fromtimestamp(int(seconds), UTC), changed, asked)

    def _call(self, verb: str, **params: Any) -> Any:
        call = CallContext(location=locate(str(self._root)), client="bench")
        return self._engine.call(verb, decode_params(lookup(verb), params), call)

    def _git(self, *arguments: str) -> str:
        command = ["git", "-c", "advice.detachedHead=false", "-C", str(self._root), *arguments]
        done = subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    raise SystemExit(main())
