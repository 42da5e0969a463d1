"""`python -m bench past`: measures what earlier commits add to finding files, on the tree of HEAD.

Titles of fixes and features are asked as in `bench.quality.titles`. The commits before each are its history. Every
question has six answers: without history; with the signal `churn` alone, and with `history` alone; with both; with
memories of the same commits besides, as a backfill makes them; and with these memories counted although their commits
vote, which shows why they are not.

`python -m bench lift` walks through a history instead, which also rewinds the tree, and takes a hundred times as long.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from bench.quality.arms import LIMIT, MODEL, Muninn, places
from bench.quality.copies import Copies
from bench.quality.questions import Question
from bench.quality.scoring import interval, measure
from bench.quality.titles import questions_of
from muninn_core.capture.commits.commit_history import memory_of_commit, reverted_commits
from muninn_core.capture.commits.history_memory import HistoryMemory
from muninn_core.git import Commit
from muninn_core.git.log import CommitRange, read_log
from muninn_core.model.memory import Memory
from muninn_core.retrieval.rankers.relevance import Relevance
from muninn_core.retrieval.request import SearchRequest
from muninn_core.retrieval.search import search_hits
from muninn_core.retrieval.signals.commit_votes import CommitTitle, CommitVotes
from muninn_core.retrieval.signals.evolution import CommitFiles, Evolution
from muninn_core.retrieval.signals.file_prior import FilePriors
from muninn_core.worktree.history.evolution import MAX_COMMITS, MAX_COUPLING_COMMITS

REMEMBERED = 1_000
"""The newest commits before a question that become memories."""

ARMS = ("without", "churn alone", "votes alone", "history", "memories", "counted twice")


class Past(NamedTuple):
    """What lies before a question: its time, its commits as evidence, and the memories of the newest."""

    now: datetime
    votes: CommitVotes
    evolution: Evolution
    priors: FilePriors


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask about each repository, and print the means of the arms and the gains over all questions."""
    parser = argparse.ArgumentParser(prog="python -m bench past", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repo", action="append", type=Path, required=True, metavar="PATH", help="a git repository")
    parser.add_argument("--questions", type=int, default=40, metavar="N", help="at most so many of each (default 40)")
    parser.add_argument("--json", type=Path, help="the file to write")
    options = parser.parse_args(arguments)
    found: dict[str, list[dict[str, float]]] = {}
    for repository in options.repo:
        with tempfile.TemporaryDirectory(prefix="muninn-past-") as folder:
            rows = list(answers(repository, options.questions, Path(folder)))
        found[str(repository)] = rows
        print(_line(str(repository), rows), flush=True)
    every = [row for rows in found.values() for row in rows]
    print(_line(f"all, {len(found)} repositories", every))
    for name, before in (("history", "without"), ("memories", "history"), ("counted twice", "history")):
        gain, low, high = interval([row[name] for row in every], [row[before] for row in every])
        print(f"  {name} over {before}: {gain:+.3f} ({low:+.3f} to {high:+.3f})")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return 0


def answers(repository: Path, count: int, folder: Path) -> Iterator[dict[str, float]]:
    """Yield the NDCG@10 of each arm for every question about a repository."""
    data = questions_of([repository], count)
    tree = Copies(data, folder, Path(), Path()).folder(*next(iter(data.copies())))
    log = list(
        read_log(repository, CommitRange(tip=data.questions[0].source.rpartition("@")[2], limit=MAX_COMMITS + 2_000))
    )
    place = {commit.sha: number for number, commit in enumerate(log)}
    muninn = Muninn(tree, folder / "spare")
    try:
        for question in data.questions:
            yield _scores(muninn, question, log[place[question.id] :])
    finally:
        muninn.close()


def _scores(muninn: Muninn, question: Question, log: Sequence[Commit]) -> dict[str, float]:
    past = _past(log[0], log[1 : MAX_COMMITS + 1])
    vector = MODEL.embed_query(question.text)
    history = Relevance(evolution=lambda: past.evolution, votes=lambda: past.votes)
    arms = {
        "without": Relevance(),
        "churn alone": Relevance(evolution=lambda: past.evolution),
        "votes alone": Relevance(votes=lambda: past.votes),
        "history": history,
        "memories": history._replace(file_priors=partial(past.priors.lookup, now=past.now, counted=past.votes.ids)),
        "counted twice": history._replace(file_priors=partial(past.priors.lookup, now=past.now)),
    }
    request = SearchRequest(question.text, vector if vector.any() else None, {}, LIMIT, past.now, history, "code")
    return {
        name: measure(question, places(search_hits(muninn.snapshot, request._replace(terms=terms))))["ndcg@10"]
        for name, terms in arms.items()
    }


def _past(asked: Commit, before: Sequence[Commit]) -> Past:
    memories = _memories(before[:REMEMBERED])
    return Past(
        datetime.fromisoformat(asked.time),
        CommitVotes(CommitTitle(one.sha, one.time, one.subject, one.files) for one in reversed(before)),
        Evolution(
            CommitFiles(datetime.fromisoformat(one.time).timestamp(), one.files)
            for one in before[:MAX_COUPLING_COMMITS]
        ),
        FilePriors(lambda: memories),
    )


def _memories(log: Sequence[Commit]) -> Mapping[str, Memory]:
    """Return the memories that a backfill makes of commits, by id."""
    reverted, subjects = reverted_commits(log), {commit.sha: commit.subject for commit in log}
    found = (memory_of_commit(commit, reverted, subjects) for commit in log)
    return {each.commit: _memory(each) for each in found if isinstance(each, HistoryMemory)}


def _memory(found: HistoryMemory) -> Memory:
    draft = found.draft
    return Memory(
        id=found.commit,
        type=draft.type,
        title=draft.title or "",
        text=draft.text,
        ts=found.time,
        files=draft.files,
        details=draft.details,
    )


def _line(name: str, rows: Sequence[Mapping[str, float]]) -> str:
    return f"{name}: {len(rows)} questions, " + ", ".join(f"{arm} {mean(row[arm] for row in rows):.3f}" for arm in ARMS)


if __name__ == "__main__":
    raise SystemExit(main())
