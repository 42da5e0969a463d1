"""Hover: the meaning of a reference or key in a Muninn file, and the memories about a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.context.editor.cursor_slot import key_at
from muninn_core.errors import BadParams
from muninn_server.lsp.muninn_document import MuninnDocument, muninn_document, reference_at
from muninn_server.lsp.positions import name_at

if TYPE_CHECKING:
    from muninn_core.protocol.families.editor import AboutResult
    from muninn_server.lsp.editor import Editor


async def hover(editor: Editor, params: types.HoverParams) -> types.Hover | None:
    """Return the hover at a position. A Muninn file's own content comes before the memories about it."""
    file = muninn_document(editor.client, params.text_document.uri)
    found = await _reference(editor, file, params.position) if file is not None else None
    return found or await _memories(editor, params)


async def _reference(editor: Editor, file: MuninnDocument, position: types.Position) -> types.Hover | None:
    meaning = await reference_at(editor.client, file, position)
    if meaning is None or meaning.kind == "prose":
        key = key_at(file.kind, file.text, position.line, file.column(position))
        if key is None:
            return None
        return _markdown(key.markdown, file.range(position.line + 1, key.start + 1, key.end + 1))
    problem = meaning.problem + (f": did you mean `{meaning.near}`?" if meaning.problem and meaning.near else "")
    text = "\n\n".join(part for part in (problem, meaning.markdown) if part)
    return _markdown(text, file.range(meaning.line, meaning.column, meaning.end)) if text else None


async def _memories(editor: Editor, params: types.HoverParams) -> types.Hover | None:
    uri = params.text_document.uri
    path = editor.client.source_path(uri)
    if path is None:
        return None
    document = editor.server.open_document(uri)
    name = name_at(document, params.position) if document is not None else ""
    capable = editor.client.capabilities
    place = {"file": path, "line": params.position.line + 1, "name": name}
    given = {**place, "links": capable.virtual_documents, "rich": capable.rich_hover}

    def finish(result: AboutResult) -> str:
        return result.text

    try:
        text = await editor.client.ask("about", given, finish)
    except BadParams:
        return None
    return _markdown(text) if text else None


def _markdown(text: str, place: types.Range | None = None) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), place)
