"""Workspace symbols: memories, knowledge and decisions by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_server.lsp.positions import location

if TYPE_CHECKING:
    from muninn_core.protocol.families.reference import NamesResult
    from muninn_server.lsp.editor import Editor

MAX_SYMBOLS = 100

_KINDS = {
    "memory": types.SymbolKind.Event,
    "document": types.SymbolKind.File,
    "knowledge": types.SymbolKind.File,
    "context": types.SymbolKind.Package,
}


async def workspace_symbol(editor: Editor, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol] | None:
    """Return the symbols whose names match a query."""

    def finish(result: NamesResult) -> list[types.WorkspaceSymbol]:
        return [
            types.WorkspaceSymbol(
                location=location(editor.server, editor.client.uri_of(each.path), each.line),
                name=each.name,
                kind=_KINDS[each.kind],
                container_name=each.detail or None,
            )
            for each in result.names
            if each.path
        ]

    return await editor.client.ask("names", {"text": params.query, "limit": MAX_SYMBOLS}, finish)
