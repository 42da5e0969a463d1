"""Opening what is no file: `muninn:` documents and drafts, in editors of every age.

A client that asks for the content of such documents (LSP 3.18, `workspace/textDocumentContent`, or its own plugin by
`muninn/document`) is sent their address. For any other the page is written to a read-only file that lives as long as
the connection. Who can't be asked to show anything is told in a message; the command's result has it all.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lsprotocol import types

from muninn_core.context.draft import draft_of
from muninn_core.engine.file.uris import SCHEME, address
from muninn_core.errors import BadParams, MuninnError
from muninn_core.model.value import to_plain
from muninn_server.lsp.server import Refused, path_of

if TYPE_CHECKING:
    from muninn_core.protocol.editor import DocumentResult
    from muninn_core.protocol.memory import RememberResult
    from muninn_server.lsp.editor import Editor
    from muninn_server.lsp.server import Server

_DRAFTS = ".muninn/local/drafts/"


def register(editor: Editor, server: Server) -> None:
    """Answer for the content of documents."""

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    async def content(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        editor.shown.add(params.uri)
        result: DocumentResult | None = await editor.ask(
            "document", {"uri": params.uri}, lambda found: found, strict=True
        )
        return types.TextDocumentContentResult(result.text if result is not None else "")


class Pages:
    """What one editor was shown."""

    def __init__(self, editor: Editor, server: Server) -> None:
        self._editor = editor
        self._server = server
        self._folder: Path | None = None
        self._drafts: set[str] = set()

    async def run(self, command: str, argument: Any) -> dict[str, Any]:
        """Run one of `GESTURES`. Raises MuninnError."""
        if not isinstance(argument, dict):
            raise BadParams(f"'{command}' takes one argument, an object", hint='Send "arguments": [{…}].')
        return await (self._show(argument) if command == "muninn.show" else self._write(argument))

    async def _show(self, argument: dict[str, Any]) -> dict[str, Any]:
        uri = argument.get("uri")
        if uri is None and isinstance(argument.get("path"), str):
            uri = address("notes", argument["path"])
        result: DocumentResult = await self._editor.call("document", {"uri": uri}, lambda found: found)
        target = result.uri if self._editor.virtual else await asyncio.to_thread(self._written, result)
        shown = await self._open(target, result.title)
        return {"uri": target, "title": result.title, "text": result.text, "shown": shown}

    async def _write(self, argument: dict[str, Any]) -> dict[str, Any]:
        result = await self._editor.call("draft", argument, to_plain)
        self._drafts.add(result["path"])
        uri = Path(result["path"]).as_uri()
        shown = await self._open(uri, f"write the memory into {result['path']} and save it")
        return {"uri": uri, "path": result["path"], "text": result["text"], "shown": shown}

    async def _open(self, uri: str, title: str) -> bool:
        window = self._server.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            params = types.ShowDocumentParams(uri=uri, take_focus=True)
            with contextlib.suppress(Refused):
                answer = await self._server.window_show_document_async(params)
                return answer is not None and answer.success  # some clients say nothing
        self._tell(types.MessageType.Info, title)
        return False

    def _written(self, result: DocumentResult) -> str:
        """Write a page to a file of this connection's own, which nobody else can read."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="muninn-pages-"))
        name = "".join(each if each.isalnum() or each in "-_." else "-" for each in result.title)[:60].strip("-.")
        digest = hashlib.blake2b(result.uri.encode(), digest_size=4).hexdigest()
        file = self._folder / f"{name or SCHEME}-{digest}.md"
        file.unlink(missing_ok=True)
        file.write_text(result.text, "utf-8")
        file.chmod(0o444)
        return file.as_uri()

    async def saved(self, uri: str, text: str) -> None:
        """Remember what a draft says, when it says anything. What is wrong with it is told."""
        try:
            given = draft_of(text)
            if given is None:
                return
            given["key"] = f"draft-{Path(path_of(uri) or '').stem}"
            stored: RememberResult = await self._editor.call("remember", given, lambda result: result)
            told = stored.memory.title if stored.memory is not None else stored.ids[0]
            again = stored.memory is not None and stored.memory.text.strip() != given["text"] and not stored.masked
            more = " It was stored when it was first saved; what you changed since is not." if again else ""
            self._tell(types.MessageType.Info, f"Remembered: {told}{more}")
        except MuninnError as error:
            self._tell(types.MessageType.Error, error.line)

    def is_draft(self, uri: str) -> bool:
        """Whether a document is a draft: one that was begun here, or one that lies where drafts do."""
        path = path_of(uri) or ""
        return path in self._drafts or (self._editor.relative(uri) or "").startswith(_DRAFTS)

    def preview_of(self, path: str) -> str:
        """Return the address under which the pack of a context file was shown, "" where it was not."""
        wanted = unquote(address("context", path.removesuffix(".md")))
        return next((uri for uri in self._editor.shown if unquote(uri) == wanted), "")

    def refresh(self, *uris: str) -> None:
        """Have documents that were shown asked for anew: some, or all of them."""
        workspace = self._server.client_capabilities.workspace
        if workspace is not None and workspace.text_document_content is not None:
            for uri in sorted(uris or self._editor.shown):
                self._server.workspace_text_document_content_refresh(types.TextDocumentContentRefreshParams(uri))

    def close(self) -> None:
        """Remove the files of this connection."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _tell(self, kind: types.MessageType, message: str) -> None:
        self._server.window_show_message(types.ShowMessageParams(kind, f"Muninn: {message}"))
