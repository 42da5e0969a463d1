"""Results about sessions of work: briefs, reminders, captures, and the seal at their end."""

from __future__ import annotations

from typing import Literal

from muninn_core.model.value import Value
from muninn_core.protocol.results.base import Result


class WorkSession(Value):
    """A working session. `title` is what a reader calls it: its summary, the name that somebody gave it, or its begin.

    It is open while some of its `records` wait to be sealed; `memories` speak. Branch, task, agent and actor are those
    of its last memory that says them.
    """

    session: str
    title: str
    state: Literal["open", "sealed"]
    begin: str
    end: str
    records: int
    waiting: int
    memories: int
    branch: str = ""
    task: str = ""
    agent: str = ""
    actor: str = ""


class SessionsResult(Result):
    """The sessions, open ones first; `total` counts them before limit and offset."""

    sessions: tuple[WorkSession, ...]
    total: int


class SealResult(Result):
    """The segments that were written, relative to the root, and how many records they hold."""

    segments: tuple[str, ...]
    records: int


class BriefResult(Result):
    """The brief as markdown, and the memories that it shows."""

    text: str
    ids: tuple[str, ...]


class RemindResult(Result):
    """What is remembered about a prompt, and the memories and files in it; "" when nothing is sure or new."""

    text: str
    ids: tuple[str, ...]


class CaptureResult(Result):
    """What was remembered; `note` is the line to show, "" when there is nothing to say."""

    ids: tuple[str, ...]
    note: str
