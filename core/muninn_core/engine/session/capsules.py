"""The verbs of capsules: converts parameters to operations on the journal's capsules, and these to results."""

from __future__ import annotations

import json

from muninn_core.engine.session.journal import At, project_of, span_of
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.journal.capsule_bundle import Importer, export
from muninn_core.model.event import OBSERVATION, SUMMARY
from muninn_core.protocol.families.capsules import (
    CapsuleCloseParams,
    CapsuleEventResult,
    CapsuleExportParams,
    CapsuleExportResult,
    CapsuleImportParams,
    CapsuleImportResult,
    CapsuleListParams,
    CapsuleListResult,
    CapsuleObserveParams,
    CapsuleOpenParams,
    CapsulePinParams,
    CapsuleResult,
    CapsuleRetrieveParams,
    CapsuleRetrieveResult,
    CapsuleSummariseParams,
    RetrievedItem,
)
from muninn_core.regular_file import read_regular
from muninn_core.worktree.call_context import CallContext

_MAX_BYTES = 256 * 1024 * 1024


def open_capsule(at: At, params: CapsuleOpenParams, call: CallContext) -> CapsuleResult:
    """Open a capsule."""
    project = project_of(at, params.project_id, params.scope.get("session", ""))
    span = at.open.capsules.open(
        project,
        params.type,
        params.intent,
        params.scope,
        parent=params.parent,
        client=call.client,
        actor=call.actor or "user",
        patterns=at.workspace.config.memory.secrets,
    )
    return CapsuleResult(capsule=span_of(span), saw=at.workspace.read_state())


def close(at: At, params: CapsuleCloseParams, call: CallContext) -> CapsuleResult:
    """Close a capsule."""
    project = project_of(at, params.project_id, "")
    span = at.open.capsules.close(
        project,
        params.id,
        params.summary,
        actor=call.actor or "user",
        source=call.client,
        patterns=at.workspace.config.memory.secrets,
    )
    return CapsuleResult(capsule=span_of(span), saw=at.workspace.read_state())


def observe(at: At, params: CapsuleObserveParams, call: CallContext) -> CapsuleEventResult:
    """Record an observation. Raises BadParams for one without text and details."""
    if not params.text and not params.details:
        raise BadParams("the observation is empty", hint="Give a text or details; nothing was recorded.")
    done = at.open.capsules.record(
        project_of(at, params.project_id, ""),
        params.id,
        OBSERVATION,
        {"kind": params.kind, "text": params.text, "details": params.details},
        actor=call.actor or "user",
        source=call.client,
        key=params.key,
        patterns=at.workspace.config.memory.secrets,
    )
    return CapsuleEventResult(
        event=done.event, duplicate=done.duplicate, masked=done.masked, saw=at.workspace.read_state()
    )


def summarise(at: At, params: CapsuleSummariseParams, call: CallContext) -> CapsuleEventResult:
    """Record a summary."""
    done = at.open.capsules.record(
        project_of(at, params.project_id, ""),
        params.id,
        SUMMARY,
        {"text": params.text},
        actor=call.actor or "user",
        source=call.client,
        patterns=at.workspace.config.memory.secrets,
    )
    return CapsuleEventResult(
        event=done.event, duplicate=done.duplicate, masked=done.masked, saw=at.workspace.read_state()
    )


def pin(at: At, params: CapsulePinParams, call: CallContext) -> CapsuleEventResult:
    """Pin an event, or take it out of the pins."""
    project = project_of(at, params.project_id, params.scope.get("session", ""))
    actor = call.actor or "user"
    if params.remove:
        event = at.open.capsules.unpin(project, params.id, params.scope, actor=actor)
    else:
        event = at.open.capsules.pin(project, params.id, params.scope, params.reason, actor=actor)
    return CapsuleEventResult(event=event, saw=at.workspace.read_state())


def list_capsules(at: At, params: CapsuleListParams) -> CapsuleListResult:
    """List the capsules of a scope."""
    project = project_of(at, params.project_id, params.scope.get("session", ""))
    found = at.open.capsules.in_scope(project, params.scope, params.after, params.before)
    return CapsuleListResult(
        capsules=tuple(span_of(span) for span in found if params.status in (None, span.status)),
        saw=at.workspace.read_state(),
    )


def retrieve(at: At, params: CapsuleRetrieveParams) -> CapsuleRetrieveResult:
    """Return pins, summaries and candidates."""
    project = project_of(at, params.project_id, params.scope.get("session", ""))
    found = at.open.capsules.retrieve(project, params.query, params.scope, params.token_budget, params.limit)
    return CapsuleRetrieveResult(
        items=tuple(
            RetrievedItem(
                tier=item.tier,
                event=item.event,
                tokens=item.tokens,
                score=item.score,
                words=item.words,
                meaning=item.meaning,
            )
            for item in found.items
        ),
        tokens=found.tokens,
        over=found.over,
        left_out=found.left_out,
        saw=at.workspace.read_state(),
    )


def export_bundle(at: At, params: CapsuleExportParams) -> CapsuleExportResult:
    """Return a bundle of a scope."""
    project = project_of(at, params.project_id, params.scope.get("session", ""))
    bundle = export(at.open.capsules, at.open.search, project, params.scope, params.after, params.before)
    return CapsuleExportResult(bundle=bundle, saw=at.workspace.read_state())


def import_bundle(at: At, params: CapsuleImportParams) -> CapsuleImportResult:
    """Import a bundle from a file or from the call."""
    bundle = params.bundle
    if bundle is None:
        if not params.path:
            raise BadParams("there is no bundle", hint="Give the path of a file, or - for standard input.")
        path = at.workspace.layout.root / params.path
        try:
            bundle = json.loads(read_regular(path, _MAX_BYTES))
        except OSError as error:
            raise NotFoundError(
                f"the bundle in {path} can't be read: {error.strerror or error}",
                hint="`muninn capsule export --out FILE` writes a bundle.",
            ) from None
        except (ValueError, RecursionError) as error:
            raise BadParams(f"{path} is not JSON: {error}", hint="Nothing was imported.") from None
        if isinstance(bundle, dict) and isinstance(bundle.get("bundle"), dict):
            bundle = bundle["bundle"]  # the whole answer of `capsule export --json`
        if not isinstance(bundle, dict):
            raise BadParams(f"{path} is not a bundle", hint="`muninn capsule export` writes one.")
    importer = Importer(
        at.open.journal,
        at.open.capsules,
        at.open.search,
        project_of(at, params.project_id, ""),
        params.on_conflict,
        at.workspace.config.memory.secrets,
    )
    done = importer.run(bundle)
    return CapsuleImportResult(
        imported=done.imported,
        replaced=done.replaced,
        known=done.known,
        skipped=tuple(done.skipped),
        saw=at.workspace.read_state(),
    )
