"""Drafts memories of commits, those of a history and new ones by the same rules. It reads commits, not git.

It applies the rules of `commit_memory`, and rules that need later commits: a revert becomes a failed attempt, and a
reverted commit is skipped. A fix needs a stated cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from muninn_core.capture.commits.commit_memory import (
    MAX_FILES,
    Significance,
    assess,
    bare_subject,
    commit_key,
    is_fix,
    is_of_memory,
    is_routine,
    memory_text,
    states_decision,
    title_of,
    with_short_subject,
    without_private,
    without_records,
    without_steps,
)
from muninn_core.capture.commits.history_memory import HistoryMemory
from muninn_core.capture.statements.conversation import Message
from muninn_core.capture.statements.statement import Statement, find_statements
from muninn_core.model.value import replace
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.source.files.classify import classify, path_traits

if TYPE_CHECKING:
    from muninn_core.git import Commit

MAX_MEMORY_FILES = 10
"""The number of files that a memory names, the most relevant ones."""

CAUSE_CHARS = 400

MIN_STATEMENT_PROBABILITY = 0.65
"""The minimum probability of a statement in a commit message.

Messages quote and describe code more often than conversations do.
"""

SUBJECT_ONLY_IMPORTANCE = 6
"""The importance of a commit whose message is only a subject."""

_WORK = (
    *(
        "refactor",
        "rewrit",
        "rewrote",
        "restructur",
        "reorgani",
        "implement",
        "introduc",
        "extract",
        "split",
        "decoupl",
    ),
    *("unif", "design", "pattern", "abstraction", "protocol", "schema", "invariant", "concurrency"),
    *("many files", "new package"),
)
"""Beginnings of words that tell what was done and not what holds since: a subject with no other says no more than
`git log`."""

_BOT = re.compile(
    r"(?i)\[bot\]|(?:^|[-_. ])(?:ro)?bot(?:$|[-_. @])|dependabot|renovate|greenkeeper|snyk|github-actions|pre-commit-ci"
    r"|weblate|transifex|semantic-release|all-?contributors|mergify|pyup|azure-pipelines|jenkins"
)
_REVERTS = re.compile(r"(?m)^This reverts commit ([0-9a-f]{40,64})\b.*$")
_REVERT = re.compile(r'^Revert "\s*(?P<what>.+?)\s*"?(?: \(#\d+\))?$')
_REVERTING = re.compile(r"(?i)^(?:revert|back(?:ed|s)? out|undo)\b")
_REAPPLY = re.compile(r'^(?:Reapply|Revert "Re(?:vert|apply))\b')
_BUILDS = re.compile(
    r"(?i)^(?:add|allow|clean|creat|delet|disabl|document|drop|export|generat|hid|implement|improv|introduc|mak|merg"
    r"|mov|port|re(?:factor|form|implement|mov|nam|organi[sz]|plac|writ)|simplif|speed up|split|support|test|updat"
    r"|upgrad|us|wrap)(?:es|ed|e|s|ing|y|ies|ied|ped)?\b"
)
"""Subjects that add or change something. Their bodies often describe a fault that was there before."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(`*]*[A-Z0-9`])|\n\s*\n|\n\s*[-*+]\s+")
_CAUSE = re.compile(
    r"(?i)\b(?:because|caused by|due to|owing to|root cause|turn(?:s|ed) out|as a result of"
    r"|(?:cause|culprit|problem|reason|bug|issue) (?:is|was|were|lies|lay)\b|happen(?:s|ed) (?:when|if|whenever|after)"
    r"|(?:did|does|was|were|is|are)(?:n't| not) (?:\w+ ){0,3}(?:so|which|and)\b|forgot(?:ten)? to)\b"
)

_REASON = re.compile(
    r"(?i)\b(?:because|so that|otherwise|in order to|therefore|hence|thus|(?:avoid|prevent)(?:s|ing)?"
    r"|(?:that|which|this) (?:means?|meant|caus(?:es|ed)|is why|breaks?|broke|makes?|made|allows?|lets?)|the reason"
    r"|due to|since (?:it|they|the|this|that|there|these|we|you|an?|all|no|most|our)\b"
    r"|so (?:it|they|the|this|that|there|we|you|people|users?|an?|no|all|every|each)\b"
    r"|weil|damit|denn|parce qu[e']|afin d[e']|sinon|porque|para evitar|por eso|perch\u00e9|per evitare)\b"
    r"|^As (?!well|of|for|a result|an? example)\w"
    r"|\u56e0\u4e3a|\u7531\u4e8e|\u4ee5\u514d|\u5426\u5219|\u306e\u3067|\u305f\u3081|\u304b\u3089"
)
"""Words with which a sentence gives a reason: in English, German, French, Spanish, Portuguese, Italian, Chinese and
Japanese."""

