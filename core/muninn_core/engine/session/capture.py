"""Captures memories from sessions: commits, transcripts, failed commands and session ends.

`muninn_core.capture` decides what is worth storing. This module decides where to look, and captures each commit and
transcript line once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from muninn_core import git
from muninn_core.capture.commits.commit_history import captured, memory_of_commit, reverted_commits
from muninn_core.capture.commits.commit_memory import draft_trace, without_private, without_records
from muninn_core.capture.statements.transcript import MAX_STATEMENTS, read_transcript
from muninn_core.engine.memory.changes.record_changes import append_change
from muninn_core.engine.memory.drafting.remember import remember
from muninn_core.engine.memory.exchange.transcript_files import open_transcript
from muninn_core.engine.session import candidates, failed_commands, hook_inbox, remember_request, session_end
from muninn_core.engine.session.agent_journal import AgentJournal
from muninn_core.engine.session.commit_links import (
    is_captured,
    reapplying_records,
    reinstating_records,
    related,
)
from muninn_core.engine.session.journal import At
from muninn_core.engine.session.named_code import with_named_code
from muninn_core.engine.session.reminders import missed_note
from muninn_core.engine.session.work_in_git import note_edited
from muninn_core.errors import BadParams, BusyError, MuninnError, NotFoundError, ReadOnlyError, StorageError
from muninn_core.model.value import Value, replace
from muninn_core.protocol.families.memory import MemoryDraft, RememberParams
from muninn_core.protocol.families.session import CaptureParams, CaptureResult
from muninn_core.store.records.ids import UlidGenerator
from muninn_core.store.records.timestamps import timestamp
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.capture")

LOOK_BACK = 65_536
"""Bytes of a transcript before a reading that are read again, as the context of what follows."""

MAX_COMMITS = 20
"""The most commits that one capture reads, the newest first; a session rarely makes more between two captures."""


class Captures:
    """Stores what sessions show. One per engine; it also stores what hooks left in the inbox."""

    def __init__(self, ids: UlidGenerator, clock: Callable[[], datetime], agents: AgentJournal) -> None:
        self._ids = ids
        self._clock = clock
        self._agents = agents
        self._catching_up = threading.Lock()
        self._heads: dict[str, str] = {}
        """By root, the last HEAD none of whose commits has a rewrite that may be taken back."""

    def capture(self, workspace: Workspace, params: CaptureParams, call: CallContext) -> CaptureResult:
        """Store what one event of a session shows, after everything in the inbox.

        Raises BadParams or NotFoundError for a transcript that cannot be read.
        """
        self.catch_up(workspace, call, params.session)
        return self._store(workspace, params, call)

    def catch_up(self, workspace: Workspace, call: CallContext, session: str | None) -> None:
        """Store what hooks left in the inbox, end sessions whose end event never came, and put memories of commits in
        force again whose rewrite was taken back.

        Does nothing in a read-only work tree, or while another thread runs it.
        """
        if not workspace.writable or not self._catching_up.acquire(blocking=False):
            return
        try:
            for entry in hook_inbox.inbox_entries(workspace.layout.local):
                if entry.params is None or self._store_waiting(workspace, entry.params, call):
                    entry.path.unlink(missing_ok=True)
            for ended in session_end.abandoned_sessions(workspace.session_state, session, self._clock()):
                if self._store_waiting(workspace, ended, call):
                    workspace.session_state.put(ended.session or "", session_end.OPEN, None)
            self._restore_commits(workspace, session)
        except (OSError, MuninnError) as error:
            workspace.report_problem("hooks", f"cannot read the inbox of the hooks: {error}")
        finally:
            self._catching_up.release()

    def _restore_commits(self, workspace: Workspace, session: str | None) -> None:
        """Record which memories of HEAD's commits are in force again. A HEAD is looked at until none can be."""
        root, head = workspace.location.root, git.read_head(workspace.location).commit
        if head is None or self._heads.get(root) == head:
            return
        try:
            records, waiting = reinstating_records(workspace, head)
            if records:
                workspace.memory.append(records, session)
        except MuninnError as error:  # the event is captured without
            log.warning("the commits of HEAD can't be compared with their rewrites: %s", error)
            return
        if not waiting:
            self._heads[root] = head

    def _store(self, workspace: Workspace, params: CaptureParams, call: CallContext) -> CaptureResult:
        now = self._clock()
        params = session_end.with_transcript(workspace.session_state, params)
        found = collect(workspace, params, now)
        ids: tuple[str, ...] = ()
        own = CallContext(location=call.location, client=call.client)
        if found.drafts or found.traces:
            batch = RememberParams(batch=(*found.drafts, *found.traces), session=params.session)
            # A commit or a command may be stored with other details, by another session or a backfill.
            stored = remember(workspace, batch, own, self._ids, now, differing=True).ids
            ids = stored[: len(found.drafts)]
        if found.records:
            workspace.memory.append(found.records, params.session)
        for identity in dict.fromkeys(found.archive):
            append_change(
                workspace.config,
                workspace.memory,
                call,
                params.session,
                "archive",
                target=identity,
                reason="the session has moved on",
            )
        try:
            found.commit()
        except MuninnError as error:  # the memories are stored, and their keys prevent a second copy
            log.warning("cannot note what was captured: %s", error)
        request = remember_request.remember_request(workspace, params, now)
        if not call.cancelled:  # a cancelled answer did not reach the agent
            remember_request.put_note(workspace.session_state, params.session, request)
        late, late_ids = self._late(workspace, params, now)
        given = (*found.given, *late_ids)
        workspace.deliveries.add(params.session, (*ids, *given))
        if params.source == "session":
            workspace.memory.seal(params.session)
        note = found.note if ids or found.given else ""
        note = "\n\n".join(part for part in (note, late) if part)
        self._agents.given(workspace, params.session, "capture", given, text=lambda: note)
        if params.source in ("turn", "session"):
            self._agents.transcript(workspace, params)
        self._agents.event(workspace, params)
        if params.source == "session" and params.session is not None:
            session = params.session
            self._agents.later(workspace, lambda at: _distil(at, session))
        return CaptureResult(ids=ids, note=note, ask=request.text, saw=workspace.read_state())

    def _late(self, workspace: Workspace, params: CaptureParams, now: datetime) -> tuple[str, tuple[str, ...]]:
        """Return the reminders that came too late, for the events whose note reaches the agent, and their ids."""
        return missed_note(workspace, params.session, now) if params.source in ("commit", "failure") else ("", ())

    def _store_waiting(self, workspace: Workspace, params: CaptureParams, call: CallContext) -> bool:
        """Store an event that waited; return False when it must wait on, because the disk takes no writes."""
        try:
            self._store(workspace, params, call)
        except MuninnError as error:
            log.warning("cannot capture a %s of session %s: %s", params.source, params.session, error.message)
            return not isinstance(error, StorageError | ReadOnlyError | BusyError)
        except Exception:  # it would be tried again with each further event, and stop all of them
            log.exception("capturing a %s of session %s failed", params.source, params.session)
        return True


