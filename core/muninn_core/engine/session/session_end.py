"""The end of a session: what it did, in facts, what it decided, and what it tried in vain.

Everything is read from the transcript and from what was captured on the way; no sentence is made up. The same end may
be told more than once (a session that is resumed ends again): what is stored follows from what there is, by its keys.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path

from muninn_core.engine.memory.backfill_sources import is_here, main_of
from muninn_core.engine.memory.transcript_files import open_transcript
from muninn_core.engine.session.failed_commands import candidates
from muninn_core.launch.place import Place
from muninn_core.model.memory import Link, Memory
from muninn_core.model.value import Value, replace
from muninn_core.protocol.memory import MemoryDraft
from muninn_core.protocol.session import CaptureParams
from muninn_core.source.open_items import OpenItems, read_open_items
from muninn_core.source.session_facts import SessionFacts, SessionReader
from muninn_core.source.session_memories import drafts_of, relative_paths
from muninn_core.worktree.memory_store import MemoryStore
from muninn_core.worktree.session_notes import SessionNotes
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.ending")

OPEN = "open"
"""The tag of what a session has left open, and the note of one whose end nobody has seen."""

OPEN_DAYS = "14d"
"""How long what was left open is told; later it was done, or nobody wants it."""

ABANDONED_HOURS = 12.0
"""After how long without a line in its transcript a session counts as ended, though nobody said so."""


OPENING_LINES = 50
"""Of a transcript, among which one has a time."""

NEVER = "9999"


class SessionEnd(Value):
    """What the end of a session makes: drafts to store, and memories that have had their time."""

    drafts: tuple[MemoryDraft, ...]
    archive: tuple[str, ...]


def end(workspace: Workspace, params: CaptureParams, fresh: Sequence[MemoryDraft]) -> SessionEnd:
    """Sum a session up; `fresh` are the commits that are only now being captured.

    A transcript that is not there, or is of another repository, leaves what is known without.
    """
    session = params.session or workspace.memory.session
    facts, threads = _read(workspace.place, params)
    if facts is None:
        return SessionEnd(drafts=(), archive=())
    commits = _commits(workspace.memory, session, facts.commits, fresh)
    roots = [str(workspace.layout.root), *main_of(workspace.place), *facts.folders]
    agent = params.agent or "claude-code"
    agent = f"{agent}/{facts.version}" if facts.version else agent
    told = drafts_of(replace(facts, commits=commits), session, agent, roots)
    drafts = [replace(one.draft, actor="hook", tags=("session",)) for one in told]
    failing = {relative_paths(" ".join(each.text.split()), roots) for each in facts.failing}
    gone = [each.id for each in candidates(workspace.memory, session) if each.details.get("command") not in failing]
    open_drafts, closed = left_open(workspace.memory, session, agent, threads)
    return SessionEnd(
        drafts=(*(_renewed(workspace.memory, draft, session) for draft in drafts), *open_drafts),
        archive=(*gone, *closed),
    )


def left_open(
    store: MemoryStore, session: str, agent: str | None, threads: OpenItems
) -> tuple[list[MemoryDraft], list[str]]:
    """Return the memory of what is open, and what it takes the place of: nobody needs yesterday's list."""
    before = [
        memory
        for memory in store.all().values()
        if memory.active and memory.session == session and OPEN in memory.tags and memory.actor == "hook"
    ]
    if not threads.open:
        return [], [memory.id for memory in before] if threads.done else []
    text = "Left open: " + "; ".join(threads.open) + "."
    if any(memory.text == text for memory in before):
        return [], []
    draft = MemoryDraft(
        type="insight",
        title="Left open",
        text=text,
        tags=("session", OPEN),
        importance=8,
        session=session,
        actor="hook",
        agent=agent,
        private=True,
        expires=OPEN_DAYS,
        key=f"open:{session}:{hashlib.sha256(text.encode()).hexdigest()[:24]}",
    )
    return [draft], [memory.id for memory in before]


def threads_of(path: Path) -> OpenItems:
    """Return what a transcript leaves open. Raises OSError."""
    with open_transcript(path) as lines:
        return read_open_items(line for line in lines if line.endswith(b"\n"))


def begun(params: CaptureParams) -> str:
    """Return when a session began, by its transcript (RFC 3339); later than anything where that can't be told."""
    reader = SessionReader()
    try:
        with open_transcript(Path(params.transcript or "")) as lines:
            for line in islice(lines, OPENING_LINES):
                reader.read_line(line)
    except OSError:
        return NEVER
    return reader.facts().started_at or NEVER


def note_turn(notes: SessionNotes, params: CaptureParams) -> None:
    """Note where the transcript of a session lies, in case that nobody sees its end."""
    if params.session and params.transcript:
        notes.put(params.session, OPEN, {"transcript": params.transcript, "agent": params.agent})


def abandoned(notes: SessionNotes, but: str | None, now: datetime) -> list[CaptureParams]:
    """Return the ends that nobody has seen: of sessions whose transcript has not grown for half a day, or is gone."""
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


def _read(place: Place, params: CaptureParams) -> tuple[SessionFacts | None, OpenItems]:
    nothing = OpenItems(open=(), done=0)
    if not params.transcript:
        return None, nothing
    reader, path = SessionReader(), Path(params.transcript)
    try:
        with open_transcript(path) as lines:
            for line in lines:
                if line.endswith(b"\n"):  # a last line without its end is still being written
                    reader.read_line(line)
        facts, threads = reader.facts(), threads_of(path)
    except OSError as error:
        log.info("the transcript %s can't be read: %s", path, error.strerror)
        return None, nothing
    if not facts.recognised or not is_here(facts, place):
        return None, nothing
    return facts, threads


def _commits(store: MemoryStore, session: str, shown: Sequence[str], fresh: Sequence[MemoryDraft]) -> tuple[str, ...]:
    """Return the commits of a session: those its transcript shows, and the quiet ones that were captured."""
    captured = [memory for memory in store.all().values() if memory.session == session and memory.actor == "hook"]
    captured.sort(key=lambda memory: (memory.ts, memory.id))
    told = [(one.details, one.title) for one in captured] + [(one.details, one.title) for one in fresh]
    found = [(str(details["commit"]), title) for details, title in told if "commit" in details]
    further = [
        f"{sha[:7]} {title}" for sha, title in found if not any(sha.startswith(each.split(" ", 1)[0]) for each in shown)
    ]
    return (*shown, *dict.fromkeys(further))


def _renewed(store: MemoryStore, draft: MemoryDraft, session: str) -> MemoryDraft:
    """Return a summary as one that takes the place of the session's earlier one, if there is one that says less."""
    if draft.type != "session_summary":
        return draft
    before = _summary(store, session)
    if before is None or before.text == draft.text:
        return draft
    key = f"{draft.key}:{hashlib.sha256(draft.text.encode()).hexdigest()[:16]}"
    return replace(draft, key=key, links=(Link(relation="supersedes", target=before.id, by="hook"),))


def _summary(store: MemoryStore, session: str) -> Memory | None:
    found = [
        memory
        for memory in store.all().values()
        if memory.active and memory.type == "session_summary" and memory.session == session and memory.actor == "hook"
    ]
    return max(found, key=lambda memory: (memory.ts, memory.id), default=None)
