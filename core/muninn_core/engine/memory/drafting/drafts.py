"""Makes records of drafts: validated, with secrets masked, and with time, commit, session and author."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from muninn_core.config import Config
from muninn_core.engine.memory.drafting.cites import anchor
from muninn_core.engine.memory.lookup import only
from muninn_core.errors import BadParams, MuninnError, NotFoundError
from muninn_core.model.memory import KINDS, RELATIONS, Memory
from muninn_core.model.value import ValidationError, from_plain, replace, to_plain
from muninn_core.near_match import did_you_mean
from muninn_core.protocol.families.memory import MemoryDraft, RememberParams
from muninn_core.source.documents.project import read_project
from muninn_core.source.private_spans import strip_private_values
from muninn_core.store.records.draft import check_length, memory_record
from muninn_core.store.records.fields import headline
from muninn_core.store.records.ids import ID_CHARS, UlidGenerator
from muninn_core.store.records.timestamps import timestamp
from muninn_core.store.secrets.masking import mask, mask_draft, mask_value
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.citations.overlays import with_overlays
from muninn_core.worktree.current_task import task_of
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace


def records_of(
    params: RememberParams, workspace: Workspace, call: CallContext, ids: UlidGenerator, now: datetime
) -> tuple[list[dict[str, Any]], int]:
    """Return a request's records, and how many secrets were masked in them. Raises BadParams for an invalid draft."""
    if params.batch:
        _check_shared(params)
    head = workspace.head.read()
    branch = mask(head.branch, workspace.config.memory.secrets)[0] if head.branch else head.branch
    records, masked = [], 0
    session = params.session or workspace.memory.session
    for checked in _all_checked(params.batch or (params,), workspace, call, head.commit, session):
        everywhere = checked.scope == "global"
        clean, count = mask_draft(checked, workspace.config.memory.secrets)
        masked += count
        records.append(
            memory_record(
                clean,
                id=ids(),
                ts=timestamp(now),
                session=clean.session or session,
                branch=None if everywhere else branch,
                commit=None if everywhere else head.commit,
                pending=_waits(clean, workspace.config),
            )
        )
    return records, masked


_SHARED_FIELDS = frozenset({"batch", "session", "actor", "agent", "key"})
"""The parameters beside a batch that are those of the call. A memory's own are in the batch."""


def _check_shared(params: RememberParams) -> None:
    """Raise BadParams when a call gives a batch, and beside it a field of one memory."""
    plain = RememberParams()
    beside = [
        name
        for name in RememberParams.__struct_fields__
        if name not in _SHARED_FIELDS and getattr(params, name) != getattr(plain, name)
    ]
    if beside:
        raise BadParams(
            f"'{beside[0]}' is given beside a batch, whose memories have their own",
            hint=f"Put {', '.join(f'`{name}`' for name in beside)} into each memory of the batch. Nothing was stored.",
        )


def _waits(draft: MemoryDraft, config: Config) -> bool:
    """Whether a memory waits for approval. A session's note is visible in its session only, so it never waits.

    Raises BadParams for a global memory that would have to wait: global memory has no approval.
    """
    held = config.review.holds(draft.actor, draft.type)
    if held and draft.scope == "global":
        raise BadParams(
            "memories like this one wait for an approval here, so they can't go to all projects",
            hint="Store it in the project's scope; once it is approved, `promote --scope global` takes it there.",
        )
    return held and draft.scope == "project"


