"""Edits that keep references valid when files are renamed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_server.lsp.positions import location

if TYPE_CHECKING:
    from muninn_core.protocol.families.reference import RelinkResult
    from muninn_server.lsp.editor import Editor

OPTIONS = types.FileOperationRegistrationOptions(
    filters=[types.FileOperationFilter(pattern=types.FileOperationPattern(glob="**/*"), scheme="file")]
)


async def will_rename_files(editor: Editor, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    """Return the edits of the files that refer to renamed ones. There are none for moves across the work tree."""
    relative = editor.client.relative
    moves = [path for each in params.files for path in (relative(each.old_uri), relative(each.new_uri))]
    if not moves or not all(moves):
        return None

    def finish(result: RelinkResult) -> types.WorkspaceEdit | None:
        changes: dict[str, list[types.TextEdit]] = {}
        for each in result.edits:
            uri = editor.client.uri_of(each.path)
            place = location(editor.server, uri, each.line, each.column, each.end).range
            changes.setdefault(uri, []).append(types.TextEdit(place, each.text))
        return types.WorkspaceEdit(changes=changes) if changes else None

    return await editor.client.ask("relink", {"moves": moves}, finish)
