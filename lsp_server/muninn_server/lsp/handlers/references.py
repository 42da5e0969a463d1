"""References from Muninn's files to a file or memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_server.lsp.muninn_document import muninn_document, reference_at
from muninn_server.lsp.positions import location
from muninn_server.lsp.server import path_of

if TYPE_CHECKING:
    from muninn_core.protocol.families.reference import BacklinksResult
    from muninn_server.lsp.editor import Editor


async def references(editor: Editor, params: types.ReferenceParams) -> list[types.Location] | None:
    """Return the references to what the reference at a position means, or to the file itself."""
    file = muninn_document(editor.client, params.text_document.uri)
    if file is None:
        return None
    meaning = await reference_at(editor.client, file, params.position)
    if meaning is None and not Path(path_of(file.document.uri) or "").is_file():
        return None  # the file was never saved, so nothing refers to it
    target = (meaning.id or meaning.path) if meaning is not None else file.path

    def finish(result: BacklinksResult) -> list[types.Location]:
        found = [each for each in result.backlinks if each.path]
        return [
            location(editor.server, editor.client.uri_of(each.path), each.line, each.column, each.end) for each in found
        ]

    return await editor.client.ask("backlinks", {"target": target, "path": file.path}, finish) if target else None
