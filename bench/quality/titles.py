"""Questions made from a history: titles of fixes and features, answered by the code files that they changed.

Any repository can be a benchmark this way. The searched tree is that of HEAD, without history. Merges, sweeping
commits and titles about maintenance are excluded; test files are not answers.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from bench.quality.questions import Data, Place, Question, is_code
from muninn_core.git.log import CommitRange, read_log
from muninn_core.git.run import run
from muninn_core.source.files.classify import language_of

SET = "titles"

NEWEST = 1_500
"""Commits that are looked through: older titles speak of code that has gone."""

_SEED = 5
_MOST_ANSWERS = 4
_MOST_FILES = 12
"""A commit of more files is a sweep, and no answer to its title."""

_FEWEST_WORDS, _MOST_WORDS = 4, 20
_TELLS = re.compile(
    r"(?i)\b(fix(es|ed)?|add(s|ed)?|supports?|allow|implement|handle|prevent|make|use|avoid|improve|don't|remove|correct"
    r"|ensure|check|return|raise|throw|escape|parse|set|enable|new)\b"
)
_KEEPS = re.compile(
    r"(?i)\b(bump|release|version|merge|typos?|docs?|documentation|readme|lint|format(ting)?|chore|changelog|tests?|ci"
    r"|whitespace|clean ?up|warnings?|copyright|revert|comments?|spelling|deps|dependency|workflow|actions|build)\b"
)
_KIND = re.compile(r"^\w+(\([^)]*\))?!?:\s+(?=\w)|\s*\(#\d+\)$")
"""`fix(parser): …` and `… (#12)`: what tools put around a title."""

_NO_ANSWER = re.compile(
    r"(?i)test|spec\b|spec/|fixture|mock|bench|fuzz|example|sample|(^|/)(docs?|vendor|deps|dist)/|changelog|history\."
)
"""Wider than what ranking takes for a test, so that ranking does not set its own questions."""


def questions_of(repositories: Sequence[Path], count: int) -> Data:
    """Return up to `count` questions about each repository, the same each time for the same HEAD.

    Raises GitError for a folder that is not a repository, ValueError when no commit gives a question.
    """
    questions: list[Question] = []
    places: dict[str, Path] = {}
    for root in repositories:
        name = _name(root.resolve(), places)
        head = run(str(root), "rev-parse", "HEAD").strip()
        found = _asked(root, name, head)
        if not found:
            raise ValueError(f"{root}: none of its newest {NEWEST} commits can be asked about")
        random.Random(_SEED).shuffle(found)
        questions += found[:count]
        places[name] = root
    return Data(questions, {}, {}, places)


def _name(root: Path, taken: Collection[str]) -> str:
    """Return a repository's name in the tables: its folder's name, with a number if that name is taken."""
    name = (root.parent if root.name in ("repo", ".git") else root).name.replace("@", "-").replace(":", "-")
    named = (name, *(f"{name}-{number}" for number in range(2, len(taken) + 3)))
    return next(each for each in named if each not in taken)


def _asked(root: Path, name: str, head: str) -> list[Question]:
    there = set(run(str(root), "ls-tree", "-r", "-z", "--name-only", head).split("\0"))
    found: dict[str, Question] = {}
    for commit in read_log(root, CommitRange(tip=head, limit=NEWEST)):
        title = _KIND.sub("", _KIND.sub("", commit.subject)).strip()
        changed = [path for path in commit.files if is_code(path) and not _NO_ANSWER.search(path)]
        if not 1 <= len(changed) <= _MOST_ANSWERS or not there.issuperset(changed) or len(commit.files) > _MOST_FILES:
            continue
        if not _FEWEST_WORDS <= len(title.split()) <= _MOST_WORDS or _KEEPS.search(title) or not _TELLS.search(title):
            continue
        language = Counter(map(language_of, changed)).most_common(1)[0][0]
        answers = tuple(Place(path) for path in changed)
        found.setdefault(title.lower(), Question(commit.sha, SET, name, language, f"{name}@{head}", "", title, answers))
    return list(found.values())
