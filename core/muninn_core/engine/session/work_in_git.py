"""Checks with git which files a session changed and what it committed.

A transcript shows edits that were taken back later, commits that were amended or reset, and work in other repositories.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence

from muninn_core import git
from muninn_core.capture.sessions.session_facts import SessionFacts
from muninn_core.git import GitError
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.worktree.local.session_state import SessionState
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.ending")

EDITED = "edited"
"""The name of the note of the files that differed from HEAD when a session started."""

MAX_EDITED = 500
"""The most files of that note. With more, changes through the shell are not looked for."""

MAX_COMMITS = 20
"""The most commits that the transcript shows whose files are read, the newest ones."""

_READS = re.compile(
    r"^(?:cd \S+ && )?(?:ls|cat|head|tail|grep|rg|which|wc|stat|file|tree|pwd|ps|git (?:status|log|show|diff))\b"
    r"[^>&;|]*$"
)
"""Commands that change no file."""


def note_edited(workspace: Workspace, session: str) -> None:
    """Note the files that differ from HEAD when a session starts, at most `MAX_EDITED`.

    Raises StorageError or ReadOnlyError.
    """
    if workspace.session_state.get(session, EDITED) is None:
        workspace.session_state.put(session, EDITED, list(workspace.edited_files.files()[:MAX_EDITED]))


def reachable_commits(workspace: Workspace, shown: Sequence[str]) -> tuple[str, ...]:
    """Return those of the commits, each its short id and subject, that a branch, a tag or HEAD has."""
    if not workspace.location.git_dir or not shown:
        return tuple(shown)
    root = workspace.layout.root
    head = git.read_head(workspace.location).commit
    try:
        tips = [*(ref.commit for ref in git.list_refs(root)), *([head] if head else [])]
        gone = git.find_unreachable(root, [each.split(" ", 1)[0] for each in shown], tips)
    except GitError as error:
        log.info("the commits of a session can't be checked: %s", error)
        return tuple(shown)
    return tuple(each for each in shown if each.split(" ", 1)[0] not in gone)


def changed_files(
    workspace: Workspace, session: str, facts: SessionFacts, commits: Sequence[str], fresh: Iterable[MemoryDraft]
) -> list[str]:
    """Return the files that a session changed, as absolute paths: with the agent's tools, then with the shell.

    A file whose edits are neither in the work tree nor in one of the session's commits was taken back, and is left out.
    `commits` are those that the transcript shows, `fresh` the drafts of those that this capture stores.
    """
    if not workspace.location.git_dir:
        return list(facts.files)
    root = workspace.layout.root
    try:
        now = workspace.edited_files.files()
        committed = _committed(workspace, session, commits, fresh)
        inside = {each: each.removeprefix(f"{root}/") for each in facts.files if each.startswith(f"{root}/")}
        doubtful = [path for path in inside.values() if path not in committed and path not in now]
        gone = {*doubtful} - git.ignored_paths(root, doubtful)
    except GitError as error:
        log.info("the changed files of session %s can't be checked: %s", session, error)
        return list(facts.files)
    kept = [each for each in facts.files if inside.get(each) not in gone]
    further = _by_shell(workspace.session_state, session, facts, now, committed)
    return [*kept, *(str(root / path) for path in further)]


def _committed(
    workspace: Workspace, session: str, commits: Sequence[str], fresh: Iterable[MemoryDraft]
) -> frozenset[str]:
    """Return the files of a session's commits, without Muninn's own. Raises GitError."""
    files = [path for draft in fresh if "commit" in draft.details for path in draft.files]
    for memory in workspace.memory.all().values():
        if memory.session == session and memory.actor == "hook" and "commit" in memory.details:
            files += memory.files
    for commit in commits[-MAX_COMMITS:]:
        for found in git.list_commits(workspace.layout.root, None, commit.split(" ", 1)[0], 1):
            files += found.files
    return frozenset(path for path in files if not path.startswith(".muninn/"))


def _by_shell(
    notes: SessionState, session: str, facts: SessionFacts, now: Sequence[str], committed: frozenset[str]
) -> list[str]:
    """Return files that a session's commands may have changed: git reports them now and did not when it started.

    There are none without a note of the start, or when the session ran only commands that read.
    """
    before = notes.get(session, EDITED)
    if not isinstance(before, list) or len(before) == MAX_EDITED:
        return []
    if all(_READS.match(command.text) for command in facts.commands):
        return []
    return sorted({*(path for path in now if path not in before), *committed})
