"""A command that failed in an agent's shell: a candidate attempt of this session, and earlier failures of the command.

Most failures are steps on the way and worth nothing later. So a candidate is a session note that stays on this machine.
At the session's end, commands that failed until files were changed become attempts for everyone
(`source.session_memories`).
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
"""The tag of a failure whose session has not ended."""

MOST = 20
"""The most candidates of one session."""

EXPIRES = "30d"
"""The lifetime of a candidate."""

NOTE_CHARS = 600
"""The most characters of an earlier failure's text that a note repeats."""


def candidates(store: MemoryStore, session: str) -> list[Memory]:
    """Return the active candidates of a session, by id."""
    return [
        memory
        for memory in store.all().values()
        if memory.active and memory.scope == "session" and memory.session == session and CANDIDATE in memory.tags
    ]


def candidate(workspace: Workspace, params: CaptureParams) -> MemoryDraft | None:
    """Return the draft of a failure's candidate. Raises BadParams without a command.

    The result is None for a command that only reads, for an error without a telling line, and beyond `MOST` candidates.
    """
    if not params.command.strip():
        raise BadParams("'capture' of a failure needs 'command'", hint="Give `command` and `error`.")
    session = params.session or workspace.memory.session
    command, error = _command_and_error(workspace.layout.root, workspace.place, params)
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
    """Return the newest attempt of other sessions with the same command that this session has not received, or None."""
    command, _ = _command_and_error(workspace.layout.root, workspace.place, params)
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


def known_failure_note(memory: Memory) -> str:
    """Return the note that a command failed before."""
    text = " ".join(memory.text.split())
    text = text if len(text) <= NOTE_CHARS else text[: NOTE_CHARS - 1] + "…"
    return f"Muninn remembers that this failed before ({memory.ts[:10]}): {text}"


def _command_and_error(root: Path, place: Place, params: CaptureParams) -> tuple[str, str]:
    """Return the command and the most telling line of its error, without private spans and local folders."""
    roots = [str(root), *main_of(place)]
    command = " ".join(strip_private(params.command)[0].split())[:COMMAND_CHARS]
    return relative_paths(command, roots), relative_paths(error_line(strip_private(params.error)[0]), roots)
