"""Whether the daemon can record events and memories and answer from a current index, as a list of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from muninn_core.errors import MuninnError
from muninn_core.model.counting import number_of
from muninn_core.protocol.families.repository import ReadyCheck
from muninn_core.worktree.journals import OpenJournal
from muninn_core.worktree.workspace import Workspace


def checks(open_tree: Callable[[], Workspace], open_journal: Callable[[], OpenJournal]) -> Iterator[ReadyCheck]:
    """Yield the checks: memory, index, journal and projections. What can't be opened fails its check."""
    try:
        workspace = open_tree()
    except MuninnError as error:
        yield ReadyCheck(name="memory", ok=False, message=error.message, hint=error.hint)
        return
    yield _memory(workspace)
    yield _index(workspace)
    try:
        journal = open_journal()
        _probe(journal)
    except MuninnError as error:
        yield ReadyCheck(name="journal", ok=False, message=error.message, hint=error.hint)
        return
    yield ReadyCheck(
        name="journal", ok=True, message=f"{number_of(journal.journal.position, 'event')}, readable and writable"
    )
    yield _projections(journal)


def _probe(journal: OpenJournal) -> None:
    """Begin and end a transaction of the writer, and read. Raises MuninnError."""
    journal.journal.writer.run(lambda _transaction: None)
    with journal.journal.connections.one() as connection:
        connection.execute("SELECT position FROM chain_head").fetchone()


def _memory(workspace: Workspace) -> ReadyCheck:
    if workspace.writable:
        return ReadyCheck(name="memory", ok=True, message="readable and writable")
    reason = workspace.problems[0] if workspace.problems else None
    message = reason.message if reason else "the repository is read-only"
    return ReadyCheck(name="memory", ok=False, message=message, hint=reason.hint if reason else "")


def _index(workspace: Workspace) -> ReadyCheck:
    updater = workspace.updater
    failure = updater.failure
    if failure is not None:
        return ReadyCheck(name="index", ok=False, message=failure.message, hint=failure.hint)
    if updater.state != "ready" or updater.lag:
        message = (
            f"{updater.state}, {number_of(updater.lag, 'changed file is', 'changed files are')} not searchable yet"
        )
        return ReadyCheck(name="index", ok=False, message=message, hint="Wait, or see `muninn status`.")
    return ReadyCheck(name="index", ok=True, message="ready, no changed file is missing")


def _projections(journal: OpenJournal) -> ReadyCheck:
    projections = journal.projections
    if projections.failure or not projections.alive:
        message = projections.failure or "the thread that follows the journal has ended"
        return ReadyCheck(
            name="projections", ok=False, message=message, hint="`muninn projections rebuild` builds them again."
        )
    return ReadyCheck(name="projections", ok=True, message=f"{number_of(projections.lag, 'event')} behind the journal")
