"""Results about what memory rests on: its history, its differences, its citations, its files."""

from __future__ import annotations

from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value
from muninn_core.protocol.results.base import Result


class Changed(Value):
    """One field of a memory that an event changed, in words. Both are empty once the memory is redacted."""

    name: str
    before: str
    after: str


class Event(Value):
    """One record about a memory: who wrote it, when, where HEAD was, and what it changed."""

    id: str
    ts: str
    type: str
    actor: str
    agent: str
    session: str
    task: str
    branch: str
    commit: str
    summary: str
    changes: tuple[Changed, ...] = ()
    sealed: bool = True


class HistoryResult(Result):
    """A memory as it is now, and its events, oldest first."""

    memory: Memory
    events: tuple[Event, ...]


class Turn(Value):
    """What became of one memory. `by` is the other memory that it has to do with, if any; `reason` is in words."""

    memory: Memory
    by: Memory | None = None
    reason: str = ""


class DiffResult(Result):
    """What the work from `base` to `head` does to memory; every list is in the order of the memories' ids.

    `contradicts` are pairs of which at least one memory is new; `stale` are memories whose code the work changed.
    `pending` wait for an approval since, `approved` do no longer.
    `text` says all of it, as text or markdown.
    """

    base: str
    head: str
    added: tuple[Memory, ...]
    removed: tuple[Memory, ...]
    changed: tuple[Turn, ...]
    superseded: tuple[Turn, ...]
    archived: tuple[Turn, ...]
    contradicts: tuple[Turn, ...]
    stale: tuple[Turn, ...]
    pending: tuple[Memory, ...]
    approved: tuple[Memory, ...]
    malformed: int
    text: str


class Finding(Value):
    """Something that a check found. `level` is error or warn; `line` 0 is the whole file; `id` names a memory."""

    rule: str
    level: str
    message: str
    path: str = ""
    line: int = 0
    id: str = ""
    hint: str = ""


class CheckResult(Result):
    """Findings by path, line, rule. `ok` says that none is an error; `files` counts the files that were read."""

    ok: bool
    errors: int
    warnings: int
    files: int
    memories: int
    findings: tuple[Finding, ...]


class Verified(Value):
    """A memory whose citations are not all fresh. `fixed`: it cites the new places from now on."""

    id: str
    type: str
    title: str
    cites: tuple[Citation, ...]
    fixed: bool = False


class VerifyResult(Result):
    """How many citations there are in each state, of how many memories, and the memories that need a look.

    Those with something gone come first, then drifted, unchecked, moved; by id among equals.
    """

    memories: int
    states: dict[str, int]
    found: tuple[Verified, ...]
    fixed: int = 0


class ConfirmResult(Result):
    """The memory as it is now; `cites` are the places that it cites from now on."""

    memory: Memory
    cites: tuple[Citation, ...]
