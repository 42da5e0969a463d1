"""Scores the questions that captured statements answer, against `bench/data/statement-questions.tsv`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.capture.conversations import Session
from bench.capture.scoring import transcript_of
from muninn_core.capture.statements.transcript import read_transcript

WORDS = 6
"""The first words of a statement by which the table names it."""

NONE = "-"

Table = dict[tuple[str, str], str]
"""The question of each statement, by its session and its first words; `NONE` for a statement without one."""


@dataclass
class QuestionScore:
    """How many statements were captured, have a labelled question, got one, and got the right one."""

    statements: int = 0
    there: int = 0
    given: int = 0
    right: int = 0
    unlabelled: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


def load_questions(path: Path) -> Table:
    """Read lines of session, first words and question, separated by tabs. Raises ValueError with a wrong line."""
    table: Table = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) != 3:
                raise ValueError(f"{path}:{number}: write session, first words and question, separated by tabs")
            table[fields[0], fields[1]] = fields[2]
    return table


def score_questions(sessions: Sequence[Session], table: Table) -> QuestionScore:
    """Compare the question of each captured statement with the table."""
    total = QuestionScore()
    for session in sessions:
        for draft in read_transcript(transcript_of(session), session=session.id).drafts:
            key = (session.id, " ".join(draft.text.partition("\nContext: ")[0].split()[:WORDS]))
            label, given = table.get(key), "".join(draft.questions)
            about = f"{session.id}: {key[1]} … {given or NONE} ({label})"
            total.statements += 1
            total.there += label not in (None, NONE)
            total.given += bool(given)
            if label is None:
                total.unlabelled.append(about)
            if given and label is not None and given.casefold() in label.casefold():
                total.right += 1
            elif given:
                total.wrong.append(about)
            elif label != NONE:
                total.missed.append(about)
    return total


def report_questions(name: str, result: QuestionScore) -> str:
    """Return a score as a line for people."""
    return (
        f"{name}: {result.given} of {result.statements} statements get a question, {result.right} the right one; "
        f"{result.there} answer one; {len(result.unlabelled)} are not labelled"
    )
