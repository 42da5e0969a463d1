"""The memories that the facts of a session make: what failed until something was changed, and what was done.

They say what can be counted, in words of ours: no sentence of the conversation is in them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from muninn_core.protocol.memory import MemoryDraft
from muninn_core.source.commit_history import HistoryMemory
from muninn_core.source.session_facts import Attempt, Command, Facts

MOST_ATTEMPTS = 2
"""Failed commands of one session that are kept: the last ones, which took the most."""

SHOWN = 8
"""Files, commits and tests that a sentence names."""

MOST_FILES = 20

LOOKING = re.compile(
    r"^(?:cd\s+\S+\s*&&\s*)?(?:\w+=\S+\s+)*(?:ls|cat|cd\s+\S+\s*$|head|tail|grep|rg|find|fd|which|wc|sed|awk|echo|stat"
    r"|file|tree|pwd|env|curl|ps|git (?:status|log|show|diff|add|stash|checkout|switch|branch))(?!\w)"
)
"""Commands that only look, or that fail for reasons which no change of a file mends."""


def drafts_of(facts: Facts, session: str, agent: str, roots: Sequence[str]) -> list[HistoryMemory]:
    """Return the memories of a session, at most three. Paths are made relative to the first of `roots` they are in."""
    tried = [one for one in facts.attempts if not LOOKING.match(one.command.text)][-MOST_ATTEMPTS:]
    found = [_attempt(one, session, agent, roots) for one in tried]
    files = _inside(facts.files, roots)
    if files or facts.commits:
        found.append(_summary(facts, files, session, agent, roots))
    return found


def _attempt(attempt: Attempt, session: str, agent: str, roots: Sequence[str]) -> HistoryMemory:
    command = attempt.command
    files = _inside(attempt.files, roots)
    mended = f"It passed once {_listed(files)} had been changed." if files else "It passed after a change."
    status = {} if command.status is None else {"exit_status": command.status}
    words, error = local(" ".join(command.text.split()), roots), local(command.error, roots)
    draft = MemoryDraft(
        type="attempt",
        title=f"`{words if len(words) <= 60 else words[:59] + '…'}` failed",
        text=f"`{words}` failed: {error}\n{mended}",
        tags=("session", "backfill"),
        files=files[:MOST_FILES],
        importance=5,
        confidence=0.7,
        session=session,
        actor="import",
        agent=agent,
        details={"command": words, **status, "error": error},
        key=f"attempt:{session}:{hashlib.sha256(words.encode()).hexdigest()[:24]}",
    )
    return HistoryMemory(draft=draft, commit="", time=command.time)


def _summary(facts: Facts, files: tuple[str, ...], session: str, agent: str, roots: Sequence[str]) -> HistoryMemory:
    day = (facts.begun or facts.ended)[:10]
    told = [f"Changed {_listed(files)}."] if files else []
    told += [f"Committed {_listed(facts.commits)}."] if facts.commits else []
    told += [f"Tests: {tests}."] if (tests := _tests(facts.tests)) else []
    failing = [local(f"`{_one_line(each)}`", roots) for each in facts.failing if not LOOKING.match(each.text)]
    told += [f"Failed to the end: {_listed(failing[-MOST_ATTEMPTS:])}."] if failing else []
    when = f"Session of {day}" if day else "A session"
    draft = MemoryDraft(
        type="session_summary",
        title=f"{when}: {_counted(len(files), 'file')}, {_counted(len(facts.commits), 'commit')}",
        text=f"{when}. {' '.join(told)}",
        tags=("session", "backfill"),
        files=files[:MOST_FILES],
        importance=4,
        confidence=0.9,
        session=session,
        actor="import",
        agent=agent,
        details={"commits": [commit.split(" ", 1)[0] for commit in facts.commits]} if facts.commits else {},
        key=f"session:{session}",
    )
    return HistoryMemory(draft=draft, commit="", time=facts.ended)


def _one_line(command: Command) -> str:
    return " ".join(command.text.split())[:80]


def _tests(commands: Sequence[Command]) -> str:
    """Return how often each test was run and how it ended, in the order of the session."""
    runs: dict[str, list[Command]] = {}
    for command in commands:
        runs.setdefault(_one_line(command), []).append(command)
    parts = [
        f"`{name}` {'failed' if last[-1].failed else 'passed'}"
        + (f" ({sum(run.failed for run in last)} of {len(last)} runs failed)" if len(last) > 1 else "")
        for name, last in list(runs.items())[-3:]
    ]
    return "; ".join(parts)


def _inside(paths: Sequence[str], roots: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for path in (path.replace("\\", "/") for path in paths):
        for root in (root.replace("\\", "/").rstrip("/") + "/" for root in roots):
            if path.startswith(root) and ".." not in path.split("/"):
                found[path.removeprefix(root)] = None
                break
    return tuple(found)


def local(text: str, roots: Sequence[str]) -> str:
    """Return a text whose paths are relative: where somebody keeps the repository is nobody else's business."""
    for root in sorted((root.rstrip("/\\") for root in roots), key=len, reverse=True):
        text = re.sub(rf"{re.escape(root)}[/\\]", "", text)
        text = re.sub(rf"{re.escape(root)}(?![\w.-])", ".", text)
    return text


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
