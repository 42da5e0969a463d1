"""Remembering without being told: significant commits, and decisions marked in a transcript.

What is worth remembering is decided in `source`; here stands where to look, and that each thing is looked at once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from muninn_core import git
from muninn_core.engine.workspace import Workspace
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.model.value import Value
from muninn_core.protocol.params import CaptureParams, MemoryDraft
from muninn_core.source.commit import draft as commit_draft
from muninn_core.source.commit import significant, trace, without_private
from muninn_core.source.transcript import read_transcript

log = logging.getLogger("muninn.capture")

MOST_COMMITS = 20
"""A look back takes in the newest this many; a session rarely makes more between two looks."""


class Found(Value):
    """Drafts to store, traces that nobody is told of, the line to show, and what to note once they are stored."""

    drafts: tuple[MemoryDraft, ...]
    traces: tuple[MemoryDraft, ...]
    note: str
    commit: Callable[[], None]


def note_start(workspace: Workspace, session: str | None) -> None:
    """Note where HEAD is when a session starts, so that later only its own commits are looked at."""
    head = git.head(workspace.place).commit
    name = session or workspace.session
    if head is not None and workspace.notes.get(name, "head") is None:
        try:
            workspace.notes.put(name, "head", head)
        except OSError as error:  # a brief is worth more than the note
            log.warning("where the session starts could not be noted: %s", error)


def find(workspace: Workspace, params: CaptureParams) -> Found:
    """Look where the parameters say. Raises BadParams or NotFoundError for a transcript that is not there."""
    if params.source == "commit":
        return _commits(workspace, params)
    return _transcript(workspace, params)


def _commits(workspace: Workspace, params: CaptureParams) -> Found:
    session = params.session or workspace.session
    head = git.head(workspace.place).commit
    seen = workspace.notes.get(session, "head")
    if head is None or head == seen:
        return Found(drafts=(), traces=(), note="", commit=lambda: None)
    drafts, traces = [], []
    for commit in git.commits(workspace.layout.root, seen, head, MOST_COMMITS):
        commit = without_private(commit)
        significance = significant(commit) if commit.subject else None
        if significance is not None:
            drafts.append(commit_draft(commit, significance, session=session, agent=params.agent))
        elif shown := trace(commit, session=session, agent=params.agent):
            traces.append(shown)
    note = "Remembered: " + "; ".join(draft.title for draft in drafts)
    return Found(
        drafts=tuple(drafts),
        traces=tuple(traces),
        note=note,
        commit=lambda: workspace.notes.put(session, "head", head),
    )


def _transcript(workspace: Workspace, params: CaptureParams) -> Found:
    if not params.transcript:
        raise BadParams("'capture' from a transcript needs 'transcript'", hint="Give the path of the JSON lines file.")
    path = Path(params.transcript)
    session = params.session or workspace.session
    name = f"read:{path.name}"
    offset = workspace.notes.get(session, name) or 0
    try:
        with path.open("rb") as lines:
            lines.seek(offset if offset <= path.stat().st_size else 0)
            reading = read_transcript(lines, offset=lines.tell(), session=session, agent=params.agent)
    except OSError as error:
        raise NotFoundError(
            f"the transcript {path} can't be read: {error.strerror}", hint="The agent names it in its hook's payload."
        ) from None
    count = len(reading.drafts)
    note = f"Kept {count} statement{'s' if count != 1 else ''} in the repository's memory:\n" + "\n".join(
        f"- {draft.text}" for draft in reading.drafts
    )
    return Found(
        drafts=reading.drafts, traces=(), note=note, commit=lambda: workspace.notes.put(session, name, reading.offset)
    )
