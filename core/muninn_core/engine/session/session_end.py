"""The end of a session: its summary, and memories of what it decided, tried in vain and left open.

All text comes from the transcript and from captured memories. A session that is resumed ends more than once; the keys
of the drafts make a repeated end store nothing twice.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path

from muninn_core.capture.sessions.command_outcome import command_name
from muninn_core.capture.sessions.session_facts import SessionFacts, SessionReader
from muninn_core.capture.sessions.session_memories import drafts_of, relative_paths
from muninn_core.capture.statements.open_items import OpenItems, memory_text, read_open_items
from muninn_core.engine.memory.drafting.drafts import cleaned
from muninn_core.engine.memory.exchange.backfill_sources import is_here, main_of
from muninn_core.engine.memory.exchange.transcript_files import open_transcript
from muninn_core.engine.session.failed_commands import candidates
from muninn_core.engine.session.work_in_git import changed_files, reachable_commits
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.memory import Link, Memory
from muninn_core.model.value import Value, replace
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.protocol.families.session import CaptureParams
from muninn_core.store.folding.lazy_mapping import each_value
from muninn_core.worktree.local.session_state import SessionState
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.ending")

OPEN = "open"
"""The tag of a memory of open items, and the name of the note on a session that has not ended."""

OPEN_DAYS = "14d"
"""The lifetime of a memory of open items."""

ABANDONED_HOURS = 12.0
"""Hours without a new transcript line after which a session without an end event counts as ended."""

OPENING_LINES = 50
"""How many of a transcript's first lines are searched for a time."""

NEVER = "9999"
"""A time string that sorts after every real time."""


class SessionEnd(Value):
    """The result of a session's end: drafts to store, and ids of memories to archive."""

    drafts: tuple[MemoryDraft, ...]
    archive: tuple[str, ...]


def summarise(workspace: Workspace, params: CaptureParams, fresh: Sequence[MemoryDraft]) -> SessionEnd:
    """Return the memories that a session's end makes. `fresh` are drafts of the commits that this capture stores.

    The result is empty when the transcript is missing or belongs to another repository.
    """
    session = params.session or workspace.memory.session
    facts, items = _read(workspace.location, params)
    if facts is None:
        return SessionEnd(drafts=(), archive=())
    shown = reachable_commits(workspace, facts.commits)
    commits = reachable_commits(workspace, _commits(workspace.memory, session, shown, fresh))
    roots = [str(workspace.layout.root), *main_of(workspace.location), *facts.folders]
    agent = params.agent or "claude-code"
    agent = f"{agent}/{facts.version}" if facts.version else agent
    files = tuple(changed_files(workspace, session, facts, shown, fresh))
    memories = drafts_of(replace(facts, commits=commits, files=files), session, agent, roots)
    drafts = [replace(memory.draft, actor="hook", tags=("session",)) for memory in memories]
    settled = _settled(workspace.memory, session, facts, roots)
    open_drafts, closed = open_item_changes(workspace.memory, session, agent, items)
    return SessionEnd(
        drafts=(*(_anew(workspace, draft, session) for draft in drafts), *open_drafts),
        archive=(*settled, *closed),
    )


def settled_failures(workspace: Workspace, params: CaptureParams) -> list[str]:
    """Return the ids of the session's failed commands that the transcript shows to pass, or never again to fail."""
    facts, _ = _read(workspace.location, params)
    if facts is None:
        return []
    roots = [str(workspace.layout.root), *main_of(workspace.location), *facts.folders]
    return _settled(workspace.memory, params.session or workspace.memory.session, facts, roots)


def _settled(store: MemoryStore, session: str, facts: SessionFacts, roots: Sequence[str]) -> list[str]:
    failing = {command_name(relative_paths(command.text, roots)) for command in facts.failing}
    return [
        memory.id
        for memory in candidates(store, session)
        if command_name(str(memory.details.get("command", ""))) not in failing
    ]


def open_item_changes(
    store: MemoryStore, session: str, agent: str | None, items: OpenItems
) -> tuple[list[MemoryDraft], list[str]]:
    """Return the draft of the open items, and the ids of earlier such memories that it replaces.

    Without open items nothing is stored, and earlier memories are replaced once all items are done.
    """
    before = [
        memory
        for memory in store.recallable_with("session", session)
        if memory.session == session and OPEN in memory.tags and memory.actor == "hook"
    ]
    if not items.open:
        return [], [memory.id for memory in before] if items.done else []
    text = memory_text(items.open)
    if any(memory.text == text for memory in before):
        return [], []
    draft = MemoryDraft(
        type="insight",
        text=text,
        tags=("session", OPEN),
        importance=8,
        session=session,
        actor="hook",
        trust="agent",  # the words are the model's
        agent=agent,
        private=True,
        expires=OPEN_DAYS,
        key=f"open:{session}:{hashlib.sha256(text.encode()).hexdigest()[:24]}",
    )
    return [draft], [memory.id for memory in before]


