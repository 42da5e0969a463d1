"""The verbs of the family `capsules`."""

from __future__ import annotations

from muninn_core.engine.session import capsules
from muninn_core.engine.verbs.base import Verbs
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
)
from muninn_core.worktree.call_context import CallContext


class CapsulesVerbs(Verbs):
    """Group observations into capsules, and retrieve what belongs to a question."""

    def capsule_open(self, params: CapsuleOpenParams, call: CallContext) -> CapsuleResult:
        """Open a capsule."""
        return capsules.open_capsule(self._journal(call), params, call)

    def capsule_close(self, params: CapsuleCloseParams, call: CallContext) -> CapsuleResult:
        """Close a capsule."""
        return capsules.close(self._journal(call), params, call)

    def capsule_observe(self, params: CapsuleObserveParams, call: CallContext) -> CapsuleEventResult:
        """Record an observation."""
        return capsules.observe(self._journal(call), params, call)

    def capsule_summarise(self, params: CapsuleSummariseParams, call: CallContext) -> CapsuleEventResult:
        """Record a summary."""
        return capsules.summarise(self._journal(call), params, call)

    def capsule_pin(self, params: CapsulePinParams, call: CallContext) -> CapsuleEventResult:
        """Pin an event, or take it out of the pins."""
        return capsules.pin(self._journal(call), params, call)

    def capsule_list(self, params: CapsuleListParams, call: CallContext) -> CapsuleListResult:
        """List capsules."""
        return capsules.list_capsules(self._journal(call), params)

    def capsule_retrieve(self, params: CapsuleRetrieveParams, call: CallContext) -> CapsuleRetrieveResult:
        """Return what belongs to a question."""
        return capsules.retrieve(self._journal(call), params)

    def capsule_export(self, params: CapsuleExportParams, call: CallContext) -> CapsuleExportResult:
        """Return a bundle."""
        return capsules.export_bundle(self._journal(call), params)

    def capsule_import(self, params: CapsuleImportParams, call: CallContext) -> CapsuleImportResult:
        """Import a bundle."""
        return capsules.import_bundle(self._journal(call), params)
