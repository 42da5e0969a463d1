"""Where references lead: hover, definition, who refers to what, names in the whole repository, and renamed files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.context.cursor_slot import key_at
from muninn_server.lsp.own.files import OwnFile, own_file, place_in
from muninn_server.lsp.server import path_of

if TYPE_CHECKING:
    from muninn_core.protocol.reference import BacklinksResult, Meaning, NamesResult, ReferencesResult, RelinkResult
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server

MOST_SYMBOLS = 100

_EVERYTHING = types.FileOperationRegistrationOptions(
    filters=[types.FileOperationFilter(pattern=types.FileOperationPattern(glob="**/*"), scheme="file")]
)
_SYMBOL_KINDS = {
    "memory": types.SymbolKind.Event,
    "document": types.SymbolKind.File,
    "knowledge": types.SymbolKind.File,
    "context": types.SymbolKind.Package,
}


def register(editor: Editor, server: Server) -> None:
    """Answer for all of it."""

    @server.provide(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        file = own_file(editor, server, params.text_document.uri)
        meaning = await _meaning(editor, file, params.position) if file is not None else None
        if file is None:
            return None
        if meaning is None or meaning.kind == "prose":
            key = key_at(file.kind, file.text, params.position.line, file.column(params.position))
            if key is None:
                return None
            place = file.range(params.position.line + 1, key.start + 1, key.end + 1)
            return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, key.markdown), place)
        wrong = meaning.problem + (f": did you mean `{meaning.near}`?" if meaning.problem and meaning.near else "")
        said = "\n\n".join(part for part in (wrong, meaning.markdown) if part)
        place = file.range(meaning.line, meaning.column, meaning.end)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said), place) if said else None

    @server.provide(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> types.Location | None:
        file = own_file(editor, server, params.text_document.uri)
        meaning = await _meaning(editor, file, params.position) if file is not None else None
        if meaning is None or not meaning.path or meaning.kind == "folder":
            return None
        return place_in(server, editor.uri_of(meaning.path), meaning.start or 1)

    @server.provide(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location] | None:
        file = own_file(editor, server, params.text_document.uri)
        if file is None:
            return None
        meaning = await _meaning(editor, file, params.position)
        if meaning is None and not Path(path_of(file.document.uri) or "").is_file():
            return None  # nobody can refer to what was never saved
        target = (meaning.id or meaning.path) if meaning is not None else file.path

        def finish(result: BacklinksResult) -> list[types.Location]:
            found = [each for each in result.backlinks if each.path]
            return [place_in(server, editor.uri_of(each.path), each.line, each.column, each.end) for each in found]

        return await editor.ask("backlinks", {"target": target, "path": file.path}, finish) if target else None

    @server.provide(types.WORKSPACE_SYMBOL)
    async def symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol] | None:
        def finish(result: NamesResult) -> list[types.WorkspaceSymbol]:
            return [
                types.WorkspaceSymbol(
                    location=place_in(server, editor.uri_of(each.path), each.line),
                    name=each.name,
                    kind=_SYMBOL_KINDS[each.kind],
                    container_name=each.detail or None,
                )
                for each in result.names
                if each.path
            ]

        return await editor.ask("names", {"text": params.query, "limit": MOST_SYMBOLS}, finish)

    @server.provide(types.WORKSPACE_WILL_RENAME_FILES, _EVERYTHING)
    async def renamed(params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
        moves = [
            path for each in params.files for path in (editor.relative(each.old_uri), editor.relative(each.new_uri))
        ]
        if not moves or not all(moves):
            return None  # into or out of the repository: no link can follow

        def finish(result: RelinkResult) -> types.WorkspaceEdit | None:
            changes: dict[str, list[types.TextEdit]] = {}
            for each in result.edits:
                uri = editor.uri_of(each.path)
                place = place_in(server, uri, each.line, each.column, each.end).range
                changes.setdefault(uri, []).append(types.TextEdit(place, each.text))
            return types.WorkspaceEdit(changes=changes) if changes else None

        return await editor.ask("relink", {"moves": moves}, finish)


async def _meaning(editor: Editor, file: OwnFile, position: types.Position) -> Meaning | None:
    """Return what the reference at a position means; None where there is none."""
    column = file.column(position) + 1

    def finish(result: ReferencesResult) -> Meaning | None:
        return next((each for each in result.references if each.column <= column < each.end), None)

    given = {"path": file.path, "text": file.text, "line": position.line + 1}
    return await editor.ask("references", given, finish)
