"""Hover: what is remembered about the place under the pointer, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.errors import BadParams
from muninn_server.lsp.texts import name_at

if TYPE_CHECKING:
    from muninn_core.protocol.editor import AboutResult
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server


def register(editor: Editor, server: Server) -> None:
    """Answer for hovers."""

    @server.provide(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        path = editor.source_path(uri)
        if path is None:
            return None
        document = server.workspace.text_documents.get(uri)
        name = name_at(document, params.position) if document is not None else ""
        asked = {"file": path, "line": params.position.line + 1, "name": name, "links": editor.virtual}

        def finish(result: AboutResult) -> str:
            return result.text

        try:
            text = await editor.ask("about", asked, finish)
        except BadParams:
            return None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text else None
