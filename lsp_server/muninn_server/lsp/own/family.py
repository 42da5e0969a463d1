"""All features of our own files, to be hung on a server at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muninn_server.lsp.own import completion, faults, lens, navigation, shape

if TYPE_CHECKING:
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server


def register(editor: Editor, server: Server) -> None:
    """Answer for our own files."""
    for family in (navigation, completion, faults, lens, shape):
        family.register(editor, server)