_FEWEST_REASON_WORDS = 8
"""The fewest words of a sentence that gives a reason."""

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\s\u3040-\u30ff\u3400-\u9fff]+")

_MARKED = re.compile(r"(?i)(?:constraint|decision|rule|convention|invariant)s?: ")
"""The beginning of a subject that is a statement itself."""

_AIM = re.compile(r"(?i)\b(?:avoid|prevent)(?:s|ing)?\b")
"""Words that give a reason in a body. In a subject they tell what was done."""

_RULE = re.compile(
    r"(?i)\b(?:must(?:n't)?|never|always|only|cannot|may not|shall|not allowed|forbid(?:s|den)?|constraint|invariant)\b"
)
"""Words of a rule. A sentence without any tells what a commit found ("we don't need to")."""

_NOT_PROSE = re.compile(r"(?s)```.*?(?:```|\Z)|(?m:^(?: {4}|\t|>).*$)")
"""Code and quotations of a message."""


def reverted_commits(log: Iterable[Commit]) -> dict[str, str]:
    """Return {commit: the commit that reverts it}, as recorded by `git revert`. `log` is newest first.

    A revert that was itself reverted does not count.
    """
    found: dict[str, str] = {}
    for commit in log:
        if commit.sha not in found and _is_revert(commit):
            for sha in _REVERTS.findall(commit.body):
                found.setdefault(sha, commit.sha)
    return found


def _is_revert(commit: Commit) -> bool:
    """Whether a commit itself reverts another one; a squashed branch may only mention reverts."""
    return bool(_REVERTING.match(commit.subject) or _REVERTS.match(commit.body))


def memory_of_commit(commit: Commit, reverted: Mapping[str, str], subjects: Mapping[str, str]) -> HistoryMemory | str:
    """Return the memory of a commit, or the reason for none.

    `reverted` is the result of `reverted_commits`; `subjects` are the subjects of all commits by id.
    """
    if len(commit.parents) > 1:
        return "merges"
    if _BOT.search(commit.author) or _BOT.search(commit.email):
        return "made by bots"
    commit = without_records(without_private(with_short_subject(commit)))
    if not commit.subject:
        return "without a subject"
    if is_of_memory(commit):
        return "changes of memory alone"
    if commit.files and all("test" in path_traits(path) for path in commit.files):
        return "changes of tests alone"
    if commit.sha in reverted:
        return "taken back later"
    if _REAPPLY.match(commit.subject):
        return "routine"
    if _is_revert(commit):
        fields = _attempt_fields(commit, reverts(commit), subjects)
    elif is_routine(commit) and assess(commit) is None:
        fields = None
    else:
        fields = _knowledge_fields(commit)
        if fields is None:
            return "not significant"
    return _history_memory(commit, fields) if fields else "routine"


def captured(memory: HistoryMemory, session: str | None, agent: str | None) -> MemoryDraft:
    """Return the draft of a commit's memory as a session stores it right after the commit."""
    return replace(memory.draft, tags=("commit",), actor="hook", session=session, agent=agent)


def reverts(commit: Commit) -> str:
    """Return the id of the commit that a commit takes back, "" for none that it names."""
    named = _REVERTS.search(commit.body) if _is_revert(commit) else None
    return named[1] if named else ""


def _history_memory(commit: Commit, fields: dict[str, Any]) -> HistoryMemory:
    details = {"commit": commit.sha, "author": commit.author, **fields.pop("details")}
    draft = MemoryDraft(
        **fields,
        tags=("commit", "backfill"),
        files=_files(commit),
        actor="import",
        details=details,
        key=commit_key(commit.sha),
    )
    return HistoryMemory(draft=draft, commit=commit.sha, time=commit.time)


