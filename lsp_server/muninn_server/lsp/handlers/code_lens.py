"""Code lenses: the memories about a definition, and the size of a context file's pack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from muninn_core.context.editor.markdown import address_part
from muninn_core.engine.file.uris import address
from muninn_core.model.counting import number_of
from muninn_core.source.documents.muninn_file import KINDS_WITH_REFERENCES
from muninn_server.lsp.muninn_document import muninn_document
from muninn_server.lsp.positions import TOP, line_range

if TYPE_CHECKING:
    from muninn_core.model.note import Lens
    from muninn_core.protocol.families.context_file import RenderResult
    from muninn_core.protocol.families.editor import AnnotateResult
    from muninn_server.lsp.editor import Editor


async def code_lens(editor: Editor, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Return the lenses of a file: those of its memories, and of a context file that of its pack."""
    uri = params.text_document.uri
    lenses = await _memory_lenses(editor, uri)
    file = muninn_document(editor.client, uri)
    if file is not None and file.kind in KINDS_WITH_REFERENCES:
        lenses += await editor.packs.run(uri, lambda: _pack_lens(editor, uri))
    return lenses


async def _memory_lenses(editor: Editor, uri: str) -> list[types.CodeLens]:
    found = await editor.annotations.shown(uri) if editor.client.settings.lens == "lens" else None
    if found is None:
        return []
    document = editor.server.document(uri)
    return [
        types.CodeLens(line_range(document, max(lens.start, 1)), command=lens_command(lens, found))
        for lens in found.lenses
    ]


async def _pack_lens(editor: Editor, uri: str) -> list[types.CodeLens]:
    """Return the lens of a pack. Files of agents have one only if they refer to something."""
    file = muninn_document(editor.client, uri)
    if file is None:
        return []  # closed before its turn

    def finish(result: RenderResult) -> list[types.CodeLens]:
        if file.kind != "context" and not result.references:
            return []
        argument = {"uri": address("context", file.path.removesuffix(".md")), "path": file.path, "line": 1}
        return [types.CodeLens(TOP, command=types.Command(_pack_title(result), "muninn.show", arguments=[argument]))]

    return await editor.client.ask("render", {"path": file.path, "text": file.text}, finish) or []


def _pack_title(result: RenderResult) -> str:
    count = len(result.references)
    missing = sum(1 for each in result.references if each.problem)
    parts = [f"{result.tokens:,} of {number_of(result.budget, 'token')}", number_of(count, "reference")]
    parts += [f"{missing} not in the pack"] if missing else []
    parts += ["the end of the text is cut off"] if result.cut else []
    return " · ".join(parts)


def lens_command(lens: Lens, found: AnnotateResult) -> types.Command:
    """Return the command that opens the notes of a lens. `documents` is for editors that list locations."""
    titles = {note.id: note.title for note in found.notes}
    records = [address("memory", address_part(each, titles.get(each, ""))) for each in lens.ids]
    argument: dict[str, Any] = {
        "uri": records[0] if len(records) == 1 and not lens.paths else address("notes", found.path),
        "path": found.path,
        "line": lens.start,
        "documents": records,
        "files": list(lens.paths),
    }
    return types.Command(lens.title, "muninn.show", arguments=[argument])
