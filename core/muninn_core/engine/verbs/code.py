"""The verbs of the family `code`."""

from __future__ import annotations

from muninn_core.engine.answer.code import code_map, repository_map
from muninn_core.engine.answer.organisation_question import of_graph, of_symbols
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.code import (
    GraphParams,
    GraphResult,
    MapParams,
    MapResult,
    OutlineParams,
    OutlineResult,
    SymbolsParams,
    SymbolsResult,
)
from muninn_core.worktree.call_context import CallContext


class CodeVerbs(Verbs):
    """Find definitions and follow the relations between them."""

    def symbols(self, params: SymbolsParams, call: CallContext) -> SymbolsResult:
        """Find definitions by name."""
        workspace = self._reading(call)
        with self._open_others(workspace, params.repos, call, lambda: of_symbols(workspace, params)) as others:
            return code_map.symbols(workspace, params, others)

    def outline(self, params: OutlineParams, call: CallContext) -> OutlineResult:
        """Return the definitions of a file as a tree."""
        return code_map.outline(self._reading(call), params)

    def map(self, params: MapParams, call: CallContext) -> MapResult:
        """Return the repository by folders."""
        return repository_map.repository_map(self._reading(call), params, call)

    def graph(self, params: GraphParams, call: CallContext) -> GraphResult:
        """Return the relations of a file or definition."""
        workspace = self._reading(call)
        with self._open_others(workspace, params.repos, call, lambda: of_graph(workspace, params)) as others:
            return code_map.graph(workspace, params, others)
