"""Document links in source files: the memory ids, decisions and tasks that comments name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_server.lsp.positions import line_range

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor


async def document_link(editor: Editor, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """Return the links of a file. Links to `muninn:` documents go only to clients that can open them."""
    uri = params.text_document.uri
    found = await editor.annotations.of(uri)
    if found is None:
        return []
    document = editor.server.document(uri)
    return [
        types.DocumentLink(
            line_range(document, each.line, each.start, each.end),
            target=editor.client.uri_of(each.path) if each.path else each.uri,
        )
        for each in found.pointers
        if each.path or editor.client.capabilities.virtual_documents
    ]
