"""The lens above a context file: how many tokens its pack has, what is missing in it, and a click that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from muninn_core.engine.file.uris import address
from muninn_core.source.muninn_file import REFERRING
from muninn_server.lsp.own.files import own_file
from muninn_server.lsp.own.turns import Turns

if TYPE_CHECKING:
    from muninn_core.protocol.context_file import RenderResult
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server


def register(editor: Editor, server: Server) -> None:
    """Answer for the lens. Files of an agent have none unless they refer to something."""
    turns: Turns[list[types.CodeLens]] = Turns()

    @server.provide(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        file = own_file(editor, server, uri)
        if file is None or file.kind not in REFERRING:
            return []
        return await turns.take(uri, lambda: counted(uri))

    async def counted(uri: str) -> list[types.CodeLens]:
        file = own_file(editor, server, uri)
        if file is None:
            return []  # closed while it waited for its turn

        def finish(result: RenderResult) -> list[types.CodeLens]:
            if file.kind != "context" and not result.references:
                return []
            argument = {"uri": address("context", file.path.removesuffix(".md")), "path": file.path, "line": 1}
            command = types.Command(title(result), "muninn.show", arguments=[argument])
            return [types.CodeLens(types.Range(types.Position(0, 0), types.Position(0, 0)), command=command)]

        return await editor.ask("render", {"path": file.path, "text": file.text}, finish) or []


def title(result: RenderResult) -> str:
    """Return what the lens says."""
    count = len(result.references)
    missing = sum(1 for each in result.references if each.problem)
    parts = [f"{result.tokens:,} of {result.budget:,} tokens", f"{count} reference{'' if count == 1 else 's'}"]
    parts += [f"{missing} not in the pack"] if missing else []
    parts += ["the end of the text is cut off"] if result.cut else []
    return " · ".join(parts)
