"""The content of `muninn:` documents (LSP 3.18, `workspace/textDocumentContent`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor


async def text_document_content(
    editor: Editor, params: types.TextDocumentContentParams
) -> types.TextDocumentContentResult:
    """Return the text of a document. Raises ResponseError if it does not exist."""
    return types.TextDocumentContentResult(await editor.virtual_documents.content(params.uri))
