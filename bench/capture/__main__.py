"""`python -m bench capture FILE...`: precision and recall of capture on labelled conversations.

`--questions` measures the questions that captured statements answer. `--ask` also measures what a scripted model that
judges rightly adds. `--train` learns the weights from `bench/data` and the files, and writes them. `--cross-validate`
measures each session with weights that were learned from the others.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import muninn_core.capture
from bench.capture.asking import asked
from bench.capture.conversations import Session, load, load_sentences
from bench.capture.questions import load_questions, report_questions, score_questions
from bench.capture.scoring import captured, captured_with, report, score
from bench.capture.training import train
from muninn_core.capture.statements.statement import THRESHOLD
from muninn_core.capture.statements.statement_model import WEIGHTS

DATA = Path(__file__).parents[1] / "data"
OWN = DATA / "conversations.txt"
QUESTIONS = DATA / "statement-questions.tsv"
SENTENCES = Path(__file__).parents[2] / "tests" / "capture" / "sentences.tsv"
FOLDS = 10


def own_sessions() -> list[Session]:
    """Return the labelled conversations and sentences of this repository."""
    return [*load(OWN), *sentences_twice()]


def sentences_twice() -> list[Session]:
    """Return each labelled sentence as the opening of a conversation, and as a message within one."""
    opening = load_sentences(SENTENCES)
    return [*opening, *(replace(session, skipped=5) for session in opening)]


def cross_validated(
    sessions: Sequence[Session], further: Sequence[Session], threshold: float
) -> list[list[tuple[str, str]]]:
    """Return the memories of each session, made with weights from the other folds and from `further` sessions."""
    made: list[list[tuple[str, str]]] = [[] for _ in sessions]
    for fold in range(FOLDS):
        weights = train([*(each for at, each in enumerate(sessions) if at % FOLDS != fold), *further])
        for at in range(fold, len(sessions), FOLDS):
            made[at] = captured_with(sessions[at], weights, threshold)
    return made


def main(arguments: Sequence[str]) -> int:
    """Measure or train."""
    parser = argparse.ArgumentParser(prog="python -m bench capture", description="Measure capture.")
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help="labelled conversations (JSON lines or text)"
    )
    parser.add_argument("--train", action="store_true", help="learn from bench/data and the files; write the weights")
    parser.add_argument(
        "--cross-validate", action="store_true", help="measure with weights that have not seen a session"
    )
    parser.add_argument("--ask", action="store_true", help="also measure with an agent's model that judges rightly")
    parser.add_argument("--questions", action="store_true", help="measure the questions that statements answer")
    parser.add_argument("--threshold", type=float, default=THRESHOLD, help="of a cross-validation")
    parser.add_argument("--list", action="store_true", help="list wrong memories and missed keeps")
    options = parser.parse_args(arguments)
    given = {path: load(path) for path in options.files or [OWN]}
    if options.train:
        _write([*own_sessions(), *(each for path, found in given.items() if path != OWN for each in found)])
        return 0
    for path, sessions in given.items():
        if options.questions:
            asked = score_questions(sessions, load_questions(QUESTIONS))
            print(report_questions(path.name, asked))
            if options.list:
                print(*(f"  wrong  {each}" for each in asked.wrong), sep="\n")
                print(*(f"  missed {each}" for each in asked.missed), sep="\n")
            continue
        if options.cross_validate:
            others = [each for other, found in given.items() if other not in (path, OWN) for each in found]
            others += own_sessions() if path != OWN else sentences_twice()
            result = score(sessions, cross_validated(sessions, others, options.threshold))
        else:
            result = score(sessions, [captured(session) for session in sessions])
        print(report(f"{path.name}{' (cross-validated)' if options.cross_validate else ''}", result))
        if options.ask:
            _ask(path.name, sessions)
        if options.list:
            print(*(f"  wrong  {each}" for each in result.wrong), sep="\n")
            print(*(f"  missed {each}" for each in result.missed), sep="\n")
    return 0


def _ask(name: str, sessions: Sequence[Session]) -> None:
    """Measure capture with a model that decides on the listed statements, and with one that remembers all."""
    for listed_only, what in ((True, "of the list"), (False, "of the conversation")):
        found = asked(sessions, listed_only=listed_only)
        print(report(f"{name}, a model that judges rightly {what}", score(sessions, found.memories)))
        tokens = found.characters / 4 / max(1, found.requests)
        print(f"  {found.requests} of {len(sessions)} agents were asked, with {tokens:.0f} tokens on average")


def _write(sessions: Sequence[Session]) -> None:
    weights = train(sessions)
    folder = Path(next(iter(muninn_core.capture.__path__)))
    note = f"Learned from {len(sessions)} labelled conversations by `python -m bench capture --train`."
    text = json.dumps({"note": note, "weights": weights}, indent=1, sort_keys=True, ensure_ascii=False)
    (folder / WEIGHTS).write_text(f"{text}\n", "utf-8")
    print(f"wrote {folder / WEIGHTS}: {len(text) / 1000:.0f} kB, {len(weights['kept'])} cues")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