def open_items(path: Path) -> OpenItems:
    """Return the open items of a transcript. Raises OSError."""
    with open_transcript(path) as lines:
        return read_open_items(line for line in lines if line.endswith(b"\n"))


def start_time(params: CaptureParams) -> str:
    """Return the time of a session's first dated transcript line (RFC 3339), `NEVER` when there is none."""
    reader = SessionReader()
    try:
        with open_transcript(Path(params.transcript or "")) as lines:
            for line in islice(lines, OPENING_LINES):
                reader.read_line(line)
    except OSError:
        return NEVER
    return reader.facts().started_at or NEVER


TEMPORARY = frozenset({"opencode"})
"""Agents whose transcript is a file that is deleted when the hook returns."""


def note_turn(notes: SessionState, params: CaptureParams) -> None:
    """Note the session's transcript, in case its end event never comes."""
    if params.session and params.transcript and params.agent not in TEMPORARY:
        notes.put(params.session, OPEN, {"transcript": params.transcript, "agent": params.agent})


def with_transcript(notes: SessionState, params: CaptureParams) -> CaptureParams:
    """Return the end of a session with the transcript that its turns named, for an agent that names none at the end."""
    if params.source != "session" or params.transcript or not params.session:
        return params
    noted = notes.get(params.session, OPEN)
    path = noted.get("transcript") if isinstance(noted, dict) else None
    return replace(params, transcript=path) if isinstance(path, str) else params


def abandoned_sessions(notes: SessionState, but: str | None, now: datetime) -> list[CaptureParams]:
    """Return the ends of sessions without an end event, except session `but`.

    A session counts when its transcript is gone or has not grown for `ABANDONED_HOURS`.
    """
    found = []
    for session, noted in notes.all(OPEN):
        if session == but or not isinstance(noted, dict) or not isinstance(noted.get("transcript"), str):
            continue
        try:
            quiet = now.timestamp() - Path(noted["transcript"]).stat().st_mtime
        except OSError:
            quiet = ABANDONED_HOURS * 3600
        if quiet >= ABANDONED_HOURS * 3600:
            agent = noted.get("agent")
            found.append(
                CaptureParams(
                    source="session",
                    session=session,
                    transcript=noted["transcript"],
                    agent=agent if isinstance(agent, str) else None,
                )
            )
    return found


def _read(location: RepositoryLocation, params: CaptureParams) -> tuple[SessionFacts | None, OpenItems]:
    nothing = OpenItems(open=(), done=0)
    if not params.transcript:
        return None, nothing
    reader, path = SessionReader(), Path(params.transcript)
    try:
        with open_transcript(path) as lines:
            for line in lines:
                if line.endswith(b"\n"):  # an unterminated last line is still being written
                    reader.read_line(line)
        facts, items = reader.facts(), open_items(path)
    except OSError as error:
        log.info("the transcript %s can't be read: %s", path, error.strerror)
        return None, nothing
    if not facts.recognised or not is_here(facts, location):
        return None, nothing
    return facts, items


def _commits(store: MemoryStore, session: str, shown: Sequence[str], fresh: Sequence[MemoryDraft]) -> tuple[str, ...]:
    """Return the commits of a session: those that its transcript shows, then the captured ones."""
    captured = [memory for memory in each_value(store.all()) if memory.session == session and memory.actor == "hook"]
    captured.sort(key=lambda memory: (memory.ts, memory.id))
    titles = [(memory.details, memory.title) for memory in captured] + [(draft.details, draft.title) for draft in fresh]
    found = [(str(details["commit"]), title) for details, title in titles if "commit" in details]
    further = [
        f"{sha[:7]} {title}" for sha, title in found if not any(sha.startswith(each.split(" ", 1)[0]) for each in shown)
    ]
    return (*shown, *dict.fromkeys(further))


def _anew(workspace: Workspace, draft: MemoryDraft, session: str) -> MemoryDraft:
    """Return the draft of a session that went on as another memory, if its key is that of another text.

    A summary supersedes the session's earlier one, unless it would only replace the words that a person gave that one.
    """
    store = workspace.memory
    stored = store.log.record_of_key(draft.key or "")
    before = _summary(store, session) if draft.type == "session_summary" else None
    if (before is None and stored is None) or (stored is not None and stored.data.get("redacted") is True):
        return draft
    text = cleaned({"text": draft.text}, workspace.config)[0]["text"].strip()  # as it would be stored
    earlier = store.log.records.get(before.id) if before is not None else stored
    if earlier is not None and text == earlier.data.get("text"):
        return draft
    links = (Link(relation="supersedes", target=before.id, by="hook"),) if before is not None else ()
    return replace(draft, key=f"{draft.key}:{hashlib.sha256(text.encode()).hexdigest()[:16]}", links=links)


def _summary(store: MemoryStore, session: str) -> Memory | None:
    found = [
        memory
        for memory in store.recallable_with("session", session)
        if memory.type == "session_summary" and memory.session == session and memory.actor == "hook"
    ]
    return max(found, key=lambda memory: (memory.ts, memory.id), default=None)
