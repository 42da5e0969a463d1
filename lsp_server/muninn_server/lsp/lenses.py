"""Code lenses, or inlay hints in their place: what is remembered about a definition, above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from muninn_core.context.about import named
from muninn_core.engine.file.uris import address
from muninn_server.lsp.texts import line_range

if TYPE_CHECKING:
    from muninn_core.model.note import Lens
    from muninn_core.protocol.editor import AnnotateResult
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server


def register(editor: Editor, server: Server) -> None:
    """Answer for lenses and hints. Both are offered, and one of them is empty: the settings may change."""

    @server.provide(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        found = await editor.annotations.shown(uri) if editor.settings.lens == "lens" else None
        if found is None:
            return []
        document = server.workspace.get_text_document(uri)
        return [
            types.CodeLens(line_range(document, max(lens.start, 1)), command=_command(lens, found))
            for lens in found.lenses
        ]

    @server.provide(types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintOptions(resolve_provider=False))
    async def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        uri = params.text_document.uri
        found = await editor.annotations.shown(uri) if editor.settings.lens == "inlay" else None
        if found is None:
            return []
        document = server.workspace.get_text_document(uri)
        first, last = params.range.start.line, params.range.end.line
        shown = [lens for lens in found.lenses if first <= max(lens.start, 1) - 1 <= last]
        return [
            types.InlayHint(
                line_range(document, max(lens.start, 1)).end,
                [types.InlayHintLabelPart(lens.title, command=_command(lens, found))],
                padding_left=True,
                tooltip=_tooltip(lens, found),
            )
            for lens in shown
        ]


def _command(lens: Lens, found: AnnotateResult) -> types.Command:
    """Return what opens the notes of a lens. An editor that can list locations finds them in `documents`."""
    titles = {note.id: note.title for note in found.notes}
    records = [address("memory", named(each, titles.get(each, ""))) for each in lens.ids]
    argument: dict[str, Any] = {
        "uri": records[0] if len(records) == 1 and not lens.paths else address("notes", found.path),
        "path": found.path,
        "line": lens.start,
        "documents": records,
        "files": list(lens.paths),
    }
    return types.Command(lens.title, "muninn.show", arguments=[argument])


def _tooltip(lens: Lens, found: AnnotateResult) -> str:
    titles = {note.id or note.path: note.title for note in found.notes}
    return "\n".join(f"• {titles[each]}" for each in (*lens.ids, *lens.paths) if each in titles)
