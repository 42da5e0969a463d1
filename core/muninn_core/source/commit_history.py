"""What the history of a repository says that is worth a memory, told long after. Reads commits, never git itself.

The rules are those of a commit that has just been made (`commit`), and some that need to know what came later: what
was taken back is an attempt, and what was taken back is no news. A fix is worth a memory when it says its cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from muninn_core.model.value import Value, replace
from muninn_core.protocol.memory import MemoryDraft
from muninn_core.source.classify import classify, traits
from muninn_core.source.commit_memory import (
    MAX_FILES,
    is_fix,
    is_routine,
    key_of,
    significant,
    text_of,
    without_private,
)
from muninn_core.source.statement import Statement, statements

if TYPE_CHECKING:
    from muninn_core.git import Commit
    from muninn_core.git.log import LogEntry

MOST_FILES = 10
"""Files that a memory of long ago names: those that it is most likely about."""

CAUSE_CHARS = 400

SURE = 5
"""The least score of a statement in a commit's message: such a message quotes, and tells what code does, more often
than a conversation."""

BARE = 6
"""The most importance of a commit that has no more to say than its subject."""

_BOT = re.compile(
    r"(?i)\[bot\]|(?:^|[-_. ])(?:ro)?bot(?:$|[-_. @])|dependabot|renovate|greenkeeper|snyk|github-actions|pre-commit-ci"
    r"|weblate|transifex|semantic-release|all-?contributors|mergify|pyup|azure-pipelines|jenkins"
)
_REVERTS = re.compile(r"(?m)^This reverts commit ([0-9a-f]{40,64})\b.*$")
_REVERT = re.compile(r'^Revert "(?P<what>.+?)"?$')
_REVERTING = re.compile(r"(?i)^(?:revert|back(?:ed|s)? out|undo)\b")
_AGAIN = re.compile(r'^(?:Reapply|Revert "Re(?:vert|apply))\b')
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(`*]*[A-Z0-9`])|\n\s*\n|\n\s*[-*+]\s+")
_CAUSE = re.compile(
    r"(?i)\b(?:because|caused by|due to|owing to|root cause|turn(?:s|ed) out|as a result of"
    r"|(?:cause|culprit|problem|reason|bug|issue) (?:is|was|were|lies|lay)\b|happen(?:s|ed) (?:when|if|whenever|after)"
    r"|(?:did|does|was|were|is|are)(?:n't| not) (?:\w+ ){0,3}(?:so|which|and)\b|forgot(?:ten)? to)\b"
)


class HistoryMemory(Value):
    """A memory of long ago: what it says, when that was (RFC 3339), and the commit that tells it, if one does."""

    draft: MemoryDraft
    commit: str
    time: str


def reverted_commits(log: Iterable[LogEntry]) -> dict[str, str]:
    """Return {commit: the one that reverts it}, by the line that `git revert` writes; `log` has the newest first.

    A revert that was itself reverted takes nothing back.
    """
    found: dict[str, str] = {}
    for one in log:
        if one.commit.sha not in found and _reverts(one.commit):
            for sha in _REVERTS.findall(one.commit.body):
                found.setdefault(sha, one.commit.sha)
    return found


def _reverts(commit: Commit) -> bool:
    """Whether a commit takes another one back; a squashed branch may only tell of commits that did."""
    return bool(_REVERTING.match(commit.subject) or _REVERTS.match(commit.body))


def memories_of(logged: LogEntry, back: Mapping[str, str], subjects: Mapping[str, str]) -> HistoryMemory | str:
    """Return the memory of a commit, or why it is worth none. `subjects` are those of the commits by their ids."""
    if len(logged.commit.parents) > 1:
        return "merges"
    if _BOT.search(logged.commit.author) or _BOT.search(logged.email):
        return "made by bots"
    commit = without_private(logged.commit)
    if not commit.subject:
        return "without a subject"
    if commit.files and all(path.startswith(".muninn/") for path in commit.files):
        return "of memory alone"
    if commit.files and all("test" in traits(path) for path in commit.files):
        return "of tests alone"
    if commit.sha in back:
        return "taken back later"
    if _AGAIN.match(commit.subject):
        return "routine"
    if _reverts(commit):
        named = _REVERTS.search(commit.body)
        fields = _attempt(commit, named[1] if named else "", subjects)
    elif is_routine(commit) and significant(commit) is None:
        fields = None
    else:
        fields = _learned(commit)
        if fields is None:
            return "not significant"
    return _told(logged, commit, fields) if fields else "routine"


def _told(logged: LogEntry, commit: Commit, fields: dict[str, Any]) -> HistoryMemory:
    details = {"commit": commit.sha, "author": commit.author, **fields.pop("details")}
    draft = MemoryDraft(
        **fields,
        tags=("commit", "backfill"),
        files=_files(logged),
        actor="import",
        details=details,
        key=key_of(commit.sha),
    )
    return HistoryMemory(draft=draft, commit=commit.sha, time=commit.time)


def _attempt(commit: Commit, reverts: str, subjects: Mapping[str, str]) -> dict[str, Any] | None:
    """Return what a revert says was tried; None when nobody would try that again: a release, an upgrade."""
    matched = _REVERT.match(commit.subject)
    what = matched["what"] if matched else subjects.get(reverts, commit.subject)
    if is_routine(_with_subject(commit, what)):
        return None
    why = text_of(_with_subject(commit, "", body=_REVERTS.sub("", commit.body))).strip()
    return {
        "type": "attempt",
        "title": f"Taken back: {what}",
        "text": f"Tried and taken back: {what}\n\n{why or 'The commit that takes it back does not say why.'}",
        "importance": 7 if why else 5,
        "confidence": 0.9 if why else 0.7,
        "details": {**({"reverts": reverts} if reverts else {}), **({"reason": why[:CAUSE_CHARS]} if why else {})},
    }


def _with_subject(commit: Commit, subject: str, body: str = "") -> Commit:
    return replace(commit, subject=subject, body=body)


def _learned(commit: Commit) -> dict[str, Any] | None:
    """Return what a commit says that holds on: a decision, a constraint, a cause; None when it says no such thing."""
    significance = significant(commit)
    said = (one for one in statements(commit.body, said_by_user=False) if one.score >= SURE)
    stated = max(said, key=lambda one: one.score, default=None)
    text = text_of(commit)
    bare = text == commit.subject
    fix = is_fix(commit)
    cause = _cause(commit.body) if fix else ""
    if stated is None and not cause and (significance is None or (fix and bare)):
        return None
    details: dict[str, Any] = {"keywords": list(significance.keywords)} if significance else {}
    details.update({"cause": cause} if cause else {})
    details.update({"stated": stated.text} if stated else {})
    decided = significance is not None and significance.decision
    return {
        "type": "bug_fix" if fix else _kind(stated, decided=decided),
        "title": commit.subject,
        "text": text,
        "importance": significance.importance if significance and not bare else BARE,
        "details": details,
    }


def _kind(stated: Statement | None, *, decided: bool) -> str:
    if decided or stated is None:
        return "decision" if decided else "insight"
    return stated.type


def _cause(body: str) -> str:
    """Return the sentences of a message that say why something was broken, two at most."""
    sentences = (" ".join(sentence.split()) for sentence in _SENTENCE.split(body))
    causes = [sentence for sentence in sentences if len(sentence) > 20 and _CAUSE.search(sentence)]
    return " ".join(causes[:2])[:CAUSE_CHARS]


def _files(logged: LogEntry) -> tuple[str, ...]:
    """Return the files that a memory names: code before tests and prose; none that the commit itself deleted."""
    there = [path for path in logged.commit.files if path not in logged.deleted and not path.startswith(".muninn/")]
    if len(logged.commit.files) > MAX_FILES:
        return ()
    there.sort(key=lambda path: (classify(path)[0] != "code", bool(traits(path)), path))
    return tuple(there[:MOST_FILES])
