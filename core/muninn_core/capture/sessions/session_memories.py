"""Turns the facts of a session into memories: failed commands that were fixed, and a summary of the work.

The texts state what can be counted; no sentence of the conversation is copied.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from muninn_core.capture.commits.history_memory import HistoryMemory
from muninn_core.capture.sessions.session_facts import COMMAND_CHARS, Attempt, Command, Run, SessionFacts
from muninn_core.model.counting import number_of
from muninn_core.protocol.families.memory import MemoryDraft

MAX_ATTEMPTS = 2
"""The number of failed commands remembered per session; the last ones."""

MAX_LISTED = 8
"""The number of files, commits or tests that a sentence lists."""

MAX_FILES = 20

READ_ONLY_COMMAND = re.compile(
    r"^(?:cd\s+\S+\s*&&\s*)?(?:\w+=\S+\s+)*(?:ls|cat|cd\s+\S+\s*$|head|tail|grep|rg|find|fd|which|wc|sed|awk|echo|stat"
    r"|file|tree|pwd|env|curl|ps|test|\[|diff|cmp|git (?:status|log|show|diff|add|stash|checkout|switch|branch))(?!\w)"
)
"""Commands that only read, or whose failures no edit of a file fixes."""


def drafts_of(facts: SessionFacts, session: str, agent: str, roots: Sequence[str]) -> list[HistoryMemory]:
    """Return the memories of a session, at most three.

    Paths are relative to the first of `roots` that contains them.
    """
    tried = [attempt for attempt in facts.attempts if not READ_ONLY_COMMAND.match(attempt.command.text)][-MAX_ATTEMPTS:]
    found = [_attempt(attempt, session, agent, roots) for attempt in tried]
    files = _relative_to_roots(facts.files, roots)
    if files or facts.commits:
        found.append(_summary(facts, files, session, agent, roots))
    return found


def _attempt(attempt: Attempt, session: str, agent: str, roots: Sequence[str]) -> HistoryMemory:
    command = attempt.command
    files = _relative_to_roots(attempt.files, roots)
    status = {} if command.status is None else {"exit_status": command.status}
    words, error = relative_paths(" ".join(command.text.split()), roots), relative_paths(command.error, roots)
    draft = MemoryDraft(
        type="attempt",
        title=f"`{words if len(words) <= 60 else words[:59] + '…'}` failed",
        text=f"`{words}` failed: {error}\n{_how_it_passed(attempt, files, roots)}",
        tags=("session", "backfill"),
        files=files[:MAX_FILES],
        importance=5,
        confidence=0.7,
        session=session,
        actor="import",
        agent=agent,
        details={"command": words, **status, "error": error},
        key=f"attempt:{session}:{hashlib.sha256(words.encode()).hexdigest()[:24]}",
    )
    return HistoryMemory(draft=draft, commit="", time=command.time)


def _how_it_passed(attempt: Attempt, files: Sequence[str], roots: Sequence[str]) -> str:
    """Return what came between a command's failure and its success."""
    named = [relative_paths(f"`{command[:COMMAND_CHARS]}`", roots) for command in attempt.setup[-MAX_ATTEMPTS:]]
    parts = [f"once {_join_names(files)} had been changed"] if files else []
    parts += [f"after {' and '.join(named)}"] if named else []
    parts += [relative_paths(f"as `{attempt.cure[:COMMAND_CHARS]}`", roots)] if attempt.cure else []
    return f"It passed {', '.join(parts) or 'after a change'}."


def _summary(
    facts: SessionFacts, files: tuple[str, ...], session: str, agent: str, roots: Sequence[str]
) -> HistoryMemory:
    day = (facts.started_at or facts.ended)[:10]
    parts = [f"Changed {_join_names(files)}."] if files else []
    parts += [f"Committed {_join_names(facts.commits)}."] if facts.commits else []
    parts += [f"Tests: {tests}."] if (tests := _tests(facts.tests, roots)) else []
    failing = [
        relative_paths(f"`{_one_line(command)}`", roots)
        for command in facts.failing
        if not READ_ONLY_COMMAND.match(command.text)
    ]
    parts += [f"Failed to the end: {_join_names(failing[-MAX_ATTEMPTS:])}."] if failing else []
    when = f"Session of {day}" if day else "A session"
    draft = MemoryDraft(
        type="session_summary",
        title=f"{when}: {number_of(len(files), 'file')}, {number_of(len(facts.commits), 'commit')}",
        text=f"{when}. {' '.join(parts)}",
        tags=("session", "backfill"),
        files=files[:MAX_FILES],
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


def _tests(commands: Sequence[Command], roots: Sequence[str]) -> str:
    """Return how often each test command was run and its last result, in the order of the session."""
    runs: dict[Run, list[Command]] = {}
    for command in commands:
        runs.setdefault(command.run, []).append(command)
    names = [name for _, name in runs]
    parts = [
        f"`{_place(folder, roots) if names.count(name) > 1 else ''}{name[:80]}` {_outcome(last[-1])}"
        + (f" ({sum(run.failed for run in last)} of {len(last)} runs failed)" if len(last) > 1 else "")
        for (folder, name), last in list(runs.items())[-3:]
    ]
    return "; ".join(parts)


def _place(folder: str, roots: Sequence[str]) -> str:
    """Return the command that leads to a folder, "" for a root."""
    place = relative_paths(folder, roots)
    return f"cd {place} && " if place not in ("", ".") else ""


def _outcome(command: Command) -> str:
    return "failed" if command.failed else "passed" if command.passed else "ran, with an unknown result"


def _relative_to_roots(paths: Sequence[str], roots: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for path in (path.replace("\\", "/") for path in paths):
        for root in (root.replace("\\", "/").rstrip("/") + "/" for root in roots):
            if path.startswith(root) and ".." not in path.split("/"):
                found[path.removeprefix(root)] = None
                break
    return tuple(found)


def relative_paths(text: str, roots: Sequence[str]) -> str:
    """Return a text with paths below `roots` made relative, so that it does not expose a person's folders."""
    for root in sorted((root.rstrip("/\\") for root in roots), key=len, reverse=True):
        text = re.sub(rf"{re.escape(root)}[/\\]", "", text)
        text = re.sub(rf"{re.escape(root)}(?![\w.-])", ".", text)
    return text


def _join_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return ", ".join(names[:MAX_LISTED]) + more
