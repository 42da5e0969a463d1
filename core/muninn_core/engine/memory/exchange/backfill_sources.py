"""Reads the sources of a backfill: git's log and agents' transcripts. `muninn_core.capture` drafts the memories."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from muninn_core import git
from muninn_core.capture.commits.commit_history import memory_of_commit, reverted_commits
from muninn_core.capture.commits.history_memory import HistoryMemory
from muninn_core.capture.sessions.session_facts import SessionFacts, SessionReader
from muninn_core.capture.sessions.session_memories import drafts_of
from muninn_core.capture.statements.transcript import read_transcript
from muninn_core.engine.memory.exchange.transcript_files import open_transcript
from muninn_core.errors import BadParams, MuninnError, NotFoundError
from muninn_core.git import log as history
from muninn_core.launch.repository_location import RepositoryLocation, locate
from muninn_core.model.counting import number_of
from muninn_core.model.value import Value, field, replace
from muninn_core.protocol.families.session import BackfillParams
from muninn_core.store.records.timestamps import normalise
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.workspace import Workspace

MAX_MALFORMED = 1_000
"""The most malformed lines that are reported."""

_DATE = re.compile(r"^\d{4}-\d\d-\d\d(?:[T ].*)?$")
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class BackfillDrafts(Value):
    """The memories of a source, oldest first, with the counts and places of the result.

    `note` says what could not be read.
    """

    memories: tuple[HistoryMemory, ...]
    looked: int
    skipped: dict[str, int] = field(default_factory=dict)
    malformed: tuple[str, ...] = ()
    note: str = ""


def from_git(workspace: Workspace, params: BackfillParams, call: CallContext) -> BackfillDrafts:
    """Read the commits reachable from HEAD, or from the revision `until`. Raises BadParams, NotFoundError or
    GitError.
    """
    root = workspace.layout.root
    span = _span(root, params)
    total = history.count_commits(root, span)
    call.report("begin", f"{number_of(total, 'commit')} to read")
    log = []
    for number, commit in enumerate(history.read_log(root, span)):
        if number % 100 == 0:
            call.raise_if_cancelled()
            call.report("report", f"{number} of {number_of(total, 'commit')}", 80 * number // max(total, 1))
        log.append(commit)
    reverted = reverted_commits(log)
    subjects = {commit.sha: commit.subject for commit in log}
    memories, skipped = dict[str, HistoryMemory](), Counter[str]()
    for number, commit in enumerate(reversed(log)):
        if number % 100 == 0:
            call.raise_if_cancelled()
        result = memory_of_commit(commit, reverted, subjects)
        if isinstance(result, str):
            skipped[result] += 1
        elif result.draft.text in memories:
            skipped["with the message of an earlier one"] += 1  # a commit that was picked onto several branches
        else:
            memories[result.draft.text] = result
    note = "This clone is shallow: older commits are not here." if git.is_shallow(root) else ""
    return BackfillDrafts(
        memories=tuple(memories.values()),
        looked=len(log),
        skipped=dict(sorted(skipped.items())),
        note=note,
    )


def _span(root: Path, params: BackfillParams) -> history.CommitRange:
    """Return the range of commits. A value that looks like a date is a time, any other a revision."""
    since = _time("since", params.since)
    until = _time("until", params.until)
    return history.CommitRange(
        tip=git.resolve_commit(root, params.until if params.until and not until else "HEAD"),
        base=git.resolve_commit(root, params.since) if params.since and not since else None,
        since=since,
        until=until,
        limit=params.limit,
    )


def _time(name: str, given: str | None) -> str | None:
    if given is None or not _DATE.match(given):
        return None
    try:
        return normalise(f"{given}T00:00:00Z" if len(given) == len("2026-03-01") else given)
    except ValueError:
        hint = "Write it as 2026-03-01 or in RFC 3339, or name a revision."
        raise BadParams(f"'{name}' is not a time: '{given}'", hint=hint) from None


def from_transcripts(workspace: Workspace, params: BackfillParams, call: CallContext) -> BackfillDrafts:
    """Read transcripts. Raises BadParams for a file of another format, NotFoundError for an unreadable one."""
    files = [found for path in params.paths for found in _files(workspace.layout.root / path)]
    files = list(dict.fromkeys(files))
    sizes = [path.stat().st_size for path, _ in files]
    call.report("begin", f"{number_of(len(files), 'transcript')} to read")
    memories: list[HistoryMemory] = []
    skipped = Counter[str]()
    malformed: list[str] = []
    for number, (path, named) in enumerate(files):
        call.report("report", path.name, 90 * sum(sizes[:number]) // max(sum(sizes), 1))
        facts = _facts(path, malformed, call)
        if not facts.recognised and named:
            hint = "Claude Code has them in ~/.claude/projects/NAME, Codex in ~/.codex/sessions; no others are read."
            raise BadParams(f"{path} is not a transcript of Claude Code or Codex", hint=hint)
        if not facts.recognised:
            skipped["no transcripts"] += 1
        elif not params.elsewhere and not is_here(facts, workspace.location):
            skipped["of other folders"] += 1
        else:
            found = _memories_of(path, facts, workspace.layout.root, workspace.location)
            memories += found
            skipped["without anything to keep"] += not found
    return BackfillDrafts(
        memories=tuple(sorted(memories, key=lambda one: one.time)),
        looked=len(files),
        skipped={reason: count for reason, count in sorted(skipped.items()) if count},
        malformed=tuple(malformed[:MAX_MALFORMED]),
    )


def _files(path: Path) -> list[tuple[Path, bool]]:
    """Return the transcripts at a path, and whether the path names the file itself rather than its folder."""
    try:
        if path.is_dir():
            found = [(one, False) for one in sorted(path.iterdir()) if one.suffix == ".jsonl" and one.is_file()]
            if not found:
                hint = "Name the folder in which the files SESSION.jsonl are."
                raise NotFoundError(f"there is no transcript in {path}", hint=hint)
            return found
        with open_transcript(path):
            return [(path, True)]
    except OSError as error:
        hint = "Claude Code keeps them in ~/.claude/projects."
        raise NotFoundError(f"the transcript {path} can't be read: {error.strerror}", hint=hint) from None


def _facts(path: Path, malformed: list[str], call: CallContext) -> SessionFacts:
    reader = SessionReader()
    with open_transcript(path) as lines:
        for number, line in enumerate(lines, 1):
            if number % 1000 == 0:
                call.raise_if_cancelled()
            if line.endswith(b"\n") and not reader.read_line(line):  # an unterminated last line is still being written
                malformed.append(f"{path}:{number}")
    return reader.facts()


def _memories_of(path: Path, facts: SessionFacts, root: Path, location: RepositoryLocation) -> list[HistoryMemory]:
    """Return the memories of a transcript."""
    session = next(
        (name for name in (facts.session, path.stem) if _SESSION.fullmatch(name)),
        f"transcript-{hashlib.sha256(path.name.encode()).hexdigest()[:16]}",
    )
    with open_transcript(path) as lines:
        reading = read_transcript(lines, session=session, agent=facts.agent)
    last = _stamp((facts.ended, facts.started_at)) or datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat()
    statements = [
        HistoryMemory(
            draft=replace(draft, actor="import", tags=("session", "backfill"), details={"said_by": draft.actor}),
            commit="",
            time=_stamp((time,)) or last,
        )
        for draft, time in zip(reading.drafts, reading.times, strict=True)
    ]
    agent = f"{facts.agent}/{facts.version}" if facts.version else facts.agent
    roots = [str(root), *main_of(location), *facts.folders]
    outcomes = [replace(one, time=_stamp((one.time,)) or last) for one in drafts_of(facts, session, agent, roots)]
    return [*statements, *outcomes]


def _stamp(times: Iterable[str]) -> str:
    """Return the first valid time, normalised, "" for none."""
    for time in times:
        try:
            return normalise(time)
        except ValueError:
            continue
    return ""


def is_here(facts: SessionFacts, location: RepositoryLocation) -> bool:
    """Whether a session worked in one of the repository's work trees; true when the transcript names no folder."""
    homes = [location.root, *main_of(location)]
    return not facts.folders or any(
        any(folder == home or folder.startswith(home + os.sep) for home in homes)
        or _identity(folder) == location.identity
        for folder in facts.folders
    )


def main_of(location: RepositoryLocation) -> list[str]:
    """Return the main work tree of a linked one as a list of one path, else an empty list."""
    return [location.main] if location.main != location.root else []


def _identity(folder: str) -> str:
    try:
        return locate(folder).identity
    except MuninnError:
        return ""
