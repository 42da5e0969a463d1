"""Remembering without being told: commits, what a transcript decides, commands that fail, the end of a session.

What is worth remembering is decided in `source`; here stands where to look, and that each thing is looked at once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from muninn_core import git
from muninn_core.engine.memory.changes import append_change
from muninn_core.engine.memory.remember import remember
from muninn_core.engine.memory.transcript_files import open_transcript
from muninn_core.engine.session import failed_commands, hook_inbox, session_end
from muninn_core.engine.session.commit_links import related
from muninn_core.errors import BadParams, MuninnError, NotFoundError
from muninn_core.model.value import Value
from muninn_core.protocol.memory import MemoryDraft, RememberParams
from muninn_core.protocol.session import CaptureParams, CaptureResult
from muninn_core.source.commit_memory import assess, draft_trace, without_private
from muninn_core.source.commit_memory import draft_memory as commit_draft
from muninn_core.source.transcript import MAX_STATEMENTS, read_transcript
from muninn_core.store.ids import UlidGenerator
from muninn_core.store.stamp import timestamp
from muninn_core.worktree.call import Call
from muninn_core.worktree.memory_store import MemoryStore
from muninn_core.worktree.session_notes import SessionNotes
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.capture")

MOST_COMMITS = 20
"""A look back takes in the newest this many; a session rarely makes more between two looks."""


class Captures:
    """Stores what sessions show. One per engine: it also does what hooks could not hand over in time."""

    def __init__(self, ids: UlidGenerator, clock: Callable[[], datetime]) -> None:
        self._ids = ids
        self._clock = clock
        self._catching_up = threading.Lock()

    def capture(self, workspace: Workspace, params: CaptureParams, call: Call) -> CaptureResult:
        """Store what one event of a session shows, after everything that was left waiting.

        Raises BadParams or NotFoundError for a transcript that can't be read.
        """
        self.catch_up(workspace, call, params.session)
        return self._store(workspace, params, call)

    def catch_up(self, workspace: Workspace, call: Call, session: str | None) -> None:
        """Store what hooks left in the inbox, and sum up sessions that ended without an event.

        Does nothing in a read-only work tree, or while another thread does the same.
        """
        if not workspace.writable or not self._catching_up.acquire(blocking=False):
            return
        try:
            for entry in hook_inbox.inbox_entries(workspace.layout.local):
                if entry.params is not None:
                    self._store_waiting(workspace, entry.params, call)
                entry.path.unlink(missing_ok=True)
            for ended in session_end.abandoned(workspace.session_notes, session, self._clock()):
                self._store_waiting(workspace, ended, call)
                workspace.session_notes.put(ended.session or "", session_end.OPEN, None)
        except OSError as error:
            workspace.report_problem("hooks", f"what hooks have left could not be taken up: {error}")
        finally:
            self._catching_up.release()

    def _store(self, workspace: Workspace, params: CaptureParams, call: Call) -> CaptureResult:
        now = self._clock()
        found = find(workspace, params, now)
        ids: tuple[str, ...] = ()
        own = Call(place=call.place, client=call.client)
        if found.drafts or found.traces:
            batch = RememberParams(batch=(*found.drafts, *found.traces), session=params.session)
            stored = remember(workspace, batch, own, self._ids, now).ids
            ids = stored[: len(found.drafts)]
        for identity in dict.fromkeys(found.archive):
            append_change(
                workspace.config,
                workspace.memory,
                call,
                params.session,
                "archive",
                target=identity,
                reason="its time is over",
            )
        found.commit()
        workspace.deliveries.add(params.session, (*ids, *found.given))
        if params.source == "session":
            workspace.memory.log.seal(params.session)
        return CaptureResult(ids=ids, note=found.note if ids or found.given else "", saw=workspace.read_state())

    def _store_waiting(self, workspace: Workspace, params: CaptureParams, call: Call) -> None:
        try:
            self._store(workspace, params, call)
        except MuninnError as error:
            log.warning("a %s of session %s could not be captured: %s", params.source, params.session, error.message)


def _nothing() -> None:
    """Note nothing."""


class Found(Value):
    """Drafts to store, traces that nobody is told of, memories that have had their time, and the line to show.

    `given` are memories that the line tells of; `commit` notes what was looked at, once all is stored.
    """

    drafts: tuple[MemoryDraft, ...] = ()
    traces: tuple[MemoryDraft, ...] = ()
    archive: tuple[str, ...] = ()
    note: str = ""
    given: tuple[str, ...] = ()
    commit: Callable[[], None] = _nothing


def note_start(workspace: Workspace, session: str | None, now: datetime) -> None:
    """Note where HEAD is when a session starts, so that later only its own commits are looked at, and when that was."""
    head = git.read_head(workspace.place).commit
    name = session or workspace.memory.session
    try:
        if head is not None and workspace.session_notes.get(name, "head") is None:
            workspace.session_notes.put(name, "head", head)
        if session:
            workspace.session_notes.put(session, "at", timestamp(now))
    except OSError as error:  # a brief is worth more than the note
        log.warning("where the session starts could not be noted: %s", error)


def find(workspace: Workspace, params: CaptureParams, now: datetime) -> Found:
    """Look where the parameters say. Raises BadParams or NotFoundError for a transcript that is not there."""
    if params.source == "commit":
        return _commits(workspace, params, now)
    if params.source == "transcript":
        return _transcript(workspace.memory, workspace.session_notes, params)
    if params.source == "failure":
        return _failure(workspace, params, now)
    if params.source == "turn":
        session_end.note_turn(workspace.session_notes, params)
        return _commits(workspace, params, now)
    return _session(workspace, params, now)


def _commits(workspace: Workspace, params: CaptureParams, now: datetime) -> Found:
    session = params.session or workspace.memory.session
    head = git.read_head(workspace.place).commit
    seen = workspace.session_notes.get(session, "head")
    if head is None or head == seen:
        return Found()
    # Nobody saw where the session began: after a command of git HEAD is its commit, else only its time can tell.
    least = "" if seen is not None or params.source == "commit" else session_end.begun(params)
    drafts, traces = [], []
    for commit in git.list_commits(workspace.layout.root, seen, head, MOST_COMMITS):
        if commit.time[:19] < least[:19]:
            continue
        commit = without_private(commit)
        significance = assess(commit) if commit.subject else None
        if significance is not None:
            draft = commit_draft(commit, significance, session=session, agent=params.agent)
            drafts.append(related(workspace, draft, now))
        elif shown := draft_trace(commit, session=session, agent=params.agent):
            traces.append(shown)
    note = "Remembered: " + "; ".join(draft.title for draft in drafts) if drafts else ""
    return Found(
        drafts=tuple(drafts),
        traces=tuple(traces),
        note=note,
        commit=lambda: workspace.session_notes.put(session, "head", head),
    )


def _transcript(store: MemoryStore, notes: SessionNotes, params: CaptureParams) -> Found:
    if not params.transcript:
        raise BadParams("'capture' from a transcript needs 'transcript'", hint="Give the path of the JSON lines file.")
    path = Path(params.transcript)
    session = params.session or store.session
    name = f"read:{path.name}"
    offset = notes.get(session, name) or 0
    try:
        with open_transcript(path) as lines:
            lines.seek(offset if offset <= path.stat().st_size else 0)
            reading = read_transcript(lines, offset=lines.tell(), session=session, agent=params.agent)
        threads = session_end.threads_of(path)
    except OSError as error:
        raise NotFoundError(
            f"the transcript {path} can't be read: {error.strerror}", hint="The agent names it in its hook's payload."
        ) from None
    still, done = session_end.left_open(store, session, params.agent, threads)
    drafts = (*reading.drafts[: MAX_STATEMENTS - len(still)], *still)
    count = len(drafts)
    note = f"Kept {count} statement{'s' if count != 1 else ''} in the repository's memory:\n" + "\n".join(
        f"- {draft.text}" for draft in drafts
    )
    return Found(
        drafts=drafts,
        archive=tuple(done),
        note=note if drafts else "",
        commit=lambda: notes.put(session, name, reading.offset),
    )


def _failure(workspace: Workspace, params: CaptureParams, now: datetime) -> Found:
    draft = failed_commands.candidate(workspace, params)
    known = failed_commands.known_failure(workspace, params, now)
    return Found(
        drafts=(draft,) if draft is not None else (),
        note=failed_commands.told(known) if known is not None else "",
        given=(known.id,) if known is not None else (),
    )


def _session(workspace: Workspace, params: CaptureParams, now: datetime) -> Found:
    """Sum a session up; what its last turn committed and decided is looked at first."""
    session = params.session or workspace.memory.session
    found = [_commits(workspace, params, now)]
    try:
        found.append(_transcript(workspace.memory, workspace.session_notes, params))
    except (BadParams, NotFoundError) as error:
        log.info("session %s ends without a transcript: %s", session, error)
    end = session_end.end(workspace, params, (*found[0].drafts, *found[0].traces))

    def commit() -> None:
        for each in found:
            each.commit()
        workspace.session_notes.put(session, session_end.OPEN, None)
        workspace.session_notes.put(session, "at", timestamp(now))

    known = {draft.key for draft in end.drafts}
    return Found(
        drafts=(*(draft for each in found for draft in each.drafts if draft.key not in known), *end.drafts),
        traces=tuple(trace for each in found for trace in each.traces),
        archive=tuple(dict.fromkeys((*(gone for each in found for gone in each.archive), *end.archive))),
        commit=commit,
    )
