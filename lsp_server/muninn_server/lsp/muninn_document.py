"""An open document that is one of Muninn's files: `.muninn`, context files, steering documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

from muninn_core.source.documents.muninn_file import OwnKind, own_kind
from muninn_server.lsp.positions import line_range

if TYPE_CHECKING:
    from muninn_core.protocol.families.reference import Meaning, ReferencesResult
    from muninn_server.lsp.client import EditorClient
    from muninn_server.lsp.server import Document


class MuninnDocument(NamedTuple):
    """An open Muninn file: its path relative to the root, its kind, its document."""

    path: str
    kind: OwnKind
    document: Document

    @property
    def text(self) -> str:
        """The text as the editor has it."""
        return self.document.source

    def range(self, line: int, column: int, end: int) -> types.Range:
        """Return the client's range on a line. All three are 1-based; `end` 0 means the end of the line."""
        if end <= 0:
            lines = self.document.lines
            end = len(lines[line - 1].rstrip()) + 1 if 0 < line <= len(lines) else column
        return line_range(self.document, line, max(column - 1, 0), max(end - 1, column - 1))

    def column(self, position: types.Position) -> int:
        """Return the character (0-based) of a client's position on its line."""
        lines = self.text.split("\n")
        if position.line >= len(lines):
            return 0
        return self.document.index_on(lines[position.line].removesuffix("\r"), position.character)


def muninn_document(client: EditorClient, uri: str) -> MuninnDocument | None:
    """Return an open Muninn file; None for any other file, and for one that is not open."""
    path = client.relative(uri)
    kind = own_kind(path) if path is not None else ""
    document = client.server.open_document(uri)
    return MuninnDocument(path, kind, document) if path and kind and document is not None else None


async def reference_at(client: EditorClient, file: MuninnDocument, position: types.Position) -> Meaning | None:
    """Return the meaning of the reference at a position, None if there is none."""
    column = file.column(position) + 1

    def finish(result: ReferencesResult) -> Meaning | None:
        return next((each for each in result.references if each.column <= column < each.end), None)

    given = {"path": file.path, "text": file.text, "line": position.line + 1}
    return await client.ask("references", given, finish)
