"""A command that failed in an agent's shell: a candidate attempt for this session, and what is known of it already.

Most failures are a step on the way and worth nothing later. So a candidate is a note of its session and stays on this
machine; what failed until files were changed becomes an attempt for everybody when the session ends (`ending`).
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path

from muninn_core.engine.memory.backfill_sources import main_of
from muninn_core.engine.memory.scopes import visible
from muninn_core.errors import BadParams
from muninn_core.launch.place import Place
from muninn_core.model.memory import Memory
from muninn_core.protocol.memory import MemoryDraft
from muninn_core.protocol.session import CaptureParams
from muninn_core.retrieval.decay import is_recallable
from muninn_core.source.private import strip_private
from muninn_core.source.session_facts import COMMAND_CHARS, error_line, exit_status
from muninn_core.source.session_memories import READ_ONLY_COMMAND, relative_paths
from muninn_core.worktree.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace

CANDIDATE = "candidate"
"""The tag of what failed in a session, as long as nobody knows what it was worth."""

MOST = 20
"""Candidates of one session; what fails still more often is being worked at."""

EXPIRES = "30d"

TOLD_CHARS = 600


def candidates(store: MemoryStore, session: str) -> list[Memory]:
    """Return the candidates of a session that nothing has become of yet, by id."""
    return [
        memory
        for memory in store.all().values()
        if memory.active and memory.scope == "session" and memory.session == session and CANDIDATE in memory.tags
    ]


def candidate(workspace: Workspace, params: CaptureParams) -> MemoryDraft | None:
    """Return the note of a failure; None where a command only looked, or does not say why. Raises BadParams."""
    if not params.command.strip():
        raise BadParams("a failure is captured with its command", hint="Give `command` and `error`.")
    session = params.session or workspace.memory.session
    command, error = _said(workspace.layout.root, workspace.place, params)
    if READ_ONLY_COMMAND.match(params.command) or not error or len(candidates(workspace.memory, session)) >= MOST:
        return None
    status = exit_status(params.error)
    mark = hashlib.sha256(f"{command}\n{error}".encode()).hexdigest()[:24]
    shown = command if len(command) <= 60 else command[:59] + "…"
    return MemoryDraft(
        type="attempt",
        title=f"`{shown}` failed",
        text=f"`{command}` failed: {error}",
        tags=("session", CANDIDATE),
        scope="session",
        importance=3,
        confidence=0.4,
        session=session,
        actor="hook",
        agent=params.agent,
        expires=EXPIRES,
        details={"command": command, **({} if status is None else {"exit_status": status}), "error": error},
        key=f"candidate:{session}:{mark}",
    )


def known_failure(workspace: Workspace, params: CaptureParams, now: datetime) -> Memory | None:
    """Return what is remembered of a command that failed before, of other sessions, the newest; None if nothing is."""
    command, _ = _said(workspace.layout.root, workspace.place, params)
    given, seen = workspace.deliveries.delivered_to(params.session), visible(workspace.memory, None, params.session)
    found = [
        memory
        for memory in workspace.memory.all().values()
        if memory.type == "attempt"
        and memory.details.get("command") == command
        and memory.scope != "session"
        and memory.trust != "outside"
        and memory.id not in given
        and is_recallable(memory, now)
        and seen(memory)
    ]
    return max(found, key=lambda memory: (memory.ts, memory.id), default=None)


def told(memory: Memory) -> str:
    """Return what is said of a failure that is known."""
    text = " ".join(memory.text.split())
    text = text if len(text) <= TOLD_CHARS else text[: TOLD_CHARS - 1] + "…"
    return f"Muninn remembers that this failed before ({memory.ts[:10]}): {text}"


def _said(root: Path, place: Place, params: CaptureParams) -> tuple[str, str]:
    """Return the command and the line of its error that says most, without what is private or this machine's."""
    roots = [str(root), *main_of(place)]
    command = " ".join(strip_private(params.command)[0].split())[:COMMAND_CHARS]
    return relative_paths(command, roots), relative_paths(error_line(strip_private(params.error)[0]), roots)
