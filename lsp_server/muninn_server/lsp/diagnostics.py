"""Diagnostics: memories that no longer match the code of source files, and problems in Muninn's files.

A client that pulls diagnostics (LSP 3.17, "Pull Diagnostics") gets none pushed.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.context.editor.markdown import address_part
from muninn_core.engine.file.uris import address
from muninn_core.source.documents.muninn_file import own_kind
from muninn_server.lsp.coalescing import Coalescer
from muninn_server.lsp.lint import lint
from muninn_server.lsp.positions import TOP, line_range

if TYPE_CHECKING:
    from muninn_core.model.note import Doubt, Spot
    from muninn_server.lsp.annotations import Annotations
    from muninn_server.lsp.client import EditorClient
    from muninn_server.lsp.server import Document

SOURCE = "muninn"

_SEVERITY = {
    "information": types.DiagnosticSeverity.Information,
    "warning": types.DiagnosticSeverity.Warning,
}


class Diagnostics:
    """The diagnostics of one editor, and which of them were published."""

    def __init__(self, client: EditorClient, annotations: Annotations) -> None:
        self._client = client
        self._annotations = annotations
        self._lints: Coalescer[list[types.Diagnostic]] = Coalescer()
        self._published: dict[str, tuple[str, int | None]] = {}
        self._too_long: dict[str, int] = {}

    async def of(self, uri: str) -> list[types.Diagnostic]:
        """Return the diagnostics of a document."""
        if uri in self._too_long:
            return [_too_long(self._too_long[uri])]
        if own_kind(self._client.relative(uri) or ""):
            return await self._lints.run(uri, lambda: lint(self._client, uri))
        document = self._client.server.document(uri)
        result = await self._annotations.of(uri) if self._client.settings.diagnostics else None
        return [self._doubted(uri, document, doubt) for doubt in result.doubts] if result else []

    async def publish(self, uri: str, *, force: bool = False) -> None:
        """Push a document's diagnostics to a client that does not pull, unless the document changes meanwhile.

        Unchanged diagnostics are pushed only with `force`.
        """
        version = self._client.version_of(uri)
        items = await self.of(uri)
        document = self._client.server.open_document(uri)
        if self._client.capabilities.pull_diagnostics or document is None or self._client.version_of(uri) != version:
            return
        number = digest(items)
        known = self._published.get(uri)
        if known is None and not items and not own_kind(self._client.relative(uri) or ""):
            return  # none were published, and there are none
        if force or known != (number, document.version):
            self._published[uri] = (number, document.version)
            self._push(uri, items, document.version)

    def open_too_long(self, uri: str, length: int) -> None:
        """Report that a Muninn file is too long to check while it is edited; `length` in characters."""
        self._too_long[uri] = length
        if not self._client.capabilities.pull_diagnostics:
            self._push(uri, [_too_long(length)])

    def close_too_long(self, uri: str) -> None:
        """Withdraw the report about a file that was too long, if there is one."""
        if self._too_long.pop(uri, None) is not None and not self._client.capabilities.pull_diagnostics:
            self._push(uri, [])

    def clear(self, uri: str) -> None:
        """Withdraw the published diagnostics of a document."""
        if self._published.pop(uri, None) is not None:
            self._push(uri, [])

    def _push(self, uri: str, items: list[types.Diagnostic], version: int | None = None) -> None:
        self._client.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items, version))

    def _doubted(self, uri: str, document: Document, doubt: Doubt) -> types.Diagnostic:
        related = [each for spot in doubt.related if (each := self._related(document, spot)) is not None]
        return types.Diagnostic(
            line_range(document, doubt.start),
            doubt.message,
            severity=_SEVERITY[doubt.level],
            code=doubt.rule,
            source=SOURCE,
            related_information=related if self._client.capabilities.related_information else None,
            data={"id": doubt.id, "rule": doubt.rule, "start": doubt.start, "end": doubt.end},
        )

    def _related(self, document: Document, spot: Spot) -> types.DiagnosticRelatedInformation | None:
        if spot.path:
            inside = spot.path == self._client.relative(document.uri)
            place = line_range(document, spot.start) if inside else TOP
            return types.DiagnosticRelatedInformation(
                types.Location(self._client.uri_of(spot.path), place), spot.message
            )
        if spot.id and self._client.capabilities.virtual_documents:
            record = address("memory", address_part(spot.id, spot.message))  # editors show the last part
            return types.DiagnosticRelatedInformation(types.Location(record, TOP), spot.message)
        return None


def digest(items: list[types.Diagnostic]) -> str:
    """Return a digest that changes with the diagnostics: the result id of a pull."""
    return hashlib.blake2b(repr(items).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _too_long(length: int) -> types.Diagnostic:
    message = f"{length:,} characters are too many to check while editing: `muninn check` does"
    return types.Diagnostic(TOP, message, severity=types.DiagnosticSeverity.Information, source=SOURCE)
