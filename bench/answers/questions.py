"""The questions of a prepared repository: every verb that searches, with the parameters that change how it searches."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.answers.fixture import SESSIONS, SIDE_BRANCH, TASKS, Fixture

_SEED = 23
_WORD = re.compile(r"[A-Za-z][\w-]{2,}")


class Ask(NamedTuple):
    """One question: its category, verb and parameters. `follow` also requests the next page."""

    kind: str
    verb: str
    params: dict[str, Any]
    follow: bool = False


def texts_of(fixture: Fixture, files: Sequence[Path]) -> list[str]:
    """Return question texts: those of the data files about this repository, then titles of its commits."""
    found: dict[str, None] = {}
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            one = json.loads(line)
            if one["mirror"] == fixture.name:
                found[one["query"]] = None
    titles = [commit.subject for commit in fixture.commits if len(_WORD.findall(commit.subject)) >= 3]
    random.Random(_SEED).shuffle(titles)
    found.update(dict.fromkeys(titles))
    return list(found)


def questions_of(fixture: Fixture, texts: Sequence[str]) -> list[Ask]:
    """Return the questions of one repository, the same each time. `texts` are used in turn."""
    chance = random.Random(_SEED)
    return [*_recalls(fixture, _Turn(texts), chance), *_others(fixture, _Turn(texts[7:]), chance)]


class _Turn:
    """Texts in turn, from the start again after the last."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._at = 0

    def take(self, count: int) -> list[str]:
        found = [self._texts[(self._at + number) % len(self._texts)] for number in range(count)]
        self._at += count
        return found


_FILTERS = (
    "type:decision",
    "-type:decision",
    "tag:team-2",
    "importance:>=7",
    "since:20w",
    "until:2026-03-01",
    "author:assistant",
    "lang:python,go,rust,kotlin,typescript",
    "-lang:markdown",
    "kind:memory",
    "-kind:code",
    "kind:knowledge",
    "path:src/**",
    "-path:*.md",
    f"session:{SESSIONS[3]}",
    f"task:{TASKS[0]}",
    "branch:main",
)


def _recalls(fixture: Fixture, turn: _Turn, chance: random.Random) -> Iterator[Ask]:
    for text in turn.take(70):
        yield Ask("recall", "recall", {"query": text})
    for kind, count in (("memory", 25), ("code", 15), ("knowledge", 8)):
        for text in turn.take(count):
            yield Ask(f"recall {kind}", "recall", {"query": text, "kind": kind})
    for text, wanted in zip(turn.take(len(_FILTERS)), _FILTERS, strict=True):
        yield Ask("recall filtered", "recall", {"query": f"{text} {wanted}"})
        yield Ask("recall browsed", "recall", {"query": wanted})
    for text in turn.take(10):
        words = _WORD.findall(text)
        yield Ask("recall phrase", "recall", {"query": f'{text} "{words[0]} {words[1]}"'})
        yield Ask("recall phrase", "recall", {"query": text, "phrase": [words[-1]], "plain": True})
        yield Ask("recall phrase", "recall", {"query": f'{text} -"{words[0]}"'})
    for number in range(8):
        path = chance.choice(fixture.files)
        yield Ask("recall like", "recall", {"like": f"{path}:{1 + number * 3}"})
        yield Ask("recall like", "recall", {"like": chance.choice(fixture.memories[:100]), "query": "test"})
    for text in turn.take(12):
        yield Ask("recall by file", "recall", {"query": text, "by_file": True})
        yield Ask("recall paged", "recall", {"query": text, "limit": 4}, follow=True)
    for text in turn.take(10):
        yield Ask("recall at hand", "recall", {"query": text, "at_hand": [chance.choice(fixture.files)]})
        yield Ask("recall mistyped", "recall", {"query": _mistyped(text)})
    for text in turn.take(8):
        yield Ask("recall branches", "recall", {"query": text, "branches": True})
        yield Ask("recall branches", "recall", {"query": f"{text} -type:decision", "branches": True, "kind": "memory"})
        yield Ask("recall at", "recall", {"query": text, "at": chance.choice(("HEAD", SIDE_BRANCH))})
    for text in turn.take(16):
        depth = chance.randint(0, 4)
        yield Ask("recall mnemosyne", "recall", {"query": text, "profile": "mnemosyne", "depth": depth})
    yield Ask("recall mnemosyne", "recall", {"query": "type:decision", "profile": "mnemosyne", "limit": 40})
    yield Ask("recall mnemosyne", "recall", {"query": "parse -tag:team-1", "profile": "mnemosyne"})
    for scope in ("session", "project", "global"):
        for text in turn.take(4):
            asked = {"query": text, "scope": scope, "session": SESSIONS[2]}
            yield Ask("recall scoped", "recall", asked)
            yield Ask("recall scoped", "recall", {**asked, "profile": "mnemosyne"})
    for task in TASKS:
        for text in turn.take(2):
            yield Ask("recall task", "recall", {"query": text, "task": task[5:]})
    yield Ask("recall unmatched", "recall", {"query": "zyzzyva quuxification frobnicatrix"})
    yield Ask("recall unmatched", "recall", {"query": "test kind:memory tag:nosuchtag type:decision"})
    yield Ask("recall wide", "recall", {"query": turn.take(1)[0], "limit": 150})


