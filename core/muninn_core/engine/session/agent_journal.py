"""Records what agents do and receive as events of the journal: turns of their transcripts, and memories given to them.

One thread does the work after the verb has answered, so that an agent does not wait for the disk. A transcript is read
again from its last turn, and each of its events has a key: a repeated message of a hook records nothing twice, and what
a crash kept from being recorded is read by the next event of the session.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from muninn_core.capture.turns.agent_turns import TurnReading, read_turns
from muninn_core.capture.turns.turn_events import (
    ANSWER,
    MESSAGE_CHARS,
    PROMPT,
    TOOL_CALL,
    AgentTurn,
    cut,
    tool_payload,
)
from muninn_core.context.packs.tokens import count_tokens
from muninn_core.engine.memory.exchange.transcript_files import open_transcript
from muninn_core.engine.session.journal import At, project_of
from muninn_core.engine.session.session_end import TEMPORARY
from muninn_core.errors import BadParams, MuninnError
from muninn_core.model.event import EventDraft
from muninn_core.model.value import replace
from muninn_core.protocol.families.session import CaptureParams
from muninn_core.source.private_spans import strip_private, strip_private_values
from muninn_core.store.records.timestamps import normalise
from muninn_core.worktree.journals import Journals
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.agents")

GIVEN = "given"
"""The type of the events that tell which memories and files a session received."""

ANSWER_SECONDS = 2.0
"""How long the last answer of a turn is waited for: agents write it to the transcript after their hooks ran."""

POLL_SECONDS = 0.05

PAUSE_SECONDS = 0.25
"""How long no further job must come before jobs begin: the next hook or request should find an idle processor.

The first job after such a pause begins at once, so that followers see it; its client has its answer already. The jobs
that come soon after it wait.
"""

MAX_PAUSE_SECONDS = 2.0
"""How long jobs wait for that at most. Then all that wait run in one go."""

DRAIN_SECONDS = 10.0
"""How long a question about events waits for the events before it."""


class AgentJournal:
    """Records in the background. One per engine; `close` finishes what waits."""

    def __init__(self, journals: Journals) -> None:
        self._journals = journals
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._waiting: set[Future[None]] = set()
        self._added = -PAUSE_SECONDS
        self._due = 0
        self._closed = False
        self._hurry = threading.Event()

    def given(
        self,
        workspace: Workspace,
        session: str | None,
        verb: str,
        ids: Sequence[str],
        withheld: Sequence[tuple[str, str]] = (),
        text: Callable[[], str] | None = None,
        **about: Any,
    ) -> None:
        """Record what a verb gave to a session: ids of memories, or `path:lines` of files.

        `withheld` are (id, reason) of what fitted and was not given. Without either, nothing is recorded. `text` is
        called in the background and returns what a model reads, whose tokens are counted.
        """
        if session and (ids or withheld):
            payload = {"verb": verb, "ids": list(ids), **strip_private_values(about)[0]}
            if withheld:
                payload["withheld"] = [{"id": each, "why": why} for each, why in withheld]

            def run(at: At) -> None:
                tokens = {"tokens": count_tokens(text())} if text is not None else {}
                draft = EventDraft(event_type=GIVEN, payload={**payload, **tokens}, actor="muninn")
                self._append(at, session, "", (draft,), None)

            self.later(workspace, run)

    def record(
        self, workspace: Workspace, session: str, turn: str, drafts: Sequence[EventDraft], *, ends: bool = False
    ) -> None:
        """Record events of a turn, or of a session with the turn "". `ends`: the turn is complete with them."""
        self.later(workspace, lambda at: self._append(at, session, turn, drafts, "closed" if ends else None))

    def transcript(self, workspace: Workspace, params: CaptureParams) -> None:
        """Record the new turns of the transcript of a turn or a session that ended."""
        session = params.session
        if session is None or not params.transcript or not _is_on(workspace):
            return
        path = Path(params.transcript)
        if params.agent in TEMPORARY:
            try:
                reading = _read(path, 0)
            except OSError as error:
                log.info("the transcript %s can't be read: %s", path, error.strerror)
                return
            self.later(workspace, lambda at: self._append_turns(at, params, reading))
            return
        name = f"turns:{path.name}"

        def run(at: At) -> None:
            offset = workspace.session_state.number(session, name)
            reading = self._read_to(path, offset, params.answer)
            self._append_turns(at, params, reading)
            if reading.offset != offset:
                workspace.session_state.put(session, name, reading.offset)

        self.later(workspace, run)

    def conversation(
        self, workspace: Workspace, client: str, read: Callable[[], tuple[str, AgentTurn, bool] | None]
    ) -> None:
        """Record a turn of a conversation that passed a gateway.

        `read` runs in the background. It returns a session, a turn and whether the turn is complete, or None.
        """

        def run(at: At) -> None:
            found = read()
            if found is not None:
                session, turn, ends = found
                self._append(at, session, turn.id, _drafts(turn, client), "closed" if ends else None)

        self.later(workspace, run)

    def event(self, workspace: Workspace, params: CaptureParams) -> None:
        """Record an event of an agent whose transcript can't be read; the end of a turn closes it."""
        if not params.turn or params.session is None:
            return
        kind, actor, payload = _event(params)
        ends = params.source == "turn"
        if not kind and not ends:
            return
        parts = (params.session, params.turn, kind, params.call or str(sorted(payload.items())), params.time)
        draft = EventDraft(
            event_type=kind,
            payload=payload,
            occurred_at=_time(params.time),
            actor=actor,
            source=params.agent or "",
            idempotency_key=f"agent:{hashlib.sha256(repr(parts).encode()).hexdigest()[:40]}",
        )
        self.record(workspace, params.session, params.turn, (draft,) if kind else (), ends=ends)

    def drain(self) -> None:
        """Wait until everything that was asked for so far is recorded, at most `DRAIN_SECONDS`."""
        with self._lock:
            waiting = list(self._waiting)
        if waiting:
            self._hurry.set()
            wait(waiting, timeout=DRAIN_SECONDS)
            self._hurry.clear()

    def close(self) -> None:
        """Finish what waits; what comes later is not recorded."""
        self._hurry.set()
        with self._lock:
            self._closed = True
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True)

    def later(self, workspace: Workspace, run: Callable[[At], None]) -> None:
        """Run a job on the journal after those that wait: at once after a pause, else in the next one.

        It is dropped when the configuration turns recording off or this process can't write the work tree.
        """
        if not _is_on(workspace):
            return
        with self._lock:
            if self._closed:
                return
            if self._pool is None:
                self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="agents")
            now = time.monotonic()
            if not self._waiting and now > self._added + PAUSE_SECONDS:
                self._due = 1
            self._added = now
            future = self._pool.submit(self._run, workspace, run)
            self._waiting.add(future)
        future.add_done_callback(self._forget)

    def _forget(self, future: Future[None]) -> None:
        with self._lock:
            self._waiting.discard(future)

    def _pause(self) -> None:
        """Wait for a moment without new jobs; the jobs that wait by then are due and begin at once."""
        if self._due:
            self._due -= 1
            return
        latest = time.monotonic() + MAX_PAUSE_SECONDS
        while (left := min(self._added + PAUSE_SECONDS, latest) - time.monotonic()) > 0:
            if self._hurry.wait(left):
                return
        with self._lock:
            self._due = len(self._waiting) - 1  # without the job that runs

    def _run(self, workspace: Workspace, run: Callable[[At], None]) -> None:
        self._pause()
        try:
            run(At(workspace, self._journals.open(workspace.location), self._journals.types(workspace.location)))
        except (MuninnError, OSError) as error:
            log.warning("what an agent did can't be recorded: %s", error)
        except Exception:  # nothing waits for this job, so the log is the only place for its error
            log.exception("recording what an agent did failed")

    def _read_to(self, path: Path, offset: int, answer: str) -> TurnReading:
        """Read a transcript, and again for some time until it has the turn's last answer or the engine closes."""
        until = time.monotonic() + ANSWER_SECONDS
        while True:
            reading = _read(path, offset)
            there = not answer.strip() or answer.strip() in reading.answer
            if there or self._closed or time.monotonic() > until:
                return reading
            time.sleep(POLL_SECONDS)

    def _append_turns(self, at: At, params: CaptureParams, reading: TurnReading) -> None:
        for turn in reading.turns:
            whole = params.source == "turn" or turn is not reading.turns[-1] or _is_answered(turn)
            drafts = _drafts(turn, params.agent or "")
            self._append(at, params.session or "", turn.id, drafts, "closed" if whole else "incomplete")

    def _append(self, at: At, session: str, turn: str, drafts: Sequence[EventDraft], outcome: Any) -> None:
        config = at.workspace.config
        project = project_of(at, "", session)
        allowed = []
        for draft in drafts:
            try:
                at.types.check(draft.event_type, draft.payload, config.journal.types)
            except BadParams as error:
                log.info("an event of an agent is left out: %s", error.message)
            else:
                allowed.append(replace(draft, project_id=project, session_id=session))
        at.open.turns.record(
            project,
            session,
            turn,
            allowed,
            client=next((draft.source for draft in drafts), ""),
            outcome=outcome,
            seconds=config.journal.turn_seconds,
            patterns=config.memory.secrets,
        )


