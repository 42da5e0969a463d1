"""Document symbols: the outline of a Muninn file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.context.editor.outline import Entry, outline
from muninn_server.lsp.muninn_document import MuninnDocument, muninn_document

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor

_KINDS = {"section": types.SymbolKind.String, "record": types.SymbolKind.Event, "key": types.SymbolKind.Property}


async def document_symbol(editor: Editor, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
    """Return the sections, records or keys of a Muninn file."""
    file = muninn_document(editor.client, params.text_document.uri)
    if file is None:
        return None
    return _nested(file, await asyncio.to_thread(outline, file.kind, file.text))


def _nested(file: MuninnDocument, entries: Sequence[Entry]) -> list[types.DocumentSymbol]:
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
