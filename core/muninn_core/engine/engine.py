"""The engine: every verb of the catalogue as one method, on the work trees that clients name.

Readers work on snapshots and never wait for a writer; writers are serialised by the log's lock. The engine takes
clock, chance and paths as arguments, reads no environment and prints nothing.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from muninn_core.config import DEFAULT_TEXT, DaemonConfig
from muninn_core.engine import reports
from muninn_core.engine.answer import code_map, context_files, contexts, recall, skills
from muninn_core.engine.answer.open_editors import OpenEditors
from muninn_core.engine.check import verify
from muninn_core.engine.check.check import check
from muninn_core.engine.file import about, backlinks, completion, file_notes, reference_targets, virtual_documents
from muninn_core.engine.file.lint import lint
from muninn_core.engine.memory import (
    approval,
    backfill,
    bundles,
    confirm,
    draft_file,
    drafts,
    edits,
    links,
    lookup,
    packs,
    redaction,
    scopes,
)
from muninn_core.engine.memory.memory_history import history
from muninn_core.engine.memory.review import review
from muninn_core.engine.session import capture, hook_inbox, reminders, session_end, session_list
from muninn_core.engine.session.briefs import brief
from muninn_core.errors import BadParams, MuninnError, NotInitialised
from muninn_core.index.embed import Embedder, load_embedder
from muninn_core.launch.place import Place
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value, replace
from muninn_core.protocol import params as p
from muninn_core.protocol import results as r
from muninn_core.protocol.methods import METHODS
from muninn_core.store.ids import Ids
from muninn_core.store.layout import initialise, prepare_memory
from muninn_core.store.shared import SharedLog
from muninn_core.store.stamp import timestamp
from muninn_core.worktree.call import Call
from muninn_core.worktree.edited_files import WatchToken
from muninn_core.worktree.open_trees import OpenTrees
from muninn_core.worktree.private_layout import layout_at
from muninn_core.worktree.revisions import Revisions
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.engine")

REST_SECONDS = 5.0
"""How long nobody asks before memory that only makes the next answer faster is given back."""


def _now() -> datetime:
    return datetime.now(UTC)


class Engine:
    """One per process. `opened` is told of each work tree that is opened for use, so that it can be watched; it
    returns what says how much was seen since, or None where nobody watches.

    `home` is the user's folder, where other tools keep memory outside of the work tree; None when there is none.
    `global_memory` is the folder of the user's memory of all projects; without it there is no global scope.
    """

    def __init__(
        self,
        *,
        version: str,
        spare_cache: Path,
        model_cache: Path,
        global_memory: Path | None = None,
        clock: Callable[[], datetime] = _now,
        chance: Callable[[int], bytes] = os.urandom,
        load: Callable[[str, Path], Embedder] = load_embedder,
        opened: Callable[[Place], WatchToken | None] = lambda _place: None,
        clients: Callable[[], int] = lambda: 0,
        home: Path | None = None,
    ) -> None:
        self.version = version
        self.clock = clock
        self.ids = Ids(clock, chance)
        self.desk = OpenEditors()
        self.trees = OpenTrees(
            clock=clock,
            ids=self.ids,
            load=lambda model: load(model, model_cache),
            watch=opened,
            spare_cache=spare_cache,
            global_memory=global_memory,
            home=home,
        )
        self._clients = clients
        self._begun = time.monotonic()
        self._longest_stall = 0.0
        self._last_call = self._begun
        self._under_way: set[object] = set()
        self._rested: list[object] | None = None
        self._catching_up = threading.Lock()
        missing = [verb for verb in METHODS if not hasattr(self, METHODS[verb].function)]
        if missing:
            raise MuninnError(f"the engine lacks {', '.join(missing)}")

    # --- what the daemon asks ---

    def call(self, verb: str, params: Value, call: Call) -> Value:
        """Run a verb of the catalogue with checked parameters. Raises MuninnError."""
        under_way = object()
        self._under_way.add(under_way)
        try:
            result: Value = getattr(self, METHODS[verb].function)(params, call)
            return result
        finally:
            self._last_call, self._rested = time.monotonic(), None
            self._under_way.discard(under_way)

    def open(self, place: Place) -> Workspace:
        """Return the work tree, opened. Raises NotInitialised without `.muninn`."""
        return self.trees.open(place)

    def close(self) -> None:
        """Close all work trees: what sessions stored is sealed, indexes are left whole."""
        self.trees.close()

    def touched(self, place: Place, paths: set[str]) -> None:
        """Take note of files that changed (absolute paths)."""
        workspace = self.trees.get(place)
        if workspace is not None:
            workspace.touched(paths)

    def idle_seconds(self, place: Place) -> float:
        """Return after how long without a client the daemon is to leave."""
        workspace = self.trees.get(place)
        return workspace.config.daemon.idle_seconds if workspace else DaemonConfig().idle_seconds

    @property
    def restless(self) -> bool:
        """Whether nobody has called a verb for a while, and memory was not given back since, or work was done since."""
        idle = not self._under_way and time.monotonic() - self._last_call > REST_SECONDS
        return idle and self._rested != self._work_done()

    @property
    def resting(self) -> bool:
        """Whether nobody has called a verb since memory was given back."""
        return self._rested is not None and not self._under_way

    def rest(self) -> None:
        """Give memory back to the system that only makes the next answer faster."""
        self._rested = self._work_done()
        self.trees.rest()

    def _work_done(self) -> list[object]:
        return [workspace.updater.work_done for workspace in self.trees]

    def note_stall(self, seconds: float) -> None:
        """Take note of how long the event loop was held."""
        self._longest_stall = max(self._longest_stall, seconds)

    def note_problem(self, place: Place, message: str, hint: str) -> None:
        """Take note of something that `status` shows."""
        workspace = self.trees.get(place)
        if workspace is not None:
            workspace.trouble("watch", message, hint)

    # --- the catalogue ---

    def init(self, _params: p.InitParams, call: Call) -> r.InitResult:
        """Write `.muninn` and open it."""
        layout = layout_at(call.place)
        deleted = self.trees.get(call.place) if not layout.muninn.is_dir() else None
        if deleted is not None:
            deleted.follow()  # what was deleted is not to come back with the folder
        with self.trees.opening():
            created = initialise(layout, DEFAULT_TEXT) + prepare_memory(layout)
            workspace = self.open(call.place)
        return r.InitResult(root=call.place.root, created=created, saw=workspace.saw())

    def status(self, _params: p.StatusParams, call: Call) -> r.StatusResult:
        """Report on daemon and work tree; also where there is no `.muninn` yet."""
        try:
            workspace = self._reading(call)
        except NotInitialised as error:
            workspace, problem = None, error
        process = reports.Process(
            version=self.version,
            uptime_seconds=round(time.monotonic() - self._begun, 3),
            clients=self._clients(),
            longest_stall_ms=round(self._longest_stall * 1000, 1),
        )
        return reports.status(workspace, process) if workspace else reports.bare_status(call.place, process, problem)

    def index(self, params: p.IndexParams, call: Call) -> r.IndexResult:
        """Compare the files with the index; with `wait`, answer when all of them are searchable."""
        workspace = self.open(call.place)
        return reports.indexed(workspace, params, call)

    def remember(self, params: p.RememberParams, call: Call) -> r.RememberResult:
        """Store memories; they are on disk when this returns."""
        workspace = self._writable(call)
        session = params.session or workspace.session
        records, masked = drafts.records_of(params, workspace, call, self.ids, self.clock())
        own, everywhere = drafts.split(params, records)
        shared = self._sharing(workspace) if everywhere else None
        stored = {record["id"]: kept.id for record, kept in zip(own, workspace.log.append(own, session), strict=True)}
        if shared is not None:
            kept = shared.append(everywhere, session)
            stored |= {record["id"]: each.id for record, each in zip(everywhere, kept, strict=True)}
            workspace.follow_shared()
        workspace.hand_over_memories()
        ids = tuple(stored[record["id"]] for record in records)
        memory = None if params.batch else workspace.known()[ids[0]]
        return r.RememberResult(ids=ids, memory=memory, masked=masked, saw=workspace.saw())

    def recall(self, params: p.RecallParams, call: Call) -> r.RecallResult:
        """Answer a question from code, knowledge and memory."""
        workspace, now = self._reading(call), self.clock()
        opened = self.desk.files(call.place.root) if params.at is None else ()
        result = recall.recall(workspace, params, call, now, opened)
        workspace.accesses.note((hit.id for hit in result.hits if hit.kind == "memory"), timestamp(now))
        return result

    def context(self, params: p.ContextParams, call: Call) -> r.ContextResult:
        """Make a pack within a token budget."""
        workspace, now = self._reading(call), self.clock()
        if params.at is None:
            params = replace(params, open_files=self.desk.files(call.place.root, params.open_files))
        result = contexts.context(workspace, params, call, now)
        workspace.accesses.note((item.id for item in result.items if item.kind == "memory"), timestamp(now))
        return result

    def why(self, params: p.WhyParams, call: Call) -> r.WhyResult:
        """Explain a context."""
        return contexts.why(self._reading(call), params)

    def replay(self, params: p.ReplayParams, call: Call) -> r.ReplayResult:
        """Give a context once more."""
        return contexts.replay(self._reading(call), params, call)

    def symbols(self, params: p.SymbolsParams, call: Call) -> r.SymbolsResult:
        """Find definitions by name."""
        return code_map.symbols(self._reading(call), params)

    def outline(self, params: p.OutlineParams, call: Call) -> r.OutlineResult:
        """Show what a file defines."""
        return code_map.outline(self._reading(call), params)

    def graph(self, params: p.GraphParams, call: Call) -> r.GraphResult:
        """Show what is around a file or definition."""
        return code_map.graph(self._reading(call), params)

    def memories(self, params: p.MemoriesParams, call: Call) -> r.MemoriesResult:
        """List, filter or get memories."""
        return lookup.memories(self._reading(call), params, self.clock())

    def sessions(self, params: p.SessionsParams, call: Call) -> r.SessionsResult:
        """List the sessions that wrote to the memory."""
        return session_list.sessions(self._reading(call), params, self.clock())

    def history(self, params: p.HistoryParams, call: Call) -> r.HistoryResult:
        """Tell the life of a memory."""
        workspace = self._reading(call)
        records, sealed, state = workspace.log.records, workspace.log.sealed_ids(), workspace.log.state
        memory = lookup.memory_of(workspace.known(state), params.id)
        if memory.scope == "global":
            records = self._sharing(workspace).records
        events = history(memory, tuple(records.values()), sealed)
        (labelled,) = workspace.works.label([memory])
        return r.HistoryResult(memory=labelled, events=events, saw=workspace.saw(state=state))

    def links(self, params: p.LinksParams, call: Call) -> r.LinksResult:
        """Follow the links between memories."""
        return links.links(self._reading(call), params, self.clock())

    def overview(self, params: p.OverviewParams, call: Call) -> r.OverviewResult:
        """Show the project's memory at a glance."""
        return links.overview(self._reading(call), params, self.clock())

    def update(self, params: p.UpdateParams, call: Call) -> r.UpdateResult:
        """Change a memory."""
        workspace = self._writable(call)
        workspace.follow()
        memory = lookup.memory_of(workspace.known(), params.id)
        now = timestamp(self.clock())
        records, changed, masked = edits.updated(workspace, memory, params, call, now)
        self._store(workspace, memory, records, params.session)
        return r.UpdateResult(memory=workspace.known()[memory.id], changed=changed, masked=masked, saw=workspace.saw())

    def consolidate(self, params: p.ConsolidateParams, call: Call) -> r.ConsolidateResult:
        """Let one of several memories speak for all, or stand in the place of the others."""
        workspace = self._reading(call) if params.dry_run else self._writable(call)
        workspace.follow()
        planned = edits.plan(workspace, params)
        records = edits.consolidated(workspace, params, planned, call)
        if planned.kept is not None and not params.dry_run:
            self._store(workspace, planned.kept, records, params.session)
        gone = tuple(memory.id for memory in planned.gone)
        kept = workspace.known()[planned.kept.id] if planned.kept is not None else None
        named = dict.fromkeys(lookup.only(each, workspace.known(), "memory") for each in params.ids)
        return r.ConsolidateResult(
            decision=planned.decision,
            kept=kept,
            gone=gone,
            apart=tuple(each for each in named if each not in gone and (kept is None or each != kept.id)),
            contradictions=planned.contradictions,
            reason=params.reason,
            dry_run=params.dry_run,
            saw=workspace.saw(),
        )

    def diff(self, params: p.DiffParams, call: Call) -> r.DiffResult:
        """Tell what a range of commits does to memory; nothing but git's objects is read."""
        return review(Revisions(call.place), params)

    def check(self, params: p.CheckParams, call: Call) -> r.CheckResult:
        """Check what the repository carries; nothing is opened for writing, so that it runs anywhere."""
        return check(call.place, layout_at(call.place), params, call.check)

    def forget(self, params: p.ForgetParams, call: Call) -> r.ForgetResult:
        """Archive a memory, or restore it."""
        workspace = self._writable(call)
        workspace.follow_shared()
        memory = lookup.memory_of(workspace.known(), params.id)
        kind = "restore" if params.restore else "archive"
        self._change(workspace, call, params.session, kind, target=memory.id, reason=params.reason)
        return r.ForgetResult(memory=workspace.known()[memory.id], saw=workspace.saw())

    def restore(self, params: p.RestoreParams, call: Call) -> r.ForgetResult:
        """Bring an archived memory back."""
        again = p.ForgetParams(id=params.id, reason=params.reason, restore=True, session=params.session)
        return self.forget(again, call)

    def promote(self, params: p.PromoteParams, call: Call) -> r.PromoteResult:
        """Store a memory anew in a wider scope; a note that only this machine had is archived then."""
        workspace = self._writable(call)
        workspace.follow_shared()
        memory = lookup.memory_of(workspace.known(), params.id)
        log = self._sharing(workspace) if params.scope == "global" else workspace.log
        record = scopes.promoted(workspace, memory, params, call)
        (stored,) = log.append([record], params.session or workspace.session)
        if memory.private:
            reason = f"promoted to {stored.id}"
            self._change(workspace, call, params.session, "archive", target=memory.id, reason=reason)
        workspace.follow_shared()
        workspace.hand_over_memories()
        return r.PromoteResult(memory=workspace.known()[stored.id], source=memory.id, saw=workspace.saw())

    def approve(self, params: p.ApproveParams, call: Call) -> r.ReviewResult:
        """Let memories that wait speak."""
        workspace = self._writable(call)
        workspace.follow()
        return r.ReviewResult(memories=approval.approve(workspace, params, call), saw=workspace.saw())

    def reject(self, params: p.RejectParams, call: Call) -> r.ReviewResult:
        """Keep memories that wait from speaking."""
        workspace = self._writable(call)
        workspace.follow()
        return r.ReviewResult(memories=approval.reject(workspace, params, call), saw=workspace.saw())

    def seal(self, params: p.SealParams, call: Call) -> r.SealResult:
        """Turn open sessions into segments."""
        workspace = self._writable(call)
        sealed = workspace.log.seal(params.session)
        return r.SealResult(segments=sealed.segments, records=sealed.records, saw=workspace.saw())

    def reconcile(self, params: p.ReconcileParams, call: Call) -> r.ReconcileResult:
        """Consolidate all sessions into main.jsonl."""
        workspace = self.open(call.place) if params.dry_run else self._writable(call)
        from muninn_core.reconcile.apply import reconcile as consolidate

        def step(message: str, percentage: int) -> None:
            call.check()
            call.report("report", message, percentage)

        call.report("begin", "reading sessions")
        workspace.log.refresh()
        result = consolidate(
            workspace.log, dry_run=params.dry_run, archive=params.archive, session=params.session, told=step
        )
        call.report("end", "reconciled")
        workspace.hand_over_memories()
        told = {name: getattr(result, name) for name in result.__struct_fields__}
        return r.ReconcileResult(**told, saw=workspace.saw())

    def undo(self, _params: p.UndoParams, call: Call) -> r.UndoResult:
        """Take back the last reconcile or prune."""
        workspace = self._writable(call)
        from muninn_core.store.undo_journal import undo as take_back

        undone = take_back(workspace.layout)
        workspace.follow()
        return r.UndoResult(kind=undone.kind, files=undone.files, summary=undone.summary, saw=workspace.saw())

    def prune(self, params: p.PruneParams, call: Call) -> r.PruneResult:
        """Move what speaks no longer to the archive."""
        workspace = self.open(call.place) if params.dry_run else self._writable(call)
        from muninn_core.reconcile.prune import prune as move_away

        pruned = move_away(workspace.log, workspace.config.prune, self.clock(), dry_run=params.dry_run)
        workspace.hand_over_memories()
        return r.PruneResult(
            **{name: getattr(pruned, name) for name in pruned.__struct_fields__},
            dry_run=params.dry_run,
            saw=workspace.saw(),
        )

    def conflicts(self, params: p.ConflictsParams, call: Call) -> r.ConflictsResult:
        """Show the contradictions that wait for a person."""
        workspace = self._reading(call)
        found = lookup.with_code(workspace, params.id)
        sides = {memory.id: memory for conflict in found for memory in (conflict.left, conflict.right)}
        citations = workspace.citations.look().of_all(sides.values())
        return r.ConflictsResult(conflicts=found, citations=citations, saw=workspace.saw())

    def resolve(self, params: p.ResolveParams, call: Call) -> r.ResolveResult:
        """Decide a conflict."""
        workspace = self._writable(call)
        if params.text and params.keep == "both":
            raise BadParams("'text' rewords the side that is kept", hint="Keep left or right, or leave 'text' out.")
        (conflict,) = lookup.conflicts(workspace.log.state, params.id)
        wording = {"text": params.text} if params.text else {}
        self._change(workspace, call, params.session, "resolve", conflict=conflict.id, keep=params.keep, **wording)
        memories = workspace.log.state.memories
        return r.ResolveResult(
            conflict=conflict.id,
            left=memories[conflict.left.id],
            right=memories[conflict.right.id],
            saw=workspace.saw(),
        )

    def redact(self, params: p.RedactParams, call: Call) -> r.RedactResult:
        """Blank a memory, and those that were merged with it, in files and index."""
        workspace = self._writable(call)
        workspace.log.refresh()
        workspace.follow_shared()
        memory = lookup.memory_of(workspace.known(), params.id)
        shared = self._sharing(workspace) if memory.scope == "global" else None
        group = redaction.group_of(workspace.log.state if shared is None else shared.state, memory)
        files = (shared or workspace.log).redact(
            [each.id for each in group],
            texts=redaction.texts_of(group),
            actor=call.actor or "user",
            session=params.session or workspace.session,
        )
        workspace.contexts.scrub((each.id for each in group), redaction.texts_of(group))
        redaction.scrub_index(workspace)
        return r.RedactResult(
            ids=tuple(each.id for each in group),
            files=files,
            memory=workspace.known()[memory.id],
            saw=workspace.saw(),
        )

    def purge(self, params: p.PurgeParams, call: Call) -> r.PurgeResult:
        """Say where git still holds what a memory said."""
        return redaction.purge(self._reading(call), params)

    def export(self, params: p.ExportParams, call: Call) -> r.ExportResult:
        """Make a bundle of memories."""
        return bundles.export(self._reading(call), params)

    def import_(self, params: p.ImportParams, call: Call) -> r.ImportResult:
        """Take a bundle in."""
        return bundles.take(self._writable(call), params)

    def pack_export(self, params: p.PackExportParams, call: Call) -> r.PackExportResult:
        """Write a pack of curated knowledge."""
        return packs.export(self._reading(call), params)

    def pack_add(self, params: p.PackAddParams, call: Call) -> r.PackAddResult:
        """Take a pack in."""
        return packs.add(self._writable(call), params)

    def pack_list(self, _params: p.PackListParams, call: Call) -> r.PackListResult:
        """List the packs that are here."""
        return packs.listed(self._reading(call))

    def pack_update(self, params: p.PackUpdateParams, call: Call) -> r.PackUpdateResult:
        """Put another version in the place of a pack."""
        return packs.update(self._reading(call) if params.dry_run else self._writable(call), params)

    def pack_remove(self, params: p.PackRemoveParams, call: Call) -> r.PackRemoveResult:
        """Remove a pack."""
        return packs.remove(self._writable(call), params)

    def render(self, params: p.RenderParams, call: Call) -> r.RenderResult:
        """Make the pack of a context file."""
        return context_files.render(self._reading(call), params, call, self.clock())

    def template_new(self, params: p.TemplateNewParams, call: Call) -> r.TemplateNewResult:
        """Make a context file from a template."""
        return context_files.new(self._writable(call), params)

    def template_list(self, _params: p.TemplateListParams, call: Call) -> r.TemplateListResult:
        """List the templates."""
        return context_files.list_templates(self._reading(call))

    def skills_match(self, params: p.SkillsMatchParams, call: Call) -> r.SkillsMatchResult:
        """Find the skills that help with a task."""
        return skills.match(self._reading(call), params)

    def skills_list(self, params: p.SkillsListParams, call: Call) -> r.SkillsListResult:
        """List the skills."""
        return skills.listed(self._reading(call), params)

    def lint(self, params: p.LintParams, call: Call) -> r.LintResult:
        """Check one file, as its editor has it."""
        return lint(self._reading(call), params, call)

    def references(self, params: p.ReferencesParams, call: Call) -> r.ReferencesResult:
        """Say what the references of a file mean."""
        return reference_targets.resolve(self._reading(call), params, call, self.clock())

    def backlinks(self, params: p.BacklinksParams, call: Call) -> r.BacklinksResult:
        """Find what refers to something."""
        return backlinks.backlinks(self._reading(call), params, call)

    def relink(self, params: p.RelinkParams, call: Call) -> r.RelinkResult:
        """Say which edits keep links right after a rename."""
        return backlinks.relink(self._reading(call), params, call)

    def names(self, params: p.NamesParams, call: Call) -> r.NamesResult:
        """List what a text can name."""
        return completion.names(self._reading(call), params, call, self.clock())

    def verify(self, params: p.VerifyParams, call: Call) -> r.VerifyResult:
        """Check citations; with `fix` let memories cite the new places of what has moved."""
        workspace = self._writable(call) if params.fix else self.open(call.place)
        workspace.follow()
        result, records = verify.verify(workspace, params, call)
        if records:
            workspace.log.append(records, params.session or workspace.session)
            workspace.hand_over_memories()
        return result

    def confirm(self, params: p.ConfirmParams, call: Call) -> r.ConfirmResult:
        """Let a memory that still holds cite the code as it is now."""
        workspace = self._writable(call)
        workspace.follow()
        memory = lookup.memory_of(workspace.known(), params.id)
        record = confirm.update(memory, confirm.confirmed(workspace, memory, params, call), call)
        if record is not None:
            log = self._sharing(workspace) if memory.scope == "global" else workspace.log
            log.append([record], params.session or workspace.session)
            workspace.follow_shared()
            workspace.hand_over_memories()
        memory = workspace.known()[memory.id]
        cites = confirm.judged(workspace, memory, call)
        return r.ConfirmResult(memory=memory, cites=cites, saw=workspace.saw())

    def annotate(self, params: p.AnnotateParams, call: Call) -> r.AnnotateResult:
        """Say what is remembered about a file, in its places."""
        return file_notes.annotate(self._reading(call), params, call, self.clock())

    def about(self, params: p.AboutParams, call: Call) -> r.AboutResult:
        """Say what is remembered about a line or a name, and why."""
        return about.about(self._reading(call), params, call, self.clock())

    def document(self, params: p.DocumentParams, call: Call) -> r.DocumentResult:
        """Show a page for reading."""
        return virtual_documents.document(self._reading(call), params, call, self.clock())

    def draft(self, params: p.DraftParams, call: Call) -> r.DraftResult:
        """Make a file to write a memory into."""
        return draft_file.draft(self._writable(call), params, self.ids())

    def brief(self, params: p.BriefParams, call: Call) -> r.BriefResult:
        """Say what a session that starts should know, and note where it starts from."""
        workspace = self._reading(call)
        now = self.clock()
        self._catch_up(workspace, call, params.session)
        made = brief(workspace, params, call, now)
        capture.note_start(workspace, params.session, now)
        workspace.warm()
        return made

    def remind(self, params: p.RemindParams, call: Call) -> r.RemindResult:
        """Say what is remembered about a prompt, if anything is."""
        return reminders.remind(self._reading(call), params, call, self.clock())

    def capture(self, params: p.CaptureParams, call: Call) -> r.CaptureResult:
        """Remember what a session shows: commits, decisions, failures, its end."""
        workspace = self._writable(call)
        self._catch_up(workspace, call, params.session)
        return self._captured(workspace, params, call)

    def _captured(self, workspace: Workspace, params: p.CaptureParams, call: Call) -> r.CaptureResult:
        found = capture.find(workspace, params, self.clock())
        ids: tuple[str, ...] = ()
        if found.drafts or found.traces:
            batch = p.RememberParams(batch=(*found.drafts, *found.traces), session=params.session)
            stored = self.remember(batch, Call(place=call.place, client=call.client)).ids
            ids = stored[: len(found.drafts)]
        for identity in dict.fromkeys(found.archive):
            self._change(workspace, call, params.session, "archive", target=identity, reason="its time is over")
        found.commit()
        workspace.given.note(params.session, (*ids, *found.given))
        if params.source == "session":
            workspace.log.seal(params.session)
        return r.CaptureResult(ids=ids, note=found.note if ids or found.given else "", saw=workspace.saw())

    def _catch_up(self, workspace: Workspace, call: Call, session: str | None) -> None:
        """Do what hooks could not hand over in time, and sum up the sessions whose end nobody saw."""
        if not workspace.writable or not self._catching_up.acquire(blocking=False):
            return
        try:
            for letter in hook_inbox.inbox_entries(workspace):
                if letter.params is not None:
                    self._caught_up(workspace, letter.params, call)
                letter.path.unlink(missing_ok=True)
            for ended in session_end.abandoned(workspace, session, self.clock()):
                self._caught_up(workspace, ended, call)
                workspace.notes.put(ended.session or "", session_end.OPEN, None)
        except OSError as error:
            workspace.trouble("hooks", f"what hooks have left could not be taken up: {error}")
        finally:
            self._catching_up.release()

    def _caught_up(self, workspace: Workspace, params: p.CaptureParams, call: Call) -> None:
        try:
            self._captured(workspace, params, call)
        except MuninnError as error:
            log.warning("a %s of session %s could not be captured: %s", params.source, params.session, error.message)

    def backfill(self, params: p.BackfillParams, call: Call) -> r.BackfillResult:
        """Say what would be remembered of what was there before; store it with `apply`."""
        return backfill.fill(self._writable(call) if params.apply else self._reading(call), params, call)

    def shutdown(self, _params: p.ShutdownParams, _call: Call) -> r.ShutdownResult:
        """Say who leaves; the daemon stops once this is answered."""
        return r.ShutdownResult(pid=os.getpid())

    # --- shared by the verbs ---

    def _reading(self, call: Call) -> Workspace:
        workspace = self.open(call.place)
        workspace.follow()
        return workspace

    def _writable(self, call: Call) -> Workspace:
        return self.trees.writable(call.place)

    def _sharing(self, workspace: Workspace) -> SharedLog:
        if workspace.shared is not None:
            return workspace.shared
        switched = not workspace.config.memory.global_scope
        raise BadParams(
            "there is no global memory here" + (": the configuration leaves it out" if switched else ""),
            hint="Set memory.global_scope in .muninn/config.yaml." if switched else "The project's scope is there.",
        )

    def _store(self, workspace: Workspace, memory: Memory, records: list[dict[str, Any]], session: str | None) -> None:
        """Store changes in the log that a memory is of."""
        if records:
            log = self._sharing(workspace) if memory.scope == "global" else workspace.log
            log.append(records, session or workspace.session)
            workspace.follow_shared()
            workspace.hand_over_memories()

    def _change(self, workspace: Workspace, call: Call, session: str | None, kind: str, **fields: Any) -> None:
        clean, _ = drafts.cleaned(fields, workspace)
        record = {"type": kind, "actor": call.actor or "user", **clean}
        known = workspace.known().get(str(fields.get("target")))
        everywhere = known is not None and known.scope == "global"
        log = self._sharing(workspace) if everywhere else workspace.log
        log.append([record], session or workspace.session)
        if everywhere:
            workspace.follow_shared()
        workspace.hand_over_memories()
