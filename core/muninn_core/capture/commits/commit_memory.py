"""Decides which commits become memories, and drafts these. It reads a commit's message and paths.

A memory of every commit would repeat `git log`. A commit counts when its words concern structure (a migration, a
refactoring, a decision), unless it is a merge, a release, or changes prose only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muninn_core.model.value import Value, replace
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.source.files.classify import classify, path_traits
from muninn_core.source.private_spans import strip_private

if TYPE_CHECKING:
    from muninn_core.git import Commit

MEMORY = ".muninn/"
"""The folder of Muninn's files."""

MAX_FILES = 50
"""The number of changed files that a memory names."""

TRACED_FILES = 20
"""A commit with more changed files does not show which files belong to a task."""

MAX_TEXT = 2000
"""The maximum characters of subject and body in a memory."""


MANY_FILES, MANY_DELETED = 30, 5
"""The numbers of changed files and deleted files from which a commit counts as large."""


class Significance(Value):
    """Why a commit matters: importance 6 to 8, the words found, and whether it states a decision."""

    importance: int
    keywords: tuple[str, ...]
    decision: bool


_EMOJI = re.compile(r"^(?:(?::[a-z0-9_+-]+:|[\u2190-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]+)\s*)+")
"""Signs before a subject, as gitmoji has them: ":bug: fix: ..."."""

_CONVENTIONAL = re.compile(r"^(?P<type>[A-Za-z]+)(?:\([^)]*\))?(?P<breaking>!)?:\s+")
_BREAKING = re.compile(r"(?m)^BREAKING[ -]CHANGE:|(?i:\bbackwards?[- ]incompatible\b)")
_ROUTINE_TYPES = frozenset(
    {"docs", "style", "chore", "ci", "build", "test", "tests", "release", "revert", "deps", "wip"}
)
_ROUTINE = re.compile(
    r"(?i)^(?:fixup!|squash!|amend!|wip\b|merge\b|revert\b|bump\b|release\b|prepare\b.*\brelease\b|version\b"
    r"|(?:update|upgrade)s? (?:the )?(?:dependenc|deps\b|lock ?file|change ?log|copyright|translations?\b)"
    r"|(?:start|begin|set|tag) version\b|v?\d+\.\d+(?:\.\d+)?\b"
    r"|\S+ (?:version )?v?\d+\.\d+(?:\.\d+)?(?:[-.+]?\w+)*(?: \(#\d+\))?$)"
    r"|\b(?:typos?|spelling|grammar|whitespace|reformat(?:ting|ted)?|formatting|lint(?:er|ing)?|nits?)\b"
)
_FIX = re.compile(r"(?i)^(?:hot)?fix(?:e[sd]|up)?\b")

_STRONG = re.compile(
    r"(?i)\b(architectur\w*|migrat(?:e[sd]?|ing|ion|ions)|re-?architect\w*|redesign\w*|rewrit(?:e|es|ten|ing)|rewrote"
    r"|deci(?:ded?|sions?) (?:to|on|against|that|not|for)|decisions? (?:is|are|was|were|fell)"
    r"|(?:our|this|design) decisions?|deprecat(?:es?|ing)|(?<!without )breaking|adr)\b"
)
_MEDIUM = re.compile(
    r"(?i)\b(implement(?:s|ed|ing|ation)?|refactor\w*|introduc(?:e[sd]?|ing)|replac(?:e[sd]?|ing)|restructur\w*"
    r"|reorgani[sz]\w*|adopt(?:s|ed|ing)?|switch(?:e[sd]|ing)? (?:to|from)|(?:drop|remove)(?:s|ped|d)? support"
    r"|split(?:s|ting)? \w+.* (?:into|from)|extract(?:s|ed|ing)?|decoupl\w*|unif(?:y|ies|ied))\b"
)
_WEAK = re.compile(r"(?i)\b(designs?|designed|patterns?|abstraction|protocol|schema|invariants?|concurrency)\b")
_STRUCTURAL = re.compile(
    r"(?i)(?:^|/)(?:migrations?|adrs?|decisions|rfcs?)/|\.(?:proto|graphql|sql|tf)$"
    r"|(?:^|/)(?:pyproject\.toml|package\.json|cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|dockerfile"
    r"|openapi\.\w+)$"
)
_FOREIGN = frozenset({"vendored", "generated"})
_PACKAGE = re.compile(r"(?i)(?:^|/)(?:__init__\.py|mod\.rs|lib\.rs|index\.[jt]sx?|package-info\.java|main\.go)$")
_DECISION_RECORD = re.compile(r"(?i)(?:^|/)(?:adrs?|decisions|rfcs?)/[^/]+\.(?:md|rst|adoc|txt)$")
_STATES_DECISION = re.compile(
    r"(?i)\b(?:deci(?:ded?|sions?) (?:to|on|against|that|not|for)|decisions? (?:is|are|was|were|fell)|instead of"
    r"|rather than|in favou?r of|adopt(?:s|ed)?|cho[os]se|chosen|(?<!-)switch(?:e[sd])? (?:to|from)"
    r"|replace[sd]? .+ (?:with|by)|(?:drop|remove)(?:s|ped|d)? support|migrated? .+ to)\b"
)
_DEPRECATES = re.compile(
    r"(?i)^(?:\w+ and )?(?:un-?|re-?)?deprecate[sd]?\b|\b(?:remov|drop|delet)\w* (?:\w+ )?(?:previously )?deprecated\b"
)
"""Subjects that deprecate something or remove what was deprecated; others only mention a deprecation."""

