"""Inlay hints: the memories about a definition, for editors that are set to hints in place of lenses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_server.lsp.handlers.code_lens import lens_command
from muninn_server.lsp.positions import line_range

if TYPE_CHECKING:
    from muninn_core.model.note import Lens
    from muninn_core.protocol.families.editor import AnnotateResult
    from muninn_server.lsp.editor import Editor


async def inlay_hint(editor: Editor, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Return the hints within a range."""
    uri = params.text_document.uri
    found = await editor.annotations.shown(uri) if editor.client.settings.lens == "inlay" else None
    if found is None:
        return []
    document = editor.server.document(uri)
    first, last = params.range.start.line, params.range.end.line
    return [
        types.InlayHint(
            line_range(document, max(lens.start, 1)).end,
            [types.InlayHintLabelPart(lens.title, command=lens_command(lens, found))],
            padding_left=True,
            tooltip=_tooltip(lens, found),
        )
        for lens in found.lenses
        if first <= max(lens.start, 1) - 1 <= last
    ]


def _tooltip(lens: Lens, found: AnnotateResult) -> str:
    titles = {note.id or note.path: note.title for note in found.notes}
    return "\n".join(f"• {titles[each]}" for each in (*lens.ids, *lens.paths) if each in titles)
