"""Which commits are worth a memory, and what it says. Reads a commit's words and paths, never git itself.

A memory of every commit would be a worse `git log`. A commit counts when its words speak of structure (a migration, a
refactoring, a decision), unless it is a merge, a release, or touches prose alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muninn_core.model.value import Value, replace
from muninn_core.protocol.memory import MemoryDraft
from muninn_core.source.classify import classify, traits
from muninn_core.source.private import strip_private

if TYPE_CHECKING:
    from muninn_core.git import Commit

MAX_FILES = 50
"""Changed files that a memory names; a commit that touches more is not about single files."""

TRACED_FILES = 20
"""Changed files of a commit that shows which of them belong to a task; beyond that it is a sweep."""

MAX_TEXT = 2000
"""Characters of subject and body that a memory keeps."""


MANY_LINES, MANY_FILES, MANY_GONE = 1_000, 30, 5
"""Lines that came or went, files that changed, and files that are gone, from which on a commit is large."""


class Significance(Value):
    """Why a commit matters: importance 6 to 8, the words that say so, and whether it states a decision."""

    importance: int
    keywords: tuple[str, ...]
    decision: bool


_CONVENTIONAL = re.compile(r"^(?P<type>[A-Za-z]+)(?:\([^)]*\))?(?P<breaking>!)?:\s+")
_BREAKING = re.compile(r"(?m)^BREAKING[ -]CHANGE:|(?i:\bbackwards?[- ]incompatible\b)")
_ROUTINE_TYPES = frozenset(
    {"docs", "style", "chore", "ci", "build", "test", "tests", "release", "revert", "deps", "wip"}
)
_ROUTINE = re.compile(
    r"(?i)^(?:fixup!|squash!|amend!|wip\b|merge\b|revert\b|bump\b|release\b|prepare\b.*\brelease\b|version\b"
    r"|(?:update|upgrade)s? (?:the )?(?:dependenc|deps\b|lock ?file|change ?log|copyright|translations?\b)"
    r"|v?\d+\.\d+(?:\.\d+)?\b)"
    r"|\b(?:typos?|spelling|grammar|whitespace|reformat(?:ting|ted)?|formatting|lint(?:er|ing)?|nits?)\b"
)
_FIX = re.compile(r"(?i)^(?:hot)?fix(?:e[sd]|up)?\b")

_STRONG = re.compile(
    r"(?i)\b(architectur\w*|migrat(?:e[sd]?|ing|ion|ions)|re-?architect\w*|redesign\w*|rewrit(?:e|es|ten|ing)|rewrote"
    r"|decisions?|decided?|deprecat\w*|breaking|adr)\b"
)
_MEDIUM = re.compile(
    r"(?i)\b(implement(?:s|ed|ing|ation)?|refactor\w*|introduc(?:e[sd]?|ing)|replac(?:e[sd]?|ing)|restructur\w*"
    r"|reorgani[sz]\w*|adopt(?:s|ed|ing)?|switch(?:e[sd]|ing)? (?:to|from)|(?:drop|remove)(?:s|ped|d)? support"
    r"|split(?:s|ting)? \w+.* (?:into|from)|extract(?:s|ed|ing)?|decoupl\w*|unif(?:y|ies|ied))\b"
)
_WEAK = re.compile(r"(?i)\b(designs?|designed|patterns?|abstraction|protocol|schema|invariants?|concurrency)\b")
_STRUCTURAL = re.compile(
    r"(?i)(?:^|/)(?:migrations?|adrs?|decisions|rfcs?)/|\.(?:proto|graphql|sql|tf)$"
    r"|(?:^|/)(?:pyproject\.toml|package\.json|cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|dockerfile|openapi\.\w+)$"
)
_FOREIGN = frozenset({"vendored", "generated"})
_PACKAGE = re.compile(r"(?i)(?:^|/)(?:__init__\.py|mod\.rs|lib\.rs|index\.[jt]sx?|package-info\.java|main\.go)$")
_DECISION_RECORD = re.compile(r"(?i)(?:^|/)(?:adrs?|decisions|rfcs?)/[^/]+\.(?:md|rst|adoc|txt)$")
_STATES_DECISION = re.compile(
    r"(?i)\b(?:decisions?|decided?|instead of|rather than|in favou?r of|deprecat\w*|adopt(?:s|ed)?|cho[os]se|chosen"
    r"|switch(?:e[sd])? (?:to|from)|replace[sd]? .+ (?:with|by)|(?:drop|remove)(?:s|ped|d)? support|migrated? .+ to)\b"
)
_TRAILER = re.compile(
    r"(?i)^(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|reported-by|cc|change-id|closes|fixes|refs?"
    r"|generated-by|\S*generated with|git-svn-id) *:? .*$"
    r"|^--HG--$|^(?:rename|branch|extra) : .*$"
)


def significant(commit: Commit) -> Significance | None:
    """Weigh a commit; None when it is not worth a memory.

    A strong word of the subject weighs 2, a medium one 1, a weak one 0.5; in the body the half. One point makes a
    commit significant; so does sheer size, where two things tell of it: lines, files, a new package. Size, structural
    files and a declared breaking change raise its importance.
    """
    if len(commit.parents) > 1:
        return None
    matched = _CONVENTIONAL.match(commit.subject)
    breaking = bool(matched and matched["breaking"]) or bool(_BREAKING.search(commit.body))
    recorded = any(_DECISION_RECORD.search(path) for path in commit.files)
    if not (breaking or recorded) and _routine(commit, matched["type"].lower() if matched else ""):
        return None
    subject = commit.subject[matched.end() :] if matched else commit.subject
    kind = matched["type"] if matched else ""
    score, words = _weigh(f"{kind} {subject}" if kind.lower() == "refactor" else subject, commit.body)
    fix = is_fix(commit) or kind.lower() == "perf"
    size = _size(commit)
    if not (breaking or recorded or (len(size) > 1 and not fix)) and score < (2 if fix else 1):
        return None
    if breaking:
        words = ("breaking", *(word for word in words if word != "breaking"))
    score += 3 * breaking + 2 * recorded + _breadth(commit.files) + 0.5 * len(size)
    words = (*words, *size)
    importance = 8 if score >= 4 else 7 if score >= 2 else 6
    stated = recorded or bool(_STATES_DECISION.search(f"{subject}\n{commit.body}"))
    return Significance(importance=importance, keywords=words, decision=stated)


def draft(commit: Commit, significance: Significance, session: str | None, agent: str | None) -> MemoryDraft:
    """Make the memory of a commit. Its key is the commit's id: however often it is seen, it is stored once."""
    return MemoryDraft(
        type="decision" if significance.decision else "insight",
        title=commit.subject,
        text=text_of(commit),
        tags=("commit",),
        files=commit.files[:MAX_FILES],
        importance=significance.importance,
        session=session,
        actor="hook",
        agent=agent,
        details={"commit": commit.sha, "author": commit.author, "keywords": list(significance.keywords)},
        key=key_of(commit.sha),
    )


