"""Removes a memory's content from files and index, and finds the commits that still contain it.

It never rewrites git's history; `purge` lists the commits and how to remove the text from them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from muninn_core import git
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.errors import BusyError, NotFoundError, StorageError
from muninn_core.journal.redaction_search import events_containing
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.privacy import HoldingCommit, PurgeParams, PurgeResult, RedactParams, RedactResult
from muninn_core.store.files.redact import RedactionSubject, files_about, is_about, redact_content, redaction_subject
from muninn_core.store.folding.fold import State
from muninn_core.store.records.fields import read_fields
from muninn_core.store.records.record import Record
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.journals import OpenJournal
from muninn_core.worktree.local.pending_redaction import Redaction
from muninn_core.worktree.local.private_layout import layout_at, other_trees
from muninn_core.worktree.open_trees import OpenTrees
from muninn_core.worktree.workspace import Workspace

OPEN_SECONDS = 60.0
"""The longest wait for the index, which must be scrubbed too."""

MEMORY = ".muninn/memory"
"""The folder of records in the trees of commits."""


def redact(
    workspace: Workspace, trees: OpenTrees, journal: OpenJournal | None, params: RedactParams, call: CallContext
) -> RedactResult:
    """Blank a memory, and those merged with it, in all work trees of the repository and in its journal.

    With `dry_run` nothing changes; the result names what would.
    Raises NotFoundError, UsageError for an ambiguous id, or BusyError while a reader uses the index's files.
    """
    store = workspace.memory
    store.log.refresh()
    store.refresh_shared()
    memory = memory_of(store.all(), params.id)
    log = store.shared_log() if memory.scope == "global" else store.log
    group = group_of(log.state, memory)
    done = Redaction(
        ids=tuple(each.id for each in group), texts=texts_of(group), actor=call.actor or "user", scope=memory.scope
    )
    if params.dry_run:
        return _preview(workspace, trees, journal, done, _texts_with_history(group, log.records), memory)
    # The journal comes first: after a crash the memory still has the text that finds its events.
    events = _redact_events(journal, _texts_with_history(group, log.records), done.actor) if journal else 0
    files = [*_redact_open(workspace, done, params.session)]
    for location in other_trees(workspace.location, [each.location for each in trees]):
        opened = trees.get(location)
        changed = _redact_open(opened, done, None) if opened else trees.redact_closed(location, done)
        files += [os.path.relpath(Path(location.root, path), workspace.layout.root) for path in changed]
    return RedactResult(
        ids=done.ids,
        files=tuple(files),
        events=events,
        memory=store.all()[memory.id],
        saw=workspace.read_state(),
    )


def _preview(
    workspace: Workspace,
    trees: OpenTrees,
    journal: OpenJournal | None,
    done: Redaction,
    texts: Iterable[str],
    memory: Memory,
) -> RedactResult:
    """Return what a redaction would change: the memories, the files and the number of events."""
    log = workspace.memory.log_of(done.scope)
    subject = redaction_subject(set(done.ids), log.records, done.texts)
    files = [log.layout.relative(path) for path in files_about(log.layout, subject)]
    for location in (
        other_trees(workspace.location, [each.location for each in trees]) if done.scope != "global" else ()
    ):
        files += [os.path.relpath(path, workspace.layout.root) for path in files_about(layout_at(location), subject)]
    return RedactResult(
        ids=done.ids,
        files=tuple(files),
        events=len(events_containing(journal.journal, texts)) if journal else 0,
        memory=memory,
        saw=workspace.read_state(),
    )


def _redact_open(workspace: Workspace, redaction: Redaction, session: str | None) -> tuple[str, ...]:
    """Blank memories in the files and the index of an open work tree; return the changed files."""
    store = workspace.memory
    store.log.refresh()
    with workspace.redaction.running(redaction):
        files = store.redact(
            redaction.ids, texts=redaction.texts, actor=redaction.actor, session=session, scope=redaction.scope
        )
        workspace.copies.remove(redaction.ids, redaction.texts)
        scrub_index(workspace)
    return files


def _redact_events(at: OpenJournal, texts: Iterable[str], actor: str) -> int:
    """Erase the payloads of the events that hold a memory's text or a question of it; return their number."""
    found = events_containing(at.journal, texts)
    for identity in found:
        at.journal.redact(identity, "a memory with this text was redacted", actor)
    if found:
        at.projections.catch_up()
    return len(found)


