"""The verbs of the family `exchange`."""

from __future__ import annotations

from muninn_core.engine.memory.exchange import bundles, packs
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.exchange import (
    ExportParams,
    ExportResult,
    ImportParams,
    ImportResult,
    PackAddParams,
    PackAddResult,
    PackExportParams,
    PackExportResult,
    PackListParams,
    PackListResult,
    PackRemoveParams,
    PackRemoveResult,
    PackUpdateParams,
    PackUpdateResult,
)
from muninn_core.worktree.call_context import CallContext


class ExchangeVerbs(Verbs):
    """Carry memories and curated knowledge between repositories."""

    def export(self, params: ExportParams, call: CallContext) -> ExportResult:
        """Return a bundle of memories."""
        return bundles.export(self._reading(call), params)

    def import_(self, params: ImportParams, call: CallContext) -> ImportResult:
        """Store the memories of a bundle."""
        return bundles.import_bundle(self._writable(call), params)

    def pack_export(self, params: PackExportParams, call: CallContext) -> PackExportResult:
        """Write a pack of curated knowledge."""
        return packs.export(self._reading(call), params)

    def pack_add(self, params: PackAddParams, call: CallContext) -> PackAddResult:
        """Add a pack."""
        return packs.add(self._writable(call), params)

    def pack_list(self, _params: PackListParams, call: CallContext) -> PackListResult:
        """List the installed packs."""
        return packs.list_packs(self._reading(call))

    def pack_update(self, params: PackUpdateParams, call: CallContext) -> PackUpdateResult:
        """Replace a pack by another version."""
        return packs.update(self._reading(call) if params.dry_run else self._writable(call), params)

    def pack_remove(self, params: PackRemoveParams, call: CallContext) -> PackRemoveResult:
        """Remove a pack."""
        return packs.remove(self._writable(call), params)