def trace(commit: Commit, session: str | None, agent: str | None) -> MemoryDraft | None:
    """Return what a commit shows that is worth no memory of its own: for such a task these files were relevant.

    None for a merge, a commit without words, and one of so many files that none of them is what it is about. It stays
    on this machine: whoever has the commit can tell the same.
    """
    if len(commit.parents) > 1 or not commit.subject or not 0 < len(commit.files) <= TRACED_FILES:
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


def key_of(sha: str) -> str:
    """Return the idempotency key of a commit's memory."""
    return f"commit:{sha}"


def text_of(commit: Commit) -> str:
    """Return what a memory says of a commit: subject and body, without trailers, cut between words."""
    body = _without_trailers(commit.body)
    return _cut(f"{commit.subject}\n\n{body}" if body else commit.subject)


def is_fix(commit: Commit) -> bool:
    """Whether a commit says that it mends a bug."""
    matched = _CONVENTIONAL.match(commit.subject)
    if matched and matched["type"].lower() in ("fix", "hotfix", "bugfix"):
        return True
    return bool(_FIX.match(commit.subject[matched.end() :] if matched else commit.subject))


def is_routine(commit: Commit) -> bool:
    """Whether a commit is of a kind that nobody remembers: releases, formatting, typing errors, prose alone."""
    matched = _CONVENTIONAL.match(commit.subject)
    return _routine(commit, matched["type"].lower() if matched else "")


def without_private(commit: Commit) -> Commit:
    """Return a commit whose message has lost what its author marked as private; a span may begin in the subject."""
    message, spans = strip_private(f"{commit.subject}\n\n{commit.body}")
    if not spans:
        return commit
    subject, _, body = message.strip().partition("\n")
    return replace(commit, subject=subject.strip(), body=body.strip())


def _routine(commit: Commit, kind: str) -> bool:
    if kind in _ROUTINE_TYPES or _ROUTINE.search(commit.subject):
        return True
    return bool(commit.files) and all(classify(path)[0] == "knowledge" for path in commit.files)


def _weigh(subject: str, body: str) -> tuple[float, tuple[str, ...]]:
    """Return the score of the words and the words themselves, in the order in which they are met."""
    score = 0.0
    words: list[str] = []
    seen: set[str] = set()
    for text, share in ((subject, 1.0), (_without_trailers(body), 0.5)):
        for pattern, weight in ((_STRONG, 2.0), (_MEDIUM, 1.0), (_WEAK, 0.5)):
            for found in pattern.finditer(text):
                word = found[1].lower().split()[0]
                if word[:6] not in seen:  # migrate and migration say the same
                    seen.add(word[:6])
                    words.append(word)
                    score += weight * share
    return score, tuple(words)


def _breadth(files: tuple[str, ...]) -> float:
    wide = 2.0 if len(files) >= 30 else 1.0 if len(files) >= 10 else 0.0
    return wide + (1.0 if any(_STRUCTURAL.search(path) for path in files) else 0.0)


def _size(commit: Commit) -> tuple[str, ...]:
    """Return what the difference says of how much a commit changes; what is vendored or generated is no work."""
    code = {path for path in commit.files if classify(path)[0] == "code" and not _FOREIGN.intersection(traits(path))}
    told = []
    if sum(lines for path, lines in commit.lines.items() if path in code) >= MANY_LINES:
        told.append("many lines")
    if len(code) >= MANY_FILES:
        told.append("many files")
    if any(_PACKAGE.search(path) for path in commit.added & code) and len(commit.added & code) > 1:
        told.append("new package")
    if len(commit.deleted & code) >= MANY_GONE:
        told.append("many files gone")
    return tuple(told)


def _without_trailers(body: str) -> str:
    return "\n".join(line for line in body.splitlines() if not _TRAILER.match(line)).strip()


def _cut(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return text
    return text[:MAX_TEXT].rsplit(None, 1)[0] + " …"