_MERGE = re.compile(r"(?i)merge (?:commit from fork|(?:pull request|branch|remote-tracking branch)\b.*)")
"""The subjects of merges by hosts, which a squashed commit can have, too."""

SUBJECT_WIDTH = 60
"""The fewest columns at which authors wrap a subject; most wrap at 72."""

_BEGINS = re.compile(r"[^a-z\s]")
"""The first character of a line that begins a sentence or an entry of a list."""

_NUMBER = re.compile(r"\s*\(#\d+\)$")
"""The number of a pull request behind a subject."""

_TRAILER = re.compile(
    r"(?i)^(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|reported-by|cc|change-id|closes|fixes|refs?"
    r"|generated-by|\S*generated with|git-svn-id) *:? .*$"
    r"|^\(cherry[- ]picked from commit [0-9a-f]+\)$"
    r"|^--HG--$|^(?:rename|branch|extra) : .*$"
)

_SQUASHED = re.compile(
    r"(?i)-{3,}|[*-]\s+(?:(?:update|create|delete|rename|add)s? `?[\w./-]+\.\w+`?"
    r"|apply suggestions? from code review|merge (?:branch|remote-tracking branch|pull request)\b.*"
    r"|(?:(?:fix|run|add|update)(?:e[sd]|s|ed|ing)? )?(?:more |the |some )?"
    r"(?:lint\w*|typos?|format(?:ting)?|change ?log|wip|nits?|black|isort|mypy|flake8|ruff|prettier|tests?|coverage|ci"
    r"|imports?|(?:review )?(?:comments?|feedback)))\W*"
)
"""A rule, or a line of a squashed branch's list of commits that names a step of the work and nothing of the result."""


_STEP_WORDS = 3
"""The words up to which an entry of a squashed branch's list names a step only."""

