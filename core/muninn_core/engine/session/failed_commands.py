"""A command that failed in an agent's shell: a candidate attempt of this session, and earlier failures of the command.

Most failures are steps on the way and worth nothing later. So a candidate is a session note that stays on this machine.
At the session's end, commands that failed and passed later become attempts for everyone, with what cured them
(`capture.session_memories`).
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from muninn_core.capture.sessions.command_outcome import command_name
from muninn_core.capture.sessions.session_facts import COMMAND_CHARS, error_line, exit_status
from muninn_core.capture.sessions.session_memories import READ_ONLY_COMMAND, relative_paths
from muninn_core.context.memory_summary import one_line
from muninn_core.engine.memory.drafting.scopes import visible
from muninn_core.engine.memory.exchange.backfill_sources import main_of
from muninn_core.engine.session.reminder_search import related_memories
from muninn_core.errors import BadParams, MuninnError
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.protocol.families.session import CaptureParams
from muninn_core.retrieval.decay import is_recallable
from muninn_core.source.private_spans import strip_private
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.failures")

CANDIDATE = "candidate"
"""The tag of a failure whose session has not ended."""

MAX_CANDIDATES = 20
"""The most candidates of one session."""

EXPIRES = "30d"
"""The lifetime of a candidate."""

CAUSES = frozenset({"bug_fix", "configuration", "insight"})
"""The types of memories that an error is compared with by its words. Attempts are compared by the whole error."""

NOTE_CHARS = 600
"""The most characters of an earlier failure's text that a note repeats."""


_QUOTED = re.compile(r"(?<!\w)['\"`\u2018\u201c]([^'\"`\u2019\u201d]{2,80})['\"`\u2019\u201d]")
_COUNT = re.compile(r"\b\d+ (?:failed|failures?|errors?|passed)\b|^[\W_]*(?:ERROR|FAILED) \S+$")
"""A line that counts failures or names a failed file only."""


def candidates(store: MemoryStore, session: str) -> list[Memory]:
    """Return the active candidates of a session, by id."""
    return [
        memory
        for memory in store.recallable_with("session", session)
        if memory.scope == "session" and memory.session == session and CANDIDATE in memory.tags
    ]


def candidate(workspace: Workspace, params: CaptureParams) -> MemoryDraft | None:
    """Return the draft of a failure's candidate. Raises BadParams without a command.

    The result is None for a command that only reads, without an error message, and beyond `MAX_CANDIDATES`.
    """
    if not params.command.strip():
        raise BadParams("'capture' of a failure needs 'command'", hint="Give `command` and `error`.")
    session = params.session or workspace.memory.session
    command, error = _command_and_error(workspace.layout.root, workspace.location, params)
    if (
        READ_ONLY_COMMAND.match(params.command)
        or not error
        or len(candidates(workspace.memory, session)) >= MAX_CANDIDATES
    ):
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
    """Return a memory of the failure that this session has not received, or None.

    Attempts of other sessions come first: those of the same command, then those with the same error, the newest first.
    Without one, it is the memory of a cause or setting that is surely about the error.
    """
    command, error = _command_and_error(workspace.layout.root, workspace.location, params)
    given, seen = workspace.deliveries.delivered_to(params.session), visible(workspace.memory, None, params.session)

    def may_be_given(memory: Memory) -> bool:
        usable = memory.scope != "session" and memory.trust != "outside"
        return usable and memory.id not in given and is_recallable(memory, now) and seen(memory)

    same_name, same_error = command_name(command), _without_numbers(error) if is_informative_error(error) else None
    found = [
        (rank, memory.ts, memory)
        for memory in workspace.memory.recallable_with("type", "attempt")
        if (rank := _likeness(memory, same_name, same_error)) and may_be_given(memory)
    ]
    if found:
        return max(found, key=lambda each: (each[0], each[1], each[2].id))[2]
    return _known_cause(workspace, error, may_be_given, now)


def _likeness(memory: Memory, command: str, error: str | None) -> int:
    """Return 3 for an attempt of a command with an error, 2 for one of the command, 1 for one with the error, else 0.

    `command` is a name of `command_name`, and `error` is without numbers, None for one that says nothing.
    """
    its_command, its_error = (memory.details.get(name) for name in ("command", "error"))
    same = isinstance(its_command, str) and bool(command) and command_name(its_command) == command
    return 2 * same + (isinstance(its_error, str) and error is not None and _without_numbers(its_error) == error)


def is_informative_error(error: str) -> bool:
    """Whether an error says what is wrong: it has at least three words and is no count such as `1 failed`."""
    return len(error.split()) >= 3 and not _COUNT.search(error)


def _without_numbers(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+|\d+", "#", text)


def _known_cause(
    workspace: Workspace, error: str, may_be_given: Callable[[Memory], bool], now: datetime
) -> Memory | None:
    """Return the memory of a cause or a setting that is surely about an error, or None.

    An error that quotes names is about these: the memory has one of them.
    """
    if not is_informative_error(error):
        return None
    names = _QUOTED.findall(error)

    def is_about(memory: Memory) -> bool:
        named = not names or any(name in memory.text for name in names)
        return memory.type in CAUSES and named and may_be_given(memory)

    try:
        found = related_memories(workspace, error, is_about, now)
    except MuninnError as problem:  # the index is being opened
        log.info("no memories of the error are looked for: %s", problem)
        return None
    return found[0].memory if found else None


def known_failure_note(memory: Memory) -> str:
    """Return the note that an error is known."""
    text = one_line(memory)
    text = text if len(text) <= NOTE_CHARS else text[: NOTE_CHARS - 1] + "…"
    if memory.type == "attempt":
        return f"Muninn remembers that this failed before ({memory.ts[:10]}): {text}"
    return f"Muninn remembers about this error ({memory.type}, {memory.ts[:10]}): {text}"


def _command_and_error(root: Path, location: RepositoryLocation, params: CaptureParams) -> tuple[str, str]:
    """Return the command and the most telling line of its error, without private spans and local folders."""
    roots = [str(root), *main_of(location)]
    command = " ".join(strip_private(params.command)[0].split())[:COMMAND_CHARS]
    return relative_paths(command, roots), relative_paths(error_line(strip_private(params.error)[0]), roots)