def split(params: RememberParams, records: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Split a request's records into those of the repository's log and global ones."""
    drafts = params.batch or (params,)
    pairs = list(zip(drafts, records, strict=True))
    return (
        [record for draft, record in pairs if draft.scope != "global"],
        [record for draft, record in pairs if draft.scope == "global"],
    )


def check_relation(relation: str) -> None:
    """Raise BadParams for an unknown relation between memories, with the nearest one."""
    if relation not in RELATIONS:
        hint = did_you_mean(relation, RELATIONS, f"The relations are {', '.join(RELATIONS)}.")
        raise BadParams(f"there is no relation '{relation}'", hint=hint)


def check_kind(kind: str, kinds: Sequence[str]) -> None:
    """Raise BadParams for an unknown kind of memory, with the nearest one."""
    if kind not in kinds:
        raise BadParams(
            f"there is no kind of memory '{kind}'",
            hint=did_you_mean(kind, kinds, f"The kinds are {', '.join(kinds)}; memory.kinds adds more."),
        )


def derived_title(memory: Memory, text: str) -> dict[str, str]:
    """Return the new title of a memory whose text changes, {} if its title was not made from its text."""
    return {"title": headline(text)} if text and memory.title == headline(memory.text) else {}


def cleaned(fields: dict[str, Any], config: Config) -> tuple[dict[str, Any], int]:
    """Return the fields of a change without private spans and secrets, and how many secrets were masked.

    Raises BadParams for a text that is too long.
    """
    check_length(fields.get("text", ""))
    bare, _ = strip_private_values(fields)
    clean, masked = mask_value(bare, config.memory.secrets)
    return clean, masked


def _all_checked(
    given: Sequence[MemoryDraft], workspace: Workspace, call: CallContext, commit: str | None, session: str
) -> Iterator[MemoryDraft]:
    """Return the validated drafts in their order. They are processed file by file, so that each file is read once."""
    bare = [_bare(draft) for draft in given]
    checked: dict[int, MemoryDraft] = {}
    library = workspace.documents.read()
    task = cache(lambda given, session: task_of(workspace, library, given, session).code or None)
    for at in sorted(range(len(bare)), key=lambda at: (bare[at].files[:1], at)):
        try:
            with_task = replace(bare[at], task=_task(bare[at], session, task))
            checked[at] = _checked(with_task, workspace, call, commit)
        except MuninnError as error:
            if len(given) == 1:
                raise
            raise type(error)(f"memory {at + 1} of {len(given)}: {error}", hint=error.hint) from None
    return (checked.pop(at) for at in range(len(given)))


def _bare(draft: MemoryDraft) -> MemoryDraft:
    """Return a draft without private spans. Raises BadParams when nothing valid is left."""
    plain, spans = strip_private_values(to_plain(draft))
    if not spans:
        return draft
    try:
        return from_plain(plain, type(draft))
    except ValidationError as error:
        raise BadParams(f"the draft is invalid without its private spans: {error}") from None


def _task(draft: MemoryDraft, session: str, current: Callable[[str | None, str], str | None]) -> str | None:
    """Return the task of a draft: its own, else the current one; none for an empty task or a global draft."""
    if draft.task == "" or (draft.scope == "global" and not draft.task):
        return None
    return current(draft.task, draft.session or session)


def _checked(draft: MemoryDraft, workspace: Workspace, call: CallContext, commit: str | None) -> MemoryDraft:
    check_length(draft.text)
    check_kind(draft.type, (*KINDS, *workspace.config.memory.kinds))
    draft = _with_targets(draft, workspace)
    if draft.scope == "global":
        return replace(_global_draft(draft, workspace.layout.root), actor=call.actor or draft.actor)
    citations = with_overlays(workspace.citations, call.buffers)
    anchored = anchor(draft, citations, lambda path: relative_path(path, workspace.layout.root), commit)
    return replace(anchored, actor=call.actor or draft.actor)


def _with_targets(draft: MemoryDraft, workspace: Workspace) -> MemoryDraft:
    """Return a draft whose links have whole ids. A whole id may be unknown: its memory may come later.

    Raises BadParams for an unknown relation, NotFoundError or UsageError for a part of an id that is no memory's or
    several memories'.
    """
    for link in draft.links:
        check_relation(link.relation)
    if not draft.links:
        return draft
    known = workspace.memory.all()
    return replace(draft, links=tuple(replace(link, target=_target(link.target, known)) for link in draft.links))


def _target(given: str, known: Collection[str]) -> str:
    try:
        return only(given, known, "memory")
    except NotFoundError:
        if len(given.strip()) < ID_CHARS:
            raise
        return given


def _global_draft(draft: MemoryDraft, root: Path) -> MemoryDraft:
    """Return a global draft: without places of this repository, with the project's name in `details`."""
    if draft.files or draft.cites or draft.task:
        raise BadParams(
            "a global memory names no files, citations or task: they are this repository's",
            hint="Leave them out, or store it in the project's scope.",
        )
    return replace(draft, details={"project": read_project(root).name, **draft.details})
