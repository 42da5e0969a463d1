"""Semantic tokens: the references in a Muninn file."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.context.editor.outline import Token, reference_tokens
from muninn_core.engine.file.reference_index import rooted
from muninn_core.source.documents.muninn_file import OwnKind
from muninn_server.lsp.muninn_document import MuninnDocument, muninn_document
from muninn_server.lsp.server import path_of

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor

TOKEN_TYPES = {"file": "string", "symbol": "function", "name": "type", "question": "macro"}
"""The protocol's token type of each kind of reference, among those that themes colour."""

LEGEND = types.SemanticTokensLegend(token_types=list(TOKEN_TYPES.values()), token_modifiers=[])

_KINDS: tuple[OwnKind, ...] = ("context", "instructions", "knowledge")


async def semantic_tokens_full(editor: Editor, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
    """Return the tokens of a Muninn file."""
    file = muninn_document(editor.client, params.text_document.uri)
    if file is None or file.kind not in _KINDS:
        return None

    def exists(target: str) -> bool:
        candidates = (rooted(target, file.path, linked=linked) for linked in (False, True))
        return any(path and Path(path_of(editor.client.uri_of(path)) or "").exists() for path in candidates)

    found = await asyncio.to_thread(reference_tokens, file.kind, file.text, exists)
    return types.SemanticTokens(list(_encoded(file, found)))


def _encoded(file: MuninnDocument, found: Sequence[Token]) -> Iterator[int]:
    """Yield five numbers per token, each position relative to the previous one (LSP 3.17, "Semantic Tokens")."""
    legend = list(TOKEN_TYPES)
    line, start = 0, 0
    for token in found:
        place = file.range(token.line + 1, token.start + 1, token.end + 1)
        at, length = place.start.character, place.end.character - place.start.character
        yield from (token.line - line, at if token.line != line else at - start, length, legend.index(token.kind), 0)
        line, start = token.line, at