_LIST_ENTRY = re.compile(r"\s*[*-]\s+(.*)")

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|(?<![^\s`])\S*(?:::|\w_\w|\w\.\w|\w\()\S*", re.DOTALL)
"""Code in a message: the words of a name do not tell what was done. A name is looked for where a word begins, so that
the time grows with the length of a word and not with its square.
"""


def assess(commit: Commit) -> Significance | None:
    """Score a commit; return None when it does not deserve a memory.

    In the subject a strong word scores 2, a medium one 1 and a weak one 0.5; in the body half of that. A score of 1
    makes a commit significant, 2 a fix; so do two signs of size: many files, many deleted files, a new package. Size,
    structural files and a breaking change raise the importance.
    """
    if len(commit.parents) > 1 or is_of_memory(commit):
        return None
    full_subject = subject_without_emoji(commit)
    matched = _CONVENTIONAL.match(full_subject)
    breaking = bool(matched and matched["breaking"]) or bool(_BREAKING.search(commit.body))
    recorded = any(_DECISION_RECORD.search(path) for path in commit.added)
    if not (breaking or recorded) and _is_routine(commit, matched["type"].lower() if matched else ""):
        return None
    subject = full_subject[matched.end() :] if matched else full_subject
    kind = matched["type"] if matched else ""
    score, words = _weigh(f"{kind} {subject}" if kind.lower() == "refactor" else subject, commit.body)
    if _DEPRECATES.search(subject) and not any(word.startswith("deprecat") for word in words):
        score, words = score + 2, ("deprecated", *words)
    fix = is_fix(commit) or kind.lower() == "perf"
    size = _size(commit)
    if not (breaking or recorded or (len(size) > 1 and not fix)) and score < (2 if fix else 1):
        return None
    if breaking:
        words = ("breaking", *(word for word in words if word != "breaking"))
    score += 3 * breaking + 2 * recorded + _breadth(commit.files) + 0.5 * len(size)
    words = (*words, *size)
    importance = 8 if score >= 4 else 7 if score >= 2 else 6
    stated = (recorded and _is_prose_alone(commit)) or states_decision(commit)
    return Significance(importance=importance, keywords=words, decision=stated)


def states_decision(commit: Commit) -> bool:
    """Whether a commit's message tells what was chosen, dropped or deprecated."""
    subject = bare_subject(commit)
    return bool(_DEPRECATES.search(subject) or _STATES_DECISION.search(_CODE.sub("`", f"{subject}\n{commit.body}")))


def draft_trace(commit: Commit, session: str | None, agent: str | None) -> MemoryDraft | None:
    """Return a private memory that these files were relevant to the commit's task.

    None for a merge, an empty subject, and a commit of more than `TRACED_FILES` files. It is private because every
    clone can derive it.
    """
    if (
        len(commit.parents) > 1
        or is_of_memory(commit)
        or not commit.subject
        or not 0 < len(commit.files) <= TRACED_FILES
    ):
        return None
    return MemoryDraft(
        type="context_hit",
        title=commit.subject,
        text=f"Relevant for “{commit.subject}”: {', '.join(commit.files)}",
        tags=("commit",),
        files=commit.files,
        importance=1,
        confidence=0.6,
        session=session,
        actor="hook",
        agent=agent,
        private=True,
        details={"query": commit.subject, "commit": commit.sha},
        key=f"trace:{commit.sha}",
    )


def is_of_memory(commit: Commit) -> bool:
    """Whether a commit changes memory only; its memories are there already."""
    return bool(commit.files) and all(path.startswith(MEMORY) for path in commit.files)


def without_records(commit: Commit) -> Commit:
    """Return a commit without the files of memory that it contains beside others.

    The git hook adds the records of a session to its commits; a commit is not about these.
    """
    if is_of_memory(commit):
        return commit
    return replace(commit, files=tuple(path for path in commit.files if not path.startswith(MEMORY)))


def commit_key(sha: str) -> str:
    """Return the idempotency key of a commit's memory."""
    return f"commit:{sha}"


def memory_text(commit: Commit) -> str:
    """Return subject and body without trailers and without the steps of a squashed branch, cut between words."""
    body = without_steps(commit)
    return _shorten(f"{commit.subject}\n\n{body}" if body else commit.subject)


def title_of(commit: Commit) -> str:
    """Return a commit's subject; where that only names a merge, the first line of the body that says more."""
    if not _MERGE.fullmatch(commit.subject):
        return commit.subject
    lines = (line.strip("*-# ") for line in without_steps(commit).splitlines())
    return next(filter(None, lines), commit.subject)


def is_fix(commit: Commit) -> bool:
    """Whether a commit's subject declares a bug fix."""
    matched = _CONVENTIONAL.match(subject_without_emoji(commit))
    if matched and matched["type"].lower() in ("fix", "hotfix", "bugfix"):
        return True
    return bool(_FIX.match(bare_subject(commit)))


def subject_without_emoji(commit: Commit) -> str:
    """Return a commit's subject without emoji before it; the whole one if it has nothing else."""
    return _EMOJI.sub("", commit.subject) or commit.subject


def bare_subject(commit: Commit) -> str:
    """Return a commit's subject without emoji and without a prefix such as "fix(parser):"."""
    full_subject = subject_without_emoji(commit)
    matched = _CONVENTIONAL.match(full_subject)
    return full_subject[matched.end() :] if matched else full_subject


def is_routine(commit: Commit) -> bool:
    """Whether a commit is routine: a release, formatting, typing errors, prose only."""
    matched = _CONVENTIONAL.match(subject_without_emoji(commit))
    return _is_routine(commit, matched["type"].lower() if matched else "")


def without_private(commit: Commit) -> Commit:
    """Return a commit without the private spans of its message; a span may begin in the subject."""
    message, spans = strip_private(f"{commit.subject}\n\n{commit.body}")
    if not spans:
        return commit
    subject, _, body = message.strip().partition("\n")
    return replace(commit, subject=subject.strip(), body=body.strip())


def with_short_subject(commit: Commit) -> Commit:
    """Return a commit whose subject is its first line where a line of its own follows that without a blank line.

    git joins the lines before the first blank line. A line belongs to the subject if it goes on within a sentence and
    the one before was full: its first word would not have fitted there.
    """
    first, _, rest = commit.subject_lines.partition("\n")
    if not rest:
        return commit
    full = len(first) + 1 + len(rest.split(maxsplit=1)[0]) > SUBJECT_WIDTH
    if full and not _BEGINS.match(rest.lstrip()):
        return commit
    return replace(commit, subject=first.strip(), body=f"{rest.strip()}\n\n{commit.body}".strip(), subject_lines="")


def _is_routine(commit: Commit, kind: str) -> bool:
    if kind in _ROUTINE_TYPES or _ROUTINE.search(subject_without_emoji(commit)):
        return True
    return _is_prose_alone(commit)


def _is_prose_alone(commit: Commit) -> bool:
    return bool(commit.files) and all(classify(path)[0] == "knowledge" for path in commit.files)


def _weigh(subject: str, body: str) -> tuple[float, tuple[str, ...]]:
    """Return the score of the words, and the words in order."""
    score = 0.0
    words: list[str] = []
    seen: set[str] = set()
    for text, share in ((subject, 1.0), (_without_trailers(body), 0.5)):
        prose = _CODE.sub(" ", text)
        for pattern, weight in ((_STRONG, 2.0), (_MEDIUM, 1.0), (_WEAK, 0.5)):
            for found in pattern.finditer(prose):
                word = found[1].lower().split()[0]
                if word[:6] not in seen:  # migrate and migration count once
                    seen.add(word[:6])
                    words.append(word)
                    score += weight * share
    return score, tuple(words)


def _breadth(files: tuple[str, ...]) -> float:
    wide = 2.0 if len(files) >= 30 else 1.0 if len(files) >= 10 else 0.0
    return wide + (1.0 if any(_STRUCTURAL.search(path) for path in files) else 0.0)


def _size(commit: Commit) -> tuple[str, ...]:
    """Return the signs that a commit is large, without vendored and generated files."""
    code = {
        path for path in commit.files if classify(path)[0] == "code" and not _FOREIGN.intersection(path_traits(path))
    }
    size_notes = []
    if len(code) >= MANY_FILES:
        size_notes.append("many files")
    if any(_PACKAGE.search(path) for path in commit.added & code) and len(commit.added & code) > 1:
        size_notes.append("new package")
    if len(commit.deleted & code) >= MANY_DELETED:
        size_notes.append("many files gone")
    return tuple(size_notes)


def _without_trailers(body: str) -> str:
    return "\n".join(line for line in body.splitlines() if not _TRAILER.match(line)).strip()


def without_steps(commit: Commit, *, entries: bool = True) -> str:
    """Return a body without trailers and without lines of a list that repeat the subject or only name a step.

    Without `entries`, the whole list of a squashed branch is left out: what it says of a step holds for that step.
    """
    title = _NUMBER.sub("", commit.subject).strip(" .")
    body = _without_trailers(commit.body)
    lines = body.splitlines()
    short = (_STEP_WORDS if entries else len(body)) if _NUMBER.search(commit.subject) else 0
    kept = [line for line in lines if not _is_step(line, short) and line.strip("*- .") != title]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip() if len(kept) < len(lines) else body


def _is_step(line: str, short: int) -> bool:
    """Whether a line names a step of the work: a known one, or an entry of a list of at most `short` words."""
    entry = _LIST_ENTRY.fullmatch(line)
    return bool(_SQUASHED.fullmatch(line)) or (entry is not None and len(entry[1].split()) <= short)


def _shorten(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return text
    return text[:MAX_TEXT].rsplit(None, 1)[0] + " …"