def _distil(at: At, session: str) -> None:
    try:
        candidates.distil(at, session)
    except NotFoundError:
        log.debug("session %s left no events", session)


def _nothing() -> None:
    """Mark nothing as captured."""


class Captured(Value):
    """What an event showed: drafts to store, traces to store silently, further records, ids of memories to archive, and
    the note to show.

    `given` are ids of stored memories that the note contains. `commit` marks the event as captured; it is called after
    everything is stored.
    """

    drafts: tuple[MemoryDraft, ...] = ()
    traces: tuple[MemoryDraft, ...] = ()
    records: tuple[dict[str, Any], ...] = ()
    archive: tuple[str, ...] = ()
    note: str = ""
    given: tuple[str, ...] = ()
    commit: Callable[[], None] = _nothing


def note_start(workspace: Workspace, session: str | None, now: datetime) -> None:
    """Note the time and HEAD when a session starts, so that later captures read only the session's own commits."""
    head = git.read_head(workspace.location).commit
    name = session or workspace.memory.session
    try:
        if head is not None and workspace.session_state.get(name, "head") is None:
            workspace.session_state.put(name, "head", head)
        if session:
            workspace.session_state.put(session, "at", timestamp(now))
            note_edited(workspace, session)
    except MuninnError as error:  # the brief works without the note
        log.warning("cannot note where the session starts: %s", error)


def collect(workspace: Workspace, params: CaptureParams, now: datetime) -> Captured:
    """Read the source that the parameters name. Raises BadParams or NotFoundError for a missing transcript."""
    if params.source == "commit":
        return _commits(workspace, params, now)
    if params.source == "transcript":
        found = _transcript(workspace, params)
        return replace(found, archive=(*found.archive, *session_end.settled_failures(workspace, params)))
    if params.source == "failure":
        return _failure(workspace, params, now)
    if params.source in ("prompt", "answer"):
        return Captured()
    if params.source == "turn":
        session_end.note_turn(workspace.session_state, params)
        return _commits(workspace, params, now)
    return _session(workspace, params, now)


