"""The verbs of the family `capsules`."""

from __future__ import annotations

from muninn_core.engine.session import capsules
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.capsules import (
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
from muninn_core.worktree.call import Call


class CapsulesVerbs(Verbs):
    """Group observations into capsules, and retrieve what belongs to a question."""

    def capsule_open(self, params: CapsuleOpenParams, call: Call) -> CapsuleResult:
        """Open a capsule."""
        return capsules.open_capsule(self._journal(call), params, call)

    def capsule_close(self, params: CapsuleCloseParams, call: Call) -> CapsuleResult:
        """Close a capsule."""
        return capsules.close(self._journal(call), params)

    def capsule_observe(self, params: CapsuleObserveParams, call: Call) -> CapsuleEventResult:
        """Record an observation."""
        return capsules.observe(self._journal(call), params, call)

    def capsule_summarise(self, params: CapsuleSummariseParams, call: Call) -> CapsuleEventResult:
        """Record a summary."""
        return capsules.summarise(self._journal(call), params, call)

    def capsule_pin(self, params: CapsulePinParams, call: Call) -> CapsuleEventResult:
        """Pin an event, or take it out of the pins."""
        return capsules.pin(self._journal(call), params)

    def capsule_list(self, params: CapsuleListParams, call: Call) -> CapsuleListResult:
        """List capsules."""
        return capsules.list_capsules(self._journal(call), params)

    def capsule_retrieve(self, params: CapsuleRetrieveParams, call: Call) -> CapsuleRetrieveResult:
        """Return what belongs to a question."""
        return capsules.retrieve(self._journal(call), params)

    def capsule_export(self, params: CapsuleExportParams, call: Call) -> CapsuleExportResult:
        """Return a bundle."""
        return capsules.export_bundle(self._journal(call), params)

    def capsule_import(self, params: CapsuleImportParams, call: Call) -> CapsuleImportResult:
        """Import a bundle."""
        return capsules.import_bundle(self._journal(call), params)