def _is_on(workspace: Workspace) -> bool:
    """Whether a work tree records what agents do."""
    return workspace.writable and workspace.config.journal.agents


def _drafts(turn: AgentTurn, source: str) -> list[EventDraft]:
    return [
        EventDraft(
            event_type=event.event_type,
            payload=event.payload,
            occurred_at=_time(event.time),
            actor=event.actor,
            source=source,
            idempotency_key=f"agent:{event.key}",
        )
        for event in turn.events
    ]


def _time(given: str) -> str:
    """Return a time, or "" for one that is malformed: the event counts more than its time."""
    try:
        return normalise(given) if given else ""
    except ValueError:
        return ""


def _event(params: CaptureParams) -> tuple[str, str, dict[str, Any]]:
    """Return type, actor and payload of a hook's event; the type is "" for an event that is none of the journal."""
    if params.source in ("prompt", "answer"):
        text = cut(strip_private(params.text)[0].strip(), MESSAGE_CHARS)
        kind, actor = (PROMPT, "user") if params.source == "prompt" else (ANSWER, "assistant")
        return (kind if text else ""), actor, {"text": text}
    if params.source in ("commit", "failure") and params.command:
        failed = params.source == "failure"
        given = {"command": params.command}
        return TOOL_CALL, "tool", tool_payload("Shell", given, params.error or params.output, failed=failed)
    return "", "", {}


def _read(path: Path, offset: int) -> TurnReading:
    with open_transcript(path) as lines:
        size = path.stat().st_size
        lines.seek(offset if offset <= size else 0)
        return read_turns(lines, offset=lines.tell())


def _is_answered(turn: AgentTurn) -> bool:
    """Whether a turn ends with the model's answer: otherwise it was interrupted."""
    kinds = [event.event_type for event in turn.events if event.event_type != "usage"]
    return kinds[-1:] == [ANSWER]