def group_of(state: State, memory: Memory) -> tuple[Memory, ...]:
    """Return a memory with all memories merged with it; their texts have the same meaning."""
    root = memory.merged_into or memory.id
    return tuple(each for each in state.memories.values() if root in (each.id, each.merged_into))


def texts_of(group: tuple[Memory, ...]) -> tuple[str, ...]:
    """Return the texts, titles, aliases and questions of some memories."""
    return tuple(
        dict.fromkeys(
            text for each in group for text in (each.text, each.title, *each.aliases, *each.questions) if text
        )
    )


def _texts_with_history(group: tuple[Memory, ...], records: Mapping[str, Record]) -> set[str]:
    """Return the texts and questions of some memories, those that updates and decisions replaced included."""
    texts = {text for each in group for text in (each.text, *each.questions)}
    subject = redaction_subject({each.id for each in group}, records)
    for record in records.values():
        if record.id in subject.ids or (record.type in ("update", "resolve") and is_about(record.data, subject)):
            fields, _ = read_fields(record.data["set"] if record.type == "update" else record.data)
            texts.update((fields.get("text", ""), *fields.get("questions", ())))
    return texts


def scrub_index(workspace: Workspace) -> None:
    """Remove redacted text from the index's files. An index that can't be scrubbed is made anew.

    Raises BusyError when that takes too long, and the failure of the index.
    """
    workspace.memory.publish()
    workspace.result_pages.clear()
    workspace.revision_index.close()
    workspace.branch_index.close()
    updater = workspace.updater
    try:
        index = updater.wait_open(OPEN_SECONDS)
        done = updater.wait_memories(OPEN_SECONDS) and index.scrub()
    except StorageError:
        done = False
    if not done and not workspace.replace_index(OPEN_SECONDS):
        raise BusyError(
            "the text is gone from the files, but the index is in use and still holds it",
            hint="Redact again, or rebuild the index with `muninn index --rebuild`.",
        )


def purge(workspace: Workspace, params: PurgeParams) -> PurgeResult:
    """Return the commits, branches and tags that contain a memory's text. Raises NotFoundError for an unknown id."""
    state = workspace.memory.log.state
    try:
        ids = {each.id for each in group_of(state, memory_of(state.memories, params.id))}
    except NotFoundError:
        ids = {params.id}  # a memory of another branch
    subject = redaction_subject(ids, workspace.memory.log.records)
    root = workspace.layout.root
    changes = git.blob_changes(root, MEMORY)
    blobs = {blob for change in changes for blob in (*change.before, change.after) if blob}
    holding = {
        blob for blob, content in git.read_blobs(root, sorted(blobs), skip_missing=True) if _holds(content, subject)
    }
    commits = _commits(changes, holding)
    if not commits and not ids & state.memories.keys():
        raise NotFoundError(f"no memory and no commit has '{params.id}'", hint="Give the whole id of a lost memory.")
    return PurgeResult(
        ids=tuple(sorted(ids)),
        total=len(commits),
        commits=commits if params.show_commits else (),
        refs=tuple(name for name, found in git.list_ref_blobs(root, MEMORY) if found & holding),
        blobs=tuple(sorted(holding)) if params.show_commits else (),
        redacted=all(state.memories[each].redacted for each in ids if each in state.memories),
        saw=workspace.read_state(),
    )


def _holds(content: bytes, subject: RedactionSubject) -> bool:
    return redact_content(content, subject) != content


def _commits(changes: tuple[git.BlobChange, ...], holding: set[str]) -> tuple[HoldingCommit, ...]:
    """Return the commits that changed files with the text; a commit that moved it between files `holds` it."""
    touched: dict[str, list[git.BlobChange]] = {}
    for change in changes:
        if holding.intersection((*change.before, change.after)):
            touched.setdefault(change.commit, []).append(change)
    return tuple(
        HoldingCommit(
            commit=commit,
            time=found[0].time,
            subject=found[0].subject,
            effect="holds" if any(change.after in holding for change in found) else "removes",
            paths=tuple(change.path for change in found),
        )
        for commit, found in touched.items()
    )
