"""Definition of a reference in a Muninn file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_server.lsp.muninn_document import muninn_document, reference_at
from muninn_server.lsp.positions import location

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor


async def definition(editor: Editor, params: types.DefinitionParams) -> types.Location | None:
    """Return the location that the reference at a position leads to."""
    file = muninn_document(editor.client, params.text_document.uri)
    meaning = await reference_at(editor.client, file, params.position) if file is not None else None
    if meaning is None or not meaning.path or meaning.kind == "folder":
        return None
    return location(editor.server, editor.client.uri_of(meaning.path), meaning.start or 1)