def _attempt_fields(commit: Commit, reverted: str, subjects: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the fields of a reverted attempt; None when the reverted change was routine."""
    matched = _REVERT.match(commit.subject)
    what = matched["what"] if matched else subjects.get(reverted, commit.subject)
    if is_routine(_with_subject(commit, what)):
        return None
    why = memory_text(_with_subject(commit, "", body=_REVERTS.sub("", commit.body))).strip()
    return {
        "type": "attempt",
        "title": f"Taken back: {what}",
        "text": f"Taken back: {what}\n\n{why or 'The commit that reverts it gives no reason.'}",
        "importance": 7 if why else 5,
        "confidence": 0.9 if why else 0.7,
        "details": {**({"reverts": reverted} if reverted else {}), **({"reason": why[:CAUSE_CHARS]} if why else {})},
    }


def _with_subject(commit: Commit, subject: str, body: str = "") -> Commit:
    return replace(commit, subject=subject, body=body)


def _knowledge_fields(commit: Commit) -> dict[str, Any] | None:
    """Return the fields of a decision, a constraint, an insight or a fix with its cause; None for other commits."""
    significance = assess(commit)
    message = f"{commit.subject}\n\n{commit.body}"
    said = message if _MARKED.match(commit.subject) else commit.body
    candidates = find_statements([Message(speaker="assistant", text=said)], threshold=MIN_STATEMENT_PROBABILITY)
    statement = max(candidates, key=lambda entry: entry.probability, default=None)
    text = memory_text(commit)
    subject_only = text == commit.subject
    fix = is_fix(commit)
    cause = _cause(message)
    reason = _reason(commit)
    # A decision record is found itself, so a commit that adds one and says no more than its subject adds nothing.
    decided = significance is not None and (states_decision(commit) if subject_only else significance.decision)
    gives_reason = bool(reason or (fix and cause))
    if statement is None and not gives_reason and (significance is None or (fix and subject_only)):
        return None
    if (
        subject_only
        and not (decided or gives_reason or statement)
        and all(word.startswith(_WORK) for word in _words(significance))
    ):
        return None
    details: dict[str, Any] = {"keywords": list(significance.keywords)} if significance else {}
    details.update({"cause": cause} if fix and cause else {})
    details.update({"stated": statement.sentence} if statement else {})
    details.update({"reason": reason} if reason and not statement and not (fix and cause) else {})
    is_built = not cause or bool(_BUILDS.match(bare_subject(commit)))
    return {
        "type": "bug_fix" if fix else _kind(statement, decided=decided, is_built=is_built),
        "title": title_of(commit),
        "text": text,
        "importance": significance.importance if significance and not subject_only else SUBJECT_ONLY_IMPORTANCE,
        "details": details,
    }


def _words(significance: Significance | None) -> Sequence[str]:
    return significance.keywords if significance is not None else ()


def _kind(statement: Statement | None, *, decided: bool, is_built: bool) -> str:
    """Return the kind of a commit that declares no fix. `is_built`: it adds or changes something, and mends nothing."""
    if decided or statement is None:
        return "decision" if decided else "insight"
    if (is_built and statement.type == "bug_fix") or (
        statement.type == "constraint" and not _RULE.search(statement.sentence)
    ):
        return "insight"
    return statement.type


def _cause(body: str) -> str:
    """Return the sentences of a message that state a cause, at most two."""
    causes = [sentence for sentence in _sentences(body) if len(sentence) > 20 and _CAUSE.search(sentence)]
    return _first_of(causes)


def _reason(commit: Commit) -> str:
    """Return the sentences of a message's prose that give a reason, at most two."""
    sentences = _sentences(_NOT_PROSE.sub("", without_steps(commit, entries=False)))
    subject = bare_subject(commit)
    if _REASON.search(_AIM.sub("", subject)):
        sentences.insert(0, subject)
    return _first_of([each for each in sentences if _length(each) >= _FEWEST_REASON_WORDS and _REASON.search(each)])


def _length(sentence: str) -> int:
    """Return the number of words; in a script without spaces each character counts as one."""
    return len(_WORD.findall(sentence))


def _sentences(text: str) -> list[str]:
    return [" ".join(sentence.split()) for sentence in _SENTENCE.split(text)]


def _first_of(sentences: Sequence[str]) -> str:
    """Return the first two sentences, the second one if both are within `CAUSE_CHARS`."""
    both = " ".join(sentences[:2])
    return both if len(both) <= CAUSE_CHARS else sentences[0][:CAUSE_CHARS]


_LISTS_CHANGES = re.compile(
    r"(?i)(?:^|/)(?:change[-_]?(?:log|s)|history|news|release[-_]?notes?)(?:\.(?:md|rst|txt|adoc))?$"
)
"""Files that list the changes of a project. Commits of all kinds add to them."""


def _files(commit: Commit) -> tuple[str, ...]:
    """Return the files that a memory names: code before tests and prose, without deleted ones and lists of changes."""
    if len(commit.files) > MAX_FILES:
        return ()
    existing = [path for path in commit.files if path not in commit.deleted and not _LISTS_CHANGES.search(path)]
    existing.sort(key=lambda path: (classify(path)[0] != "code", bool(path_traits(path)), path))
    return tuple(existing[:MAX_MEMORY_FILES])
