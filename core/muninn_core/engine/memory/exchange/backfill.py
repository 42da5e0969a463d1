"""Makes memories from commits and transcripts older than Muninn: skips known ones, masks secrets, stores all at once.

Ids derive from times and keys, so every machine writes the same records and a repeated run adds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from muninn_core.capture.commits.history_memory import HistoryMemory
from muninn_core.config import Config
from muninn_core.engine.memory.exchange.backfill_sources import from_git, from_transcripts
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.git import GitError
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Trust
from muninn_core.model.value import replace
from muninn_core.protocol.families.session import BackfillParams, BackfillResult, Recollection
from muninn_core.store.records.draft import memory_record
from muninn_core.store.records.ids import derived_id
from muninn_core.store.records.timestamps import normalise
from muninn_core.store.secrets.masking import mask_draft
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.workspace import Workspace

_TRUST: dict[str, Trust] = {"git": "commit", "transcripts": "agent"}


def fill(workspace: Workspace, params: BackfillParams, call: CallContext) -> BackfillResult:
    """Return the memories that a backfill makes; with `apply` store them, all or none.

    Raises BadParams, NotFoundError, GitError and Cancelled; StorageError or ReadOnlyError when they cannot be stored.
    """
    _check(params)
    workspace.follow()
    drafts = (from_git if params.source == "git" else from_transcripts)(workspace, params, call)
    records, masked = _records(drafts.memories, params.source, workspace.config, call)
    known = {record.key for record in workspace.memory.log.records.values()}
    fresh = [record for record in records if record["key"] not in known]
    ids: tuple[str, ...] = ()
    if params.apply and fresh:
        call.report("report", f"storing {number_of(len(fresh), 'memory', 'memories')}", 95)
        call.raise_if_cancelled()
        stored = workspace.memory.append(fresh, f"backfill-{params.source}")
        ids = tuple(record.id for record in stored)
    call.report("end", number_of(len(fresh), "memory", "memories"))
    return BackfillResult(
        source=params.source,
        applied=params.apply,
        looked=drafts.looked,
        found=tuple(_recollection(record, known=record["key"] in known) for record in records),
        ids=ids,
        skipped=drafts.skipped,
        malformed=drafts.malformed,
        masked=masked,
        saw=replace(workspace.read_state(), note=drafts.note),
    )


def memorable_commits(workspace: Workspace, call: CallContext, limit: int) -> tuple[int, int]:
    """Return how many of the newest `limit` commits were read, and how many a backfill would remember.

    Both are 0 without a readable history.
    """
    try:
        drafts = from_git(workspace, BackfillParams(source="git", limit=limit), call)
    except (GitError, NotFoundError, BadParams):
        return 0, 0
    return drafts.looked, len(drafts.memories)


def _check(params: BackfillParams) -> None:
    if params.source == "git" and (params.paths or params.elsewhere):
        raise BadParams("'backfill git' takes no paths", hint="Choose commits by --since, --until and --limit.")
    if params.source == "transcripts":
        if not params.paths:
            hint = "Name files or a folder: `muninn backfill transcripts ~/.claude/projects/NAME`."
            raise BadParams("'backfill transcripts' needs paths", hint=hint)
        if params.since or params.until:
            raise BadParams("'since' and 'until' apply to git only", hint="Name single transcripts instead.")


def _records(
    memories: Sequence[HistoryMemory], source: str, config: Config, call: CallContext
) -> tuple[list[dict[str, Any]], int]:
    """Return the records of what was found, one per key, and how many secrets were masked in them."""
    records: dict[str, dict[str, Any]] = {}
    masked = 0
    for number, memory in enumerate(memories):
        if number % 100 == 0:
            call.raise_if_cancelled()
            call.report(
                "report",
                f"{number} of {number_of(len(memories), 'memory', 'memories')}",
                80 + 15 * number // len(memories),
            )
        clean, count = mask_draft(memory.draft, config.memory.secrets)
        masked += count
        pending = config.review.holds("import", clean.type)
        record = _record(replace(memory, draft=clean), source, pending=pending)
        records.setdefault(record["key"], record)
    return list(records.values()), masked


def _record(memory: HistoryMemory, source: str, *, pending: bool) -> dict[str, Any]:
    """Return the record of a memory; it is the same on every machine."""
    ts, key = normalise(memory.time), memory.draft.key or ""
    record = memory_record(
        memory.draft,
        id=derived_id(ts, key.encode()),
        ts=ts,
        session=memory.draft.session or f"backfill-{source}",
        branch=None,
        commit=memory.commit or None,
        pending=pending,
    )
    return {**record, "trust": _TRUST[source], "backfill": source}


def _recollection(record: dict[str, Any], *, known: bool) -> Recollection:
    return Recollection(
        id=record["id"],
        type=record["type"],
        title=record["title"],
        text=record["text"],
        time=record["ts"],
        importance=record["importance"],
        confidence=record["confidence"],
        trust=record["trust"],
        files=tuple(record.get("files", ())),
        commit=record.get("commit", ""),
        session=record["session"],
        known=known,
    )
