"""Asks the questions of prepared repositories and records each answer with its digest and processor time."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from types import FrameType
from typing import Any

from bench.answers.fixture import NOW, Fixture, Session, copy, session
from bench.answers.questions import Ask, questions_of, texts_of
from muninn_core.errors import MuninnError
from muninn_core.model.value import to_plain


@dataclass(frozen=True)
class Answer:
    """A question and its answer. `milliseconds` is processor time, of all threads of the process.

    `calls` are the calls of Python functions on the thread that answers, if they were counted, which takes time.
    """

    key: str
    kind: str
    question: dict[str, Any]
    answer: Any
    milliseconds: float
    calls: int = 0

    @property
    def digest(self) -> str:
        """The SHA-256 of the answer as JSON."""
        return hashlib.sha256(_encode(self.answer).encode()).hexdigest()

    def line(self) -> str:
        """Return the line of the record."""
        shown = {"key": self.key, "kind": self.kind, "question": self.question, "digest": self.digest}
        return _encode({**shown, "milliseconds": round(self.milliseconds, 3), "answer": self.answer})


def record(fixtures: Iterable[Fixture], files: Sequence[Path], *, calls: bool = False) -> list[Answer]:
    """Return the answers to every question, in the order of the questions. `calls`: count calls of functions."""
    found: list[Answer] = []
    for fixture in fixtures:
        with tempfile.TemporaryDirectory(prefix="muninn-answers-") as folder:
            copied = copy(fixture, Path(folder) / "copy")
            with session(copied.root, copied.root.parent, NOW) as one:
                one.call("index", wait=True)
                one.call("recall", query="what is asked first loads what all need")
                one.call("verify")  # judges all citations now; otherwise answers depend on a time limit
                asked = questions_of(copied, texts_of(copied, files))
                for number, ask in enumerate(asked):
                    found += _answers(one, f"{fixture.name}/{number}", ask, calls)
        print(f"{fixture.name}: {len(asked)} questions", file=sys.stderr)
    return found


def costs(answers: Sequence[Answer]) -> dict[str, float]:
    """Return for each kind of question the mean number of calls if counted, else of milliseconds."""
    spent: dict[str, list[float]] = defaultdict(list)
    for answer in answers:
        spent[answer.kind].append(answer.calls or answer.milliseconds)
    return {kind: mean(values) for kind, values in spent.items()}


def load(file: Path) -> dict[str, dict[str, Any]]:
    """Read a record: {key: line}."""
    lines = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    return {line["key"]: line for line in lines}


def _answers(one: Session, key: str, ask: Ask, calls: bool) -> list[Answer]:
    first = _answer(one, key, ask, calls)
    following = first.answer.get("next") if ask.follow else None
    if not following:
        return [first]
    further = Ask(f"{ask.kind}, next", ask.verb, {"page": following, "limit": 4})
    return [first, _answer(one, f"{key}/next", further, calls)]


def _answer(one: Session, key: str, ask: Ask, calls: bool) -> Answer:
    count = 0

    def counting(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    begun = time.process_time()
    sys.setprofile(counting if calls else None)
    try:
        answer: Any = to_plain(one.call(ask.verb, **ask.params))
    except MuninnError as error:
        answer = {"error": type(error).__name__, "message": error.message, "hint": error.hint}
    finally:
        sys.setprofile(None)
    spent = (time.process_time() - begun) * 1000
    answer = json.loads(_encode(answer).replace(str(one.root), "ROOT"))
    return Answer(key, ask.kind, {ask.verb: ask.params}, answer, spent, count)


def _encode(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
