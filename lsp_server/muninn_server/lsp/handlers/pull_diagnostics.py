"""Diagnostics of a document for a client that pulls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_server.lsp.diagnostics import digest

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor


async def document_diagnostic(editor: Editor, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
    """Return the diagnostics of a document, or that they are those of the previous result id."""
    items = await editor.diagnostics.of(params.text_document.uri)
    number = digest(items)
    if params.previous_result_id == number:
        return types.RelatedUnchangedDocumentDiagnosticReport(number)
    return types.RelatedFullDocumentDiagnosticReport(items, result_id=number)
