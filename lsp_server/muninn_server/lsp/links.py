"""Document links in source files: memory ids, decisions and tasks that a comment names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_server.lsp.texts import line_range

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server


def register(editor: Editor, server: Server) -> None:
    """Answer for links. Those to Muninn's documents are for clients that can open them."""

    @server.provide(types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkOptions(resolve_provider=False))
    async def links(params: types.DocumentLinkParams) -> list[types.DocumentLink]:
        uri = params.text_document.uri
        found = await editor.annotations.of(uri)
        if found is None:
            return []
        document = server.workspace.get_text_document(uri)
        return [
            types.DocumentLink(
                line_range(document, each.line, each.start, each.end),
                target=editor.uri_of(each.path) if each.path else each.uri,
            )
            for each in found.pointers
            if each.path or editor.virtual
        ]
