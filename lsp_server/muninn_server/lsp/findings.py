"""Diagnostics: code and memory that no longer agree, in source files, and what is wrong in our own files.

A client that pulls (LSP 3.17, "Pull Diagnostics") is never pushed to, and the other way round.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.engine.file.uris import address
from muninn_core.source.muninn_file import kind_of
from muninn_server.lsp.own.faults import diagnostics
from muninn_server.lsp.texts import line_range

if TYPE_CHECKING:
    from muninn_core.model.note import Doubt, Spot
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server, TextDocument

SOURCE = "muninn"

QUIET_SECONDS = 0.3
"""How long a text must rest before a client that does not ask is told what is in doubt."""

_SEVERITY = {
    "information": types.DiagnosticSeverity.Information,
    "warning": types.DiagnosticSeverity.Warning,
}


def register(editor: Editor, server: Server, capabilities: types.ClientCapabilities) -> None:
    """Offer to be asked, to a client that asks. Called during the handshake."""
    document = capabilities.text_document
    if document is None or document.diagnostic is None:
        return
    editor.pulls = True

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE),
    )
    async def pulled(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        items = await found(editor, server, params.text_document.uri)
        number = _digest(items)
        if params.previous_result_id == number:
            return types.RelatedUnchangedDocumentDiagnosticReport(number)
        return types.RelatedFullDocumentDiagnosticReport(items, result_id=number)


async def found(editor: Editor, server: Server, uri: str) -> list[types.Diagnostic]:
    """Return what is to be underlined in a document."""
    if uri in editor.too_long:
        return [_too_long(editor.too_long[uri])]
    path = editor.relative(uri)
    document = server.workspace.get_text_document(uri)
    if path is not None and kind_of(path):
        return await editor.checks.take(uri, lambda: diagnostics(editor, server, uri))
    result = await editor.annotations.of(uri) if editor.settings.diagnostics else None
    return [_diagnostic(editor, uri, document, doubt) for doubt in result.doubts] if result else []


def tell_too_long(editor: Editor, server: Server, uri: str) -> None:
    """Say to a client that does not ask that a document is not checked while it is edited."""
    if not editor.pulls:
        items = [_too_long(editor.too_long[uri])]
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items))


def _too_long(length: int) -> types.Diagnostic:
    said = f"{length:,} characters are too many to check while editing: `muninn check` does"
    place = types.Range(types.Position(0, 0), types.Position(0, 0))
    return types.Diagnostic(place, said, severity=types.DiagnosticSeverity.Information, source=SOURCE)


async def push(editor: Editor, server: Server, uri: str, *, again: bool = False) -> None:
    """Publish what is to be underlined, unless the document changes meanwhile; the same only when it is to be again."""
    document = server.workspace.get_text_document(uri)
    version = document.version
    items = await found(editor, server, uri)
    if editor.pulls or uri not in server.workspace.text_documents or document.version != version:
        return
    number = _digest(items)
    known = editor.published.get(uri)
    if known is None and not items and not kind_of(editor.relative(uri) or ""):
        return  # nothing was ever said of it, and nothing is to be said
    if again or known != (number, version):
        editor.published[uri] = (number, version)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items, version))


def _diagnostic(editor: Editor, uri: str, document: TextDocument, doubt: Doubt) -> types.Diagnostic:
    related = [each for spot in doubt.related if (each := _related(editor, document, spot)) is not None]
    return types.Diagnostic(
        line_range(document, doubt.start),
        doubt.message,
        severity=_SEVERITY[doubt.level],
        code=doubt.rule,
        source=SOURCE,
        related_information=related if editor.takes_related else None,
        data={"id": doubt.id, "rule": doubt.rule, "start": doubt.start, "end": doubt.end},
    )


def _related(editor: Editor, document: TextDocument, spot: Spot) -> types.DiagnosticRelatedInformation | None:
    nowhere = types.Range(types.Position(0, 0), types.Position(0, 0))
    if spot.path:
        inside = spot.path == editor.relative(document.uri)
        place = line_range(document, spot.start) if inside else nowhere
        return types.DiagnosticRelatedInformation(types.Location(editor.uri_of(spot.path), place), spot.message)
    if spot.id and editor.virtual:
        return types.DiagnosticRelatedInformation(types.Location(address("memory", spot.id), nowhere), spot.message)
    return None


def _digest(items: list[types.Diagnostic]) -> str:
    return hashlib.blake2b(repr(items).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
