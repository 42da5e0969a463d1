"""Remembering what was there before Muninn: what is known already, what is masked, and storing all of it at once.

Ids follow from the times and keys of what is told, so that whoever runs it, wherever, writes the same records, and
running it again adds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from muninn_core.config import Config
from muninn_core.engine.memory.backfill_sources import from_git, from_transcripts
from muninn_core.errors import BadParams
from muninn_core.model.memory import Trust
from muninn_core.model.value import replace
from muninn_core.protocol.session import BackfillParams, BackfillResult, Recollection
from muninn_core.source.commit_history import HistoryMemory
from muninn_core.store.draft import memory_record
from muninn_core.store.ids import derived_id
from muninn_core.store.secrets import mask_draft
from muninn_core.store.stamp import normalise
from muninn_core.worktree.call import Call
from muninn_core.worktree.workspace import Workspace

_TRUST: dict[str, Trust] = {"git": "commit", "transcripts": "agent"}


def fill(workspace: Workspace, params: BackfillParams, call: Call) -> BackfillResult:
    """Say what would be remembered, and store it with `apply`: all of it or nothing.

    Raises BadParams, NotFoundError, GitError, Cancelled; StorageError or ReadOnlyError where it can't be stored.
    """
    _check(params)
    workspace.follow()
    harvest = (from_git if params.source == "git" else from_transcripts)(workspace, params, call)
    records, masked = _records(harvest.told, params.source, workspace.config, call)
    traces, hidden = _records(harvest.traces, params.source, workspace.config, call)
    known = {record.key for record in workspace.memory.log.records.values()}
    fresh = [record for record in records if record["key"] not in known]
    shown = [record for record in traces if record["key"] not in known]
    ids: tuple[str, ...] = ()
    if params.apply and (fresh or shown):
        call.report("report", f"storing {len(fresh)} memories", 95)
        call.raise_if_cancelled()
        stored = workspace.memory.append([*fresh, *shown], f"backfill-{params.source}")
        ids = tuple(record.id for record in stored[: len(fresh)])
    call.report("end", f"{len(fresh)} memories")
    return BackfillResult(
        source=params.source,
        applied=params.apply,
        looked=harvest.looked,
        found=tuple(_recollection(record, known=record["key"] in known) for record in records),
        ids=ids,
        skipped=harvest.skipped,
        malformed=harvest.malformed,
        masked=masked + hidden,
        saw=replace(workspace.read_state(), note=harvest.note),
    )


def _check(params: BackfillParams) -> None:
    if params.source == "git" and (params.paths or params.elsewhere):
        raise BadParams("'backfill git' takes no paths", hint="Choose commits by --since, --until and --limit.")
    if params.source == "transcripts":
        if not params.paths:
            hint = "Name files or a folder: `muninn backfill transcripts ~/.claude/projects/NAME`."
            raise BadParams("'backfill transcripts' needs paths", hint=hint)
        if params.since or params.until:
            raise BadParams("'since' and 'until' are of git", hint="Name the transcripts that are meant.")


def _records(
    found: Sequence[HistoryMemory], source: str, config: Config, call: Call
) -> tuple[list[dict[str, Any]], int]:
    """Return the records of what was found, one a key, and how many secrets were masked in them."""
    records: dict[str, dict[str, Any]] = {}
    masked = 0
    for number, told in enumerate(found):
        if number % 100 == 0:
            call.raise_if_cancelled()
            call.report("report", f"{number} of {len(found)} memories", 80 + 15 * number // len(found))
        clean, count = mask_draft(told.draft, config.memory.secrets)
        masked += count
        pending = config.review.holds("import", clean.type)
        record = _record(replace(told, draft=clean), source, pending=pending)
        records.setdefault(record["key"], record)
    return list(records.values()), masked


def _record(told: HistoryMemory, source: str, *, pending: bool) -> dict[str, Any]:
    """Return the record of what was told: the same on every machine."""
    ts, key = normalise(told.time), told.draft.key or ""
    record = memory_record(
        told.draft,
        id=derived_id(ts, key.encode()),
        ts=ts,
        session=told.draft.session or f"backfill-{source}",
        branch=None,
        commit=told.commit or None,
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
