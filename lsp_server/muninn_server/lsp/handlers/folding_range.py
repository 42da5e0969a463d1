"""Folding ranges: the sections and blocks of a Muninn file."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.context.editor.outline import folds
from muninn_server.lsp.muninn_document import muninn_document

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor


async def folding_range(editor: Editor, params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
    """Return the ranges of a Muninn file that can be folded."""
    file = muninn_document(editor.client, params.text_document.uri)
    if file is None:
        return None
    found = await asyncio.to_thread(folds, file.kind, file.text)
    return [types.FoldingRange(first, last) for first, last in found]