def _others(fixture: Fixture, turn: _Turn, chance: random.Random) -> Iterator[Ask]:
    for text in turn.take(14):
        yield Ask("context", "context", {"query": text, "budget": chance.choice((1000, 4000, 12_000))})
    for number in range(4):
        path = chance.choice(fixture.files)
        yield Ask("context", "context", {"files": [path, chance.choice(fixture.files)], "skills": number % 2 == 0})
        yield Ask("context", "context", {"cursor": f"{path}:{2 + 5 * number}", "open_files": [fixture.files[number]]})
    for text in turn.take(2):
        yield Ask("context", "context", {"query": text, "branches": True})
        yield Ask("context", "context", {"query": text, "at": "HEAD"})
        yield Ask("context", "context", {"query": f"{text} type:decision", "session": SESSIONS[1]})
        yield Ask("context", "context", {"query": text, "task": TASKS[0], "format": "xml", "scope": "project"})
    yield Ask("context", "context", {"diff": "HEAD"})
    yield Ask("context", "context", {"diff": f"{fixture.commits[0].sha}~1..{fixture.commits[0].sha}"})
    yield Ask("context", "context", {"task": TASKS[1]})
    for number, text in enumerate(turn.take(40)):
        yield Ask("remind", "remind", {"prompt": text, "session": f"asker-{number % 20}", "limit": 1 + number % 6})
    for path in fixture.files[:: max(1, len(fixture.files) // 8)][:8]:
        yield Ask("remind", "remind", {"prompt": f"Please look at {path} and fix what is wrong there", "limit": 10})
    for text in turn.take(8):
        yield Ask("skills.match", "skills.match", {"task": text})
    for task in ("update the changelog and tag a release", "fix typos in the documentation", "add tests for options"):
        yield Ask("skills.match", "skills.match", {"task": task})
    for number in range(4):
        given = {"task": TASKS[0]} if number % 2 else {}
        yield Ask("brief", "brief", {"session": f"briefed-{number}", "max_chars": 1500 * (number + 1), **given})
    yield Ask("overview", "overview", {"days": 60, "importance": 8})
    for _ in range(6):
        yield Ask("links", "links", {"id": chance.choice(fixture.memories[:200]), "depth": 3})
    for text in turn.take(4):
        yield Ask("memories", "memories", {"text": _WORD.findall(text)[0], "limit": 20})


def _mistyped(text: str) -> str:
    """Return a text in which the longest word has two letters swapped."""
    word = max(_WORD.findall(text), key=len)
    middle = len(word) // 2
    return text.replace(word, word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :])
