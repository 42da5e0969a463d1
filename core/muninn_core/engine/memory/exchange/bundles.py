"""Exports memories as a bundle, and imports the records of one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from muninn_core.capture.foreign.foreign_memory import ForeignMemories
from muninn_core.config import IndexConfig
from muninn_core.engine.memory.drafting.scopes import on_task
from muninn_core.engine.memory.exchange.foreign_memories import read_file, read_folder, records_of
from muninn_core.engine.memory.exchange.html_export import page
from muninn_core.engine.memory.exchange.obsidian_export import vault
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace, to_plain
from muninn_core.protocol.families.exchange import ExportParams, ExportResult, ImportParams, ImportResult
from muninn_core.regular_file import read_regular
from muninn_core.store.bundle import BUNDLE_VERSION, bundle_form, mask_record, plan_import, read_bundle, select_records
from muninn_core.store.folding.fold import fold
from muninn_core.store.records.record import Record
from muninn_core.store.records.timestamps import normalise
from muninn_core.worktree.knowledge.bridges import indexing
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace

MAX_BUNDLE_BYTES = 128 * 1024 * 1024
"""The largest bundle that is imported. 100,000 memories take about 60 MB."""

SHOWN = 5
"""The most ids that an error lists."""


def export(workspace: Workspace, params: ExportParams) -> ExportResult:
    """Return the memories that pass every filter, as records or as a page. Equal memories give an equal result."""
    since, until = _time("since", params.since), _time("until", params.until)
    everything, source = _of_scope(workspace.memory, params)
    tasks = on_task(everything, params.task)
    memories = [
        memory
        for memory in everything.values()
        if _passes(memory, params, since, until) and (tasks is None or memory.task in tasks)
    ]
    with_private = params.private or params.scope == "session"  # session notes are always private
    ids = frozenset(memory.id for memory in memories if with_private or not memory.private)
    masked, records = 0, []
    for record in select_records(source, ids):
        clean, count = mask_record(record, workspace.config.memory.secrets)
        masked += count
        records.append(clean)
    exported = ExportResult(
        version=BUNDLE_VERSION,
        exported=max((record.ts for record in records), default=""),
        records=tuple(bundle_form(record) for record in records) if params.form == "bundle" else (),
        memories=len(ids),
        private=len(memories) - len(ids),
        masked=masked,
        saw=workspace.read_state(),
    )
    if params.form == "bundle":
        return exported
    shown = [memory for memory in fold(records).memories.values() if memory.active and memory.id in ids]
    shown.sort(key=lambda memory: (memory.updated or memory.ts, memory.id), reverse=True)
    if params.form == "obsidian":
        return replace(exported, memories=len(shown), files=vault(shown))
    return replace(exported, memories=len(shown), page=_page(workspace.layout.root.name, shown, params, exported))


def _page(name: str, memories: list[Memory], params: ExportParams, exported: ExportResult) -> str:
    """Return a page with memories in their order, which says what it shows and leaves out."""
    filters = {"type": params.type, "tag": params.tag, "session": params.session, "task": params.task}
    filters |= {"scope": params.scope, "since": params.since, "until": params.until}
    chosen = ", ".join(f"{key} {value}" for key, value in filters.items() if value)
    note = number_of(len(memories), "memory", "memories")
    note += f" ({chosen}), as of {exported.exported[:10] or 'the beginning'}."
    if hidden := exported.memories - len(memories):
        note += f" {number_of(hidden, 'that is no longer in force is', 'that are no longer in force are')} left out."
    if exported.private:
        note += f" {number_of(exported.private, 'private one is', 'private ones are')} left out."
    return page(name, [to_plain(memory) for memory in memories], note)


def _of_scope(store: MemoryStore, params: ExportParams) -> tuple[Mapping[str, Memory], Mapping[str, Record]]:
    """Return the memories of a scope, and the records of the log that holds them. Raises BadParams."""
    if params.scope != "global":
        known = store.log.state.memories
        return {
            identity: memory for identity, memory in known.items() if memory.scope == params.scope
        }, store.log.records
    if store.shared is None:
        raise BadParams("there is no global memory here", hint="memory.global_scope in the configuration says so.")
    return store.shared.memories, store.shared.records


def import_bundle(workspace: Workspace, params: ImportParams) -> ImportResult:
    """Store the new records of a bundle or of another tool, all or none. Raises BadParams or NotFoundError."""
    foreign, read = _read(workspace.layout.root, params.path, indexing(workspace.config))
    masked, records = 0, []
    for record in read:
        clean, count = mask_record(record, workspace.config.memory.secrets)
        masked += count
        records.append(clean)
    with workspace.memory.importing:
        if foreign is None:
            return _import(workspace, params, records, masked)
        return _import_foreign(workspace, params, foreign, records, masked)


def _read(root: Path, name: str, settings: IndexConfig) -> tuple[ForeignMemories | None, tuple[Record, ...]]:
    """Return the memory of another tool, None for a bundle, and the records. Raises BadParams or NotFoundError."""
    path = root / name
    if path.is_dir():
        notes = read_folder(root, path, settings)
        return notes, records_of(path, notes, root)
    content = _content(path)
    found = read_file(root, path, content, settings)
    return found, read_bundle(content) if found is None else records_of(path, found, root)


def _import_foreign(
    workspace: Workspace, params: ImportParams, foreign: ForeignMemories, records: list[Record], masked: int
) -> ImportResult:
    """Store the memories of another tool whose keys are new. The caller keeps other imports out."""
    log = workspace.memory.log
    log.refresh()
    said = [record for record in records if record.data["text"].strip()]  # others were private from end to end
    fresh = [record for record in said if log.record_of_key(record.key) is None]
    result = _import(workspace, params, fresh, masked)
    private = len(records) - len(said)
    return replace(
        result,
        known=len(foreign.memories) - private - len(fresh),
        tool=foreign.tool,
        contents=foreign.counts,
        left_out={**foreign.left_out, **({"private texts": private} if private else {})},
    )


def _import(workspace: Workspace, params: ImportParams, records: list[Record], masked: int) -> ImportResult:
    """Compare masked records with the log, and store what is new. The caller keeps other imports out."""
    workspace.memory.log.refresh()
    policy = workspace.config.review
    intake = plan_import(
        records,
        workspace.memory.log.records,
        overwrite=params.on_conflict == "overwrite",
        trusted=params.trust == "keep",
        needs_approval=lambda kind: policy.holds("import", kind),
    )
    if intake.differing and params.on_conflict == "error":
        differing = number_of(len(intake.differing), "record has", "records have")
        more = ", …" if len(intake.differing) > SHOWN else ""
        raise BadParams(
            f"{differing} another content here: {', '.join(intake.differing[:SHOWN])}{more}",
            hint="Nothing was stored. `--on-conflict skip` keeps what is here, `overwrite` takes the bundle's.",
        )
    if not params.dry_run:
        workspace.memory.import_records(intake.new, intake.replaced, params.session)
    return ImportResult(
        imported=len(intake.new),
        replaced=len(intake.replaced),
        known=len(intake.known),
        skipped=intake.differing,
        withheld=intake.withheld,
        masked=masked,
        dry_run=params.dry_run,
        saw=workspace.read_state(),
    )


def _content(path: Path) -> bytes:
    try:
        return read_regular(path, MAX_BUNDLE_BYTES)
    except OSError as error:
        raise NotFoundError(
            f"the bundle {path} can't be read: {error.strerror or error}",
            hint="`muninn export --out FILE` writes a bundle.",
        ) from None


def _time(name: str, given: str | None) -> str | None:
    if given is None:
        return None
    try:
        return normalise(f"{given}T00:00:00Z" if len(given) == len("2026-03-01") else given)
    except ValueError:
        raise BadParams(f"'{name}' is not a time: '{given}'", hint="Write it as 2026-03-01 or in RFC 3339.") from None


def _passes(memory: Memory, params: ExportParams, since: str | None, until: str | None) -> bool:
    return (
        params.type in (None, memory.type)
        and (params.tag is None or params.tag in memory.tags)
        and (params.session is None or params.session in (memory.session, *memory.sessions))
        and (since is None or memory.ts >= since)
        and (until is None or memory.ts < until)
    )