def _commits(workspace: Workspace, params: CaptureParams, now: datetime) -> Captured:
    session = params.session or workspace.memory.session
    head = git.read_head(workspace.location).commit
    noted = workspace.session_state.get(session, "head")
    seen = noted if isinstance(noted, str) else None
    if head is None or head == seen:
        return Captured()
    # Without a note of the session's start, HEAD is its commit after a git command; else the time of a commit decides.
    earliest = "" if seen is not None or params.source == "commit" else session_end.start_time(params)
    made = git.own_commits(workspace.layout.root, seen, head, MAX_COMMITS)
    made = tuple(commit for commit in made if commit.time[:19] >= earliest[:19])
    reverted, subjects = reverted_commits(reversed(made)), {commit.sha: commit.subject for commit in made}
    drafts, traces = [], []
    for commit in made:
        if is_captured(workspace, commit.sha, session):
            continue  # on the branch that was merged since
        result = memory_of_commit(commit, reverted, subjects)
        if not isinstance(result, str):
            drafts.append(related(workspace, captured(result, session, params.agent), now))
        elif shown := draft_trace(without_records(without_private(commit)), session=session, agent=params.agent):
            traces.append(shown)
    note = "Remembered: " + "; ".join(draft.title for draft in drafts) if drafts else ""
    return Captured(
        drafts=tuple(drafts),
        traces=tuple(traces),
        records=reapplying_records(workspace, made),
        note=note,
        commit=lambda: workspace.session_state.put(session, "head", head),
    )


def _transcript(workspace: Workspace, params: CaptureParams) -> Captured:
    store, notes = workspace.memory, workspace.session_state
    if not params.transcript:
        raise BadParams("'capture' from a transcript needs 'transcript'", hint="Give the path of the JSON lines file.")
    path = Path(params.transcript)
    session = params.session or store.session
    name = f"read:{path.name}"
    read_to = notes.number(session, name)
    try:
        with open_transcript(path) as lines:
            read_to = read_to if read_to <= path.stat().st_size else 0
            if read_to > LOOK_BACK:
                lines.seek(read_to - LOOK_BACK)
                lines.readline()
            reading = read_transcript(lines, offset=lines.tell(), read_to=read_to, session=session, agent=params.agent)
        items = session_end.open_items(path)
    except OSError as error:
        raise NotFoundError(
            f"the transcript {path} can't be read: {error.strerror}", hint="The agent names it in its hook's payload."
        ) from None
    open_drafts, done = session_end.open_item_changes(store, session, params.agent, items)
    said = zip(reading.drafts, reading.times, strict=True)
    left = remember_request.undecided(said, store, notes, session)
    fresh = [each for each in left if store.log.record_of_key(each.draft.key or "") is None]
    fresh = fresh[: MAX_STATEMENTS - len(open_drafts)]
    drafts = (*with_named_code(workspace, [each.draft for each in fresh]), *open_drafts)
    count = len(drafts)
    note = f"Kept {count} statement{'s' if count != 1 else ''} in the repository's memory:\n" + "\n".join(
        f"- {draft.text}" for draft in drafts
    )
    return Captured(
        drafts=drafts,
        archive=(
            *done,
            *(identity for each in fresh for identity in each.repeated),
            *_stored(store, reading.withdrawn),
        ),
        note=note if drafts else "",
        commit=lambda: notes.put(session, name, reading.offset),
    )


def _stored(store: MemoryStore, keys: Sequence[str]) -> list[str]:
    """Return the ids of the active memories with these keys."""
    records = [record for key in keys if (record := store.log.record_of_key(key)) is not None]
    known = store.all()
    return [record.id for record in records if record.id in known and known[record.id].active]


def _failure(workspace: Workspace, params: CaptureParams, now: datetime) -> Captured:
    draft = failed_commands.candidate(workspace, params)
    known = failed_commands.known_failure(workspace, params, now)
    return Captured(
        drafts=(draft,) if draft is not None else (),
        note=failed_commands.known_failure_note(known) if known is not None else "",
        given=(known.id,) if known is not None else (),
    )


def _session(workspace: Workspace, params: CaptureParams, now: datetime) -> Captured:
    """Return the summary of a session, with what its last turn committed and decided."""
    session = params.session or workspace.memory.session
    try:
        committed = _commits(workspace, params, now)
    except git.GitError as error:  # the transcript has what cannot be made again
        log.warning("session %s ends without its commits: %s", session, error)
        committed = Captured()
    parts = [committed]
    try:
        parts.append(_transcript(workspace, params))
    except (BadParams, NotFoundError) as error:
        log.info("session %s ends without a transcript: %s", session, error)
    end = session_end.summarise(workspace, params, (*committed.drafts, *committed.traces))

    def commit() -> None:
        for part in parts:
            part.commit()
        workspace.session_state.put(session, session_end.OPEN, None)
        workspace.session_state.put(session, "at", timestamp(now))

    known = {draft.key for draft in end.drafts}
    return Captured(
        drafts=(*(draft for part in parts for draft in part.drafts if draft.key not in known), *end.drafts),
        traces=tuple(trace for part in parts for trace in part.traces),
        archive=tuple(dict.fromkeys((*(identity for part in parts for identity in part.archive), *end.archive))),
        commit=commit,
    )
