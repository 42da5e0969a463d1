"""The shape of our files in an editor: outline, folding, and coloured references."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.context.outline import Entry, Token, folds, outline, tokens
from muninn_core.engine.file.reference_index import rooted
from muninn_core.source.muninn_file import OwnKind
from muninn_server.lsp.own.files import OwnFile, own_file
from muninn_server.lsp.server import path_of

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server

TOKEN_TYPES = {"file": "string", "symbol": "function", "name": "type", "question": "macro"}
"""The types of the protocol that themes have colours for, by what a reference is."""

_LEGEND = types.SemanticTokensLegend(token_types=list(TOKEN_TYPES.values()), token_modifiers=[])
_COLOURED: tuple[OwnKind, ...] = ("context", "instructions", "knowledge")
_KINDS = {"section": types.SymbolKind.String, "record": types.SymbolKind.Event, "key": types.SymbolKind.Property}


def register(editor: Editor, server: Server) -> None:
    """Answer for outline, folding and colours."""

    @server.provide(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        file = own_file(editor, server, params.text_document.uri)
        if file is None:
            return None
        entries = await asyncio.to_thread(outline, file.kind, file.text)
        return _nested(file, entries)

    @server.provide(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding(params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
        file = own_file(editor, server, params.text_document.uri)
        if file is None:
            return None
        found = await asyncio.to_thread(folds, file.kind, file.text)
        return [types.FoldingRange(first, last) for first, last in found]

    @server.provide(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, _LEGEND)
    async def coloured(params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        file = own_file(editor, server, params.text_document.uri)
        if file is None or file.kind not in _COLOURED:
            return None

        def there(target: str) -> bool:
            near = (rooted(target, file.path, linked=linked) for linked in (False, True))
            return any(path and Path(path_of(editor.uri_of(path)) or "").exists() for path in near)

        found = await asyncio.to_thread(tokens, file.kind, file.text, there)
        return types.SemanticTokens(list(_encoded(file, found)))


def _nested(file: OwnFile, entries: Sequence[Entry]) -> list[types.DocumentSymbol]:
    lines = file.text.split("\n")
    units = file.document.position_codec.client_num_units
    top: list[types.DocumentSymbol] = []
    open_: list[tuple[int, list[types.DocumentSymbol]]] = [(0, top)]
    for entry in entries:
        while open_[-1][0] >= entry.level:
            open_.pop()
        end = types.Position(entry.last, units(lines[entry.last].rstrip("\r")))
        first = types.Position(entry.line, units(lines[entry.line].rstrip("\r")))
        begin = types.Position(entry.line, 0)
        children: list[types.DocumentSymbol] = []
        symbol = types.DocumentSymbol(
            name=entry.name,
            kind=_KINDS[entry.kind],
            range=types.Range(begin, end),
            selection_range=types.Range(begin, first),
            detail=entry.detail or None,
            children=children,
        )
        open_[-1][1].append(symbol)
        open_.append((entry.level, children))
    return top


def _encoded(file: OwnFile, found: Sequence[Token]) -> Iterator[int]:
    """Yield five numbers a token, each place relative to the one before (LSP 3.17, "Semantic Tokens")."""
    legend = list(TOKEN_TYPES)
    line, start = 0, 0
    for token in found:
        place = file.range(token.line + 1, token.start + 1, token.end + 1)
        at, length = place.start.character, place.end.character - place.start.character
        yield from (token.line - line, at if token.line != line else at - start, length, legend.index(token.kind), 0)
        line, start = token.line, at
