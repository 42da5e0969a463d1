"""One of our files as an editor has it, and places in it: the core's lines and characters, and those of the client."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

from muninn_core.source.muninn_file import OwnKind, kind_of
from muninn_server.lsp.texts import line_range

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server, TextDocument


class OwnFile(NamedTuple):
    """An open file of ours: its path (relative to the root), what it is, and its document."""

    path: str
    kind: OwnKind
    document: TextDocument

    @property
    def text(self) -> str:
        """The text as the editor has it."""
        source: str = self.document.source
        return source

    def range(self, line: int, column: int, end: int) -> types.Range:
        """Return a stretch of a line as the client counts; all are counted from 1, `end` 0 is the end of the line."""
        if end <= 0:
            lines = self.document.lines
            end = len(lines[line - 1].rstrip()) + 1 if 0 < line <= len(lines) else column
        return line_range(self.document, line, max(column - 1, 0), max(end - 1, column - 1))

    def column(self, position: types.Position) -> int:
        """Return the character (from 0) that a client means on its line."""
        lines = self.text.split("\n")
        if position.line >= len(lines):
            return 0
        place = types.Position(0, position.character)
        return int(self.document.position_codec.position_from_client_units([lines[position.line]], place).character)


def own_file(editor: Editor, server: Server, uri: str) -> OwnFile | None:
    """Return an open file of ours; None for any other, or one that is not open."""
    path = editor.relative(uri)
    kind = kind_of(path) if path is not None else ""
    document = server.workspace.text_documents.get(uri)
    return OwnFile(path, kind, document) if path and kind and document is not None else None


def place_in(server: Server, uri: str, line: int, column: int = 1, end: int = 1) -> types.Location:
    """Return a place (from 1) in any file of the work tree; the file is read where the client's columns need it."""
    if column == 1 and end <= 1:
        start = types.Position(max(line - 1, 0), 0)
        return types.Location(uri, types.Range(start, start))
    return types.Location(uri, line_range(server.workspace.get_text_document(uri), line, column - 1, end - 1))
